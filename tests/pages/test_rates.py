"""Counted work as seconds: those that decide are the same on every machine, those that are said are this machine's."""

from itertools import count

import pytest

from pages._view import compute, rates
from sattn_core.cost import KINDS, Price
from sattn_core.lessons.score_variance import ScoreVarianceParams
from tests.pages.opening import app_at

LONG = {"law": "student_t", "d_k": "1024", "n_samples": "100000"}


@pytest.fixture
def ticking(monkeypatch):
    """A clock that a second passes on between two looks, and the rates by it, put back after the test."""
    monkeypatch.setattr(rates, "clock", count().__next__)
    monkeypatch.setattr(rates, "_here", rates.REFERENCE)
    return rates.measure


def test_before_they_are_measured_the_reference_rates_stand_for_those_here(monkeypatch):
    monkeypatch.setattr(rates, "_here", rates.REFERENCE)
    price = Price(calls=1e6, passes=1e9)
    assert rates.here(price) == rates.decided(price) == pytest.approx(1.5 + 0.6)


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_work_is_measured_a_unit_at_a_time(ticking, kind):
    units = dict(zip(KINDS, (units for _, units in rates._samples()), strict=True))
    assert getattr(ticking(), kind) == 1 / units[kind]
    assert rates.here(Price(**{kind: units[kind]})) == pytest.approx(1)


def test_what_is_measured_decides_nothing(ticking):
    prices = [ScoreVarianceParams(1024, n, "student_t").price for n in (100, 20_000, 100_000)]
    decided = [rates.decided(price) for price in prices]
    ticking()
    assert [rates.decided(price) for price in prices] == decided
    assert rates.here(prices[0]) > 10 * decided[0]


def test_a_button_says_the_seconds_of_this_machine_and_is_there_on_every_one(ticking):
    params = ScoreVarianceParams(1024, 100_000, "student_t", n_keys=16)
    assert compute.needs_button(params)
    first = app_at("score_variance", timeout=120, **LONG).run().button(key="compute_main").label
    assert first == f"Compute (about {-(-rates.decided(params.price) // 1):.0f} s)"
    ticking()
    assert compute.needs_button(params)
    assert app_at("score_variance", timeout=120, **LONG).run().button(key="compute_main").label != first


def test_the_least_of_some_runs_counts(monkeypatch):
    passing = iter([0, 5, 5, 6, 6, 9, *([9, 99] * 20)])
    monkeypatch.setattr(rates, "clock", passing.__next__)
    assert rates._least(lambda: None, 4) == 0.25
