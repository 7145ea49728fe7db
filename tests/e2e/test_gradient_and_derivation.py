"""gradient_flow and derivation in a browser: what is seen first, by keyboard, on a phone, after a move."""

import pytest
from dashboard import CHARTS, chosen, press, sentences, slider
from harness import open_page, query_parameters

pytestmark = pytest.mark.e2e

PAGES = ("gradient_flow", "derivation")
FIRST_SEEN = {  # the picture, or the table of lines, that has to be seen without scrolling, and its sentence
    "gradient_flow": (".st-key-gradient_histograms", ".st-key-sentence_gradient_histograms"),
    "derivation": (".st-key-lines_derivation table", ".st-key-sentence_derivation"),
}


def bottom(page, selector):
    box = page.locator(selector).bounding_box()
    return box["y"] + box["height"]


def radio(page, name, option):
    return page.locator(f".st-key-{name} [role=radio]", has_text=option).first


def alts(page):
    return [chart.get_attribute("aria-label") for chart in page.locator(CHARTS).all()]


def marked_lines(page):
    return [row.inner_text().split()[0] for row in page.locator(".st-key-lines_derivation tr:has(strong)").all()]


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize(("width", "height", "mode"), [(1440, 900, "screen"), (1920, 1080, "projector")])
def test_the_picture_and_its_sentence_are_seen_without_scrolling(new_page, server, path, width, height, mode):
    page = open_page(new_page(width, height), server, path, mode=mode)
    for selector in FIRST_SEEN[path]:
        assert bottom(page, selector) <= height, selector


@pytest.mark.parametrize("path", PAGES)
def test_nothing_is_wider_than_a_phone(new_page, server, path):
    page = open_page(new_page(390, 844), server, path, broken="alignment")
    main = page.get_by_test_id("stMain")
    assert main.evaluate("each => each.scrollWidth - each.clientWidth") <= 0
    for option in page.locator(":is(.st-key-place, .st-key-jacobian, .st-key-broken) [role=radio]").all():
        box = option.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
    assert slider(page, "d_k").is_visible()


@pytest.mark.parametrize("path", PAGES)
def test_every_picture_is_described_by_the_sentence_below_it(page, server, path):
    open_page(page, server, path)
    described = alts(page)
    assert len(described) == page.locator(CHARTS).count()
    assert set(described) <= set(sentences(page))


def test_the_gradient_page_by_keyboard(page, server):
    open_page(page, server, "gradient_flow", n_keys=64, d_k=512)
    assert "the mean row 0.105 ± 0.0039 (exact 0.104) and" in sentences(page)[0]
    press(radio(page, "place", "q"), "Space")
    assert chosen(page, "place") == "q"
    assert "to q without the scale" in sentences(page)[0]
    press(slider(page, "row"), "End")
    assert sentences(page)[3].startswith("Row 20: ")
    press(slider(page, "row"), "Home")
    assert sentences(page)[3].startswith("Row 1: ")
    press(radio(page, "jacobian", "1, 10"), "Space")
    assert sentences(page)[3].startswith("The scores [1, 10]: ")
    for key, d_k in (("Home", "1"), ("End", "1,024")):
        press(slider(page, "d_k"), key)
        assert f"At dₖ = {d_k} with 64 keys, " in sentences(page)[0]
    assert query_parameters(page) == {"n_keys": "64", "d_k": "1024", "place": "q", "jacobian": "1, 10"}


def test_a_move_of_the_dimension_leaves_the_curves_alone(page, server):
    open_page(page, server, "gradient_flow")
    page.evaluate("() => { document.querySelector('.st-key-gradient_curves .main-svg').marked = true; }")
    press(slider(page, "d_k"), "ArrowRight")
    assert "dₖ = 72" in sentences(page)[0]
    assert page.evaluate("() => document.querySelector('.st-key-gradient_curves .main-svg').marked")


def test_assumptions_are_broken_one_at_a_time_by_keyboard(page, server):
    open_page(page, server, "derivation")
    assert marked_lines(page) == []
    for option, line in (("means", "4"), ("variances", "7"), ("alignment", "3"), ("coordinates", "5"), ("tails", "5")):
        press(radio(page, "broken", option), "Space")
        assert marked_lines(page) == [line]
        assert f"line {line} fails first" in sentences(page)[0]
    press(slider(page, "nu"), "End")
    assert "all 9 lines hold" in sentences(page)[0]
    assert query_parameters(page) == {"broken": "tails", "nu": "30"}
    press(radio(page, "broken", "nothing"), "Space")
    assert query_parameters(page) == {}
    for key, d_k in (("Home", "1"), ("End", "1,024")):
        press(slider(page, "d_k"), key)
        assert sentences(page)[0].startswith(f"At dₖ = {d_k} with no assumption broken, all 9 lines hold")
