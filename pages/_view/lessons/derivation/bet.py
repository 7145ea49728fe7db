"""The derivation lesson's bet: the picture before it, and its outcome."""

from math import log

from pages._view import compute
from pages._view.lesson_view import Outcome, Values
from pages._view.lessons.derivation import figures, work
from pages._view.lessons.derivation.declaration import RATIOS
from pages._view.picture import Picture
from pages._view.theme import Profile, number
from sattn_core.lessons.derivation import spread_ratio


def before(values: Values, profile: Profile) -> Picture:
    """Return the picture with the raw variance at d_k = 1 only: a second point would show how it grows."""
    said = "This is the variance of raw scores at dₖ = 1, of one product."
    here = figures.here(values["d_k"], profile)
    shown = work.MAIN.picture(values, profile)
    return shown.partly(said, keep=("raw",), words=(figures.VARIANCE,), shapes=here, last=1)


def outcome(values: Values) -> Outcome:
    """Return the factor by which the raw variance grows from d_k to 4 d_k, and the option nearest to it."""
    spreads = compute.result(spread_ratio, work.params(values, values["d_k"]), 4)
    ratio = spreads**2
    nearest = min(RATIOS, key=lambda option: abs(log(ratio) - log(float(option))))
    why = (
        "Each product adds 1 to it: the variance of qᵢ times that of kᵢ. Its root, the spread, is "
        f"{_short(spreads)} times as large."
    )
    return Outcome(nearest, why, f"{_short(ratio)} times as large")


def _short(value):
    return number(value).rstrip("0").rstrip(".")
