"""The lessons gradient_flow and derivation in a browser, by keyboard and at every window size."""

import re

import pytest
from dashboard import CHARTS, chart_data, chosen, field, how_sure, open_list, press, sentences, slider, turn_to
from harness import open_page, query_parameters, wait_until_still
from sampling import sampled
from sizes import PHONE, SCREEN

pytestmark = [pytest.mark.e2e, pytest.mark.walk]


def radio(page, name, option):
    return page.locator(f".st-key-{name} [role=radio]", has_text=option).first


def choose(page, name, option):
    """Choose an option of a select box by keyboard."""
    box = field(page, name)
    box.fill(option)
    page.get_by_role("option", name=option).wait_for()
    press(box, "Enter")


def marked_lines(page):
    return [row.inner_text().split()[0] for row in how_sure(page, "broken_lines").locator("tbody tr:has(strong)").all()]


def sure(page, key):
    """Return the text below a picture's "How sure?"."""
    return how_sure(page, key).text_content()


def stars(page):
    """Count the frozen rows in the picture: dots drawn as stars."""
    return page.locator(CHARTS).first.evaluate(
        """chart => chart.querySelector('.js-plotly-plot')._fullData.flatMap(
         trace => trace.marker?.symbol ?? []).filter(symbol => symbol === 'asterisk-open').length"""
    )


def test_gradient_flow_works_by_keyboard(page, server):
    open_page(page, server, "gradient_flow", n_keys=64, d_k=512)
    assert sentences(page)[0].startswith("At dₖ = 512, 60 of the hundred rows are frozen without the scale")
    turn_to(page, "at_q")
    assert "more gradient at q without the scale" in sentences(page)[0]
    turn_to(page, "curves")
    press(radio(page, "place", "q"), "Space")
    assert chosen(page, "place") == "q"
    assert "the mean at q grows" in sentences(page)[0]
    turn_to(page, "jacobian")
    press(slider(page, "row"), "End")
    assert "Row 100: " in sure(page, "row_jacobians")
    press(slider(page, "row"), "Home")
    assert "Row 1: " in sure(page, "row_jacobians")
    press(radio(page, "jacobian", "1, 10"), "Space")
    assert "The list [1, 10]: " in sure(page, "row_jacobians")
    turn_to(page, "at_q")
    for key, said in (("Home", "At dₖ = 1 the scale is 1"), ("End", "At dₖ = 1,024, 34 of the hundred rows")):
        press(slider(page, "d_k"), key)
        assert sentences(page)[0].startswith(said)
    assert query_parameters(page) == {"n_keys": "64", "d_k": "1024", "place": "q", "jacobian": "1, 10"}


def test_larger_d_k_turns_dots_into_stars_and_changes_no_curve(page, server):
    open_page(page, server, "gradient_flow", step="curves", n_keys=64)
    curves = chart_data(page), sentences(page)
    turn_to(page, "freeze")
    before = chart_data(page)
    assert stars(page) == 21
    press(slider(page, "d_k"), "End")
    after = chart_data(page)
    assert [each["x"] for each in before] == [each["x"] for each in after]
    assert stars(page) == 64
    assert "dₖ = 1,024" in sentences(page)[0]
    turn_to(page, "curves")
    assert (chart_data(page), sentences(page)) == curves


BROKEN = {
    "means not 0": ("4", "means 0"),
    "variances not 1": ("7", "variances 1"),
    "q and k aligned": ("3", "qᵢ and kᵢ independent"),
    "components correlated": ("5", "components independent"),
    "heavy tails": ("5", "a finite variance"),
}


def words_of_lines(page):
    """Return the texts beside the derivation's three lines, from Plotly's data."""
    return page.locator(CHARTS).evaluate(
        "chart => chart.querySelector('.js-plotly-plot').layout.annotations.map(each => each.text)"
    )


def struck_out(page):
    return [words for text in words_of_lines(page) for words in re.findall("<s>(.*?)</s>", text)]


@pytest.mark.parametrize("size", sampled(SCREEN, 4))
def test_divisor_and_list_of_assumptions_need_no_scrolling(new_page, server, size):
    page = open_page(new_page(*SCREEN[size]), server, "derivation", step="broken", broken="variances not 1")
    width, height = SCREEN[size]
    headline = page.locator(f"{CHARTS} .gtitle").first
    assert headline.text_content() == "Then divide by √256 = 16, not √dₖ = 8"
    assert headline.bounding_box()["y"] + headline.bounding_box()["height"] < height
    open_list(field(page, "broken"))
    wait_until_still(page)
    options = page.get_by_role("option").all()
    assert len(options) == 1 + len(BROKEN)
    for option in (page.locator(".st-key-broken"), *options):
        box = option.bounding_box()
        assert (box["x"] + box["width"] <= width, box["y"] + box["height"] < height) == (True, True)


@pytest.mark.parametrize("size", sampled(SCREEN, 4))
def test_choice_between_scores_and_q_is_above_its_picture(new_page, server, size):
    page = open_page(new_page(*SCREEN[size]), server, "gradient_flow", step="curves")
    before = chart_data(page)
    switch = radio(page, "place", "q").bounding_box()
    assert switch["y"] + switch["height"] <= page.locator(CHARTS).first.bounding_box()["y"]
    press(radio(page, "place", "q"), "Space")
    assert [each["y"] for each in chart_data(page)] != [each["y"] for each in before]
    assert page.locator(CHARTS).first.get_by_text("Gradient length at q").count() == 1


def test_each_broken_assumption_strikes_out_its_line(page, server):
    open_page(page, server, "derivation", step="broken")
    assert (marked_lines(page), struck_out(page)) == ([], [])
    for option, (line, needed) in BROKEN.items():
        choose(page, "broken", option)
        assert (marked_lines(page), struck_out(page)) == ([line], [needed])
        assert re.search(rf"line {line}, .* is the first to fail\.", sure(page, "broken_lines"))
    press(slider(page, "nu"), "End")
    assert "all 9 lines hold" in sure(page, "broken_lines")
    assert "all three lines hold" in sentences(page)[0]
    assert query_parameters(page) == {"broken": "heavy tails", "nu": "30"}
    choose(page, "broken", "all hold")
    assert query_parameters(page) == {}
    for key, d_k in (("Home", "1"), ("End", "1,024")):
        press(slider(page, "d_k"), key)
        assert sentences(page)[0].startswith(f"At dₖ = {d_k} all three lines hold.")


@pytest.mark.parametrize("size", ["1440", PHONE])
def test_lines_of_the_derivation_are_in_their_figure_and_follow_d_k(new_page, server, size):
    page = open_page(new_page(*SCREEN[size]), server, "derivation")
    lines = page.locator(f"{CHARTS} .annotation-text", has_text="Var(q·k")
    boxes = [each.bounding_box() for each in lines.all()]
    assert len(boxes) == 2
    assert boxes[0]["y"] < boxes[1]["y"]
    plot = page.locator(f"{CHARTS} .nsewdrag").bounding_box()
    assert boxes[1]["y"] + boxes[1]["height"] <= min(plot["y"] + 1, SCREEN[size][1])  # above the plot, in view
    before = words_of_lines(page)
    press(slider(page, "d_k"), "End")
    assert words_of_lines(page) != before
    raw = [trace for trace in chart_data(page) if trace["name"] == "raw"]
    assert [trace["x"][-1] for trace in raw] == [512, 1024]
    measured = next(text for text in words_of_lines(page) if "Var(q·k) " in text).split("<br>")[1].split(" ± ")[0]
    assert float(measured.replace(",", "")) == pytest.approx(raw[-1]["y"][-1], rel=0.005)
