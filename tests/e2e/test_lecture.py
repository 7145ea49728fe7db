"""A lecture from its first step to its last, with a class of forty phones.

There are two walls, each with a clicker; the teacher's window; three phones in browsers, one without scripts and one in
dark colours that goes offline; and 37 phones that send plain requests. The server is killed once. The class is asked
for a curve, a number, a choice, draws and a vote.
"""

import io
import os
import re
import signal
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from urllib.parse import urlsplit

import numpy as np
import pytest
from dashboard import CHARTS, LESSONS, sentences
from harness import free_port, open_page, page_url, query_parameters, running_server, step_said, wait_until_idle
from phones import Phone, come_in, draws_in, together, whose
from PIL import Image
from playwright.sync_api import Page

from pages._view.lessons import LESSONS as DECLARED

pytestmark = [pytest.mark.e2e, pytest.mark.walk]

CLASS = 40
LINE, COUNT, REVEAL = "p.line", ".room-count", "[data-reveal]"
JOIN, HOME = "dialog.join[open]:not(.home)", "dialog.home[open]"
LONGEST = 20_000  # ms until both walls show the same; one second on an idle machine
_IS_SAID = """([said]) => Object.entries(said).every(
    ([name, text]) => (new URL(location.href).searchParams.get(name) ?? '') === text)"""
# Return the data of a picture's traces, and the corners of its shapes.
_DRAWN = """chart => {
  const {_fullData, _fullLayout} = chart.querySelector('.js-plotly-plot');
  const numbers = values => values && [...values].map(each => typeof each === 'object' ? [...each] : each);
  return [
    _fullData.map(({name, x, y, z}) => ({name, x: numbers(x), y: numbers(y), z: numbers(z)})),
    (_fullLayout.shapes ?? []).map(({x0, x1, y0, y1}) => [x0, x1, y0, y1]),
  ];
}"""


class Lab:
    """A server that can be killed and restarted on the same port with the same classes."""

    def __init__(self, folder):
        self.place = {"DATABASE_URL": f"sqlite:///{folder / 'rooms.sqlite'}"}
        self.port, self.held, self.server = free_port(), ExitStack(), None

    def start(self):
        self.server = self.held.enter_context(running_server(port=self.port, environment=self.place, warm=False))

    def kill(self):
        os.kill(self.server.pid, signal.SIGKILL)
        self.held.close()


@pytest.fixture
def lab(browser, tmp_path):
    lab = Lab(tmp_path)
    lab.start()
    yield lab
    lab.held.close()


