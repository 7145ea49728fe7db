"""What the bet of softmax_saturation comes to."""

from pages._view.bets import Outcome
from pages._view.lessons.softmax_saturation import work
from pages._view.main_picture import Values
from pages._view.theme import number, percent


def outcome(values: Values) -> Outcome:
    """The mean largest weight of the middle row without the scale, in percent."""
    rows = work.rows({**values, "exponent": 0.0})
    i = rows.dims.index(values["d_k"])
    why = f"Raw scores spread by {number(rows.spread[i], 2)} there, and softmax sees only their differences."
    return Outcome(100 * rows.max_weight[i], why, text=percent(rows.max_weight[i], 0))
