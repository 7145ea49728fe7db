"""Rooms: phones as plain HTTP clients, the teacher's window, and the wall, which leads or follows."""

import asyncio
import csv
import io
import json
import re
import sqlite3
from collections import Counter
from datetime import UTC, datetime
from html import unescape
from itertools import pairwise
from threading import Event
from types import SimpleNamespace
from urllib.parse import parse_qs, quote, unquote, urlencode, urlsplit

import numpy as np
import pytest
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from pages._view import bet_words, lesson, server
from pages._view.classroom import limits, sweeping
from pages._view.classroom.moment import moment_of
from pages._view.classroom.room import ABANDONED, ALPHABET, MOST_PHONES, TEACHER
from pages._view.classroom.store import Store, StoreError
from pages._view.kinds import Choice, Drawing
from pages._view.lessons import LESSONS, ORDER, VIEWS
from pages._view.page import wall
from pages._view.server import rooms as routes
from pages._view.server import visitor
from pages._view.server.threads import Threads
from pages._view.shared import SHARED
from sattn_core.draws import phones as class_draws_module
from sattn_core.lessons.small_samples import class_draws
from sattn_core.lessons.wrong_choice import N_ROWS, PUT_RIGHT, WrongChoiceParams, measure_wrong_choices
from tests.pages.asgi import ask, run
from tests.pages.opening import app_at, asks_bet, charts, line_of, turn_to, turn_truth, widget

WITH_BETS = [stem for stem in ORDER if LESSONS[stem].bet]
TOGETHER = [stem for stem in ORDER if LESSONS[stem].together]
SECRET = "abcdefghjkmn"
LARGEST_PAGE = 10_000  # bytes
APP = Starlette(routes=routes.routes())


@pytest.fixture(autouse=True)
def rooms(tmp_path, monkeypatch):
    """Yield a store for one test; the limits are too high to be reached."""
    own = Store(f"sqlite:///{tmp_path}/rooms.sqlite", patience=60)
    of_classroom = [f"classroom.{name}" for name in ("moment", "leading", "answering", "results")]
    for module in (*of_classroom, "server.phone", "server.desk", "server.rooms", "page.wall"):
        monkeypatch.setattr(f"pages._view.{module}.store", lambda: own)
    for name in ("WRONG_CODES", "OPENED", "JOINED"):
        monkeypatch.setattr(limits, name, limits.Rate(name, 1000, 1000))
    monkeypatch.setattr(limits, "SENT", limits.Limit(1000, 1000))
    yield own
    own.dispose()


def opened(rooms, stem, **query):
    """Open a room whose wall shows a lesson."""
    return rooms.open_room(SECRET, stem=stem, query=urlencode({"bet": "1", **at(stem), **query}))


def texts(rooms, code, stem):
    return [each.text for each in rooms.answers(code, stem)]


def at(stem):
    """Return the link parameters that open the picture of the bet."""
    name, option = (LESSONS[stem].bet and LESSONS[stem].bet.when) or ("", "")
    return {name: LESSONS[stem].controls[name].write(option)} if name else {}


