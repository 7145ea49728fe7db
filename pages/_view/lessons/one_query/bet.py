"""What the bet of one_query comes to."""

from math import isclose, sqrt

from pages._view.bets import Outcome
from pages._view.lessons.one_query import work
from pages._view.lessons.one_query.declaration import FARTHER
from pages._view.main_picture import Values
from pages._view.picture import Picture
from pages._view.theme import Profile
from sattn_core.lessons.one_query import KEY_WORDS
from sattn_core.moments import dot_product_moments

_MORE = 16  # times as many products


def before(values: Values, profile: Profile) -> Picture:
    """The sums up to this dₖ, without how far such sums go in theory."""
    shown = work.MAIN.picture({**values, "step": "wander"}, profile)
    return shown.partly(shown.sentence, keep=KEY_WORDS, words=("The sums wander",))


def outcome(values: Values) -> Outcome:
    """How many times as far a sum of random products spreads at sixteen times this d_k."""
    few, many = (dot_product_moments(times * values["d_k"]) for times in (1, _MORE))
    ratio = sqrt(many.variance / few.variance)
    truth = next(option for option in FARTHER if isclose(ratio, float(option)))
    why = "Random products add up in variance, and how far their sum wanders is the square root of that."
    return Outcome(truth, why)
