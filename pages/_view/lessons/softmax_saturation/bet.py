"""The softmax_saturation lesson's two bets: the pictures before them, and their outcomes."""

from pages._view.lesson import STEP
from pages._view.lesson_view import Outcome, Values
from pages._view.lessons.softmax_saturation import figures, outputs, work
from pages._view.picture import Picture
from pages._view.theme import Profile, number, percent

_FLAT = "too_flat"


def before(values: Values, profile: Profile) -> Picture:
    """Return the picture without the answer: only the first row, unscaled; or all outputs but those with ÷ dₖ."""
    if values[STEP] == _FLAT:
        shown = work.STEPS[_FLAT].picture(values, profile)
        return outputs.without_flat(work.token_outputs(values)[0], values["middle_exponent"], shown, profile)
    raw = {**values, "exponent": 0.0}
    return figures.first_alone(work.rows(raw), work.DIVISOR.picture(raw, profile))


def outcome(values: Values) -> Outcome:
    """Return a percentage: the middle row's mean largest weight without the scale, or a token's own share at ÷ d_k."""
    if values[STEP] == _FLAT:
        return _own(values)
    rows = work.rows({**values, "exponent": 0.0})
    where = f"Raw scores at dₖ = {rows.dims[1]} spread by {number(rows.spread[1], 2)}"
    why = f"{where}, and softmax sees only their differences. Find the exponent at which all three are alike."
    return Outcome(100 * rows.max_weight[1], why, text=percent(rows.max_weight[1], 0))


def _own(values):
    d_k = values["d_k"]
    found = work.token_outputs(values)[0].divided(1.0)
    why = f"Divided by dₖ, scores spread by only 1/√{d_k:,}: the less they spread, the more alike are the outputs."
    if d_k == 1:
        why = "At dₖ = 1 dividing changes nothing."
    return Outcome(100 * found.own_share, why, text=outputs.share(found))
