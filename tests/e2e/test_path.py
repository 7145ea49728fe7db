"""A short lecture along its path: two walls, a clicker at either, the teacher's window and two phones."""

import io
import time

import pytest
from harness import open_page, page_url, query_parameters, step_said, wait_until_idle
from PIL import Image

from pages._view.lessons import LESSONS

pytestmark = [pytest.mark.e2e, pytest.mark.walk]

PATH = "start,softmax_saturation.divisor,softmax_saturation.too_flat,recap"
JOIN, HOME = "dialog.join[open]:not(.home)", "dialog.home[open]"
LINE = "p.line"
LONGEST = 20_000  # ms until both walls show the same: on an idle machine it is one second


class Walls:
    """Two walls of one room, which must show the same."""

    def __init__(self, lab, new_page):
        self.lab, self.one = lab, new_page(1920, 950, alone=True)
        self.one.goto(page_url(lab, "room", at=f"/?mode=projector&path={PATH}"))
        self.one.get_by_role("button", name="Open a room").click()
        self.one.locator(JOIN).wait_for()
        wait_until_idle(self.one)
        self.code = self.one.locator(".room-code").text_content()
        self.other = new_page(1024, 768, alone=True)
        self.other.context.add_cookies(self.one.context.cookies())
        old = {"d_k": 8, "n_keys": 4, "seed": 7}  # what it shows of itself is not the room's
        open_page(self.other, lab, "one_query", mode="projector", room=self.code, **old)

    def both(self):
        return self.one, self.other

    def shows(self, stem, step="", **said):
        """Wait until both show a lesson at a step, and compare all that they show."""
        for wall in self.both():
            wall.get_by_role("heading", level=1, name=LESSONS[stem].question).wait_for()
            wall.wait_for_function(_IS_SAID, arg=[{**said, **({"step": step} if step else {})}], timeout=LONGEST)
            wait_until_idle(wall)
        until = time.monotonic() + LONGEST / 1000
        while seen(self.one) != seen(self.other) and time.monotonic() < until:
            self.one.wait_for_timeout(200)
        assert seen(self.one) == seen(self.other)
        assert query_parameters(self.one)["path"] == PATH


_IS_SAID = """([said]) => Object.entries(said).every(
    ([name, text]) => (new URL(location.href).searchParams.get(name) ?? '') === text)"""


def seen(wall):
    """Return the settings of a wall, without those that are usual."""
    usual = {"seed": "0", "n_keys": "16", "d_k": "64", "asked": "1"}
    query = {name: text for name, text in query_parameters(wall).items() if usual.get(name) != text}
    line = wall.locator(LINE)
    charts = "all => all.map(each => each.getAttribute('aria-label') ?? each.querySelector('[aria-label]')?.ariaLabel)"
    return {
        "query": query,
        "step": step_said(wall),
        "line": line.inner_text() if line.count() else "",
        "count": wall.locator(".room-count").text_content(),
        "pictures": wall.locator("[data-picture]").evaluate_all(charts),
        "sentence": [each.inner_text() for each in wall.locator("[data-sentence]").all()],
    }


def read(page):
    """Return the texts of the QR codes on the screen, as a reader of others finds them."""
    zxingcpp = pytest.importorskip("zxingcpp", reason="tests/requirements.txt has it")
    image = Image.open(io.BytesIO(page.screenshot(animations="disabled")))
    return [each.text for each in zxingcpp.read_barcodes(image)]


def test_a_short_lecture(lab, new_page):
    walls = Walls(lab, new_page)
    one, other = walls.both()
    desk = one.context.new_page()
    desk.goto(page_url(lab, f"room/{walls.code}"))
    phones = [new_page(390, 844, alone=True) for _ in range(2)]
    for each in phones:
        each.goto(page_url(lab, f"j/{walls.code}"))
        each.get_by_text("You are in. The wall shows how to join.").wait_for()
    other.locator(JOIN).wait_for()
    walls.shows("start", "drag", screen="join")
    assert read(other) == [f"{lab.url}/j/{walls.code}"]

    other.keyboard.press("PageDown")  # the joining screen goes, on both walls, and nothing else
    one.locator(JOIN).wait_for(state="detached")
    walls.shows("start", "drag", screen="")
    one.keyboard.press("ArrowUp")
    walls.shows("start", "drag", d_k="72")
    other.keyboard.press("ArrowDown")
    other.keyboard.press("ArrowDown")
    walls.shows("start", "drag", d_k="56")
    asked = "how much of the weight does the strongest of 16 keys take on average?"
    desk.get_by_text(f"Next: {LESSONS['softmax_saturation'].question}").wait_for()
    desk.get_by_text(asked).wait_for()
    for each in phones:
        each.get_by_text(f"On the wall: {LESSONS['start'].steps[0].line}").wait_for()
    assert not [each for each in (*walls.both(), *phones) if asked in each.content()]

    one.keyboard.press("PageDown")
    walls.shows("softmax_saturation", "divisor", d_k="56")
    for each, answer in zip(phones, ("80", "5"), strict=True):
        each.locator("input[name=answer]").fill(answer)
        each.get_by_role("button", name="Send").click()
    for wall in walls.both():
        wall.locator(".room-count", has_text="2 of 2 have answered.").wait_for()
    other.keyboard.press("PageDown")
    walls.shows("softmax_saturation", "divisor", reveal="1")
    assert one.locator(LINE).inner_text().startswith("◆ 2 bets, 1 right.")
    desk.get_by_role("button", name="Next →").click()
    walls.shows("softmax_saturation", "too_flat")
    other.keyboard.press("PageDown")
    walls.shows("recap")  # a bet of a step that is not asked of a class is passed over
    other.keyboard.press("PageUp")
    walls.shows("softmax_saturation", "too_flat", reveal="1")

    one.keyboard.press("PageDown")
    walls.shows("recap")
    for i in range(2, 7):  # its questions, and the story as one picture
        other.keyboard.press("PageDown")
        walls.shows("recap", asked=str(i))
    one.keyboard.press("PageDown")
    for wall in walls.both():
        wall.locator(HOME).wait_for()
        assert read(wall) == [f"{lab.url}/"]
    other.keyboard.press("PageDown")  # beyond the end there is nothing
    walls.shows("recap", screen="home", asked="6")
    for each in phones:
        each.get_by_text("The lecture is over.").wait_for()
        assert each.get_by_role("link", name="Five questions").get_attribute("href") == "/recap"
    one.keyboard.press("PageUp")
    other.locator(HOME).wait_for(state="detached")
    walls.shows("recap", screen="", asked="6")
