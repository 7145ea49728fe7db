"""Scripts that print a lesson and save its picture, without a server."""

import pytest

from pages._view.bundle import BUNDLE
from pages._view.live import text_of

pytestmark = pytest.mark.e2e

LESSON = """html => {
  document.querySelector('[data-testid=stApp]').insertAdjacentHTML('afterbegin', html);
  lab.page = {own: ['room']};
  window.heard = [];
  addEventListener('lab:paper', ({detail}) => heard.push(detail));
}"""
HTML = '<style>@media print { h1 { color: red; } }</style><h1>Why?</h1><div data-picture style="height: 600px"></div>'
INKS = [["#000000", "#ffffff"]]


@pytest.fixture
def lesson(hurried, load, mount):
    hurried.answers["code"] = lambda _: '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'
    page = load(names=())
    page.evaluate(LESSON, HTML)
    return mount("paper", {"code": "code", "inks": INKS}, '<div style="--pages: 1">' + text_of("paper.html") + "</div>")


def test_pictures_are_redrawn_for_paper_and_restored_afterwards(lesson):
    lesson.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    assert lesson.evaluate("() => heard") == [{"on": True, "share": 0.9}, {"on": True, "draw": True, "inks": INKS}]
    lesson.evaluate("() => dispatchEvent(new Event('afterprint'))")
    assert lesson.evaluate("() => heard.at(-1)") == {"on": False, "draw": True}


def test_pictures_shrink_until_the_lesson_fits_the_paper(lesson):
    lesson.evaluate(
        """() => addEventListener('lab:paper', ({detail: {share}}) => {
          if (share) document.querySelector('[data-picture]').style.height = `${1100 * share}px`;
        })"""
    )
    lesson.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    assert lesson.evaluate("() => heard.map(each => each.share ?? 'drawn')") == [0.9, 0.8, 0.7, "drawn"]


def test_print_styles_apply_while_the_pictures_are_redrawn(lesson):
    colour = "getComputedStyle(document.querySelector('h1')).color"
    lesson.evaluate(f"() => addEventListener('lab:paper', () => {{ window.colour = {colour}; }})")
    lesson.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    assert lesson.evaluate(f"() => [window.colour, {colour}]") == ["rgb(255, 0, 0)", "rgb(0, 0, 0)"]


def test_paper_has_the_address_of_the_lesson_and_its_qr_code(lesson):
    address = "http://localhost/lesson?d_k=64"
    code_of = "at => new URL(document.querySelector('[data-address] img').src || at).searchParams.get('at') === at"
    lesson.wait_for_function(code_of, arg=address)  # once the address has stopped changing
    lesson.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    assert lesson.locator("[data-address] p").inner_text() == address
    assert lesson.locator("[data-address] img").get_attribute("src") is not None
    lesson.evaluate("() => { history.replaceState(null, '', '?d_k=65'); dispatchEvent(new Event('beforeprint')); }")
    assert lesson.locator("[data-address] img").get_attribute("src") is None  # the outdated code is removed
    lesson.evaluate("() => lab.addressed()")
    lesson.wait_for_function(code_of, arg=address.replace("64", "65"))


# --- a file ---------------------------------------------------------------------------------------------

FIGURE = {"data": [{"y": [1, 2], "mode": "lines"}], "layout": {"paper_bgcolor": "#fff", "font": {"color": "#123456"}}}
SENTENCE = "Raw scores spread as far as the root of d_k, and scaled ones stay where they are. " * 3
SAVING = {"name": "start", "keys": ["one", "two"], "sentence": SENTENCE.strip()}
PICTURES = """figure => {
  for (const key of ['one', 'two']) {
    document.body.insertAdjacentHTML('beforeend', `<div><div data-picture data-key="${key}"></div></div>`);
    document.body.lastElementChild.firstElementChild.parsed = figure;
  }
}"""
PARTS = """sheet => ({
  drawings: [...sheet.querySelectorAll('svg > svg')].map(each => [each.x, each.width].map(side => side.baseVal.value)),
  lines: [...sheet.querySelectorAll('svg > text')].map(each => each.textContent),
  width: sheet.getAttribute('width'),
})"""


def test_saved_svg_holds_pictures_sentence_and_address(mount, alone):
    alone.add_script_tag(url=f"/{BUNDLE}")
    alone.evaluate(PICTURES, FIGURE)
    page = mount("saving", SAVING, text_of("saving.html"))
    page.evaluate("() => { lab.page = {own: ['room']}; }")
    with page.expect_download() as saved:
        page.get_by_text("SVG").click()
    assert saved.value.suggested_filename == "start.svg"
    text = saved.value.path().read_text()
    parts = page.evaluate(
        f"text => ({PARTS})(new DOMParser().parseFromString(text, 'image/svg+xml').documentElement)", text
    )
    assert parts["width"] == "1920"
    assert parts["drawings"] == [[40, 920], [960, 920]]
    *lines, address = parts["lines"]
    assert len(lines) > 1
    assert " ".join(lines) == SAVING["sentence"]
    assert address == "http://localhost/lesson?d_k=64"


def test_saved_png_is_1920_by_1080(mount, alone):
    alone.add_script_tag(url=f"/{BUNDLE}")
    alone.evaluate(PICTURES, FIGURE)
    page = mount("saving", SAVING, text_of("saving.html"))
    with page.expect_download() as saved:
        page.get_by_text("PNG").click()
    assert saved.value.path().read_bytes()[16:24] == (1920).to_bytes(4) + (1080).to_bytes(4)
