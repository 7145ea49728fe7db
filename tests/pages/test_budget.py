"""How much all computations together hold: never more than there is, small ones first, nobody waits for ever."""

import asyncio
import random
import threading
from functools import partial
from types import SimpleNamespace

import pytest

from pages._view import compute
from pages._view.address import Address
from pages._view.compute import budget, prices, turns
from pages._view.compute.budget import Budget, configured, shares
from pages._view.lessons import LESSONS
from pages._view.lessons.training_race.work import params
from pages._view.once import once
from pages._view.server.threads import Drawing
from sattn_core.cost import Price


@pytest.fixture(autouse=True)
def empty_store():
    compute.forget()
    yield
    compute.forget()


def granted(*wishes):
    return [each.granted.is_set() for each in wishes]


def all_joined(threads):
    for each in threads:
        each.start()
    for each in threads:
        each.join(60)
    assert not any(each.is_alive() for each in threads)


# --- one budget ----------------------------------------------------------------------------------------


def test_a_crowd_never_holds_more_than_there_is_and_everybody_gets_it():
    shared, lock, held, most, done = Budget(100), threading.Lock(), [0], [0], []

    def compute_one(amount):
        with shared.hold(amount):
            with lock:
                held[0] += min(amount, 100)
                most[0] = max(most[0], held[0])
            threading.Event().wait(0.001)
            with lock:
                held[0] -= min(amount, 100)
                done.append(amount)

    amounts = random.Random(0).choices((1, 5, 33, 60, 100, 250), k=150)
    all_joined([threading.Thread(target=compute_one, args=(each,)) for each in amounts])
    assert most[0] <= 100
    assert sorted(done) == sorted(amounts)
    assert shared.held == 0


def test_of_those_who_wait_the_small_begin_first_and_equals_as_they_came():
    shared = Budget(10)
    first = shared.ask(10)
    large, small, same = (shared.ask(each) for each in (9, 4, 4))
    assert [shared.before(each) for each in (first, large, small, same)] == [0, 3, 1, 2]
    shared.give_back(first)
    assert granted(large, small, same) == [False, True, True]
    shared.give_back(small)
    assert not granted(large)[0]
    shared.give_back(same)
    assert granted(large) == [True]


def test_who_was_overtaken_often_enough_comes_next_however_large():
    shared = Budget(10)
    held, large = shared.ask(6), shared.ask(10)
    for _ in range(budget._OVERTAKEN):
        shared.give_back(shared.ask(4))
    late = shared.ask(4)
    assert granted(large, late) == [False, False]
    assert [shared.before(large), shared.before(late)] == [1, 2]
    shared.give_back(held)
    assert granted(large, late) == [True, False]
    shared.give_back(large)
    assert granted(late) == [True]


def test_what_is_larger_than_all_there_is_runs_alone():
    shared = Budget(10)
    alone, small = shared.ask(1_000), shared.ask(1)
    assert granted(alone, small) == [True, False]
    shared.give_back(alone)
    assert granted(small) == [True]


def test_no_more_begin_at_once_than_there_are_places_however_small():
    shared = Budget(100, at_once=3)
    wishes = [shared.ask(0) for _ in range(5)]
    assert granted(*wishes) == [True, True, True, False, False]


def test_failure_and_end_of_a_wait_give_everything_back():
    shared = Budget(10)
    with pytest.raises(ZeroDivisionError), shared.hold(10):
        raise ZeroDivisionError
    assert shared.held == 0

    def leaves(before):
        raise LookupError(before)

    with shared.hold(10):
        with pytest.raises(LookupError, match="1"), shared.hold(1, waits=leaves):
            raise AssertionError("it has begun")
        assert shared.held == 10
    after = shared.ask(10)
    shared.give_back(after)
    shared.give_back(after)
    assert shared.held == 0


# --- what the environment says, and the shares ---------------------------------------------------------


@pytest.mark.parametrize("said", ["", "many", "-400", "519", "520.5"])
def test_a_setting_that_is_too_small_or_no_number_is_refused_in_a_sentence(said):
    with pytest.raises(ValueError, match="SATTN_COMPUTE_MB must be a whole number of at least 520"):
        configured(said)


