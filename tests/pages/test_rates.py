"""Prices in seconds: decisions are the same on every machine, displayed times are this machine's."""

from itertools import count as ticks

import pytest

from pages._view import compute
from pages._view.compute import rates
from sattn_core.cost import Price
from sattn_core.lessons.score_variance import ScoreVarianceParams
from tests.counting import count, so_far
from tests.pages.opening import app_at

LONG = {"law": "student_t", "d_k": "1024", "n_samples": "100000"}


@pytest.fixture
def ticking(monkeypatch):
    """Advance the clock by a second at every reading; return the function that measures the rate."""
    monkeypatch.setattr(rates, "clock", ticks().__next__)
    monkeypatch.setattr(rates, "_here", rates.REFERENCE)
    return rates.measure


def test_reference_rate_applies_before_the_measurement(monkeypatch):
    monkeypatch.setattr(rates, "_here", rates.REFERENCE)
    assert rates.here(Price(1e9)) == rates.decided(Price(1e9)) == pytest.approx(0.6)


def test_timed_sample_does_as_much_work_as_it_states(ticking):
    numbers = rates._sample()[1]
    assert ticking() == pytest.approx(1 / numbers)
    assert rates.here(Price(numbers)) == pytest.approx(1)
    done = []

    def work():
        sample, before = rates._sample()[0], so_far()
        sample()
        done.append(so_far() - before)

    count(work)
    assert done[-1] == pytest.approx(numbers, rel=0.1)


def test_measured_rate_changes_displayed_times_but_no_decisions(ticking):
    prices = [ScoreVarianceParams(1024, n, "student_t").price for n in (100, 20_000, 100_000)]
    decided = [rates.decided(price) for price in prices]
    ticking()
    assert [rates.decided(price) for price in prices] == decided
    assert rates.here(prices[0]) > 10 * decided[0]


def test_measurement_changes_the_seconds_on_a_button_but_not_the_button(ticking):
    params = ScoreVarianceParams(1024, 100_000, "student_t", n_keys=16)
    assert compute.needs_button(params)
    first = app_at("score_variance", timeout=120, **LONG).run().button(key="compute_main").label
    assert first == f"Compute (about {-(-rates.decided(params.price) // 1):.0f} s)"
    ticking()
    assert compute.needs_button(params)
    assert app_at("score_variance", timeout=120, **LONG).run().button(key="compute_main").label != first


def test_fastest_of_several_measurements_counts(monkeypatch):
    passing = iter([0, 5, 5, 6, 6, 9, *([9, 99] * 20)])
    monkeypatch.setattr(rates, "clock", passing.__next__)
    assert rates._least(lambda: None, 4) == 0.25