class Teacher:
    """The teacher of the class: a large wall, a small wall and the teacher's window, all with the same cookies."""

    def __init__(self, lab, new_page):
        self.lab, self.wall, self.addresses = lab, new_page(1920, 950, alone=True), []
        self.wall.on("framenavigated", lambda frame: self.addresses.append(frame.url))
        self.wall.goto(page_url(lab.server, "room", at="/?mode=projector&path=lecture"))
        self.wall.get_by_role("button", name="Open a room").click()
        self.wall.locator(JOIN).wait_for()
        wait_until_idle(self.wall)
        self.code = self.wall.locator(".room-code").text_content()
        self.other = new_page(1024, 768, alone=True)
        self.other.context.add_cookies(self.wall.context.cookies())
        old = {"d_k": 8, "n_keys": 4, "seed": 7}  # settings that the class replaces with its own
        open_page(self.other, lab.server, "one_query", mode="projector", room=self.code, **old)
        self.window = self.wall.context.new_page()
        self.window.goto(page_url(lab.server, f"room/{self.code}"))

    def walls(self):
        return self.wall, self.other

    def shows(self, stem, step="", **said):
        """Wait until both walls show a step with these parameters; check that they look alike."""
        for wall in self.walls():
            wall.get_by_role("heading", level=1, name=DECLARED[stem].question).wait_for()
            wall.wait_for_function(_IS_SAID, arg=[{**said, **({"step": step} if step else {})}], timeout=LONGEST)
            wait_until_idle(wall)
        until = time.monotonic() + LONGEST / 1000
        while seen(self.wall) != seen(self.other) and time.monotonic() < until:
            self.wall.wait_for_timeout(200)
        assert seen(self.wall) == seen(self.other)
        assert query_parameters(self.wall)["path"] == "lecture"

    @property
    def secret(self):
        (kept,) = [each["value"] for each in self.wall.context.cookies() if each["name"] == "lab_room"]
        return kept.removeprefix(self.code)

    def counts(self, text):
        """Wait until the wall's count of answers or draws has this text."""
        self.wall.locator(COUNT, has_text=text).wait_for()

    def goes_to(self, stem):
        """Open a lesson from the teacher's window; wait until the wall shows it."""
        self.window.get_by_text("All lessons").click()
        self.window.get_by_role("button", name=LESSONS[stem], exact=True).click()
        self.wall.get_by_role("heading", level=1, name=LESSONS[stem]).wait_for()
        wait_until_idle(self.wall)

    def does(self, label):
        self.window.get_by_role("button", name=label, exact=True).click()

    def addressed(self, name):
        """Return a parameter of the wall's address once the wall is idle."""
        wait_until_idle(self.wall)
        return query_parameters(self.wall)[name]

    def result(self):
        """Return the link to the result from the teacher's window."""
        return self.window.get_by_role("link", name="The result as a link").get_attribute("href")

    def table(self):
        """Return the lines of the class's results file."""
        return self.window.context.request.get(f"{self.window.url}/results.csv").text().splitlines()


def seen(wall):
    """Return what a wall shows, and its parameters without defaults."""
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
    """Return the texts of the QR codes on the screen, read by an independent decoder."""
    zxingcpp = pytest.importorskip("zxingcpp", reason="tests/requirements.txt has it")
    image = Image.open(io.BytesIO(page.screenshot(animations="disabled")))
    return [each.text for each in zxingcpp.read_barcodes(image)]


def answers_by_hand(phone, *values):
    """Send an answer from a phone in a browser; wait until its page confirms it."""
    send_by_hand(phone, *values)
    phone.get_by_text("Your answer: ").wait_for()


def send_by_hand(phone, *values):
    """Fill in a number, the heights of a curve, or an option, and press Send."""
    for i, value in enumerate(values):
        fields = phone.locator(f"input[name={'answer' if len(values) == 1 else f'answer_{i}'}]")
        if fields.first.get_attribute("type") == "radio":
            fields.and_(phone.locator(f"[value='{value}']")).check()
        else:
            fields.fill(str(value))
    phone.get_by_role("button", name="Send").click()


def shows(phone, text):
    """Wait until a phone shows a text; a phone without scripts reloads its page every few seconds."""
    phone.get_by_text(text).first.wait_for()


def number_of(phone):
    return int(re.search(r"You are number (\d+)\.", phone.inner_text("footer"))[1])


@dataclass
class Shown:
    """A result as a page shows it, and its link."""

    link: str
    data: list
    marks: list
    sentence: str
    card: str


def shown_on(page, link):
    wait_until_idle(page)
    data, marks = page.locator(CHARTS).first.evaluate(_DRAWN)
    line = page.locator(LINE)
    return Shown(link, data, marks, sentences(page)[0], line.inner_text())


@dataclass
class Scene:
    """All participants of the lecture."""

    lab: Lab
    teacher: Teacher
    plain: list[Phone]  # 37 phones that send plain requests
    phone: Page
    dark: Page
    bare: Page  # without JavaScript

    def browsers(self):
        return self.phone, self.dark, self.bare

    def result(self):
        return shown_on(self.teacher.wall, self.teacher.result())