class Browser:
    """A browser that keeps cookies and sends the forms of its page."""

    def __init__(self, room=None, cookies=()):
        self.cookies, self.place, self.html, self.status = dict(cookies), room and f"/j/{room.code}", "", 0

    def get(self, place=None, **headers):
        return self._ask(place or self.place, "GET", **headers)

    def _ask(self, place, method, **more):
        cookie = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        self.status, headers, body = ask(APP, place, method, cookie=cookie, host="lab.example", **more)
        for kept in headers.get("set-cookie", "").splitlines():
            name, _, value = kept.partition(";")[0].partition("=")
            self.cookies[name] = value
        if self.status == 303:
            self.place = headers["location"]
            return self if urlsplit(self.place).path not in PAGES_OF_LESSONS else self._stop()
        self.html = body.decode()
        return self

    def _stop(self):
        self.html = ""
        return self

    def open(self):
        """Open the page, and request it again if it has only set the cookie."""
        self.get()
        return self.get() if self.status == 303 else self

    def send(self, do, **fields):
        """Submit the page's form for this action."""
        found = re.search(
            rf'<form method="post" action="([^"]*)">(?:<input[^>]*>)*?<input[^>]*value="{do}">', self.html
        )
        hidden = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', self.html[found.start() :]))
        kept = {name: unescape(hidden[name]) for name in ("token", "of", "at") if name in hidden}
        data = {**kept, "do": do, **fields}
        self.post(urlsplit(unescape(found[1])).path, data)
        return self.get() if self.status == 303 and urlsplit(self.place).path not in PAGES_OF_LESSONS else self

    def post(self, place, data):
        return self._ask(place, "POST", body=[urlencode(data).encode()])

    @property
    def text(self):
        """The text of the page's main part."""
        main = self.html[self.html.index("<main") : self.html.index("</main>")]
        return unescape(re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", main))).strip()


PAGES_OF_LESSONS = {"/", *(f"/{stem}" for stem in ORDER)}


def phones(room, n):
    return [Browser(room).open() for _ in range(n)]


def teacher(room):
    """Return the desk of a room."""
    browser = Browser(cookies={TEACHER: room.code + SECRET, visitor.VISITOR: visitor.new_visitor()})
    browser.place = f"/room/{room.code}"
    return browser.get()


def answers_to(stem):
    """Return two answers, each as (form fields that a phone sends, value)."""
    lesson = LESSONS[stem]
    if lesson.together and lesson.together.chooses:
        return [({"answer": f"{each:g}"}, each) for each in lesson.together.options[:2]]
    answer = lesson.bet.answer
    if isinstance(answer, Choice):
        return [({"answer": each}, each) for each in answer.options[:2]]
    if isinstance(answer, Drawing):
        rows = [tuple(range(1, 1 + len(answer.at))), (0,) * len(answer.at)]
        return [({f"answer_{i}": str(each) for i, each in enumerate(row)}, row) for row in rows]
    return [({"answer": f"{each:g}"}, each) for each in (answer.low, answer.high)]


# --- phones ----------------------------------------------------------------------------------------------


def test_phone_joins_only_after_its_browser_returns_the_cookie(rooms):
    room = opened(rooms, "gradient_flow")
    phone = Browser(room).get()
    assert (phone.status, phone.place) == (303, f"/j/{room.code}?here=1")
    assert rooms.room(room.code).joined == 0
    phone.get()
    assert (phone.status, rooms.room(room.code).joined) == (200, 1)
    assert Browser(room, phone.cookies).open().html == phone.html
    assert rooms.room(room.code).joined == 1
    without = Browser(room).get(f"/j/{room.code}?here=1")
    assert (without.status, rooms.room(room.code).joined) == (403, 1)
    assert "keeps no cookies" in without.text


def test_phone_stores_only_a_random_number_hidden_from_scripts(rooms):
    _, headers, _ = ask(APP, f"/j/{opened(rooms, 'start').code}", host="lab.example", x_forwarded_proto="https")
    kept = headers["set-cookie"]
    assert re.fullmatch(r"lab_visitor=[0-9a-f]{32}; HttpOnly; Max-Age=86400; Path=/; SameSite=lax; Secure", kept)


def test_cookie_of_a_returning_phone_lasts_another_day(rooms):
    """Else yesterday's cookie would expire during the lesson, and the phone would count as a new one."""
    room = opened(rooms, "start")
    (phone,) = phones(room, 1)
    given = f"{visitor.VISITOR}={phone.cookies[visitor.VISITOR]}"
    _, headers, _ = ask(APP, phone.place, cookie=given, host="lab.example")
    assert headers["set-cookie"].startswith(f"{given}; HttpOnly; Max-Age=86400")


def test_codes_may_be_in_lower_case_and_typed_into_the_form(rooms):
    room = opened(rooms, "start")
    assert Browser(SimpleNamespace(code=room.code.lower())).open().status == 200
    door = Browser().get("/j")
    assert "letters on the wall" in door.html
    assert door.get(f"/j?code=%20{room.code.lower()}%20").place == f"/j/{room.code}"


@pytest.mark.parametrize("typed", ["1234", "ЖЖЖЖ", "ΑΒΓΔ", "ÄÖÜS", "%00", "<b>", "../../x", "A" * 5000])
def test_text_that_is_not_a_code_gets_the_form_for_codes(typed):
    phone = Browser(cookies={visitor.VISITOR: visitor.new_visitor()}).get(f"/j?code={quote(typed)}")
    if phone.status == 303:
        phone.get(unquote(phone.place))  # decoded, as a server passes it on
    assert phone.status == 404
    assert "This room is not open" in phone.text
    assert 'name="code"' in phone.html


@pytest.mark.parametrize("place", ["j/{}/nowhere", "room/{}/nowhere", "room/{}/news/more"])
def test_wrong_address_below_a_room_gets_the_form_for_codes(rooms, place):
    phone = Browser().get(f"/{place.format(opened(rooms, 'start').code)}")
    assert (phone.status, 'name="code"' in phone.html) == (404, True)


@pytest.mark.parametrize("place", ["j", "j/{}/news", "room/{}/news", "room/{}/state", "room/{}/results.csv"])
def test_read_only_addresses_accept_no_form(rooms, place):
    assert Browser().post(f"/{place.format(opened(rooms, 'start').code)}", {"do": "close"}).status == 405


@pytest.mark.parametrize("code", ["ZZZZ", "A", "AEIO", "<b>", "ÄÖÜS", "%00%00%00%00", "ABCDEFGHIJKL"])
def test_unknown_code_gets_the_form_for_codes(code):
    phone = Browser(cookies={visitor.VISITOR: visitor.new_visitor()}).get(f"/j/{code}")
    assert phone.status == 404
    assert "This room is not open" in phone.text
    assert 'name="code"' in phone.html


def test_guesser_of_codes_is_blocked_and_phones_in_a_room_are_not(rooms, monkeypatch):
    monkeypatch.setattr(limits, "WRONG_CODES", limits.Rate("wrong", 3, 0))
    monkeypatch.setenv("SATTN_REPLICAS", "2")
    room = opened(rooms, "start")
    (inside,) = phones(room, 1)
    guesser = Elsewhere(cookies={visitor.VISITOR: visitor.new_visitor()})
    assert [guesser.get(f"/j/ZZZ{letter}").status for letter in "BCDF"] == [404, 404, 404, 429]
    assert guesser.get(f"/j/{room.code}").status == 429
    assert inside.open().status == 200
    assert teacher(room).status == 200


def test_session_that_guesses_codes_is_blocked_and_walls_are_not(rooms, leads, monkeypatch):
    """A session and the phones of its IP network share one limit."""
    monkeypatch.setattr(limits, "WRONG_CODES", limits.Rate("wrong", 3, 0))
    monkeypatch.setattr(wall, "_network", lambda: limits.network_of("", ""))
    leads(False)
    room = opened(rooms, "gradient_flow")
    following = wall_of(room, "gradient_flow")
    found = [wall_of(SimpleNamespace(code=f"ZZZ{letter}"), "gradient_flow").query_params for letter in "BCD"]
    assert not any("room" in each for each in found)
    late = wall_of(room, "gradient_flow")
    assert "room" not in late.query_params
    assert [each.value for each in late.warning] == ["The room of this wall is closed."]
    assert following.run().query_params["room"] == room.code
    assert Browser(cookies={visitor.VISITOR: visitor.new_visitor()}).get(f"/j/{room.code}").status == 429
    leads(True)
    assert wall_of(room, "gradient_flow").query_params["room"] == room.code


@pytest.mark.parametrize(
    ("here", "forwarded", "replicas", "counted"),
    [
        ("192.0.2.7", "", "1", "192.0.2.7"),
        ("192.0.2.7", "198.51.100.1", "1", "192.0.2.7"),
        ("10.0.0.1", "203.0.113.9, 198.51.100.1", "2", "198.51.100.1"),
        ("2001:db8:1:2:3:4:5:6", "", "1", "2001:db8:1:2::/64"),
        ("10.0.0.1", "2001:db8:1:2::ffff", "2", "2001:db8:1:2::/64"),
        ("::ffff:192.0.2.7", "", "1", "192.0.2.7"),
        ("somewhere", "", "1", "somewhere"),
        ("", "", "1", ""),
    ],
)
def test_limit_counts_by_ip_address_or_ipv6_network(monkeypatch, here, forwarded, replicas, counted):
    monkeypatch.setattr(limits, "_scrambled", lambda text: text)
    monkeypatch.setenv("SATTN_REPLICAS", replicas)
    found = limits.network_of(here, forwarded)
    assert (found.name, found.site) == (counted, counted.replace("2001:db8:1:2::/64", "2001:db8:1::/48"))


def test_limits_store_no_ip_address_and_agree_across_replicas(monkeypatch):
    monkeypatch.setenv("STREAMLIT_SERVER_COOKIE_SECRET", "a secret of all replicas")
    found = limits.network_of("192.0.2.7", "")
    assert found == limits.network_of("192.0.2.7", "") != limits.network_of("192.0.2.8", "")
    assert re.fullmatch("[0-9a-f]{24}", found.name)
    monkeypatch.setenv("STREAMLIT_SERVER_COOKIE_SECRET", "a secret of another lab")
    assert limits.network_of("192.0.2.7", "") != found


@pytest.mark.parametrize("stem", ORDER)
def test_phone_goes_from_question_to_truth_on_pages_under_10_kb(rooms, stem):
    room = opened(rooms, stem)
    first, second, third = phones(room, 3)
    moment = moment_of(rooms.room(room.code))
    assert LESSONS[stem].question in first.text
    assert len(first.html.encode()) < LARGEST_PAGE
    if not moment.kind:
        assert ("Look at the wall." in first.text) != bool(LESSONS[stem].together)
        return
    assert moment.question in first.text
    (sent, value), (other, _) = answers_to(stem)
    first.send("answer", **sent)
    assert first.status == 200
    assert "Your answer: " in first.text
    assert "Look at the wall." in first.text
    second.send("answer", **other)
    second.send("answer", **sent)  # an answer may be changed
    assert [moment.read(each)[0] for each in texts(rooms, room.code, stem)] == [value, value]
    assert "In fact" not in first.html
    teacher(room).send("reveal")
    for phone in (first, third):
        phone.open()
        if moment.draws_apart:  # the truth waits until the phone has drawn
            assert "In fact" not in phone.html
            phone.send("draw")
        assert len(phone.html.encode()) < LARGEST_PAGE
    if moment.kind == "bet":
        told = bet_words.verdict(LESSONS[stem].bet, value, VIEWS[stem].outcome(moment.values).truth)
        assert told in first.text
        assert bet_words.both(LESSONS[stem].bet, value, VIEWS[stem].outcome(moment.values)) in first.text
        assert "You did not bet." in third.text


@pytest.mark.parametrize("stem", [*WITH_BETS[:3], "training_race"])
@pytest.mark.parametrize("text", ["", "a lot", "-1", "1e9", "<script>", "nan", "10~10"])
def test_an_invalid_answer_is_explained_and_stays_in_its_field(rooms, stem, text):
    room = opened(rooms, stem)
    (phone,) = phones(room, 1)
    (sent, _), _ = answers_to(stem)
    phone.send("answer", **dict.fromkeys(sent, text))
    assert phone.status == 422
    assert re.search(r"Your answer (is|must|has)[^;]*\.", phone.text)
    assert texts(rooms, room.code, stem) == []
    assert "<script>\n" in phone.html  # the page's own script
    assert phone.html.count("<script>") == 1
    if text and not isinstance(LESSONS[stem].bet.answer, Choice):
        assert f'value="{text.replace("<", "&lt;").replace(">", "&gt;")}"' in phone.html


def test_curve_without_numbers_gets_a_message_about_its_fields(rooms):
    (phone,) = phones(opened(rooms, "score_variance"), 1)
    phone.send("answer", **{f"answer_{i}": "11.3.1" for i in range(5)})
    assert "Your answer must be a number in each field, 0 to 100,000." in phone.text


@pytest.mark.parametrize(
    ("stem", "sent", "kept", "said"),
    [
        ("score_variance", {f"answer_{i}": f"{10 + i}.3" for i in range(5)}, "10.3-11.3-12.3-13.3-14.3", "10.3, 11.3"),
        ("gradient_flow", {"answer": "86.5"}, "86.5", "86.5"),
    ],
)
def test_answer_may_have_decimals(rooms, leads, stem, sent, kept, said):
    room = opened(rooms, stem)
    app = wall_of(room, stem)
    (phone,) = phones(room, 1)
    phone.send("answer", **sent)
    assert f"Your answer: {said}" in phone.text
    assert texts(rooms, room.code, stem) == [kept]
    turn_truth(app, "Reveal")
    app.run()
    assert app.query_params["class"] == kept
    assert [*app.exception, *app.error, *app.warning] == []
    assert line_of(app).startswith(f"{bet_words.BET} 1 bet")


@pytest.mark.parametrize("stem", [*WITH_BETS[:3], "wrong_choice"])
def test_form_that_changes_an_answer_is_filled_with_it(rooms, stem):
    (phone,) = phones(opened(rooms, stem), 1)
    _, (sent, _) = answers_to(stem)
    phone.send("answer", **sent)
    form = phone.html.partition("Change it")[2]
    for name, value in sent.items():
        assert re.search(rf'name="{name}"[^>]*value="{re.escape(value)}"( required checked|[^>]* required)', form)


def test_page_without_scripts_does_not_reload_while_an_answer_is_typed(rooms):
    """A reload after five seconds would delete the typed text."""
    room = opened(rooms, "gradient_flow")
    (phone,) = phones(room, 1)
    reload = 'http-equiv="refresh"'
    assert reload not in phone.html
    assert reload in phone.send("answer", answer="20").html
    assert "<style>.change { display: none; }</style>" in phone.html
    changes = re.search('href="([^"]*)">Change it', phone.html)[1]
    changing = Browser(room, phone.cookies).get(f"/j/{room.code}{changes}")
    assert reload not in changing.html
    assert '<details class="change" open>' in changing.html
    changing.send("answer", answer="a lot")
    assert (changing.status, reload in changing.html) == (422, False)
    assert '<details class="change" open>' in changing.html
    changing.send("answer", answer="25")
    assert texts(rooms, room.code, "gradient_flow") == ["25"]
    assert reload in changing.html


def test_forged_or_outdated_forms_change_nothing(rooms):
    room = opened(rooms, "gradient_flow")
    (phone,) = phones(room, 1)
    place = f"/j/{room.code}"
    good = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', phone.html)) | {"answer": "10"}
    for wrong in ({"token": ""}, {"token": "ß"}, {"token": visitor.token_of("0" * 32, room.code)}):
        assert phone.post(place, {**good, **wrong}).status == 403
    for stem, query in (("derivation", "bet=1"), ("gradient_flow", "bet=1&d_k=256")):
        rooms.stand(room.code, stem, query)
        assert phone.post(place, good).status == 422
        assert "The wall has gone on" in phone.text
    rooms.stand(room.code, room.stem, room.query)
    assert phone.post(place, {**good, "do": "close"}).status == 422
    assert texts(rooms, room.code, "gradient_flow") == []
    assert phone.post(place, good).status == 303
    assert texts(rooms, room.code, "gradient_flow") == ["10"]


def test_form_with_more_than_forty_fields_changes_nothing(rooms):
    room = opened(rooms, "gradient_flow")
    (phone,) = phones(room, 1)
    good = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', phone.html)) | {"answer": "10"}
    full = good | {f"more_{i}": "" for i in range(40 - len(good))}
    assert phone.post(f"/j/{room.code}", {**full, "another": ""}).status == 403
    assert texts(rooms, room.code, "gradient_flow") == []
    assert phone.post(f"/j/{room.code}", full).status == 303
    assert texts(rooms, room.code, "gradient_flow") == ["10"]


def test_links_and_experiments_have_space_for_all_phones_of_a_room():
    assert lesson.MOST_PHONES == class_draws_module.MOST_PHONES == MOST_PHONES <= N_ROWS


def test_phone_that_sends_too_much_is_refused(rooms, monkeypatch):
    monkeypatch.setattr(limits, "SENT", limits.Limit(2, 0))
    room = opened(rooms, "gradient_flow")
    one, other = phones(room, 2)
    assert [one.send("answer", answer=str(5 * i)).status for i in range(2)] == [200, 200]
    one.open()
    assert one.send("answer", answer="20").status == 429
    assert other.send("answer", answer="20").status == 200
    assert texts(rooms, room.code, "gradient_flow") == ["5", "20"]


def test_full_room_refuses_new_phones_with_a_reason(rooms):
    room = opened(rooms, "start")
    (early,) = phones(room, 1)
    for i in range(MOST_PHONES):
        rooms.join(room.code, f"{i:032x}")
        rooms.draw(room.code, f"{i:032x}")
    late = Browser(room).open()
    assert late.status == 409
    assert f"it has {MOST_PHONES} phones" in late.text
    rooms.stand(room.code, "gradient_flow", "bet=1")
    assert early.open().send("answer", answer="5").status == 409
    assert Browser(room, {visitor.VISITOR: f"{7:032x}"}).open().send("answer", answer="5").status == 200


def test_phone_gets_news_only_about_its_own_page(rooms):
    room = opened(rooms, "gradient_flow")
    one, other = phones(room, 2)
    mark = re.search('data-mark="([^"]+)"', one.html)[1]
    news = f"/j/{room.code}/news?seen={mark}"
    other.send("answer", answer="20")
    assert one.get(news).status == 204
    rooms.ask(room.code, "gradient_flow", locked=True)
    assert one.get(news).status == 200
    assert "too late" in one.text
    rooms.close(room.code)
    assert one.get(news).status == 410
    assert "The class is over" in one.text
    assert 'data-news=""' in one.html  # no further requests


def test_pages_of_a_room_have_no_white_space_between_tags(rooms):
    """room.js keeps nodes that equal new ones, so it would confuse white-space nodes, which are all equal."""
    room = opened(rooms, "score_variance")
    for page in (*phones(room, 1), teacher(room)):
        assert re.findall(r">\s+<", page.html[page.html.index("<main") : page.html.index("</main>")]) == []


# --- keeping others out ----------------------------------------------------------------------------------

HERE, THERE = "203.0.113.1", "198.51.100.9"


class Elsewhere(Browser):
    """A browser in another IP network."""

    def __init__(self, room=None, cookies=(), network=THERE):
        super().__init__(room, cookies)
        self.network = network

    def _ask(self, place, method, **more):
        return super()._ask(place, method, x_forwarded_for=self.network, **more)


@pytest.fixture
def attacked(rooms, monkeypatch):
    """Return a room and its forty phones, which share an IP address; the limits are those of production."""
    monkeypatch.setenv("SATTN_REPLICAS", "2")
    rooms._clock = rooms._kept()._clock = Clock()
    for name, rate in TRUE.items():
        monkeypatch.setattr(limits, name, rate)
    room = opened(rooms, "gradient_flow")
    crowd = [Elsewhere(room, network=HERE).open() for _ in range(40)]
    for phone in crowd:
        assert phone.send("answer", answer="10").status == 200
    return room, crowd


class Clock:
    now = 1_000_000_000.0

    def __call__(self):
        return self.now


TRUE = {name: getattr(limits, name) for name in ("WRONG_CODES", "OPENED", "JOINED")}


def goes_on(rooms, room, crowd):
    """Return True if every phone of the class can answer, and a late phone of the same IP network can join."""
    for phone in crowd:
        phone.open()
        assert phone.send("answer", answer="20").status == 200
    late = Elsewhere(room, network=HERE).open()
    assert late.send("answer", answer="30").status == 200
    said = Counter(texts(rooms, room.code, "gradient_flow"))
    return (said["20"], said["30"]) == (len(crowd), 1)


def made_up(room, i, answers=True):
    """Return the status of a request with a made-up cookie: for a page, or to send an answer."""
    who = f"{i:032x}"
    phone = Elsewhere(room, {visitor.VISITOR: who})
    if not answers:
        return phone.get().status
    sent = {"token": visitor.token_of(who, room.code), "do": "answer", "of": moment_of(room).which, "answer": "99"}
    return phone.post(phone.place, sent).status


@pytest.mark.walk
def test_phones_with_made_up_cookies_take_no_place_until_they_answer(rooms, attacked):
    room, crowd = attacked
    assert {made_up(room, i, answers=False) for i in range(120)} == {200}
    now = rooms.room(room.code)
    assert (now.phones, now.waiting) == (40, limits.JOINED.most)
    assert goes_on(rooms, room, crowd)


@pytest.mark.walk
def test_answers_with_made_up_cookies_cannot_fill_a_room(rooms, attacked):
    room, crowd = attacked
    told = Counter(made_up(room, i) for i in range(120))
    assert told == {303: 40, 429: 80}
    assert rooms.room(room.code).phones == 80 < MOST_PHONES
    assert goes_on(rooms, room, crowd)


@pytest.mark.walk
def test_phone_from_a_busy_ip_network_is_let_in_a_little_later(rooms, attacked):
    room, _ = attacked
    for i in range(40):
        made_up(room, i)
    late = Elsewhere(room).open()
    assert late.status == 200
    late.send("answer", answer="86.5")
    assert (late.status, 'data-again="answer"' in late.html, 'value="86.5"' in late.html) == (429, True, True)
    assert "Many new phones come from your network" in late.text
    rooms._clock.now += 60
    assert late.send("answer", answer="86.5").status == 200


@pytest.mark.walk
def test_ipv6_addresses_of_one_household_share_a_limit(rooms, attacked):
    room, _ = attacked
    phones = [Elsewhere(room, network=f"2001:db8:1:2::{i:x}").open() for i in range(50)]
    assert Counter(phone.send("answer", answer="99").status for phone in phones) == {200: 40, 429: 10}


@pytest.mark.walk
def test_guesser_of_codes_does_not_block_phones_of_the_class(rooms, attacked):
    """Guess from the class's IP network, then from the teacher's."""
    room, crowd = attacked
    for network in (HERE, THERE):
        guesser = Elsewhere(cookies={visitor.VISITOR: visitor.new_visitor()}, network=network)
        told = [guesser.get(f"/j/BBB{letter}{other}").status for letter in "BCDFG" for other in ALPHABET]
        assert Counter(told) == {404: 60, 429: 35}
    assert goes_on(rooms, room, crowd)
    assert Elsewhere(room).open().status == 429
    other = rooms.open_room(SECRET, stem="start", network=limits.network_of("", THERE))
    assert len(other.code) == 6
    assert Elsewhere(other).open().status == 200


def test_teacher_can_lock_the_door_and_remove_silent_phones(rooms, attacked):
    room, crowd = attacked
    for i in range(30):
        made_up(room, i, answers=False)
    desk = teacher(room)
    assert "70 phones have joined, 40 of them have answered or drawn. A phone that is cleared" in desk.text
    desk.send("clear")
    assert "40 phones have joined" in desk.text
    assert "clear" not in desk.text.lower()
    made_up(room, 1, answers=False)
    assert "41 phones have joined" in desk.send("lock_door").text
    assert "The door is locked: nobody new can join." in desk.text
    assert "joins again" not in desk.text
    state = json.loads(Browser().get(f"/room/{room.code}/state").html)
    assert state["count"] == "40 of 41 have answered. The door is locked."
    late = Elsewhere(room, network=HERE).open()
    assert (late.status, "The door of this room is locked" in late.text) == (403, True)
    assert made_up(room, 2) == 403
    assert made_up(room, 1) == 303  # this phone has joined before
    for phone in crowd:
        assert phone.open().send("answer", answer="20").status == 200
    desk.get(f"/room/{room.code}").send("open_door")
    assert late.open().status == 200


def test_wall_and_desk_keep_a_room_open_before_anyone_joins(rooms):
    rooms._clock = rooms._kept()._clock = Clock()
    room = opened(rooms, "start")
    desk, stranger = teacher(room), Browser()
    mark = re.search('data-mark="([^"]+)"', desk.html)[1]
    for place in (f"/room/{room.code}/state", f"/room/{room.code}/news?seen={mark}"):
        rooms._clock.now += ABANDONED - 1
        assert desk.get(place).status in (200, 204)
    rooms._clock.now += ABANDONED - 1
    assert stranger.get(f"/room/{room.code}/state").status == 200
    rooms._clock.now += 2
    assert stranger.get(f"/room/{room.code}/state").status == 404


# --- together --------------------------------------------------------------------------------------------


def test_results_file_and_link_contain_the_draws_of_each_phone(rooms):
    room = opened(rooms, "small_samples")
    one, two, idle = phones(room, 3)
    assert "Draw ten" not in one.html
    rooms.ask(room.code, "small_samples", revealed=True)
    for phone in (two, one, two):
        phone.open()
        if "Draw ten" in phone.html:
            phone.send("draw")
    found = class_draws(2, seed=room.seed)
    assert (rooms.drawn(room.code, two.cookies["lab_visitor"]), rooms.room(room.code).drawn) == (0, 2)
    assert f"have variance {bet_words.number(found.variances[0, 0])}." in two.text
    assert f"have variance {bet_words.number(found.variances[1, 0])}." in one.text
    assert "Draw ten" in idle.open().html
    desk = teacher(room)
    rows = [row for row in table_of(desk, room) if row["question"] == "drawn"]
    assert [(int(row["phone"]), int(row["draw"])) for row in rows] == [(i, j) for i in (1, 2) for j in range(1, 11)]
    assert np.allclose([float(row["answer"]) for row in rows], found.variances.ravel(), rtol=1e-15)
    link = unescape(re.search(r'href="(http[^"]*)" target', teacher(room).html)[1])
    query = {name: text for name, (text,) in parse_qs(urlsplit(link).query).items()}
    assert query == {"step": "draw", "phones": "2", "seed": str(room.seed)}
    app = app_at("small_samples", **query).run()
    main = next(each for each in charts(app).values() if each.address)
    (bars,) = [each for each in json.loads(main.spec)["data"] if each["name"] == "draws"][:1]
    assert max(bars["y"]) == found.counts.max()
    assert f"average {bet_words.number(found.mean_measured)} ± {bet_words.number(found.standard_error, 2)}" in main.alt


def table_of(desk, room):
    """Return the rows of the results file: one table of all answers and draws."""
    return list(csv.DictReader(io.StringIO(desk.get(f"/room/{room.code}/results.csv").html), strict=True))


def test_results_file_has_a_row_for_each_answer_of_the_lecture(rooms):
    """A row has lesson, step, d_k, seed, time, phone number, answer and verdict."""
    rooms._clock = rooms._kept()._clock = Clock()
    rooms._clock.now = datetime(2026, 11, 26, 10, 0, tzinfo=UTC).timestamp()
    room = opened(rooms, "gradient_flow", d_k="96")
    desk, (one, two, three) = teacher(room), phones(room, 3)
    assert table_of(desk, room) == []
    truth = VIEWS["gradient_flow"].outcome(moment_of(room).values).truth
    three.send("answer", answer=f"{5 * round(truth / 5)}")
    rooms._clock.now += 90.4
    one.send("answer", answer="5")
    desk.get(f"/room/{room.code}").send("reveal").send("to", stem="wrong_choice")
    two.open().send("answer", answer="10")
    rooms._clock.now += 3600
    desk.get(f"/room/{room.code}").send("to", stem="small_samples")
    one.open().send("answer", answer="1.5")
    desk.get(f"/room/{room.code}").send("reveal")
    two.open().send("draw")
    desk.get(f"/room/{room.code}").send("to", stem="start")
    found = table_of(desk, room)
    asked = moment_of(room).question
    at = {
        "lesson": "gradient_flow",
        "question": asked,
        "vote": "1",
        "step": "freeze",
        "d_k": "96",
        "seed": "0",
        "draw": "",
    }
    assert found[:2] == [
        at | {"time": "2026-11-26T10:00:00Z", "phone": "1", "answer": f"{5 * round(truth / 5)}", "right": "yes"},
        at | {"time": "2026-11-26T10:01:30Z", "phone": "2", "answer": "5", "right": "no"},
    ]
    vote, bet, *drawn = found[2:]
    together = LESSONS["wrong_choice"].together
    assert [vote[name] for name in ("lesson", "question", "phone", "answer", "right", "seed")] == [
        "wrong_choice", together.asks, "3", "10", "", str(room.seed)
    ]  # fmt: skip
    assert [bet[name] for name in ("lesson", "time", "phone", "answer", "right")] == [
        "small_samples", "2026-11-26T11:01:30Z", "2", "1.5", "yes"
    ]  # fmt: skip
    assert [(row["question"], row["phone"], row["draw"]) for row in drawn] == [
        ("drawn", "3", str(i)) for i in range(1, 11)
    ]
    assert {row["time"] for row in drawn} == {"2026-11-26T11:01:30Z"}
    own = class_draws(1, seed=room.seed).variances[0]
    assert np.allclose([float(row["answer"]) for row in drawn], own, rtol=1e-15)


def test_asking_again_keeps_the_first_vote_beside_the_last(rooms, leads):
    """Check the wall, the phones, the desk and the file; of three votes, the first and the last are kept."""
    room = opened(rooms, "gradient_flow", d_k="96")
    app = wall_of(room, "gradient_flow", d_k="96")
    truth = f"{5 * round(VIEWS['gradient_flow'].outcome(moment_of(room).values).truth / 5)}"
    one, two, three = phones(room, 3)
    for phone, said in ((one, "5"), (two, truth), (three, "5")):
        phone.send("answer", answer=said)
    desk = teacher(room)
    for votes in (("10", "10"), ("15", truth)):
        desk.get(f"/room/{room.code}").send("reset")
        assert "The first vote" not in desk.text
        for phone, said in zip((one, two), votes, strict=True):
            phone.open()
            assert "first answer" not in phone.text
            phone.send("answer", answer=said)
    three.open().send("answer", answer=truth)
    turn_truth(app, "Reveal")
    app.run()
    told = "The first vote: 1 of 3 right, now 2 of 3."
    assert line_of(app).endswith(told)
    assert app.query_params["first"] == f"5~{truth}~5"
    assert told in desk.get(f"/room/{room.code}").text
    assert "first=5~" in desk.html  # the result as a link
    assert f"Your first answer: 5. {bet_words.MISSED}" in one.open().text
    assert f"Your first answer: {truth}. {bet_words.RIGHT}" in two.open().text
    rows = [(row["vote"], row["phone"], row["answer"], row["right"]) for row in table_of(desk, room)]
    assert rows == [
        ("1", "1", "5", "no"), ("1", "2", truth, "yes"), ("1", "3", "5", "no"),
        ("2", "1", "15", "no"), ("2", "2", truth, "yes"), ("2", "3", truth, "yes"),
    ]  # fmt: skip
    turn_truth(app, "Hide")
    assert "first vote" not in line_of(app.run())
    assert "first" not in app.query_params


def test_a_class_that_votes_again_sees_its_first_choice(rooms, leads):
    room = opened(rooms, "wrong_choice")
    app = wall_of(room, "wrong_choice")
    phone, other = phones(room, 2)
    phone.send("answer", answer="1000")
    other.send("answer", answer="100")  # a tie: the wall shows the smaller rate
    teacher(room).send("reset")
    phone.open().send("answer", answer="10")
    turn_truth(app, "Reveal")
    assert line_of(app.run()) == "The class has chosen: learning rate 10. The first vote: 100."
    assert (app.query_params["votes"], app.query_params["first"]) == ("10", "1000~100")
    assert "Your first answer: 1000." in phone.open().text


@pytest.mark.parametrize(
    ("rates", "chosen", "said"),
    [
        (("1000", "10", "10", "1000"), "10", "A tie of 10 and 1,000: the wall shows the smaller."),
        (("100", "1", "0.1"), "0.1", "A tie of 0.1, 1 and 100: the wall shows the smallest."),
        (("100", "100", "0.1"), "100", ""),
    ],
)
def test_wall_breaks_a_tie_with_the_smallest_rate_and_says_so(rooms, leads, rates, chosen, said):
    room = opened(rooms, "wrong_choice")
    app = wall_of(room, "wrong_choice")
    for phone, rate in zip(phones(room, len(rates)), rates, strict=True):
        phone.send("answer", answer=rate)
    turn_truth(app, "Reveal")
    told = line_of(app.run())
    assert told == f"The class has chosen: learning rate {chosen}. {said}".rstrip()
    assert (app.query_params["votes"], app.session_state["learning_rate"]) == ("~".join(rates), float(chosen))


def test_results_file_lists_draws_by_phone_number(rooms):
    """The rows do not depend on the order of drawing; a draw keeps the settings it was made at."""
    room = opened(rooms, "small_samples", ddof="1")
    crowd = phones(room, 2)
    for phone in crowd:
        phone.send("answer", answer="1.5")
    desk = teacher(room).send("reveal")
    for phone in reversed(crowd):
        phone.open().send("draw")
    rooms.stand(room.code, "small_samples", "bet=1&ddof=0")
    rows = [row for row in table_of(desk, room) if row["question"] == "drawn"]
    assert [row["phone"] for row in rows] == ["1"] * 10 + ["2"] * 10
    found = np.array([float(row["answer"]) for row in rows]).reshape(2, 10)
    assert np.allclose(found, class_draws(2, ddof=1, seed=room.seed).variances[::-1], rtol=1e-15)


def test_each_phone_shows_its_row_of_the_wall_at_the_chosen_rate(rooms):
    room = opened(rooms, "wrong_choice", d_k="256")
    crowd = phones(room, 4)
    votes = ("1000", "0.1", "0.1", "10")
    for phone, rate in zip(crowd, votes, strict=True):
        phone.send("answer", answer=rate)
        assert "row is number" not in phone.text
    desk = teacher(room)
    desk.send("reveal")
    stood = dict(parse_qs(rooms.room(room.code).query))
    assert stood["learning_rate"] == ["0.1"]
    found = measure_wrong_choices(WrongChoiceParams(256, learning_rate=0.1, seed=room.seed)).right_weight[:, -1]
    for i, phone in enumerate(crowd):
        phone.open()
        said = re.findall(r"(\d+) %, (put right|still wrong)", phone.text)
        shares = [min(max(round(100 * float(each)), 1), 99) for each in found[:, i]]  # or "under 1 %", "over 99 %"
        assert [int(share) for share, _ in said] == shares
        assert [word == "put right" for _, word in said] == [bool(each > PUT_RIGHT) for each in found[:, i]]
    link = unescape(re.search(r'href="(http[^"]*)" target', teacher(room).html)[1])
    query = {name: text for name, (text,) in parse_qs(urlsplit(link).query).items()}
    assert query["votes"] == "~".join(votes)
    app = app_at("wrong_choice", **query).run()
    main = next(each for each in charts(app).values() if each.address)
    assert "Votes: 2 for 0.1, 0 for 1, 1 for 10, 0 for 100 and 1 for 1,000." in main.alt
    counts = [int((found[i, :4] > PUT_RIGHT).sum()) for i in range(3)]
    notes = [each["text"] for each in json.loads(main.spec)["layout"]["annotations"]]
    said = [number for number, unit in pairwise(notes) if unit == "of 4 put right"]
    assert said == [f"<b>{each}</b>" for each in counts]
    assert "the class’s 4 rows" in main.alt


# --- the teacher -----------------------------------------------------------------------------------------


def test_room_opens_at_its_lesson_with_the_secret_only_in_the_cookie(rooms):
    browser = Browser().get("/room", referer="http://lab.example/derivation?d_k=100&tally=1-2&mode=screen")
    assert "deleted 60 minutes after the room is closed, and after 24 hours" in browser.text
    browser.send("open")
    assert (browser.status, urlsplit(browser.place).path) == (303, "/derivation")
    query = {name: text for name, (text,) in parse_qs(urlsplit(browser.place).query).items()}
    room = rooms.room(query["room"])
    assert query == {"d_k": "100", "step": "lines", "bet": "1", "mode": "projector", "room": room.code}
    secret = browser.cookies[TEACHER].removeprefix(room.code)
    assert rooms.is_teacher(room.code, secret)
    assert secret not in browser.place
    assert (room.stem, room.query) == ("derivation", "d_k=100&step=lines&bet=1")


@pytest.mark.parametrize("at", ["", "/nowhere", "http://[", "//evil.example/derivation", "/start?%%%&d_k=x&d_k=9"])
def test_room_without_a_lesson_opens_at_the_start_page(rooms, at):
    browser = Browser().get(f"/room?{urlencode({'at': at})}").send("open")
    assert browser.status == 303
    assert urlsplit(browser.place).path == "/"
    assert urlsplit(browser.place).netloc == ""


def test_room_can_be_opened_from_an_address_of_any_length(rooms):
    """The room drops long texts that a visitor has typed."""
    long = f"/your_scores?q={'%0A1.5' * 4000}&d_k=100&{'x=%25&' * 2000}"
    browser = Browser().get("/room", referer=f"http://lab.example{long}")
    assert len(browser.html.encode()) < LARGEST_PAGE
    browser.send("open")
    assert (browser.status, urlsplit(browser.place).path) == (303, "/your_scores")


def test_rooms_are_opened_only_from_our_pages_and_not_too_often(rooms, monkeypatch):
    monkeypatch.setattr(limits, "OPENED", limits.Rate("opened", 1, 0))
    browser = Browser().get("/room")
    assert browser.post("/room", {"token": "0" * 32, "do": "open"}).status == 403
    assert browser.get("/room").send("open").status == 303
    assert browser.get("/room").send("open").status == 429


def test_desk_does_nothing_without_the_secret(rooms):
    room = opened(rooms, "gradient_flow")
    other = Browser(cookies={TEACHER: room.code + "x" * 12})
    other.get(f"/room/{room.code}")
    assert "The secret of the room" in other.html
    assert SECRET not in other.html
    token = re.search('name="token" value="([^"]+)"', other.html)[1]
    for do in ("reveal", "close", "reset", "to"):
        other.post(f"/room/{room.code}", {"token": token, "do": do, "stem": "derivation"})
    assert rooms.room(room.code).stem == "gradient_flow"
    assert not rooms.asked(room.code, "gradient_flow").revealed
    assert other.get(f"/room/{room.code}/results.csv").status == 403
    assert other.get(f"/room/{room.code}/news").status == 403
    other.get(f"/room/{room.code}").send("secret", secret="wrong")
    assert other.status == 403
    other.send("secret", secret=SECRET.upper() + " ")
    assert other.cookies[TEACHER] == room.code + SECRET
    assert "Reveal" in other.html


def test_desk_controls_the_question_and_the_wall(rooms):
    room = opened(rooms, "gradient_flow", d_k="100")
    crowd = phones(room, 3)
    crowd[0].send("answer", answer="95")
    desk = teacher(room)
    assert "1 of 3 have answered." in desk.text
    desk.send("lock")
    assert "No more answers." in desk.text
    assert crowd[1].send("answer", answer="95").status == 422
    desk.send("unlock")
    assert crowd[1].open().send("answer", answer="5").status == 200
    desk.send("reveal")
    assert crowd[2].send("answer", answer="5").status == 422
    link = unescape(re.search(r'href="(http[^"]*)" target', desk.html)[1])
    assert link == "http://lab.example/gradient_flow?d_k=100&step=freeze&class=95~5"
    desk.send("hide")
    assert 'target="_blank">The result' not in desk.html
    desk.send("reset")
    assert texts(rooms, room.code, "gradient_flow") == []
    desk.send("to", stem="derivation")
    assert (rooms.room(room.code).stem, rooms.room(room.code).query) == ("derivation", "d_k=100&step=lines&bet=1")
    assert LESSONS["derivation"].question in crowd[0].open().text
    desk.send("to", stem="nowhere")
    assert rooms.room(room.code).stem == "derivation"


@pytest.mark.parametrize("asked", ["", "/news?seen=1"])
def test_room_that_closes_during_a_request_says_goodbye(rooms, monkeypatch, asked):
    """A phone that is told "no such room" does not ask again."""
    room = opened(rooms, "gradient_flow")
    (phone,) = phones(room, 1)
    has_joined = rooms.has_joined

    def closed_first(code, who):
        rooms.close(code)
        return has_joined(code, who)

    monkeypatch.setattr(rooms, "has_joined", closed_first)
    phone.get(f"/j/{room.code}{asked}")
    assert (phone.status, "The class is over" in phone.text) == (410, True)


def test_closed_room_says_goodbye_and_can_be_reopened(rooms):
    room = opened(rooms, "gradient_flow", d_k="100")
    (phone,) = phones(room, 1)
    phone.send("answer", answer="95")
    desk, stranger = teacher(room), Browser(cookies={TEACHER: room.code + "x" * 12})
    assert "<summary>Close the room</summary>" in desk.html.partition('value="close"')[0][-600:]
    mark = re.search('data-mark="([^"]+)"', phone.html)[1]
    desk.send("close")
    assert (desk.status, rooms.room(room.code)) == (200, None)
    assert "What its phones said and drew is deleted 60 minutes after" in desk.text
    home = "http://lab.example/gradient_flow?d_k=100&step=freeze"
    for place in (f"/j/{room.code}/news?seen={mark}", phone.place, f"/room/{room.code}/state"):
        phone.get(place)
        assert (phone.status, "The class is over" in phone.text) == (410, True)
        assert f'href="{home}"' in unescape(phone.html)
        assert 'data-news=""' in phone.html  # no further requests
    for place in (f"/room/{room.code}", f"/room/{room.code}/results.csv"):
        stranger.get(place)
        assert (stranger.status, "Open it again" in stranger.html) == (410, False)
    token = visitor.token_of(stranger.cookies.get(visitor.VISITOR, ""), room.code)
    assert stranger.post(f"/room/{room.code}", {"token": token, "do": "reopen"}).status == 410
    assert desk.post(f"/room/{room.code}", {"token": "0" * 32, "do": "reopen"}).status == 403
    assert rooms.room(room.code) is None
    desk.get(f"/room/{room.code}").send("reopen")
    assert desk.status == 303
    assert parse_qs(urlsplit(desk.place).query)["room"] == [room.code]
    assert "Your answer: 95" in phone.get(f"/j/{room.code}").text


# --- the wall --------------------------------------------------------------------------------------------


@pytest.fixture
def leads(monkeypatch):
    """Return a function that makes the wall the teacher's or somebody else's; at first it is the teacher's."""

    def set_to(is_teacher):
        monkeypatch.setattr(wall, "_secret", lambda code: SECRET if is_teacher else "")

    set_to(True)
    return set_to


def wall_of(room, stem, **query):
    return app_at(stem, mode="projector", bet="1", room=room.code, **at(stem), **query).run()


def gone_on(room, stem):
    """Return a wall that has moved from its room's lesson to another."""
    app = turn_to(wall_of(room, room.stem), stem).run()
    go_to_step(app, at(stem)["step"])
    return app


@pytest.mark.parametrize(
    "stem", [*WITH_BETS[:2], *(pytest.param(each, marks=pytest.mark.walk) for each in WITH_BETS[2:])]
)
def test_wall_reports_its_address_to_the_room_and_shows_revealed_bets(rooms, leads, stem):
    room = opened(rooms, "start")
    app = gone_on(room, stem)
    app.session_state["d_k"] = 100
    app.run()
    assert [*app.exception, *app.error, *app.warning] == []
    moment = moment_of(rooms.room(room.code))
    assert (moment.room.stem, moment.address.said["d_k"]) == (stem, 100)
    (sent, value), _ = answers_to(stem)
    crowd = phones(room, 2)
    for phone in crowd:
        phone.send("answer", **sent)
    app.run()
    empty = {"phones": "0"} if moment.draws_apart else {}  # a class that has drawn nothing yet
    assert in_address(app, "class", "phones", "votes", "reveal") == empty
    turn_truth(app, "Reveal")
    app.run()
    assert rooms.asked(room.code, stem).revealed
    if moment.kind == "bet":
        assert app.query_params["class"] == "~".join([moment.written(value)] * 2)
    else:
        assert app.query_params["phones"] == "2"
        assert app.session_state[LESSONS[stem].together.chooses] == value
    turn_truth(app, "Hide")
    app.run()
    assert not rooms.asked(room.code, stem).revealed
    assert in_address(app, "class", "phones", "votes", "reveal") == empty
    assert SECRET not in str(app.query_params)


def in_address(app, *names):
    """Return the named parameters that are in the address of a wall."""
    return {name: app.query_params[name] for name in names if name in app.query_params}


def test_bet_is_judged_at_its_own_settings_after_the_wall_has_changed(rooms, leads):
    """Check the phone, the wall, the file and the link."""
    room = opened(rooms, "gradient_flow", d_k="96")
    truth = {d_k: VIEWS["gradient_flow"].outcome(moment_of(room).at(f"d_k={d_k}").values).truth for d_k in (96, 8)}
    assert abs(truth[96] - truth[8]) > 20
    app = wall_of(room, "gradient_flow", d_k="96")
    one, two, late = phones(room, 3)
    for phone in (one, two):
        phone.send("answer", answer=f"{5 * round(truth[96] / 5)}")
    app.session_state["d_k"] = 8
    app.run()
    assert "d_k=8&" in f"{rooms.room(room.code).query}&"
    assert "(dₖ = 96)" in one.open().text
    late.open().send("answer", answer=f"{5 * round(truth[8] / 5)}")
    turn_truth(app, "Reveal")
    app.run()
    assert app.query_params["class"] == f"{5 * round(truth[96] / 5)}~{5 * round(truth[96] / 5)}"
    assert line_of(app).startswith("dₖ = 96: ◆ 2 bets, 2 right.")
    assert json.loads(Browser().get(f"/room/{room.code}/state").html)["count"] == "1 of 3 bets were at other settings."
    assert f"dₖ = 96: {bet_words.RIGHT}" in one.open().text
    assert f"In fact: {truth[96]:g}" in one.text
    assert bet_words.RIGHT in late.open().text
    assert "dₖ" not in late.text.split("?")[-1].partition(bet_words.RIGHT)[0]
    desk = teacher(room)
    link = parse_qs(urlsplit(unescape(re.search(r'href="(http[^"]*)" target', desk.html)[1])).query)
    assert link["d_k"] == ["96"]
    asked = [row["question"] for row in table_of(desk, room)]
    assert ["dₖ = 96" in each.replace("d_k", "dₖ") for each in asked] == [True, True, False]
    turn_truth(app, "Hide")
    app.run()
    assert "guessed_at" not in app.query_params


def test_wall_follows_the_desk_to_lessons_and_reveals(rooms, leads):
    room = opened(rooms, "gradient_flow")
    app = wall_of(room, "gradient_flow")
    desk = teacher(room)
    desk.send("reveal")
    app.run()
    assert app.query_params["reveal"] == "1"
    desk.get(f"/room/{room.code}").send("to", stem="derivation")
    app.run()
    assert app.title[0].value == LESSONS["derivation"].question
    assert rooms.room(room.code).stem == "derivation"
    assert app.query_params["room"] == room.code
    assert "reveal" not in app.query_params


def test_wall_can_go_on_to_the_steps_after_its_bet(rooms, leads):
    room = opened(rooms, "one_query")
    app = wall_of(room, "one_query")
    (crowd,) = phones(room, 1)
    crowd.send("answer", answer="10")
    turn_truth(app, "Reveal")
    app.run()
    assert app.query_params["class"] == "10"
    go_to_step(app, "softmax")
    assert [*app.exception] == []
    assert (app.session_state["step"], app.query_params["reveal"]) == ("softmax", "1")
    assert "Look at the wall." in crowd.open().text
    go_to_step(app, "wander")
    assert app.query_params["class"] == "10"


def go_to_step(app, step):
    """Go to another step, as its link does."""
    widget(app, "step").set_value(step)
    app.run().run()


def shown_on(app):
    """Return what a wall shows: the lesson, its settings, the bets of the class and the truth."""
    names = [*SHARED, *LESSONS[app.session_state["lesson"]].controls]
    held = {name: app.session_state[name] for name in names if name in app.session_state}
    said = {name: app.query_params.get(name) for name in ("bet", "class", "guessed_at", "reveal", "phones")}
    return app.session_state["lesson"], held | said, line_of(app)


def test_two_walls_show_the_same_and_the_latest_change_wins(rooms, leads):
    room = opened(rooms, "gradient_flow")
    one, other = wall_of(room, "gradient_flow"), wall_of(room, "start", d_k="8", n_keys="4", seed="7")
    assert shown_on(one) == shown_on(other)
    widget(one, "n_keys").set_value(64)
    one.run()
    other.session_state["d_k"] = 256  # changed before this wall has received the other change
    other.run()
    one.run()
    assert shown_on(one) == shown_on(other)
    assert {"d_k": 256, "n_keys": 64, "seed": 0}.items() <= shown_on(one)[1].items()
    phones(room, 1)[0].send("answer", answer="95")
    turn_truth(other, "Reveal")
    other.run()
    one.run()
    assert shown_on(one) == shown_on(other)
    assert shown_on(one)[1]["class"] == "95"
    go_to_step(other, "curves")
    one.run()
    assert shown_on(one) == shown_on(other)
    assert shown_on(one)[1]["step"] == "curves"
    teacher(room).send("to", stem="softmax_saturation")
    for app in (one, other, one):
        hears(app)
    assert shown_on(one) == shown_on(other)
    assert shown_on(one)[0] == "softmax_saturation"


def hears(app):
    """Run a wall, then open the lesson to which its room sends it: AppTest would rerun the previous one."""
    app.run()
    turn_to(app, app.session_state["lesson"])


def test_two_walls_do_not_send_each_other_back_and_forth(rooms, leads):
    """A wall does not report changes that its page makes by itself, such as opening the step of an open bet."""
    room = opened(rooms, "start")
    one, other = wall_of(room, "start"), wall_of(room, "start")
    for stem in ("trained_heads", "wrong_choice", "training_race", "small_samples", "recap"):
        one = turn_to(one, stem).run()
        for app in (other, one, other):
            hears(app)
        before = rooms.room(room.code)
        for app in (other, one):
            hears(app)
        assert rooms.room(room.code) == before
        assert before.stem == stem
        assert shown_on(one) == shown_on(other)


@pytest.mark.parametrize("said", [{}, {"seed": "7", "exponent": "0.25", "rest": "shown"}])
def test_seed_and_exponent_set_on_a_wall_stay_in_their_lesson(rooms, leads, said):
    at = f"/softmax_saturation?{urlencode({'step': 'too_flat', 'd_k': '16', **said})}"
    browser = Browser().get(f"/room?{urlencode({'at': at})}").send("open")
    room = rooms.room(parse_qs(urlsplit(browser.place).query)["room"][0])
    rooms.stand(room.code, room.stem, f"{room.query}&seed=9&exponent=0.75&rest=shown")
    kept = {"d_k": 16, "seed": 0, "exponent": 0.5, "rest": "hidden"} | {
        name: text if name == "rest" else float(text) for name, text in said.items()
    }
    browser.get(f"/room/{room.code}").send("to", stem="training_race")
    there = moment_of(rooms.room(room.code)).address.said
    assert {name: there[name] for name in kept} == kept
    rooms.stand(room.code, "wrong_choice", "bet=1&d_k=16&seed=9&rest=shown")
    leads_by = browser.cookies[TEACHER].removeprefix(room.code)
    assert rooms.is_teacher(room.code, leads_by)
    app = app_at("wrong_choice", mode="projector", room=room.code)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(wall, "_secret", lambda code: leads_by)
        app.run()
        turn_to(app, "training_race").run()
    there = moment_of(rooms.room(room.code)).address
    assert there.lesson.stem == "training_race"
    assert {name: there.said[name] for name in kept} == kept
    assert {name: app.session_state[name] for name in kept if name in app.session_state}.items() <= kept.items()


def test_wall_without_the_secret_follows_and_changes_nothing(rooms, leads):
    leads(False)
    room = opened(rooms, "gradient_flow", d_k="256")
    app = wall_of(room, "derivation")
    assert app.title[0].value == LESSONS["gradient_flow"].question
    turn_truth(app, "Reveal")
    app.run()
    assert not rooms.asked(room.code, "gradient_flow").revealed
    assert "reveal" not in app.query_params
    app.session_state["d_k"] = 8
    app.run()
    assert app.session_state["d_k"] == 256
    assert rooms.room(room.code).query == opened(rooms, "gradient_flow", d_k="256").query


def test_wall_of_a_vote_hides_the_result_until_the_reveal(rooms, leads):
    room = opened(rooms, "start")
    app = gone_on(room, "wrong_choice")
    app.run()
    main = next(each for each in charts(app).values() if each.address)
    assert "Before the first step" in main.alt
    turn_truth(app, "Reveal")
    assert line_of(app.run()) == "Nobody has chosen a learning rate."
    assert not asks_bet(app)


def test_wall_shows_the_draws_of_the_class_as_they_arrive(rooms, leads):
    """Before the first draw, the wall shows neither the computer's draws nor the answer."""
    room = opened(rooms, "small_samples")
    app = wall_of(room, "small_samples")
    assert app.query_params["phones"] == "0"
    turn_truth(app, "Reveal")
    app.run()
    assert app.query_params["phones"] == "0"
    assert line_of(app) == LESSONS["small_samples"].together.asks
    main = next(each for each in charts(app).values() if each.address)
    assert main.alt.startswith("Nobody has drawn yet")
    assert results_link(room) is None
    crowd = phones(room, 2)
    marks = set()
    for i, phone in enumerate(crowd):
        phone.send("draw")
        app.run()
        assert app.query_params["phones"] == str(i + 1)
        marks.add(json.loads(Browser().get(f"/room/{room.code}/state").html)["mark"])
    assert len(marks) == 2
    assert app.session_state["seed"] == room.seed


def test_wall_shows_the_bets_on_a_draw_until_the_class_draws(rooms, leads):
    room = opened(rooms, "small_samples", d_k="96")
    app = wall_of(room, "small_samples", d_k="96")
    (phone,) = phones(room, 1)
    phone.send("answer", answer="2")
    turn_truth(app, "Reveal")
    app.run()

    def names():
        main = next(each for each in charts(app).values() if each.address)
        return [each["name"] for each in json.loads(main.spec)["data"]]

    assert "bets" in names()
    phone.open().send("draw")
    app.run()
    assert "bets" not in names()
    rows = table_of(teacher(room), room)
    assert {row["d_k"] for row in rows} == {"2"}  # the drawn products have d_k = 2, the slider 96
    assert len(rows) == 11


def results_link(room):
    """Return the link to the result on the desk, or None."""
    found = re.search(r'href="(http[^"]*)" target', teacher(room).html)
    return found and unescape(found[1])


def test_answer_sent_while_a_wall_is_drawn_is_not_yet_counted(rooms, leads, monkeypatch):
    """The wall must report the old state, so that the browser requests the picture with the late answer."""
    room = opened(rooms, "small_samples")
    app = wall_of(room, "small_samples")
    turn_truth(app, "Reveal")
    first, late = phones(room, 2)
    first.send("draw")
    told, draw_corner = [], wall.draw_corner

    def late_one_draws(lesson):
        late.send("draw")
        draw_corner(lesson)

    monkeypatch.setattr(wall, "draw_corner", late_one_draws)
    monkeypatch.setattr(wall, "draw_room", told.append)
    app.run()
    assert app.query_params["phones"] == "1"
    now = json.loads(Browser().get(f"/room/{room.code}/state").html)
    assert (told[-1]["count"], now["count"]) == ("1 of 2 have drawn.", "2 of 2 have drawn.")
    assert told[-1]["mark"] != now["mark"]


def test_wall_of_a_closed_room_says_so_and_keeps_working(rooms, leads):
    room = opened(rooms, "gradient_flow")
    app = wall_of(room, "gradient_flow")
    rooms.close(room.code)
    app.run()
    assert [each.value for each in app.warning] == ["The room of this wall is closed."]
    assert "room" not in app.query_params
    turn_truth(app, "Reveal")
    assert app.query_params["reveal"] == "1"


def test_wall_of_a_closed_room_keeps_its_picture(rooms, leads):
    room = opened(rooms, "gradient_flow")
    app = wall_of(room, "gradient_flow")
    phones(room, 1)[0].send("answer", answer="95")
    turn_truth(app, "Reveal")
    told = line_of(app.run())
    rooms.close(room.code)
    app.run()
    assert told.startswith(f"{bet_words.BET} 1 bet")
    assert line_of(app) == told
    assert "room" not in app.query_params


def test_wall_without_a_room_creates_no_database(tmp_path):
    app = app_at("gradient_flow", mode="projector", bet="1").run()
    check = Store(f"sqlite:///{tmp_path}/rooms.sqlite")
    assert [*app.exception] == []
    assert check.room("BCDF") is None
    assert not (tmp_path / "rooms.sqlite").exists()


def test_state_for_a_wall_counts_answers_and_changes_at_a_reveal(rooms):
    room = opened(rooms, "gradient_flow")
    crowd = phones(room, 2)
    crowd[0].send("answer", answer="5")
    state = json.loads(Browser().get(f"/room/{room.code}/state").html)
    assert state["count"] == "1 of 2 have answered."
    before = state["mark"]
    crowd[1].send("answer", answer="5")
    state = json.loads(Browser().get(f"/room/{room.code}/state").html)
    assert (state["mark"], state["count"]) == (before, "2 of 2 have answered.")
    rooms.ask(room.code, "gradient_flow", revealed=True)
    assert json.loads(Browser().get(f"/room/{room.code}/state").html)["mark"] != before


# --- limits ----------------------------------------------------------------------------------------------


def test_forms_are_limited_in_length_and_accepted_only_for_rooms():
    async def answer(scope, receive, send):
        while (await receive()).get("more_body"):
            pass
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    bounded = Starlette(routes=routes.routes())
    middleware = next(each for each in server.middleware() if each.cls.__name__ == "BoundedUploads")
    app = middleware.cls(bounded)
    long = b"a" * (routes.LARGEST_FORM + 1)
    cookie = f"lab_visitor={visitor.new_visitor()}"
    status, _, said = ask(app, "/room", "POST", [long], cookie=cookie)
    assert (status, said.decode()) == (413, "That is too long for this form.")
    assert ask(app, "/room", "POST", [b"do=open"], cookie=cookie)[0] == 403
    with pytest.raises(HTTPException, match="Nothing can be sent"):
        ask(middleware.cls(answer), "/journal", "POST", [b"do=open"])


def test_silent_database_does_not_keep_lessons_waiting(rooms, monkeypatch):
    """A hundred phones wait for the database; the threads for lessons stay free."""
    back = Event()
    monkeypatch.setattr(rooms, "room", lambda code: back.wait() and None)
    monkeypatch.setattr(routes, "in_thread", Threads(10, 90))

    async def ask_all():
        asked = [asyncio.create_task(status_of("/j/BCDF")) for _ in range(100)]
        try:
            for _ in range(3):  # until each request waits for a thread or has been refused
                await asyncio.sleep(0)
            return await asyncio.wait_for(run_in_threadpool(lambda: "free"), 60), asked
        finally:
            back.set()
            await asyncio.wait(asked)

    free, asked = run(ask_all())
    assert free == "free"
    assert Counter(task.result() for task in asked) == {404: 90, 503: 10}


def test_waiting_writes_do_not_delay_reads(rooms, monkeypatch):
    back = Event()
    room = opened(rooms, "gradient_flow")
    who, of = [visitor.new_visitor() for _ in range(12)], moment_of(room).which
    monkeypatch.setattr(rooms, "answer", lambda *_: back.wait())

    def said(by):
        return urlencode({"token": visitor.token_of(by, room.code), "do": "answer", "of": of, "answer": "10"}).encode()

    async def ask_all():
        sent = [asyncio.create_task(status_of(f"/j/{room.code}", by, said(by))) for by in who]
        try:
            return await asyncio.wait_for(status_of(f"/room/{room.code}/state"), 60), sent
        finally:
            back.set()
            await asyncio.wait(sent)

    status, sent = run(ask_all())
    assert status == 200
    assert {each.result() for each in sent} == {303}


@pytest.fixture
def held(rooms, monkeypatch):
    """Yield a function that locks the database from another connection and returns one that unlocks it."""
    other = []

    def hold():
        monkeypatch.setattr(rooms._kept()._database, "patience", 0.0)
        other.append(sqlite3.connect(rooms._place.file, isolation_level=None))
        other[0].execute("BEGIN IMMEDIATE")
        return other[0].rollback

    yield hold
    for each in other:
        each.close()


def test_answer_stays_typed_and_is_resent_if_the_database_is_busy(rooms, held):
    room = opened(rooms, "gradient_flow")
    (phone,) = phones(room, 1)
    let_go = held()
    phone.send("answer", answer="86.5")
    assert phone.status == 503
    assert "The lab is busy. Your answer is sent again in a moment" in phone.text
    assert 'data-again="answer"' in phone.html
    assert 'value="86.5"' in phone.html
    new = Browser(room).open()
    assert (new.status, "You are number" in new.html) == (200, False)
    assert moment_of(rooms.room(room.code)).question in new.text
    mark = re.search('data-mark="([^"]+)"', new.html)[1]
    assert Browser(room, new.cookies).get(f"/j/{room.code}/news?seen={mark}").status == 204
    let_go()
    assert "Your answer: 86.5" in phone.send("answer", answer="86.5").text
    assert "data-again" not in phone.html
    assert "You are number 2." in new.send("answer", answer="20").html
    assert texts(rooms, room.code, "gradient_flow") == ["86.5", "20"]


def test_desk_reports_actions_that_fail(rooms, held):
    room = opened(rooms, "gradient_flow")
    desk = teacher(room)
    let_go = held()
    desk.send("reveal")
    assert (desk.status, "this was not done" in desk.text) == (503, True)
    let_go()
    assert "Hide" in desk.send("reveal").text


async def status_of(place, who="", body=None):
    answers = []
    cookie = f"{visitor.VISITOR}={who or visitor.new_visitor()}".encode()
    scope = {"type": "http", "method": "POST" if body else "GET", "path": place, "root_path": "", "query_string": b""}

    async def send(message):
        answers.append(message)

    async def receive():
        return {"type": "http.request", "body": body or b""}

    await APP(scope | {"headers": [(b"cookie", cookie)]}, receive, send)
    return answers[0]["status"]


def test_limit_recovers_with_time_and_forgets_the_oldest_ip_networks():
    now = [0.0]
    limit = limits.Limit(2, 60, keys=2, clock=lambda: now[0])
    assert [limit.takes("a") for _ in range(3)] == [True, True, False]
    assert limit.is_over("a")
    now[0] = 1.0
    assert [limit.takes("a") for _ in range(2)] == [True, False]
    assert limit.takes("b")
    assert limit.takes("c")
    assert limit.takes("a")  # "a" has been forgotten


def test_old_rooms_are_deleted_at_the_start_and_every_hour(monkeypatch, caplog):
    """A failed deletion is logged with its reason and does not stop later ones."""
    swept, slept = [], []

    def sweep():
        swept.append("swept")
        if len(swept) == 1:
            raise StoreError("away") from OSError("no route")

    async def sleep(seconds):
        slept.append(seconds)
        if len(slept) == 3:
            raise asyncio.CancelledError

    async def start_and_wait():
        async with server.lifespan(APP):
            while len(slept) < 3:
                await asyncio.to_thread(lambda: None)

    monkeypatch.setenv("SATTN_WARM_UP", "0")
    monkeypatch.setattr(sweeping, "store", lambda: SimpleNamespace(sweep=sweep))
    monkeypatch.setattr(sweeping, "asyncio", SimpleNamespace(to_thread=asyncio.to_thread, sleep=sleep))
    run(start_and_wait())
    assert (len(swept), slept) == (3, [3600] * 3)
    assert "away (no route)" in caplog.text
