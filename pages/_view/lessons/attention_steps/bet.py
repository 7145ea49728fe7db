"""The attention_steps lesson's bet: the picture before it, and its outcome."""

import numpy as np

from pages._view import compute
from pages._view.lesson_view import Outcome, Values
from pages._view.lessons.attention_steps import figures, work
from pages._view.picture import Picture
from pages._view.theme import Profile, number
from sattn_core.lessons.attention_steps import measure_attention_steps

_HALF, _NEARLY_ALL = 0.5, 0.95  # shares of the weight


def before(values: Values, profile: Profile) -> Picture:
    """Return the picture of the mask step without the scale: scores before and after masking."""
    return work.STEPS["mask"].picture({**values, "scaling": "off"}, profile)


def outcome(values: Values) -> Outcome:
    """Return the share of weight that the chosen query gives its favourite key without the scale."""
    params, _ = work.attention_matrices(values)
    query, result = work.cell_of(params, values)[0], compute.result(measure_attention_steps, params)
    share = float(result.unscaled_rows.max_weight[query])
    truth = "less" if share < _HALF else "most" if share <= _NEARLY_ALL else "all"
    text = (
        figures.favourite(share, figures.left_keys(result, query)).replace("practically", "nearly") if share else "none"
    )
    return Outcome(truth, _why(result.unscaled.masked_scores[query]), text)


def _why(scores):
    """Return a sentence on the gap between the two highest scores that are not masked."""
    left = np.sort(scores[np.isfinite(scores)])
    if len(left) == 0:
        return "The mask forbids every key to this query."
    if len(left) == 1:
        return "The mask leaves this query a single key."
    if left[-1] == left[-2]:
        return "No key is ahead of all others, and equal scores get equal weights."
    lead = number(left[-1] - left[-2], 2)
    return f"The raw score of this key leads the next one by {lead}, and softmax sees only such leads."