def test_class_of_forty_follows_a_lecture_to_its_end(lab, new_page, problems):
    teacher = Teacher(lab, new_page)
    phone, dark = (new_page(390, 844, alone=True, color_scheme=ground) for ground in ("light", "dark"))
    bare = new_page(390, 844, alone=True, java_script_enabled=False)
    for each in (phone, dark):
        each.goto(page_url(lab.server, f"j/{teacher.code}"))
        each.get_by_text("You are in. The wall shows how to join.").wait_for()
    the_beginning(teacher, (phone, dark))
    scene = Scene(lab, teacher, come_in(lab.server.url, teacher.code, 37), phone, dark, bare)
    acts = (a_curve_and_one_comes_late, a_number, a_choice_while_the_server_dies, forty_draws, a_vote)
    results = [result for act in acts for result in act(scene)]
    numbers = [*(each.number for each in scene.plain), *map(number_of, scene.browsers())]
    assert sorted(numbers) == list(range(1, CLASS + 1))
    the_end(scene)
    asks_once_at_a_time(teacher.wall)
    teacher.window.get_by_text("Close the room", exact=True).click()
    teacher.does("Close it now")
    for wall in teacher.walls():
        wall.get_by_text("The room of this wall is closed.").wait_for()
    for each in scene.browsers():
        shows(each, "The class is over")
    for wall in teacher.walls():
        wait_until_idle(wall)
    problems.clear()  # the browsers report the killed server and the closed class
    teacher.wall.wait_for_timeout(3000)
    assert not [each for each in problems if "/state" in each]  # the walls have stopped polling the class
    problems.clear()
    assert len(teacher.secret) == 12
    assert not [each for each in teacher.addresses if teacher.secret in each]
    with running_server(warm=False) as fresh:  # a server without this class
        for result in results:
            check_link(new_page(1920, 950), fresh, result)


def asks_once_at_a_time(wall):
    """Check that a wall, after many redraws, polls its class at most six times in 3.5 s."""
    asked = []
    wall.on("request", lambda request: asked.append(request.url))
    wall.wait_for_timeout(3500)
    assert len([each for each in asked if each.endswith("/state")]) <= 6


def the_beginning(teacher, phones):
    """Check the join screen, the keys of both walls, and that only the teacher's window shows the next question."""
    one, other = teacher.walls()
    other.locator(JOIN).wait_for()
    teacher.shows("start", "drag", screen="join")
    assert read(other) == [f"{teacher.lab.server.url}/j/{teacher.code}"]
    other.keyboard.press("PageDown")  # only closes the join screen, on both walls
    one.locator(JOIN).wait_for(state="detached")
    teacher.shows("start", "drag", screen="")
    one.keyboard.press("ArrowUp")
    teacher.shows("start", "drag", d_k="72")
    other.keyboard.press("ArrowDown")
    other.keyboard.press("ArrowDown")
    teacher.shows("start", "drag", d_k="56")
    asked = "how far do these sums spread"
    teacher.window.get_by_text(f"Next: {DECLARED['score_variance'].question}").wait_for()
    teacher.window.get_by_text(asked).wait_for()
    for each in phones:
        each.get_by_text(f"On the wall: {DECLARED['start'].steps[0].line}").wait_for()
    assert not [each for each in (*teacher.walls(), *phones) if asked in each.content()]


def the_end(scene):
    """Check the recap's questions, the last screen with its QR code, and that nothing comes after it."""
    teacher = scene.teacher
    one, other = teacher.walls()
    one.keyboard.press("PageDown")
    teacher.shows("recap")
    for i in range(2, 7):  # the other questions, then the story
        other.keyboard.press("PageDown")
        teacher.shows("recap", asked=str(i))
    one.keyboard.press("PageDown")
    for wall in teacher.walls():
        wall.locator(HOME).wait_for()
        assert read(wall) == [f"{scene.lab.server.url}/"]
    other.keyboard.press("PageDown")  # no effect: this is the last screen
    teacher.shows("recap", screen="home", asked="6")
    for each in scene.browsers():
        shows(each, "The lecture is over.")
        assert each.get_by_role("link", name="Five questions").get_attribute("href") == "/recap"
    one.keyboard.press("PageUp")
    other.locator(HOME).wait_for(state="detached")
    teacher.shows("recap", screen="", asked="6")


