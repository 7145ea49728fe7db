"""The cache of results: computed once for everybody, read-only, and limited in entries and bytes."""

import threading
from contextlib import nullcontext
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest

from pages._view import compute
from pages._view.compute import rates, turns
from sattn_core.cost import Price
from sattn_core.lessons.score_variance import ScoreVarianceParams, measure_score_variance


@pytest.fixture(autouse=True)
def empty_store():
    compute.forget()
    yield
    compute.forget()


@dataclass(frozen=True)
class Held:
    numbers: np.ndarray
    more: tuple = ()


def test_result_equals_that_of_the_core_and_is_computed_once():
    params = ScoreVarianceParams(4, 1_000)
    first = compute.result(measure_score_variance, params)
    assert compute.result(measure_score_variance, params) is first
    assert np.array_equal(first.counts, measure_score_variance(params).counts)
    assert compute.result(measure_score_variance, ScoreVarianceParams(8, 1_000)) is not first


def test_cache_distinguishes_functions_with_equal_arguments():
    assert (compute.result(min, 1, 2), compute.result(max, 1, 2)) == (1, 2)


def test_visitors_cannot_change_cached_results():
    held = compute.result(lambda: Held(np.zeros(3), ({"deep": np.ones(2)},)))
    for numbers in (held.numbers, held.more[0]["deep"]):
        with pytest.raises(ValueError, match="read-only"):
            numbers[0] = 1


def test_simultaneous_visitors_share_one_computation():
    calls, together, release = [], threading.Barrier(5), threading.Event()

    def slow(key):
        calls.append(key)
        release.wait(30)
        return key

    def visit():
        together.wait()
        found.append(compute.result(slow, "same"))

    found = []
    visitors = [threading.Thread(target=visit) for _ in range(4)]
    for visitor in visitors:
        visitor.start()
    together.wait()
    release.set()
    for visitor in visitors:
        visitor.join(30)
    assert (calls, found) == (["same"], ["same"] * 4)


def test_failed_computation_is_repeated_and_not_cached():
    class Left(BaseException):
        pass

    def ended():
        raise Left

    for _ in range(2):
        with pytest.raises(Left):
            compute.result(ended)
    assert compute.kept(ended) is None


def test_the_cache_stays_within_its_bytes_and_drops_the_oldest():
    def hold(place):
        return np.zeros(compute.BYTES // 4 // 8 - 1_000)

    for place in range(6):
        compute.result(hold, place)
    assert [place for place in range(6) if compute.kept(hold, place) is not None] == [2, 3, 4, 5]


def test_the_cache_stays_within_its_number_of_entries():
    for place in range(compute.ENTRIES + 10):
        compute.result(abs, place)
    kept = [place for place in range(compute.ENTRIES + 10) if compute.kept(abs, place) is not None]
    assert len(kept) <= compute.ENTRIES
    assert kept[-1] == compute.ENTRIES + 9


def test_result_too_large_for_the_cache_is_still_computed():
    def hold():
        return np.zeros(compute.BYTES // 8 + 1)

    assert compute.result(hold).size == compute.BYTES // 8 + 1
    assert compute.kept(hold) is None


def test_result_computed_outside_the_cache_can_be_added():
    assert compute.kept(max, 3, 4) is None
    compute.keep(4, max, 3, 4)
    assert compute.kept(max, 3, 4) == 4
    assert compute.result(max, 3, 4) == 4


@pytest.mark.parametrize(("seconds", "at_once"), [(0.1, True), (1.0, False)])
def test_only_slow_computations_take_turns(monkeypatch, seconds, at_once):
    def computed():
        return seconds

    price, taken = Price(seconds / rates.REFERENCE), []
    computed.price = lambda: price
    monkeypatch.setattr(turns, "turn", lambda **_: taken.append(1) or nullcontext())
    assert compute.cheap(SimpleNamespace(price=price)) == at_once
    assert compute.result(computed) == seconds
    assert len(taken) == (0 if at_once else 1)
