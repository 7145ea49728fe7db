"""What the bet of softmax_saturation comes to."""

from pages._view import compute
from pages._view.bets import Outcome
from pages._view.lessons.softmax_saturation import work
from pages._view.main_picture import Values
from pages._view.theme import number, percent
from sattn_core.lessons.softmax_saturation import compare_lists


def outcome(values: Values) -> Outcome:
    """The largest weight of the row without the scale, in percent."""
    row = work.row(values)
    i = row.dims.index(values["d_k"])
    ahead = tuple(tuple(sorted(scores)[-2:]) for scores in (row.raw_scores[i].tolist(), row.scaled_scores[i].tolist()))
    gap = compute.result(compare_lists, ahead).gap[0]
    why = f"Its score leads the next one by {number(gap, 2)}, and softmax sees only such leads."
    return Outcome(100 * row.raw_max_weight[i], why, text=percent(row.raw_max_weight[i], 0))