def a_curve_and_one_comes_late(scene):
    teacher = scene.teacher
    teacher.wall.keyboard.press("PageDown")
    teacher.shows("score_variance", "draw", d_k="56")
    curves = [[10 + i, 20 + i, 30 + i, 40 + i, 50 + i] for i in range(len(scene.plain))]
    together(scene.plain, Phone.look)
    together(list(zip(scene.plain, curves, strict=True)), lambda pair: pair[0].answer(*pair[1]))
    teacher.counts("37 of 39 have answered.")
    scene.bare.goto(page_url(scene.lab.server, f"j/{teacher.code}"))
    shows(scene.bare, LESSONS["score_variance"])
    answers_by_hand(scene.bare, 11, 16, 23, 28, 32)
    teacher.counts("38 of 40 have answered.")
    teacher.does("Reveal")
    teacher.wall.locator(LINE, has_text="◆ 38 bets").wait_for()
    result = scene.result()
    drawn = [trace["y"] for trace in result.data if trace["name"] == "a bet"]
    assert sorted(drawn) == sorted([0, *heights] for heights in [*curves, [11, 16, 23, 28, 32]])
    shows(scene.bare, "in fact.")
    yield result


def a_number(scene):
    """Check that clickers at both walls ask, reveal, and skip bets that are not asked of a class."""
    teacher, bets = scene.teacher, [5 * (i % 20) for i in range(30)]
    one, other = teacher.walls()
    one.keyboard.press("PageDown")
    teacher.shows("score_variance", "straighten")
    one.keyboard.press("PageDown")
    teacher.shows("softmax_saturation", "divisor", d_k="56")
    together(scene.plain, Phone.look)
    together(list(zip(scene.plain, bets, strict=False)), lambda pair: pair[0].answer(pair[1]))
    answers_by_hand(scene.phone, 40)
    answers_by_hand(scene.dark, 95)
    teacher.counts("32 of 40 have answered.")
    assert teacher.wall.locator(REVEAL, has_text="Reveal").count() == 1
    assert not [told for told in ("In fact", "◆") if told in teacher.wall.content()]
    assert "class" not in query_parameters(teacher.wall)
    other.keyboard.press("PageDown")
    teacher.wall.locator(LINE, has_text="◆ 32 bets, 2 right.").wait_for()
    teacher.shows("softmax_saturation", "divisor", reveal="1")
    assert Counter(teacher.addressed("class").split("~")) == Counter(map(str, [*bets, 40, 95]))
    shows(scene.phone, "Your bet: 40 %. ● In fact: 84 %.")
    shows(scene.dark, "Your bet: 95 %. ● In fact: 84 %.")
    assert "You did not bet. ● In fact: 84 %." in scene.plain[-1].look().says
    yield scene.result()
    teacher.does("Next →")
    teacher.shows("softmax_saturation", "too_flat")
    other.keyboard.press("PageDown")
    teacher.shows("small_samples", "draw")  # skips a bet that is not asked of a class
    other.keyboard.press("PageUp")
    teacher.shows("softmax_saturation", "too_flat", reveal="1")


