"""The join screen of a wall: a QR code over the whole page, closed by any key."""

import io

import pytest
from harness import check_accessibility, open_page, query_parameters, wait_until_idle
from PIL import Image

from pages._view.lessons import LESSONS

pytestmark = [pytest.mark.e2e, pytest.mark.walk]

SECRET = "abcdefghjkmn"
STEM = "scaling_rules"
SIZES = ((1920, 950), (1920, 1080), (1280, 800), (1024, 768))
SCREEN, OPEN = "dialog.join:not(.home)", "dialog.join[open]:not(.home)"
CODE, COUNT = f"{OPEN} img", f"{OPEN} .join-count"
# OVER: return the elements that cover the QR code at a grid of points.
# BEYOND: return by how many pixels words reach out of their column or the window.
OVER = """code => { const {left, top, width, height} = code.getBoundingClientRect();
  const at = [0.01, 0.25, 0.5, 0.75, 0.99];
  const seen = at.flatMap(x => at.map(y => document.elementFromPoint(left + x * width, top + y * height)));
  return seen.filter(each => each !== code).map(each => each?.outerHTML.slice(0, 80) ?? "the end of the window"); }"""
BEYOND = """words => { const column = words.getBoundingClientRect();
  return Math.max(words.scrollWidth - words.clientWidth, -column.top, column.bottom - innerHeight); }"""


@pytest.fixture
def code(rooms):
    return rooms.open_room(SECRET, stem=STEM, query="bet=1").code


@pytest.fixture
def wall(new_page, lab, code):
    """Return a wall in a teacher's browser, which may lead the class."""
    page = new_page(*SIZES[0], alone=True)
    page.context.add_cookies([{"name": "lab_room", "value": code + SECRET, "url": lab.url}])
    open_page(page, lab, STEM, mode="projector", bet="1", room=code)
    page.locator("[data-room]").wait_for()
    return page


def read(page):
    """Return the texts of all QR codes in a screenshot of the page."""
    zxingcpp = pytest.importorskip("zxingcpp", reason="tests/requirements.txt has it")
    seen = Image.open(io.BytesIO(page.screenshot(animations="disabled")))
    return [each.text for each in zxingcpp.read_barcodes(seen)]


def opens(page):
    page.keyboard.press("j")
    page.locator(OPEN).wait_for()


def test_qr_code_is_readable_and_not_covered_at_every_size(wall, lab, code):
    opens(wall)
    assert wall.locator(f"{SCREEN} .join-door").inner_text() == f"{lab.url.removeprefix('http://')}/j"
    assert wall.locator(f"{SCREEN} .join-code").inner_text() == code
    for ground in ("light", "dark"):
        wall.emulate_media(color_scheme=ground)
        for width, height in SIZES:
            wall.set_viewport_size({"width": width, "height": height})
            assert wall.locator(CODE).evaluate(OVER) == []
            assert wall.locator(CODE).bounding_box()["height"] >= min(0.95 * height, 0.59 * width)
            assert wall.locator(f"{SCREEN} .join-words").evaluate(BEYOND) <= 0
            assert read(wall) == [f"{lab.url}/j/{code}"]
        check_accessibility(wall, include=SCREEN)


def test_a_long_address_and_a_long_code_fit_the_join_screen(wall):
    write = "(each, text) => { each.textContent = text; each.style.setProperty('--letters', text.length) }"
    for name, text in {"door": "[2001:db8:1234:5678:9abc:def0:1234:5678]:8501/lab/j", "code": "MWWQGM"}.items():
        place = wall.locator(f"{SCREEN} .join-{name}")
        place.evaluate(write, text)
    opens(wall)
    for width, height in SIZES:
        wall.set_viewport_size({"width": width, "height": height})
        assert wall.locator(f"{SCREEN} .join-words").evaluate(BEYOND) <= 0


