"""The store of rooms, in SQLite and in Postgres: its rules, many users at once, and killed processes."""

import itertools
import json
import os
import signal
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from threading import Barrier
from urllib.parse import quote

import psycopg
import pytest
import sqlalchemy
from harness import free_port
from postgres import cluster_of_tests

from pages._view.classroom import database, limits
from pages._view.classroom import room as room_module
from pages._view.classroom import store as module
from pages._view.classroom.room import (
    ABANDONED,
    MOST_WAITING,
    PATIENCE,
    SEEN_EVERY,
    UNDO,
    UNREACHABLE,
    DoorIsShut,
    Given,
    TooFast,
    TooManyAtOnce,
    TooManyHere,
)
from pages._view.classroom.store import (
    ALPHABET,
    LASTS,
    MOST_PHONES,
    MOST_ROOMS,
    Answer,
    Asked,
    NoSuchRoom,
    RoomError,
    RoomIsFull,
    Store,
    StoreError,
    TooLate,
    TooManyRooms,
)
from tests.pages.room_crowd import PHONES, PROCESSES, SHARED

ROOT = Path(__file__).resolve().parents[2]
TABLES = ("lab_rooms", "lab_asked", "lab_phones", "lab_waiting", "lab_answers")
SECRET = "a secret of the teacher"
HERE, THERE = limits.Network("here", "the site here"), limits.Network("there", "the site there")


class Clock:
    now = 1_000_000_000.0

    def __call__(self):
        return self.now


@pytest.fixture(scope="session")
def postgres():
    with cluster_of_tests() as url:
        yield url


schemas = map("test_{}".format, itertools.count())


@pytest.fixture
def schema(postgres):
    """Return the URL of an empty schema in Postgres.

    Indexes are off, so Postgres returns rows in the order of writing unless the store sorts them.
    """
    name = next(schemas)
    with psycopg.connect(postgres) as connection:
        connection.execute(f"CREATE SCHEMA {name}")
    options = f"-csearch_path={name} -cenable_indexscan=off -cenable_bitmapscan=off"
    return f"{postgres}?options={quote(options)}"


