"""What the bet of score_variance comes to."""

from math import sqrt

from pages._view.bets import Outcome
from pages._view.lessons.score_variance import work
from pages._view.main_picture import Values
from pages._view.picture import Picture
from pages._view.theme import Profile, typed
from sattn_core.score_moments import pair_moments


def before(values: Values, profile: Profile) -> Picture:
    """The sums after few products."""
    few = max(1, values["d_k"] // 16)
    return work.MAIN.picture({**values, "d_k": few, "axis": "shared"}, profile)


def outcome(values: Values) -> Outcome:
    """The exact standard deviation of a raw score."""
    params = work.params(values)
    variance = pair_moments(params.d_k, params.pair_law).variance
    if variance == 0:
        return Outcome(0.0, "All scores are equal, because no product can vary.")
    each = typed(round(variance / params.d_k, 2))
    return Outcome(sqrt(variance), f"Each product adds {each} to the variance; the spread is the root of their sum.")
