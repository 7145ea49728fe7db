"""What the bet of derivation comes to."""

from math import log

from pages._view import compute
from pages._view.lesson_view import Outcome, Values
from pages._view.lessons.derivation import work
from pages._view.lessons.derivation.declaration import RATIOS
from pages._view.picture import Picture
from pages._view.theme import Profile, number
from sattn_core.lessons.derivation import spread_ratio


def before(values: Values, profile: Profile) -> Picture:
    """The raw variances up to this dₖ."""
    said = f"These are the variances up to dₖ = {values['d_k']:,}; the spread is their square root."
    return work.MAIN.picture(values, profile).partly(said, keep=("raw",))


def outcome(values: Values) -> Outcome:
    """How many times as far raw scores spread at four times this d_k, and the answer that is nearest to it."""
    ratio = compute.result(spread_ratio, work.params(values, values["d_k"]), 4)
    nearest = min(RATIOS, key=lambda option: abs(log(ratio) - log(float(option))))
    text = f"{number(ratio).rstrip('0').rstrip('.')} times as far"
    why = "Four times as many terms have four times the variance, and the spread is its square root."
    return Outcome(nearest, why, text)
