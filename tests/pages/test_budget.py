"""The memory budget of all computations: never exceeded, smallest requests first, and nobody waits forever."""

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


def test_many_threads_stay_within_the_budget_and_all_are_served():
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


def test_small_computations_start_first_and_equal_ones_in_order():
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


def test_a_computation_overtaken_often_enough_comes_next():
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


def test_a_computation_larger_than_the_budget_runs_alone():
    shared = Budget(10)
    alone, small = shared.ask(1_000), shared.ask(1)
    assert granted(alone, small) == [True, False]
    shared.give_back(alone)
    assert granted(small) == [True]


def test_number_of_simultaneous_computations_is_limited():
    shared = Budget(100, at_once=3)
    wishes = [shared.ask(0) for _ in range(5)]
    assert granted(*wishes) == [True, True, True, False, False]


def test_failures_and_abandoned_waits_hold_none_of_the_budget():
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


# --- the environment, and the shares -------------------------------------------------------------------


@pytest.mark.parametrize("said", ["", "many", "-400", "519", "520.5"])
def test_invalid_memory_setting_is_refused(said):
    with pytest.raises(ValueError, match="SATTN_COMPUTE_MB must be a whole number of at least 520"):
        configured(said)


@pytest.mark.parametrize(("said", "in_megabytes"), [("520", (140, 100, 280)), ("1000", (140, 340, 520))])
def test_memory_setting_determines_the_shares(said, in_megabytes):
    assert tuple(each.most // 1_000_000 for each in shares(configured(said))) == in_megabytes


def test_each_share_of_the_memory_fits_its_largest_computation():
    pages, runs, jobs = shares(configured("520"))
    assert pages.most >= compute.UNASKED.bytes + 4 * prices.SMALL.bytes  # one expensive page beside all quick ones
    assert runs.most >= compute.UNASKED.bytes
    race = Address(LESSONS["training_race"], {}).values
    dear = {"d_k": 1024, "n_pairs": 64, "n_seeds": 8, "exponent": 0.3, "optimizer": "adam", "data": "fresh"}
    largest = params(race | dear | {"values": "trained", "loss": "weights"})
    assert runs.most < largest.price.bytes <= jobs.most


# --- users of the budgets ------------------------------------------------------------------------------


@pytest.fixture
def held(monkeypatch):
    """Replace the budgets of pages, runs and jobs; return a function that reads the bytes they hold."""
    mine = SimpleNamespace(PAGES=Budget(100), RUNS=Budget(100), JOBS=Budget(100))
    for name, each in vars(mine).items():
        monkeypatch.setattr(turns, name, each)
    return lambda: tuple(each.held for each in vars(mine).values())


def costing(n_bytes, work):
    work.price = lambda *_: Price(0, n_bytes)
    return work


@pytest.mark.parametrize(("visitor", "during"), [(None, (30, 0, 0)), ("one", (0, 30, 0))])
def test_computation_takes_its_bytes_from_the_share_of_its_caller(held, monkeypatch, visitor, during):
    monkeypatch.setattr(turns, "page", turns.Page(visitor=lambda: visitor))
    computed = costing(30, lambda *_: held())
    assert compute.result(computed, 1) == during
    assert held() == (0, 0, 0)
    assert compute.result(computed, 1) == during  # cached


def test_nested_computation_counts_as_part_of_the_outer_one(held):
    outer = costing(100, lambda: compute.result(costing(60, held)))
    assert compute.result(outer) == (100, 0, 0)


def test_computation_without_a_price_holds_the_bytes_of_a_small_one(held, monkeypatch):
    monkeypatch.setattr(turns, "PAGES", Budget(10 * prices.SMALL.bytes))
    assert compute.result(lambda: turns.PAGES.held) == prices.SMALL.bytes


@pytest.mark.parametrize("fails", [False, True])
def test_a_job_keeps_its_bytes_until_it_ends_or_fails(held, fails):
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


def test_a_page_that_waits_for_memory_lets_the_next_one_draw(held, monkeypatch):
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
    """Return a computation whose price is `size` times the limit of a quick page."""
    computed = partial(work)
    computed.price = lambda: Price(size * turns.QUICK.numbers, 1)
    return lambda: compute.result(computed)


def test_quick_page_does_not_wait_for_expensive_ones():
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


def test_failed_expensive_page_frees_its_slot():
    drawing = Drawing(2, 1)

    async def visit():
        for _ in range(2):
            with pytest.raises(ZeroDivisionError):
                await drawing(dear(2, lambda: 1 / 0))

    asyncio.run(visit())
    assert drawing._dear.held == 0


def test_cached_properties_of_two_objects_are_computed_simultaneously():
    both = threading.Barrier(2, timeout=30)

    class One:
        @once
        def found(self):
            return both.wait() >= 0

    pair, found = [One(), One()], []
    all_joined([threading.Thread(target=lambda each=each: found.append(each.found)) for each in pair])
    assert found == [True, True]
    assert pair[0].found  # cached: computing again would wait at the barrier


def test_a_page_that_waits_for_a_job_lets_the_next_one_draw():
    with turns.drawing():
        assert turns.DRAWN.held == 1
        turns.Job("wanted", lambda: None).wait(0)
        assert turns.DRAWN.held == 0
    assert turns.DRAWN.held == 0
