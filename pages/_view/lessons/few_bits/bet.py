"""The few_bits lesson's bet: the picture before it, and its outcome."""

import math

from pages._view.lesson_view import Outcome, Values
from pages._view.lessons.few_bits import figures, work
from pages._view.lessons.few_bits.declaration import FARTHER
from pages._view.picture import Picture
from pages._view.theme import Profile, number


def before(values: Values, profile: Profile) -> Picture:
    """Return the scaled scores alone, without the format's spacing."""
    off = number(work.root_mean_square(values)[1], 2)
    known = f"Rounding puts a scaled score off by {off} (root mean square)."
    return work.SCORES.picture(values, profile).partly(known, keep=("scaled",), words=("÷ √dₖ", *figures.UPRIGHTS))


def outcome(values: Values) -> Outcome:
    """Return the power of dₖ nearest to the ratio of raw to scaled root mean square errors."""
    raw, scaled = work.root_mean_square(values)
    powers = {FARTHER[0]: 0.0, FARTHER[1]: 0.5, FARTHER[2]: 1.0}
    if math.isnan(raw + scaled):
        return Outcome("", "With components so large a score overflows in every row.")
    if values["d_k"] == 1:
        return Outcome(FARTHER[0], "At dₖ = 1 the scale is 1, and the two are the same numbers.")
    power = math.log(raw / scaled, values["d_k"])
    truth = min(powers, key=lambda each: abs(powers[each] - power))
    why = "Raw scores are √dₖ times as large, and numbers lie further apart the larger they are."
    if truth == FARTHER[0]:
        why = "At so small a dₖ the second rounding, after the division, takes back what the scale has won."
    return Outcome(truth, why, text=f"{truth} ({number(raw / scaled, 2)} times)")
