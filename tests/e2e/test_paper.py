"""A printed lesson: two pages, dark on white, without buttons, with its address and a QR code at the end."""

import re

import pytest
from dashboard import DRAWN, LESSONS, SLIDER, STEPS, asking_for, press
from harness import open_page, page_url, wait_until_idle
from sampling import sampled

pytestmark = [pytest.mark.e2e, pytest.mark.walk]

PAGES = [*STEPS, *((lesson, "") for lesson in LESSONS if lesson not in DRAWN)]
PRINTED = [(*page, scheme) for scheme in ("light", "dark") for page in PAGES]

PAPERS = ("A4", "Letter")
ADDRESS, CODE = "[data-address] p", "[data-address] img"
UNPRINTED = (
    ":is(button:not([aria-checked=true]), input, textarea, summary svg):not(.st-key-questions *), "
    "[data-testid=stSidebar], [data-testid=stHeader], [data-testid=stFileUploader], [data-testid=stPageLink], "
    ".modebar-container, .st-key-settings, .st-key-way, .tries, [class*=st-key-aside_]"
)
WHITE = "rgb(255, 255, 255)"
GROUNDS = """() => [...document.querySelectorAll('body, .stApp, [data-picture] .main-svg:first-child')].map(
  each => getComputedStyle(each).backgroundColor)"""
POINTS = 96 / 72  # px
SMALLEST = 9
# Return the font size in px and the beginning of each text outside pictures and formulas.
LETTERS = """() => {
  const found = [];
  const walk = document.createTreeWalker(document.querySelector('[data-testid=stMain]'), NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const box = walk.currentNode.parentElement;
    const inFormula = box.closest('.katex, style, title, sub, sup');
    if (!walk.currentNode.data.trim() || !box.checkVisibility() || inFormula || box.closest('[data-picture]')) continue;
    found.push([parseFloat(getComputedStyle(box).fontSize), walk.currentNode.data.slice(0, 20)]);
  }
  return found;
}"""


def wait_for_code(page, code=CODE):
    page.wait_for_function("code => document.querySelector(code)?.naturalWidth > 0", arg=code)


def pages_of(printed):
    return len(re.findall(rb"/Type\s*/Page\b", printed))


def seen(page, what):
    return [
        each.evaluate("each => each.outerHTML.slice(0, 80)") for each in page.locator(what).all() if each.is_visible()
    ]


def check_paper(page, link):
    """Check the printed page: no controls, the lesson's address and QR code, no text below 9 points."""
    page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    wait_until_idle(page)
    assert seen(page, UNPRINTED) == []
    assert page.locator("h1").is_visible()
    assert page.locator(ADDRESS).inner_text() == link
    assert page.locator(CODE).is_visible()
    small = [each for each in page.evaluate(LETTERS) if each[0] < SMALLEST * POINTS - 0.1]
    assert small == []


@pytest.mark.parametrize(("lesson", "step", "scheme"), sampled(PRINTED, 27))
def test_every_step_prints_on_two_pages(new_page, server, lesson, step, scheme):
    page = new_page(1440, 900, color_scheme=scheme)
    open_page(page, server, lesson, **asking_for(step))
    wait_for_code(page)
    for paper in PAPERS:
        assert pages_of(page.pdf(format=paper)) <= 2, paper
    check_paper(page, page_url(server, lesson, **asking_for(step)))
    if step:
        drawer = page.locator(".st-key-background [data-testid=stExpanderDetails]")
        for part in ("What is assumed", "Myth and fact", "Sources"):
            assert drawer.get_by_text(part, exact=True).is_visible(), part
    assert set(page.evaluate(GROUNDS)) == {WHITE}


@pytest.mark.parametrize(("size", "look"), [((390, 844), {}), ((1920, 950), {"mode": "projector"})])
def test_a_phone_and_a_wall_print_two_pages_as_well(new_page, server, size, look):
    page = new_page(*size)
    open_page(page, server, "score_variance", step="straighten", **look)
    wait_for_code(page)
    assert pages_of(page.pdf(format="A4")) <= 2
    check_paper(page, page_url(server, "score_variance", step="straighten"))


def test_pictures_are_redrawn_for_paper_and_restored_for_the_screen(new_page, server):
    page = new_page(1440, 900)
    open_page(page, server, "score_variance")
    boxes = """() => [...document.querySelectorAll('[data-picture] .main-svg:first-child')].map(
                 each => [each.getAttribute('viewBox'), each.getBoundingClientRect().width])"""
    before = page.evaluate(boxes)
    page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    wait_until_idle(page)
    on_paper = page.evaluate(boxes)
    assert {view.split()[2] for view, _ in on_paper} == {"816"}  # px wide: printed at 700 px, 14 px text has 9 points
    page.evaluate("() => dispatchEvent(new Event('afterprint'))")
    wait_until_idle(page)
    assert page.evaluate(boxes) == before


def test_qr_code_follows_the_slider_and_leaves_out_the_bet(new_page, server):
    page = new_page(1440, 900)
    open_page(page, server, "score_variance", axis="own", bet="1")
    wait_for_code(page)
    press(page.locator(SLIDER), "End")
    moved = "[data-address] img[src*='d_k%3D1024']"
    wait_for_code(page, moved)
    assert "bet" not in page.locator(moved).get_attribute("src")
    check_paper(page, page.url.replace("bet=1&", "").replace("&bet=1", ""))
