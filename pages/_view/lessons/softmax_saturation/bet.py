"""What the bet of softmax_saturation comes to, and the rows that are seen before it."""

from pages._view.lesson_view import Outcome, Values
from pages._view.lessons.softmax_saturation import figures, work
from pages._view.picture import Picture
from pages._view.theme import Profile, number, percent


def before(values: Values, profile: Profile) -> Picture:
    """The rows without the scale, but for the middle one, which the bet is on."""
    raw = {**values, "exponent": 0.0}
    return figures.without_middle(work.rows(raw), work.DIVISOR.picture(raw, profile))


def outcome(values: Values) -> Outcome:
    """The mean largest weight of the middle row without the scale, in percent."""
    rows = work.rows({**values, "exponent": 0.0})
    where = f"Raw scores at dₖ = {rows.dims[1]} spread by {number(rows.spread[1], 2)}"
    why = f"{where}, and softmax sees only their differences."
    return Outcome(100 * rows.max_weight[1], why, text=percent(rows.max_weight[1], 0))