@pytest.fixture(params=["sqlite", "postgres"])
def url(request, tmp_path):
    """Return the URL of an empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/rooms/rooms.sqlite"
    return request.getfixturevalue("schema")


@pytest.fixture
def clock():
    return Clock()


@contextmanager
def opened(url, **options):
    """Yield a store that waits long enough for others on a slow machine."""
    store = Store(url, **{"patience": 60, **options})
    yield store
    store.dispose()


@pytest.fixture
def store(url, clock):
    with opened(url, clock=clock) as store:
        yield store


@pytest.fixture
def code(store):
    """Return the code of a room with three phones that have no numbers yet."""
    code = store.open_room(SECRET, stem="start", query="d_k=64").code
    for phone in "abc":
        store.join(code, phone)
    return code


def placed(store, code, phone, question="first"):
    """Join and answer as a phone; return its number."""
    store.join(code, phone)
    store.answer(code, question, phone, "1")
    return store.number_of(code, phone)


@contextmanager
def connected(url):
    """Yield a connection to the database itself."""
    engine = sqlalchemy.create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    with engine.connect() as connection:
        yield connection
    engine.dispose()


def texts(store, code, question):
    return [each.text for each in store.answers(code, question)]


def rows_of(url, table):
    with connected(url) as connection:
        return connection.execute(sqlalchemy.text(f"SELECT * FROM {table}")).all()


# --- no room, no cost --------------------------------------------------------------------------------

WRITES = {
    "stand": lambda store, code: store.stand(code, "start", ""),
    "ask": lambda store, code: store.ask(code, "q", revealed=True),
    "reset": lambda store, code: store.reset(code, "q"),
    "join": lambda store, code: store.join(code, "a"),
    "clear": lambda store, code: store.clear(code),
    "lock_door": lambda store, code: store.lock_door(code, shut=True),
    "answer": lambda store, code: store.answer(code, "q", "a", "1"),
    "draw": lambda store, code: store.draw(code, "a"),
    "reset_draws": lambda store, code: store.reset_draws(code),
}


def check_no_room(store, code):
    """Check that reads find nothing and writes fail in a room that does not exist."""
    assert store.room(code) is None
    assert not store.is_teacher(code, SECRET)
    assert store.asked(code, "q") == Asked()
    assert texts(store, code, "q") == []
    for found in (store.number_of(code, "a"), store.drawn(code, "a"), store.answer_of(code, "q", "a")):
        assert found is None
    assert not store.has_joined(code, "a")
    assert not store.is_unseen(code)
    assert not store.is_known(code, HERE)
    store.close(code)
    for write in WRITES.values():
        with pytest.raises(NoSuchRoom, match="This room is not open"):
            write(store, code)


def test_nothing_is_created_before_the_first_room_opens(tmp_path):
    with opened(f"sqlite:///{tmp_path}/rooms/rooms.sqlite") as store:
        check_no_room(store, "BCDF")
        store.sweep()
        assert list(tmp_path.iterdir()) == []
        store.open_room(SECRET, stem="start")
        assert [path.name for path in tmp_path.iterdir()] == ["rooms"]


def test_lookup_before_the_first_room_loads_no_database_library(tmp_path):
    said = "import sys\nfrom pages._view.classroom.store import store\nassert store().room('BCDF') is None\n"
    said += "sys.exit('sqlalchemy' in sys.modules or 'psycopg' in sys.modules)"
    environment = os.environ | {module.DATABASE_URL: f"sqlite:///{tmp_path}/rooms.sqlite"}
    assert subprocess.run([sys.executable, "-c", said], cwd=ROOT, env=environment).returncode == 0


def test_unknown_code_finds_nothing(store):
    taken = store.open_room(SECRET, stem="start").code
    other = "BCDF" if taken != "BCDF" else "FDCB"
    for code in (other, taken.lower(), taken[:3], f"{taken}B", f"{taken}\n", "ABCD", "BC\0D", ""):
        check_no_room(store, code)
    assert store.room(taken)


# --- a room ------------------------------------------------------------------------------------------


def test_a_new_room_is_open_and_empty(store, clock, url):
    room = store.open_room(SECRET, stem="start", query="d_k=64")
    assert len(room.code) == 4
    assert set(room.code) <= set(ALPHABET)
    assert not set(ALPHABET) & set("AEIOULS")
    assert 0 <= room.seed < 10_000
    assert (room.stem, room.query, room.opened, room.phones, room.drawn) == ("start", "d_k=64", clock.now, 0, 0)
    assert (room.waiting, room.joined, room.shut) == (0, 0, False)
    assert store.room(room.code) == room
    assert SECRET not in repr(rows_of(url, "lab_rooms"))
    others = [store.open_room(SECRET, stem="start") for _ in range(9)]
    assert len({each.code for each in (room, *others)}) == 10
    assert len({each.seed for each in (room, *others)}) > 1


def test_whoever_has_the_secret_is_the_teacher(store, code):
    other = store.open_room("another", stem="start").code
    assert store.is_teacher(code, SECRET)
    assert not store.is_teacher(other, SECRET)
    for wrong in ("", SECRET[:-1], SECRET + " ", "\udc80"):
        assert not store.is_teacher(code, wrong)


def fill(store, code):
    """Add an answer, a locked question and a draw."""
    store.answer(code, "q", "a", "1")
    store.ask(code, "r", locked=True)
    store.draw(code, "b")


def test_only_a_closed_room_is_deleted_after_an_hour(store, code, url, clock):
    other = store.open_room(SECRET, stem="start").code
    store.join(other, "a")
    for each in (code, other):
        store.join(each, "b")
        fill(store, each)
    before = [len(rows_of(url, table)) for table in TABLES]
    room = store.room(code)
    store.close(code)
    check_no_room(store, code)
    assert store.closed(code) == room
    assert [store.may_reopen(code, secret) for secret in (SECRET, "another", "")] == [True, False, False]
    clock.now += UNDO
    store.sweep()
    assert store.closed(code) == room
    clock.now += 1
    assert (store.closed(code), store.may_reopen(code, SECRET)) == (None, False)
    store.reopen(code)
    check_no_room(store, code)
    store.sweep()
    assert before == [2, 4, 4, 1, 2]
    assert [len(rows_of(url, table)) for table in TABLES] == [1, 2, 2, 0, 1]
    assert texts(store, other, "q") == ["1"]


def test_a_reopened_room_is_as_it_was(store, code, clock):
    fill(store, code)
    room = store.room(code)
    assert (store.closed(code), store.may_reopen(code, SECRET)) == (None, False)
    store.close(code)
    clock.now += UNDO
    store.reopen(code)
    assert store.room(code) == room
    assert (texts(store, code, "q"), store.drawn(code, "b"), placed(store, code, "c")) == (["1"], 0, 2)
    room = store.room(code)
    clock.now += UNDO
    store.sweep()
    assert store.room(code) == room


def test_a_room_lasts_a_day(store, code, clock):
    fill(store, code)
    clock.now += LASTS
    assert store.room(code)
    assert store.is_teacher(code, SECRET)
    assert texts(store, code, "q") == ["1"]
    clock.now += 1
    check_no_room(store, code)


@pytest.mark.parametrize("swept", [Store.sweep, lambda store: store.open_room(SECRET, stem="new")])
def test_only_old_rooms_are_deleted(store, code, clock, url, swept):
    fill(store, code)
    clock.now += 2
    younger = store.open_room(SECRET, stem="start").code
    store.join(younger, "a")
    clock.now += LASTS - 1
    swept(store)
    assert code not in {row.code for row in rows_of(url, "lab_rooms")}
    assert [len(rows_of(url, table)) for table in TABLES[1:]] == [0, 0, 1, 0]
    assert store.room(younger)


def test_the_number_of_rooms_is_limited(store, clock):
    codes = [store.open_room(SECRET, stem="start").code for _ in range(MOST_ROOMS)]
    assert len(set(codes)) == MOST_ROOMS == 200
    with pytest.raises(TooManyRooms, match=r"All 200 rooms are in use\."):
        store.open_room(SECRET, stem="start")
    store.close(codes[0])
    store.open_room(SECRET, stem="start")
    assert store.closed(codes[0]) is None
    clock.now += LASTS + 1
    store.open_room(SECRET, stem="start")


# --- the version -------------------------------------------------------------------------------------

# The changes are made in this order, in one room with the phones a, b and c.
CHANGES = {
    "lock the door": lambda store, code: store.lock_door(code, shut=True),
    "open the door": lambda store, code: store.lock_door(code, shut=False),
    "stand": lambda store, code: store.stand(code, "derivation", "d_k=64"),
    "stand elsewhere": lambda store, code: store.stand(code, "derivation", "d_k=128"),
    "join": lambda store, code: store.join(code, "d"),
    "answer": lambda store, code: store.answer(code, "q", "a", "1"),
    "answer anew": lambda store, code: store.answer(code, "q", "a", "2"),
    "the same elsewhere": lambda store, code: store.answer(code, "q", "a", "2", "d_k=8"),
    "draw": lambda store, code: store.draw(code, "a"),
    "lock": lambda store, code: store.ask(code, "q", locked=True),
    "reveal": lambda store, code: store.ask(code, "q", revealed=True),
    "hide": lambda store, code: store.ask(code, "q", revealed=False),
    "unlock": lambda store, code: store.ask(code, "q", locked=False),
    "reset": lambda store, code: store.reset(code, "q"),
    "reset_draws": lambda store, code: store.reset_draws(code),
    "clear": lambda store, code: store.clear(code),
}


def test_only_real_changes_increment_the_version_of_a_room(store, code):
    grown = {}
    for name, change in CHANGES.items():
        before = store.room(code).version
        change(store, code)
        after = store.room(code).version
        change(store, code)
        grown[name] = after - before, store.room(code).version - after
    assert grown == dict.fromkeys(CHANGES, (1, 0))


def test_room_stores_the_address_that_its_wall_reports(store, code):
    store.stand(code, "derivation", "d_k=8")
    room = store.room(code)
    assert (room.stem, room.query) == ("derivation", "d_k=8")


# --- the door ------------------------------------------------------------------------------------------


def come(store, code, network, many, name="x"):
    """Let `many` phones of an IP network join at once; return the number that is let in."""
    let_in = 0
    for i in range(many):
        with suppress(TooManyAtOnce):
            store.join(code, f"{name}{i}", network)
            let_in += 1
    return let_in


def test_class_of_a_hundred_behind_one_ip_address_joins_at_once(store, url):
    code = store.open_room(SECRET, stem="start").code
    assert come(store, code, HERE, MOST_PHONES) == MOST_PHONES
    with opened(url, clock=store._clock) as replica, pytest.raises(TooManyAtOnce, match="Many new phones come from"):
        replica.join(code, "one more", HERE)


def test_late_ip_network_cannot_fill_the_room_of_a_class(store, clock):
    """A class of forty keeps its places, and late phones from its IP network or a third network get in."""
    code = store.open_room(SECRET, stem="start").code
    come(store, code, HERE, 40)
    for i in range(40):
        store.answer(code, "q", f"x{i}", str(i))
    assert come(store, code, THERE, 100, "made up") == limits.JOINED.most == 40
    for i in range(40):
        store.answer(code, "q", f"made up{i}", "99")
    assert store.room(code).phones == 80
    clock.now += 60
    assert come(store, code, THERE, 100, "more") == limits.JOINED.a_minute == 10
    store.answer(code, "q", "x3", "changed")
    for network, late in ((HERE, "late"), (limits.Network("a third", "site"), "later")):
        store.join(code, late, network)
        store.answer(code, "q", late, "1")
    assert texts(store, code, "q")[:4] == ["0", "1", "2", "changed"]


def test_phones_that_never_answer_take_no_place(store, clock):
    code = store.open_room(SECRET, stem="start").code
    for i in range(10):
        come(store, code, limits.Network(str(i), str(i)), MOST_PHONES, f"of {i} ")
        clock.now += 1
    room = store.room(code)
    assert (room.phones, room.waiting) == (0, MOST_WAITING)
    assert not store.has_joined(code, "of 0 0")
    store.join(code, "of 0 0")
    store.answer(code, "q", "of 0 0", "1")
    assert store.room(code).phones == 1


def test_a_locked_door_keeps_new_phones_out(store, code):
    store.answer(code, "q", "a", "1")
    store.lock_door(code, shut=True)
    assert store.room(code).shut
    with pytest.raises(DoorIsShut, match="nobody new can join"):
        store.join(code, "d")
    for phone in "abc":
        store.join(code, phone)
        store.answer(code, "q", phone, "2")
    assert texts(store, code, "q") == ["2"] * 3
    store.lock_door(code, shut=False)
    store.join(code, "d")


def test_only_phones_without_answer_or_draw_are_cleared(store, code, url):
    store.answer(code, "q", "a", "1")
    store.draw(code, "b")
    store.clear(code)
    assert [store.has_joined(code, phone) for phone in "abc"] == [True, True, False]
    assert (store.room(code).waiting, rows_of(url, "lab_waiting")) == (0, [])
    store.join(code, "c")
    assert placed(store, code, "c") == 2


def rooms_in_use(url):
    return len(rows_of(url, "lab_rooms"))


def test_a_few_ip_networks_cannot_take_all_rooms(store, clock, url):
    """Each IP network may have a tenth of the remaining rooms. Rooms of all replicas count, closed ones do not."""
    with opened(url, clock=clock) as replica:
        for i in range(10):
            opens = partial(replica.open_room, SECRET, stem="start", network=limits.Network(f"of {i}", f"site {i}"))
            own = 0
            with suppress(TooManyHere):
                while own < MOST_ROOMS:
                    opens()
                    own += 1
            with pytest.raises(TooManyHere, match=f"Your network has {own} rooms open, and few are left for others"):
                opens()
    assert 10 * 10 < rooms_in_use(url) < MOST_ROOMS - 60
    last = store.open_room(SECRET, stem="start", network=HERE)
    store.close(last.code)
    assert store.open_room(SECRET, stem="start", network=HERE)


@pytest.mark.parametrize(("own", "said"), [(1, "1 room"), (2, "2 rooms")])
def test_error_states_how_many_rooms_an_ip_network_has(own, said):
    assert f"Your network has {said} open, and" in str(TooManyHere(own))


def test_ip_network_may_open_rooms_only_at_a_limited_rate(store, clock, monkeypatch):
    monkeypatch.setattr(limits, "OPENED", limits.Rate("opened", 2, 1))
    for _ in range(2):
        store.close(store.open_room(SECRET, stem="start", network=HERE).code)
    with pytest.raises(TooFast):
        store.open_room(SECRET, stem="start", network=HERE)
    assert store.open_room(SECRET, stem="start", network=THERE)
    clock.now += 60
    assert store.open_room(SECRET, stem="start", network=HERE)


def test_room_that_nobody_joined_ends_when_wall_and_desk_are_gone(store, clock, url):
    left, seen, joined = (store.open_room(SECRET, stem="start").code for _ in range(3))
    store.join(joined, "a")
    assert not store.is_unseen(seen)
    clock.now += SEEN_EVERY + 1
    assert store.is_unseen(seen)
    clock.now += ABANDONED - SEEN_EVERY - 1
    store.see(seen)
    assert not store.is_unseen(seen)
    assert store.room(left)
    clock.now += 1
    assert [bool(store.room(code)) for code in (left, seen, joined)] == [False, True, True]
    assert ABANDONED + SEEN_EVERY < 3600
    store.sweep()
    assert {row.code for row in rows_of(url, "lab_rooms")} == {seen, joined}
    clock.now += ABANDONED
    assert [bool(store.room(code)) for code in (seen, joined)] == [False, True]


def test_new_rooms_have_longer_codes_while_codes_are_guessed(store, clock):
    before = store.open_room(SECRET, stem="start").code
    while store.takes(limits.GUESSES, ""):
        pass
    during = store.open_room(SECRET, stem="start").code
    clock.now += 60
    after = store.open_room(SECRET, stem="start").code
    assert [len(code) for code in (before, during, after)] == [4, 6, 4]
    assert store.room(during)
    store.join(during, "a")
    assert store.has_joined(during, "a")


def test_rate_limit_is_shared_by_replicas_and_recovers_with_time(store, clock, url):
    rate = limits.Rate("some", 3, 60)
    assert not store.is_over(rate, "a")
    assert store.takes(rate, "a")  # before the first room there is nothing to protect
    store.open_room(SECRET, stem="start")
    with opened(url, clock=clock) as replica:
        taken = [each.takes(rate, "a") for each in (store, replica, replica, store)]
        assert taken in ([True] * 3 + [False], [True, True, False, False])  # Postgres counts even without a room
        assert store.is_over(rate, "a")
        assert replica.is_over(rate, "a")
        assert not replica.is_over(rate, "b")
        clock.now += 1
        assert not store.is_over(rate, "a")
        assert [replica.takes(rate, "a"), store.takes(rate, "a")] == [True, False]
    clock.now += 3601
    store.sweep()
    assert rows_of(url, "lab_limits") == []


def test_rate_limit_forgets_the_oldest_of_too_many_ip_networks(store, clock, monkeypatch):
    store.open_room(SECRET, stem="start")
    monkeypatch.setattr("pages._view.classroom.kept._MOST_KEYS", 2)
    rate = limits.Rate("some", 1, 0)
    for who in "abc":
        assert store.takes(rate, who)
        clock.now += 1
    assert [store.is_over(rate, who) for who in "abc"] == [False, True, True]


# --- questions ---------------------------------------------------------------------------------------


def test_revealed_question_stays_locked_when_hidden_again(store, code):
    seen = []
    for said in ({"revealed": True}, {"locked": False}, {"revealed": False}, {"locked": False}, {"locked": True}, {}):
        store.ask(code, "q", **said)
        asked = store.asked(code, "q")
        seen.append((asked.revealed, asked.locked))
    assert seen == [(True, True), (True, True), (False, True), (False, False), (False, True), (False, True)]
    assert store.asked(code, "another") == Asked()


def test_a_phone_has_one_answer_which_it_may_replace(store, code):
    store.answer(code, "q", "a", "1")
    store.answer(code, "q", "a", "2")
    store.answer(code, "r", "a", "3")
    assert texts(store, code, "q") == ["2"]
    assert [store.answer_of(code, each, "a").text for each in "qr"] == ["2", "3"]
    assert store.answer_of(code, "q", "b") is None
    assert store.asked(code, "q") == Asked(answers=1)


def test_answer_keeps_the_settings_it_was_given_at(store, code):
    store.answer(code, "q", "a", "1", "d_k=96")
    store.answer(code, "q", "b", "1", "d_k=100")
    store.stand(code, "start", "d_k=100")
    assert store.answers(code, "q") == [Answer(0, "1", "d_k=96"), Answer(1, "1", "d_k=100")]
    store.answer(code, "q", "a", "1", "d_k=100")
    assert store.answer_of(code, "q", "a") == Answer(0, "1", "d_k=100")


def test_lecture_contains_all_answers_and_draws_with_their_times(store, code, clock):
    begin = clock.now
    for question, phone, settings in (("q", "b", "d_k=8"), ("q", "a", ""), ("p", "b", "")):
        store.answer(code, question, phone, f"of {phone}", settings)
        clock.now += 1
    store.draw(code, "c", "ddof=1")
    store.draw(code, "b")
    clock.now += 1
    store.answer(code, "q", "b", "changed", "d_k=8")
    assert store.lecture(code) == [
        Given("p", 0, "of b", "", begin + 2),
        Given("q", 0, "changed", "d_k=8", begin + 4),
        Given("q", 1, "of a", "", begin + 1),
    ]
    assert store.draws(code) == [Given(1, 0, "", "", begin + 3), Given(0, 2, "", "ddof=1", begin + 3)]
    store.close(code)
    assert store.lecture(code) == store.draws(code) == []


def test_answers_are_sorted_by_the_numbers_of_the_phones(store, code):
    for phone in "abc":
        store.answer(code, "p", phone, "1")
    for phone in "cab":
        store.answer(code, "q", phone, f"of {phone}")
    assert texts(store, code, "q") == ["of a", "of b", "of c"]
    assert store.asked(code, "q").answers == 3


@pytest.mark.parametrize("said", [{"locked": True}, {"revealed": True}])
def test_a_late_answer_is_refused(store, code, said):
    store.answer(code, "q", "a", "1")
    store.ask(code, "q", **said)
    for phone in "ab":
        with pytest.raises(TooLate, match="too late"):
            store.answer(code, "q", phone, "2")
    store.answer(code, "r", "b", "2")
    assert texts(store, code, "q") == ["1"]
    store.ask(code, "q", revealed=False)
    with pytest.raises(TooLate):
        store.answer(code, "q", "b", "2")
    store.ask(code, "q", locked=False)
    store.answer(code, "q", "b", "2")
    assert texts(store, code, "q") == ["1", "2"]


def test_reset_reopens_a_question_and_keeps_its_first_answers(store, code):
    for question in "qr":
        store.answer(code, question, "a", "1")
        store.ask(code, question, revealed=True)
    store.reset(code, "q")
    assert (store.asked(code, "q"), texts(store, code, "q")) == (Asked(), [])
    assert (texts(store, code, f"q{room_module.FIRST}"), texts(store, code, f"r{room_module.FIRST}")) == (["1"], [])
    assert store.asked(code, "r") == Asked(revealed=True, locked=True, answers=1)
    store.answer(code, "q", "b", "2")
    assert texts(store, code, "q") == ["2"]
    store.reset(code, "q")
    assert (texts(store, code, f"q{room_module.FIRST}"), texts(store, code, "q")) == (["1"], [])


# --- phones ------------------------------------------------------------------------------------------


def test_phone_gets_its_number_by_its_first_answer_or_draw(store, code):
    assert [store.number_of(code, phone) for phone in "abc"] == [None] * 3
    assert (store.room(code).phones, store.room(code).waiting) == (0, 3)
    store.answer(code, "q", "c", "1")
    store.draw(code, "a")
    assert [store.number_of(code, phone) for phone in "abc"] == [1, None, 0]
    assert (store.room(code).phones, store.room(code).waiting, store.room(code).joined) == (2, 1, 3)
    assert [store.has_joined(code, phone) for phone in "abcd"] == [True, True, True, False]


def test_a_phone_keeps_its_number(store, code):
    assert [placed(store, code, phone) for phone in "cabd"] == [0, 1, 2, 3]
    assert [placed(store, code, phone, "another") for phone in "abcd"] == [1, 2, 0, 3]
    assert store.number_of(code, "e") is None
    assert store.room(code).phones == 4


def test_a_room_holds_a_hundred_phones(store, code):
    for phone in ("one more", "a"):
        store.join(code, phone)
    numbers = [placed(store, code, str(i)) for i in range(MOST_PHONES)]
    assert numbers == list(range(100))
    for write in (
        store.draw,
        lambda code, phone: store.answer(code, "q", phone, "1"),
        lambda *_: store.join(code, "x"),
    ):
        with pytest.raises(RoomIsFull, match="it has 100 phones"):
            write(code, "one more")
    store.join(code, "5")
    assert store.number_of(code, "5") == 5
    assert store.room(code).phones == 100


def test_a_phone_keeps_its_draw_until_all_draws_start_again(store, code):
    assert [store.draw(code, phone) for phone in "bcb"] == [0, 1, 0]
    assert [store.drawn(code, phone) for phone in "abc"] == [None, 0, 1]
    assert store.room(code).drawn == 2
    store.reset_draws(code)
    assert [store.drawn(code, phone) for phone in "abc"] == [None] * 3
    assert [store.draw(code, phone) for phone in "cab"] == [0, 1, 2]


@pytest.mark.parametrize("write", [WRITES["answer"], WRITES["draw"]])
def test_phone_that_has_not_joined_can_neither_answer_nor_draw(store, write):
    code = store.open_room(SECRET, stem="start").code
    with pytest.raises(RoomError, match="not in the room"):
        write(store, code)
    assert store.room(code).drawn == store.asked(code, "q").answers == 0


LONG = "x" * 401


REFUSED = [
    ("stem must be a text of at most 400", lambda store, code: store.open_room(SECRET, stem=LONG)),
    ("query must be a text of at most 2000", lambda store, code: store.open_room(SECRET, stem="", query=5 * LONG)),
    ("secret must not be empty", lambda store, code: store.open_room("", stem="")),
    ("stem", lambda store, code: store.stand(code, LONG, "")),
    ("query", lambda store, code: store.stand(code, "", 5 * LONG)),
    ("question", lambda store, code: store.asked(code, LONG)),
    ("question", lambda store, code: store.ask(code, LONG)),
    ("question", lambda store, code: store.reset(code, LONG)),
    ("phone", lambda store, code: store.join(code, LONG)),
    ("phone", lambda store, code: store.join(code, None)),
    ("phone", lambda store, code: store.number_of(code, "\0")),
    ("question", lambda store, code: store.answer(code, LONG, "a", "")),
    ("phone", lambda store, code: store.answer(code, "q", LONG, "")),
    ("text", lambda store, code: store.answer(code, "q", "a", LONG)),
    ("settings", lambda store, code: store.answer(code, "q", "a", "", 5 * LONG)),
    ("text", lambda store, code: store.answer(code, "q", "a", "\0")),
    ("text", lambda store, code: store.answer(code, "q", "a", "\ud800")),
    ("question", lambda store, code: store.answer_of(code, LONG, "a")),
    ("phone", lambda store, code: store.answer_of(code, "q", LONG)),
    ("question", lambda store, code: store.answers(code, LONG)),
    ("phone", lambda store, code: store.draw(code, LONG)),
    ("phone", lambda store, code: store.drawn(code, LONG)),
]


def test_too_long_or_binary_text_is_refused(store, code):
    before = store.room(code)
    for named, call in REFUSED:
        with pytest.raises(ValueError, match=named):
            call(store, code)
    assert store.room(code) == before


def test_text_of_the_maximum_length_is_kept(store, code):
    text, query = "√" * 400, "\U0001f600" * 2_000
    store.stand(code, text, query)
    store.answer(code, text, "a", text)
    room = store.room(code)
    assert (room.stem, room.query, texts(store, code, text)) == (text, query, [text])


# --- many at once, and killed processes -------------------------------------------------------------


def crowd(*arguments):
    """Run room_crowd; return the output of each process."""
    ended = subprocess.run(command(*arguments), cwd=ROOT, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    told = [json.loads(line) for line in ended.stdout.splitlines()]
    assert len(told) == PROCESSES
    return told


def command(*arguments):
    return [sys.executable, "-m", "tests.pages.room_crowd", *arguments]


def test_rooms_opened_at_once_in_a_new_database_all_exist(url):
    codes = crowd(url)
    with opened(url) as store:
        assert all(store.is_teacher(code, f"secret {code_of}") for code, code_of in _by_teacher(store, codes))
    assert len(set(codes)) == PROCESSES


def _by_teacher(store, codes):
    return [(code, next(i for i in range(PROCESSES) if store.is_teacher(code, f"secret {i}"))) for code in codes]


def test_eight_simultaneous_processes_lose_nothing_and_repeat_no_number(url):
    with opened(url) as store:
        code = store.open_room(SECRET, stem="start").code
        told = crowd(url, code)
        room, answers = store.room(code), texts(store, code, "q")
        phones = {phone: got for each in told for phone, got in each.items() if got}
        shared = {tuple(each[SHARED]) for each in told if each[SHARED]}
        assert len(phones) == MOST_PHONES < PROCESSES * PHONES
        assert len(shared) == 1
        assert sorted(number for number, _ in phones.values()) == list(range(MOST_PHONES))
        assert sorted(draw for _, draw in phones.values()) == list(range(MOST_PHONES))
        assert answers == sorted(phones, key=lambda phone: phones[phone][0])
        assert store.asked(code, "q") == Asked(answers=MOST_PHONES)
        assert (room.phones, room.drawn) == (MOST_PHONES, MOST_PHONES)
        assert room.version == 1 + 3 * MOST_PHONES + room.waiting


def test_threads_of_one_process_lose_nothing_and_repeat_no_number(store):
    code = store.open_room(SECRET, stem="start").code

    def play(phone):
        store.join(code, phone)
        store.answer(code, "q", phone, phone)
        return store.number_of(code, phone), store.draw(code, phone), store.room(code).version

    with ThreadPoolExecutor(40) as pool:
        numbers, draws, _ = zip(*pool.map(play, map(str, range(60))), strict=True)
    assert sorted(numbers) == sorted(draws) == list(range(60))
    assert len(texts(store, code, "q")) == 60
    assert store.room(code).version == 1 + 3 * 60


def test_acknowledged_answers_are_kept_when_a_process_is_killed(url):
    with opened(url) as store:
        code = store.open_room(SECRET, stem="start").code
        with subprocess.Popen(command(url, code, "on"), cwd=ROOT, stdout=subprocess.PIPE, text=True) as working:
            first = [working.stdout.readline() for _ in range(PHONES + 50)]
            working.send_signal(signal.SIGKILL)
            lines = [*first, *working.stdout]
        for phone, (number, draw) in map(json.loads, lines[:PHONES]):
            assert (store.number_of(code, phone), store.drawn(code, phone)) == (number, draw)
            assert store.answer_of(code, "q", phone).text == phone
        last, kept = int(lines[-1]), int(store.answer_of(code, "more", "0 0").text)
        assert kept in (last, last + 1)  # last + 1: stored, but the process was killed before it printed
        assert store.room(code).version == 1 + 3 * PHONES + kept + 1
        assert placed(store, code, "next") == PHONES


@contextmanager
def held(url, code):
    """Lock the room in another transaction until the block ends."""
    with connected(url) as connection:
        if url.startswith("sqlite"):
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        else:
            connection.execute(sqlalchemy.text("SELECT 1 FROM lab_rooms WHERE code = :code FOR UPDATE"), {"code": code})
        yield
        connection.rollback()


def test_writes_wait_for_another_write_and_reads_do_not(store, code, url):
    with ThreadPoolExecutor(1) as pool:
        with held(url, code):
            joining = pool.submit(store.join, code, "d")
            assert store.room(code).joined == 3
            with pytest.raises(TimeoutError):
                joining.result(0.2)
        joining.result()
        assert store.room(code).joined == 4


def test_writes_give_up_after_a_while_and_reads_never_wait(store, code, url):
    """Threads of one process queue behind the thread that waits for the database."""
    with opened(url, clock=store._clock, patience=0.3) as hasty:
        with ThreadPoolExecutor(8) as pool, held(url, code):
            joining = [pool.submit(hasty.join, code, phone) for phone in "defgh"]
            assert [hasty.room(code).joined, hasty.has_joined(code, "d")] == [3, False]
            assert [str(each.exception()) for each in joining] == [UNREACHABLE] * 5
        hasty.join(code, "d")
        assert hasty.room(code).joined == 4


def test_sqlite_write_waits_equally_long_for_threads_and_processes(tmp_path):
    url = f"sqlite:///{tmp_path}/rooms.sqlite"
    with opened(url) as store:
        code = store.open_room(SECRET, stem="start").code
    with opened(url, patience=0.3) as hasty:
        hasty.join(code, "a")
        with hasty._kept()._database.engine.connect() as connection:
            own = connection.connection.driver_connection
            assert own.execute("PRAGMA busy_timeout").fetchone()[0] <= 300
        with hasty._kept()._database._writing, pytest.raises(StoreError):
            hasty.join(code, "b")


def test_a_write_waits_two_seconds_by_default():
    assert Store()._patience == PATIENCE == 2.0


def test_only_one_replica_at_a_time_creates_tables_or_opens_rooms(schema):
    with opened(schema) as store, ThreadPoolExecutor(1) as pool:
        for work in (partial(store.room, "BCDF"), partial(store.open_room, SECRET, stem="start"), store.sweep):
            with psycopg.connect(schema) as other:
                other.execute("SELECT pg_advisory_xact_lock(%s)", [database._LOCK])
                waiting = pool.submit(work)
                with pytest.raises(TimeoutError):
                    waiting.result(0.5)
            waiting.result()


# --- tables of earlier versions -----------------------------------------------------------------------

# The tables as the first version made them.
FIRST = (
    "CREATE TABLE lab_rooms (code VARCHAR NOT NULL PRIMARY KEY, secret VARCHAR NOT NULL, seed INTEGER NOT NULL, "
    "stem VARCHAR NOT NULL, query VARCHAR NOT NULL, opened DOUBLE PRECISION NOT NULL, version INTEGER NOT NULL, "
    "phones INTEGER NOT NULL, drawn INTEGER NOT NULL)",
    "CREATE TABLE lab_asked (code VARCHAR NOT NULL, question VARCHAR NOT NULL, revealed BOOLEAN NOT NULL, "
    "locked BOOLEAN NOT NULL, answers INTEGER NOT NULL, PRIMARY KEY (code, question))",
    "CREATE TABLE lab_phones (code VARCHAR NOT NULL, phone VARCHAR NOT NULL, number INTEGER NOT NULL, draw INTEGER, "
    "PRIMARY KEY (code, phone))",
    "CREATE TABLE lab_answers (code VARCHAR NOT NULL, question VARCHAR NOT NULL, number INTEGER NOT NULL, "
    "text VARCHAR NOT NULL, PRIMARY KEY (code, question, number))",
)
IN_FIRST = (
    f"INSERT INTO lab_rooms VALUES ('BCDF', '{module._hashed(SECRET)}', 7, 'start', '', {Clock.now}, 3, 1, 0)",
    "INSERT INTO lab_phones VALUES ('BCDF', 'a', 0, NULL)",
    "INSERT INTO lab_answers VALUES ('BCDF', 'q', 0, '1')",
    "INSERT INTO lab_asked VALUES ('BCDF', 'q', false, false, 1)",
)
# Writes of a replica that still runs the first version: they name their columns.
BY_FIRST = (
    "INSERT INTO lab_phones (code, phone, number, draw) VALUES ('BCDF', 'z', 1, NULL)",
    "INSERT INTO lab_answers (code, question, number, text) VALUES ('BCDF', 'q', 1, '2')",
    f"INSERT INTO lab_rooms (code, secret, seed, stem, query, opened, version, phones, drawn) "
    f"VALUES ('FDCB', '', 7, 'start', '', {Clock.now}, 1, 1, 0)",
)


def run_at(url, *statements):
    with connected(url) as connection:
        for each in statements:
            connection.execute(sqlalchemy.text(each))
        connection.commit()


# The additions of the second version.
SECOND = (
    "ALTER TABLE lab_rooms ADD COLUMN closed DOUBLE PRECISION",
    "ALTER TABLE lab_answers ADD COLUMN settings VARCHAR",
)
# The columns that the third version added to existing tables; it also added new tables.
THIRD = tuple(
    f"ALTER TABLE lab_rooms ADD COLUMN {column}"
    for column in ("waiting INTEGER", "shut BOOLEAN", "seen DOUBLE PRECISION", "opener VARCHAR")
)
# The additions of the fourth version.
FOURTH = (
    "ALTER TABLE lab_answers ADD COLUMN at DOUBLE PRECISION",
    "ALTER TABLE lab_phones ADD COLUMN settings VARCHAR",
    "ALTER TABLE lab_phones ADD COLUMN at DOUBLE PRECISION",
)


@pytest.mark.parametrize(
    ("version", "later"), [(0, ()), (2, SECOND), (3, SECOND + THIRD), (4, SECOND + THIRD + FOURTH)]
)
def test_database_of_an_earlier_version_is_upgraded_while_in_use(url, clock, version, later):
    if url.startswith("sqlite"):
        Path(url.removeprefix("sqlite:///")).parent.mkdir()
        run_at(url, "PRAGMA journal_mode=WAL", f"PRAGMA user_version={version}")
    run_at(url, *FIRST, *IN_FIRST, *later)
    with opened(url, clock=clock) as store:
        assert (store.room("BCDF").phones, texts(store, "BCDF", "q")) == (1, ["1"])
        store.join("BCDF", "b")
        store.answer("BCDF", "q", "b", "3", "d_k=8")
        store.lock_door("BCDF", shut=True)
        store.close(store.open_room(SECRET, stem="start").code)
    run_at(url, *(each.replace("'z', 1", "'z', 2").replace("'q', 1", "'q', 2") for each in BY_FIRST))
    with opened(url, clock=clock) as store:
        assert store.answers("BCDF", "q") == [Answer(0, "1"), Answer(1, "3", "d_k=8"), Answer(2, "2")]
        assert store.number_of("BCDF", "z") == 2
        assert (store.room("FDCB").phones, store.room("FDCB").waiting, store.room("FDCB").shut) == (1, 0, False)
        store.close("BCDF")
        clock.now += UNDO + 1
        store.sweep()
    with connected(url) as connection:
        assert connection.execute(sqlalchemy.text("SELECT code FROM lab_rooms")).scalars().all() == ["FDCB"]


def test_simultaneous_upgrades_do_not_hinder_each_other(url, clock):
    if url.startswith("sqlite"):
        Path(url.removeprefix("sqlite:///")).parent.mkdir()
    run_at(url, *FIRST, *IN_FIRST)
    stores = [Store(url, clock=clock) for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda store: store.room("BCDF").phones, stores)) == [1] * 8
    for each in stores:
        each.dispose()


# --- the database ------------------------------------------------------------------------------------


def test_database_file_and_folder_are_private_to_their_owner(tmp_path):
    with opened(f"sqlite:///{tmp_path}/new/rooms/rooms.sqlite") as store:
        store.open_room(SECRET, stem="start")
        folder = tmp_path / "new" / "rooms"
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (folder, *folder.iterdir())}
    assert modes == {"rooms": 0o700} | dict.fromkeys(("rooms.sqlite", "rooms.sqlite-shm", "rooms.sqlite-wal"), 0o600)


def test_deleted_database_file_is_created_again(tmp_path):
    with opened(f"sqlite:///{tmp_path}/rooms/rooms.sqlite") as store:
        code = store.open_room(SECRET, stem="start").code
        for path in (tmp_path / "rooms").iterdir():
            path.unlink()
        check_no_room(store, code)
        again = store.open_room(SECRET, stem="start")
        with opened(f"sqlite:///{tmp_path}/rooms/rooms.sqlite") as other:
            assert other.room(again.code) == store.room(again.code) == again


def test_file_deleted_during_a_read_is_not_replaced_by_an_empty_one(tmp_path):
    with opened(f"sqlite:///{tmp_path}/rooms.sqlite") as store, pytest.raises(StoreError):
        store._kept().room("BCDF")
    assert list(tmp_path.iterdir()) == []


def test_broken_connections_are_replaced(postgres):
    with opened(postgres) as store:
        code = store.open_room(SECRET, stem="start").code
        with psycopg.connect(postgres, autocommit=True) as other:
            cut = (
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND usename = %s"
            )
            assert other.execute(cut, ["lab"]).rowcount
        assert store.room(code)
        assert placed(store, code, "a") == 0


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_postgres_url_may_have_three_schemes(postgres, scheme):
    with opened(postgres.replace("postgresql", scheme, 1)) as store:
        assert store.room(store.open_room(SECRET, stem="start").code)


@pytest.fixture(params=["no server", "no folder"])
def unreachable(request, tmp_path):
    (tmp_path / "file").touch()
    return {
        "no server": f"postgresql://lab@127.0.0.1:{free_port()}/lab",
        "no folder": f"sqlite:///{tmp_path}/file/rooms.sqlite",
    }[request.param]


def test_unreachable_database_is_reported_in_a_sentence(unreachable):
    with opened(unreachable) as store, pytest.raises(StoreError, match="their database does not answer") as raised:
        store.open_room(SECRET, stem="start")
    assert raised.value.__cause__


def test_missing_database_rights_are_reported(postgres, schema):
    """First revoke the right to create tables, then the right to read tables of another role."""
    role = schema.partition("test_")[2].partition("%20")[0]
    name = f"guest_{role}"
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(f"CREATE ROLE {name} LOGIN")
        connection.execute(f"GRANT USAGE ON SCHEMA test_{role} TO {name}")
    guest = schema.replace("//lab@", f"//{name}@")
    assert guest != schema
    for _ in range(2):
        with opened(guest) as store, pytest.raises(StoreError, match="does not let the lab make or use its tables"):
            store.room("BCDF")
        with opened(schema) as store:
            store.open_room(SECRET, stem="start")


def test_callers_of_an_unreachable_database_do_not_queue(postgres, monkeypatch):
    """In a queue, each caller would also wait for all callers before it."""
    together = Barrier(3)

    def begin():
        together.wait(60)
        raise OSError

    with opened(postgres) as store, ThreadPoolExecutor(3) as pool:
        monkeypatch.setattr(store._kept()._database.engine, "begin", begin)
        asked = [pool.submit(store.room, "BCDF") for _ in range(3)]
        found = [type(each.exception()) for each in asked]
    assert found == [StoreError] * 3


def test_a_damaged_file_is_reported_in_a_sentence(tmp_path):
    (tmp_path / "rooms.sqlite").write_text("no database" * 100)
    with opened(f"sqlite:///{tmp_path}/rooms.sqlite") as store, pytest.raises(StoreError, match="does not answer"):
        store.room("BCDF")


@pytest.mark.parametrize("url", ["mysql://h/d", "sqlite://", "sqlite:///", "postgresql://", "somewhere", "://"])
def test_url_of_an_unknown_database_is_refused(url):
    with pytest.raises(StoreError, match="DATABASE_URL must begin with postgresql:// or sqlite:///"):
        Store(url)


def test_unreadable_url_is_refused_and_not_shown():
    with (
        opened("postgresql://lab:a word@h:port/d") as store,
        pytest.raises(StoreError, match="cannot be read") as raised,
    ):
        store.room("BCDF")
    assert "a word" not in str(raised.value)


def test_process_uses_the_store_named_in_the_environment(monkeypatch, tmp_path):
    module.store.cache_clear()
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path}/here.sqlite")
    own = module.store()
    try:
        own.open_room(SECRET, stem="start")
        assert module.store() is own
        assert (tmp_path / "here.sqlite").exists()
    finally:
        own.dispose()
        module.store.cache_clear()


def test_default_file_is_in_the_top_folder_and_ignored_by_git():
    assert module.FILE == ROOT / ".rooms" / "rooms.sqlite"
    for ignored in (".gitignore", ".dockerignore"):
        assert any(line.strip("/") == ".rooms" for line in (ROOT / ignored).read_text().splitlines())
