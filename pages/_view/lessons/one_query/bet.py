"""What the bet of one_query comes to."""

from math import isclose, sqrt

from pages._view.bets import Outcome
from pages._view.lessons.one_query.declaration import FARTHER
from pages._view.main_picture import Values
from sattn_core.moments import dot_product_moments

_MORE = 16  # times as many products


def outcome(values: Values) -> Outcome:
    """How many times as far a sum of random products spreads at sixteen times this d_k."""
    few, many = (dot_product_moments(times * values["d_k"]) for times in (1, _MORE))
    ratio = sqrt(many.variance / few.variance)
    truth = next(option for option in FARTHER if isclose(ratio, float(option)))
    why = "Random products add up in variance, and how far their sum wanders is the square root of that."
    return Outcome(truth, why)
