"""The scaling_rules lesson's bet: the picture before it, and its outcome."""

from pages._view.lesson_view import Outcome, Values
from pages._view.lessons.scaling_rules import work
from pages._view.lessons.scaling_rules.figures import UPRIGHT
from pages._view.picture import Picture
from pages._view.theme import Profile

_RAW = ("α = 0, raw", "α = 0, raw, theory")
_OPTIONS = {0.0: "0", 0.5: "0.5", 1.0: "1"}


def before(values: Values, profile: Profile) -> Picture:
    """Return the picture with the variance of the raw scores only."""
    said = "This is the variance of raw scores; the divided ones are hidden while the bet is open."
    return work.MAIN.picture(values, profile).partly(said, keep=_RAW, words=(*_RAW, UPRIGHT["variance"]))


def outcome(values: Values) -> Outcome:
    """Return the exponent, out of three, that keeps the variance the same at every d_k."""
    flat = [_OPTIONS[each.exponent] for each in work.powers(values).curves if _is_offered(each)]
    why = "The variance of raw scores is proportional to dₖ, and dividing scores divides it by the divisor’s square."
    return Outcome(flat[0] if flat else "", why, text="" if flat else "none of them")


def _is_offered(curve):
    return curve.exponent in _OPTIONS and curve.variance_is_flat
