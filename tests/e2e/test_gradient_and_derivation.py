"""gradient_flow and derivation in a browser: by keyboard, on a phone, after a move."""

import pytest
from dashboard import CHARTS, chart_data, chosen, how_sure, press, sentences, slider
from harness import open_page, query_parameters
from sampling import sampled
from sizes import PHONE, SCREEN, resize, wait_until_at_rest

pytestmark = [pytest.mark.e2e, pytest.mark.walk]


def radio(page, name, option):
    return page.locator(f".st-key-{name} [role=radio]", has_text=option).first


def marked_lines(page):
    return [row.inner_text().split()[0] for row in page.locator(".st-key-lines_derivation tr:has(strong)").all()]


def sure(page, key):
    """What stands under a picture's "How sure?"."""
    return how_sure(page, key).text_content()


def stars(page):
    """How many dots of the main picture are drawn as frozen."""
    return page.locator(CHARTS).first.evaluate(
        """chart => chart.querySelector('.js-plotly-plot')._fullData.flatMap(
         trace => trace.marker?.symbol ?? []).filter(symbol => symbol === 'asterisk-open').length"""
    )


def test_the_gradient_page_by_keyboard(page, server):
    open_page(page, server, "gradient_flow", n_keys=64, d_k=512)
    assert sentences(page)[0].startswith("At dₖ = 512, 60 of the hundred rows are frozen without the scale")
    press(radio(page, "place", "q"), "Space")
    assert chosen(page, "place") == "q"
    assert "more gradient at q without the scale" in sentences(page)[0]
    press(slider(page, "row"), "End")
    assert "Row 100: " in sure(page, "row_jacobians")
    press(slider(page, "row"), "Home")
    assert "Row 1: " in sure(page, "row_jacobians")
    press(radio(page, "jacobian", "1, 10"), "Space")
    assert "The list [1, 10]: " in sure(page, "row_jacobians")
    for key, said in (("Home", "At dₖ = 1 the scale is 1"), ("End", "At dₖ = 1,024, 34 of the hundred rows")):
        press(slider(page, "d_k"), key)
        assert sentences(page)[0].startswith(said)
    assert query_parameters(page) == {"n_keys": "64", "d_k": "1024", "place": "q", "jacobian": "1, 10"}


def test_the_places_stay_more_dots_become_stars_and_the_curves_are_left_alone(page, server):
    open_page(page, server, "gradient_flow", n_keys=64)
    before = chart_data(page)
    assert stars(page) == 21
    page.evaluate("() => { document.querySelector('.st-key-gradient_curves .main-svg').marked = true; }")
    press(slider(page, "d_k"), "End")
    after = chart_data(page)
    assert [each["x"] for each in before] == [each["x"] for each in after]
    assert stars(page) == 64
    assert "dₖ = 1,024" in sentences(page)[0]
    assert page.evaluate("() => document.querySelector('.st-key-gradient_curves .main-svg').marked")


BROKEN = {
    "means not 0": ("4", "means 0"),
    "variances not 1": ("7", "variances 1"),
    "q and k aligned": ("3", "qᵢ and kᵢ independent"),
    "components correlated": ("5", "components independent"),
    "heavy tails": ("5", "a finite variance"),
}


def struck_out(page):
    return page.locator(".st-key-table_three_lines del").all_inner_texts()


@pytest.mark.parametrize("size", sampled(SCREEN, 4))
def test_the_divisor_and_every_assumption_are_in_the_first_view(new_page, server, size):
    page = open_page(new_page(*SCREEN[size]), server, "derivation", broken="variances not 1")
    width, height = SCREEN[size]
    headline = page.locator(f"{CHARTS} .gtitle").first
    assert headline.inner_html() == "Divide by √256 = 16"
    assert headline.bounding_box()["y"] + headline.bounding_box()["height"] < height
    for option in page.locator(".st-key-broken [role=radio]").all():
        box = option.bounding_box()
        assert (box["x"] + box["width"] <= width, box["y"] + box["height"] < height) == (True, True)


@pytest.mark.parametrize("size", sampled(SCREEN, 4))
def test_the_switch_of_the_gradient_stands_above_the_picture_it_changes(new_page, server, size):
    page = open_page(new_page(*SCREEN[size]), server, "gradient_flow")
    before = chart_data(page)
    switch = radio(page, "place", "q").bounding_box()
    assert switch["y"] + switch["height"] <= page.locator(CHARTS).first.bounding_box()["y"]
    press(radio(page, "place", "q"), "Space")
    assert [each["y"] for each in chart_data(page)] != [each["y"] for each in before]
    assert page.locator(f"{CHARTS} .ytitle").first.inner_html() == "gradient length at q"


def test_assumptions_are_broken_one_at_a_time_by_keyboard(page, server):
    open_page(page, server, "derivation")
    assert (marked_lines(page), struck_out(page)) == ([], [])
    for option, (line, needed) in BROKEN.items():
        press(radio(page, "broken", option), "Space")
        assert (marked_lines(page), struck_out(page)) == ([line], [needed])
        page.get_by_role("heading", name=f"Line {line} of nine is the first to fail").wait_for()
    press(slider(page, "nu"), "End")
    page.get_by_role("heading", name="All nine lines hold").wait_for()
    assert "all three lines hold" in sentences(page)[0]
    assert query_parameters(page) == {"broken": "heavy tails", "nu": "30"}
    press(radio(page, "broken", "all hold"), "Space")
    assert query_parameters(page) == {}
    for key, d_k in (("Home", "1"), ("End", "1,024")):
        press(slider(page, "d_k"), key)
        assert sentences(page)[0].startswith(f"At dₖ = {d_k} all three lines hold.")


def test_the_three_lines_stand_by_their_figure_and_both_follow_the_dimension(new_page, server):
    page = open_page(new_page(1440, 900), server, "derivation")
    box = page.locator(".st-key-table_three_lines table").bounding_box()
    assert box["y"] + box["height"] <= 900
    before = page.locator(".st-key-table_three_lines").inner_text()
    press(slider(page, "d_k"), "End")
    assert page.locator(".st-key-table_three_lines").inner_text() != before
    raw = [trace for trace in chart_data(page) if trace["name"] == "raw"]
    assert [trace["x"][-1] for trace in raw] == [512, 1024]
    measured = page.locator(".st-key-table_three_lines tr").nth(2).locator("td").nth(1).inner_text()
    assert float(measured.replace(",", "")) == pytest.approx(raw[-1]["y"][-1], rel=0.005)
    resize(page, SCREEN[PHONE])
    wait_until_at_rest(page)
    tops = [page.locator(each).bounding_box()["y"] for each in (".st-key-three_lines", ".st-key-table_three_lines")]
    assert tops[0] < tops[1]