def a_choice_while_the_server_dies(scene):
    """Check that no answer is lost if a phone goes offline, its page is closed, or the server is killed."""
    teacher, plain, context = scene.teacher, scene.plain, scene.dark.context
    teacher.goes_to("scaling_rules")
    shows(scene.dark, LESSONS["scaling_rules"])
    context.set_offline(True)
    send_by_hand(scene.dark, "0.5")
    shows(scene.dark, "Your answer is kept here, and sent as soon as it is back.")
    context.set_offline(False)
    shows(scene.dark, "Your answer: ½.")
    before = number_of(scene.dark)
    context.set_offline(True)
    scene.dark.close()
    together(plain, Phone.look)
    together(plain[:10], lambda each: each.answer("1"))
    teacher.counts("11 of 40 have answered.")
    with ThreadPoolExecutor() as pool:
        rest = pool.submit(together, plain[10:], lambda each: each.answer("0"))  # each phone retries
        scene.lab.kill()
        scene.lab.start()
        rest.result()
    teacher.counts("38 of 40 have answered.")
    answers_by_hand(scene.phone, "1")
    teacher.counts("39 of 40 have answered.")
    context.set_offline(False)
    scene.dark = context.new_page()
    scene.dark.goto(page_url(scene.lab.server, f"j/{teacher.code}"))
    shows(scene.dark, "Your answer: ½.")
    assert number_of(scene.dark) == before
    wait_until_idle(teacher.wall)
    teacher.wall.locator(REVEAL).click()
    teacher.wall.locator(LINE, has_text="0: 27 · ½: 1 · 1: 11.").wait_for()
    shows(scene.dark, "Right.")
    teacher.window.get_by_role("button", name="Hide").wait_for()
    yield scene.result()


def forty_draws(scene):
    """Check that the results file has every phone's draws once, and that the wall's histogram counts them all."""
    teacher, plain = scene.teacher, scene.plain
    teacher.goes_to("small_samples")
    teacher.does("Reveal")
    teacher.counts("0 of 40 have drawn.")
    together(plain, lambda each: each.look().draw())
    scene.bare.get_by_role("link", name="Look again").click()  # a page with an open question does not reload by itself
    for each in scene.browsers():
        each.get_by_role("button", name="Draw ten products").click()
        shows(each, "Your other nine:")
    teacher.counts("40 of 40 have drawn.")
    shows(teacher.window, "40 of 40 have drawn.")
    teacher.wall.get_by_text("The class: 400 draws").wait_for()
    drawn = draws_in(teacher.table())
    seen = [*(each.says for each in plain), *(each.inner_text("main") for each in scene.browsers())]
    assert sorted(whose(drawn, says) for says in seen) == [[i] for i in range(CLASS)]
    result = scene.result()
    bars = next(trace for trace in result.data if trace["name"] == "draws")
    counts = np.histogram(drawn, bars["x"])[0].tolist()
    assert bars["y"][:-1] == counts
    yield result


def a_vote(scene):
    teacher, plain = scene.teacher, scene.plain
    teacher.goes_to("wrong_choice")
    together(list(enumerate(plain)), lambda pair: pair[1].look().answer("10" if pair[0] % 3 else "1000"))
    answers_by_hand(scene.bare, "10")
    teacher.counts("38 of 40 have answered.")
    teacher.does("Show what comes of it")
    teacher.wall.locator(LINE, has_text="The class has chosen: learning rate 10.").wait_for()
    assert teacher.addressed("phones") == str(CLASS)
    shows(scene.bare, "Your row is number")
    shows(scene.phone, "You did not choose.")
    rows = [int(re.search(r"Your row is number (\d+)\.", each.look().says)[1]) for each in plain]
    assert rows == [each.number for each in plain]
    yield scene.result()


def check_link(page, fresh, result):
    """Check that a result's link shows the same result on a server without this class."""
    parts = urlsplit(result.link)
    open_page(page, fresh, f"{parts.path}?{parts.query}&mode=projector")
    found = shown_on(page, result.link)
    assert found.data == result.data
    assert found.sentence == result.sentence
    if "class=" in result.link:  # the link to the draws leaves out their bet, which the wall has revealed
        assert (found.marks, bets_in(found.card)) == (result.marks, bets_in(result.card))


def bets_in(card):
    """Return the summary of the class's bets from the card's text."""
    return re.search(r"◆ .* right\.", card)[0]