def test_any_key_or_click_closes_the_join_screen_and_does_nothing_else(wall, rooms, code):
    before = query_parameters(wall)
    keys = "PageDown PageUp ArrowRight ArrowLeft ArrowUp ArrowDown Enter Space b . r f ? j Escape".split()
    for close in [*(lambda key=key: wall.keyboard.press(key) for key in keys), wall.locator(CODE).click]:
        opens(wall)
        close()
        wall.locator(OPEN).wait_for(state="detached")
    opens(wall)
    for _ in range(4):
        wall.keyboard.down("ArrowUp")  # held: only the first event closes
    wall.keyboard.up("ArrowUp")
    for _ in range(4):
        wall.keyboard.down("j")  # held: only the first event opens
    wall.keyboard.up("j")
    wall.locator(OPEN).wait_for()
    wall.keyboard.press("PageDown")
    wall.wait_for_timeout(300)
    wait_until_idle(wall)
    assert query_parameters(wall) == before
    assert wall.locator("[data-blank], dialog[open]").count() == 0
    assert not wall.evaluate("() => document.fullscreenElement")
    assert wall.get_by_role("heading", level=1, name=LESSONS[STEM].question).count() == 1
    assert not rooms.asked(code, STEM).revealed
    wall.keyboard.press("b")  # keyboard shortcuts work again
    wall.locator("[data-blank]").wait_for()
    wall.keyboard.press("j")
    assert wall.locator(OPEN).count() == 0
    wall.keyboard.press("b")


def test_small_code_opens_the_join_screen_and_the_screen_counts_phones(wall, rooms, code):
    small = wall.locator("[data-room] > button")
    small.click()
    wall.locator(COUNT, has_text="0 phones have joined.").wait_for()
    rooms.join(code, "a")
    wall.locator(COUNT).get_by_text("1 phone has joined.", exact=True).wait_for()
    rooms.join(code, "b")
    wall.locator(COUNT).get_by_text("2 phones have joined.", exact=True).wait_for()
    wall.get_by_role("dialog", name="Join with your phone").get_by_role("button", name="Close").click()
    assert wall.locator(OPEN).count() == 0
    small.focus()
    wall.keyboard.press("Enter")
    wall.locator(OPEN).wait_for()
    wall.keyboard.press("Escape")
    assert small.evaluate("each => each === document.activeElement")
    wall.keyboard.press("?")
    assert wall.locator("dialog.keys tr", has_text="how to join a room").locator("kbd").inner_text() == "J"


def test_join_key_does_nothing_without_a_class(new_page, lab):
    page = new_page(*SIZES[0])
    open_page(page, lab, STEM, mode="projector")
    page.keyboard.press("j")
    page.keyboard.press("b")
    page.locator("[data-blank]").wait_for()
    page.keyboard.press("b")


def test_wall_at_localhost_warns_and_links_to_reachable_addresses(wall, lab, code):
    """Replace the server's list of addresses, because this machine's are not known."""
    roots = ["http://192.168.1.5:8501", "http://[2001:db8:1234:5678:9abc:def0:1234:5678]:8501", "http://a-laptop:8501"]
    wall.locator(".room-away", has_text=f"Phones cannot reach {lab.url.removeprefix('http://')}.").wait_for()
    wall.route("**/near", lambda route: route.fulfill(json={"says": "Phones cannot come.", "roots": roots}))
    wall.reload()
    wall.locator(".room-away", has_text="Phones cannot come.").wait_for()
    wait_until_idle(wall)
    here = wall.url.removeprefix(lab.url)
    assert f"room={code}" in here
    for place in ("room", "join"):
        links = wall.locator(f".{place}-away a")
        assert links.evaluate_all("all => all.map(each => each.getAttribute('href'))") == [
            f"{root}{here}" for root in roots
        ]
    opens(wall)
    assert wall.locator(f"{OPEN} button").evaluate("each => each === document.activeElement")  # so that Enter closes
    for width, height in SIZES:
        wall.set_viewport_size({"width": width, "height": height})
        assert wall.locator(f"{SCREEN} .join-words").evaluate(BEYOND) <= 0
        box = wall.locator(".room-away").bounding_box()
        assert box["y"] + box["height"] <= height
    check_accessibility(wall, include=SCREEN)
    wall.keyboard.press("Enter")
    assert wall.locator(OPEN).count() == 0
