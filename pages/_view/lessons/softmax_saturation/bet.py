"""What the bet of softmax_saturation comes to."""

from pages._view import compute
from pages._view.bets import Outcome
from pages._view.lessons.softmax_saturation import work
from pages._view.main_picture import Values
from pages._view.picture import Picture
from pages._view.theme import Profile, number, percent
from sattn_core.lessons.softmax_saturation import compare_lists

_SMALL = 4  # dₖ at which the raw scores still spread little


def before(values: Values, profile: Profile) -> Picture:
    """The weights at a small dₖ; where dₖ is small itself, only those of the lists."""
    if values["d_k"] > _SMALL:
        return work.MAIN.picture({**values, "d_k": _SMALL}, profile)
    hidden = "The weights of the row are hidden until you have placed your bet."
    lists = [f"list {place}" for place in range(1, 5)]
    return work.MAIN.picture(values, profile).partly(hidden, keep=lists, words=("lists", "raw", "÷ √dₖ"))


def outcome(values: Values) -> Outcome:
    """The largest weight of the row without the scale, in percent."""
    row = work.row(values)
    i = row.dims.index(values["d_k"])
    ahead = tuple(tuple(sorted(scores)[-2:]) for scores in (row.raw_scores[i].tolist(), row.scaled_scores[i].tolist()))
    gap = compute.result(compare_lists, ahead).gap[0]
    why = f"Its score leads the next one by {number(gap, 2)}, and softmax sees only such leads."
    return Outcome(100 * row.raw_max_weight[i], why, text=percent(row.raw_max_weight[i], 0))