@pytest.mark.parametrize(("said", "in_megabytes"), [("520", (140, 100, 280)), ("1000", (140, 340, 520))])
def test_the_shares_are_what_is_configured(said, in_megabytes):
    assert tuple(each.most // 1_000_000 for each in shares(configured(said))) == in_megabytes


def test_each_share_holds_its_largest_computation():
    pages, runs, jobs = shares(configured("520"))
    assert pages.most >= compute.UNASKED.bytes + 4 * prices.SMALL.bytes  # a dear one beside all quick ones
    assert runs.most >= compute.UNASKED.bytes
    race = Address(LESSONS["training_race"], {}).values
    dear = {"d_k": 1024, "n_pairs": 64, "n_seeds": 8, "exponent": 0.3, "optimizer": "adam", "data": "fresh"}
    largest = params(race | dear | {"values": "trained", "loss": "weights"})
    assert runs.most < largest.price.bytes <= jobs.most


# --- what takes from them ------------------------------------------------------------------------------


@pytest.fixture
def held(monkeypatch):
    """The budgets of pages, runs and jobs, of their own."""
    mine = SimpleNamespace(PAGES=Budget(100), RUNS=Budget(100), JOBS=Budget(100))
    for name, each in vars(mine).items():
        monkeypatch.setattr(turns, name, each)
    return lambda: tuple(each.held for each in vars(mine).values())


def costing(n_bytes, work):
    work.price = lambda *_: Price(0, n_bytes)
    return work


@pytest.mark.parametrize(("visitor", "during"), [(None, (30, 0, 0)), ("one", (0, 30, 0))])
def test_a_computation_holds_its_bytes_in_the_share_of_who_asks(held, monkeypatch, visitor, during):
    monkeypatch.setattr(turns, "page", turns.Page(visitor=lambda: visitor))
    computed = costing(30, lambda *_: held())
    assert compute.result(computed, 1) == during
    assert held() == (0, 0, 0)
    assert compute.result(computed, 1) == during  # kept


def test_what_a_computation_asks_for_inside_is_part_of_what_it_holds(held):
    outer = costing(100, lambda: compute.result(costing(60, held)))
    assert compute.result(outer) == (100, 0, 0)


def test_what_has_no_price_holds_the_most_of_such_a_one(held, monkeypatch):
    monkeypatch.setattr(turns, "PAGES", Budget(10 * prices.SMALL.bytes))
    assert compute.result(lambda: turns.PAGES.held) == prices.SMALL.bytes


@pytest.mark.parametrize("fails", [False, True])
def test_a_job_holds_its_bytes_until_it_is_over_or_has_failed(held, fails):
    seen = []

    def work():
        seen.append(held())
        seen.append(compute.result(costing(70, held)))
        assert not fails

    job = turns.Job("this", work, Price(0, 40))
    job.want()
    try:
        job.wait(30)
    except AssertionError:
        assert fails
    assert seen == [(0, 0, 40), (0, 0, 40)]
    while held() != (0, 0, 0):
        pass


# --- pages that are drawn ------------------------------------------------------------------------------


def test_page_that_waits_for_bytes_lets_the_next_one_draw(held, monkeypatch):
    monkeypatch.setattr(turns, "page", turns.Page(visitor=lambda: "one"))
    monkeypatch.setattr(turns, "DRAWN", Budget(1))
    first = turns.RUNS.ask(100)
    drawn = []

    def waits():
        with turns.drawing():
            drawn.append("first")
            compute.result(costing(1, lambda: 0))
            drawn.append("first again")

    def goes_on():
        while not drawn:
            pass
        with turns.drawing():
            drawn.append("second")
            turns.RUNS.give_back(first)

    all_joined([threading.Thread(target=each) for each in (waits, goes_on)])
    assert drawn == ["first", "second", "first again"]
    assert turns.DRAWN.held == 0


def dear(size, work):
    """What a plain page needs that takes `size` times as long as what is quick."""
    computed = partial(work)
    computed.price = lambda: Price(size * turns.QUICK.numbers, 1)
    return lambda: compute.result(computed)


def test_plain_page_waits_for_no_dear_one_and_small_ones_go_first():
    release, begun, most, now = threading.Event(), [], [0], [0]
    drawing = Drawing(2, 1)

    def work(name):
        begun.append(name)
        now[0] += 1
        most[0] = max(most[0], now[0])
        assert release.wait(30)
        now[0] -= 1
        return name

    async def visit():
        sizes = (3, 9, 2, 8, 4)
        asked = []
        for size in sizes:
            asked.append(asyncio.create_task(drawing(dear(size, partial(work, size)))))
            while len(drawing._dear._waiting) + drawing._dear.held < len(asked):
                await asyncio.sleep(0)
        while not begun:
            await asyncio.sleep(0)
        assert await drawing(lambda: "quick") == "quick"
        release.set()
        assert await asyncio.gather(*asked) == [*sizes]

    asyncio.run(visit())
    assert begun == [3, 2, 4, 8, 9]
    assert most == [1]


def test_a_dear_page_that_fails_leaves_its_place_to_the_next():
    drawing = Drawing(2, 1)

    async def visit():
        for _ in range(2):
            with pytest.raises(ZeroDivisionError):
                await drawing(dear(2, lambda: 1 / 0))

    asyncio.run(visit())
    assert drawing._dear.held == 0


def test_two_objects_find_what_is_once_theirs_at_the_same_time():
    both = threading.Barrier(2, timeout=30)

    class One:
        @once
        def found(self):
            return both.wait() >= 0

    pair, found = [One(), One()], []
    all_joined([threading.Thread(target=lambda each=each: found.append(each.found)) for each in pair])
    assert found == [True, True]
    assert pair[0].found  # kept: nobody else comes to the barrier


def test_a_page_that_waits_for_a_job_lets_the_next_one_draw():
    with turns.drawing():
        assert turns.DRAWN.held == 1
        turns.Job("wanted", lambda: None).wait(0)
        assert turns.DRAWN.held == 0
    assert turns.DRAWN.held == 0
