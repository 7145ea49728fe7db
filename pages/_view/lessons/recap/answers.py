"""The right answers, and the reasons against wrong ones; neither is sent before the learner has answered."""

from math import isclose, sqrt

import numpy as np
from numpy.typing import NDArray

from pages._view.lesson_view import Values
from pages._view.lessons.recap.declaration import QUESTIONS
from pages._view.theme import percent, typed
from sattn_core.laws.saturation import expected_attention
from sattn_core.lessons.recap import RACED
from sattn_core.lessons.wrong_choice import N_ROWS, NEARLY_ALL
from sattn_core.story import harmless_spread

RIGHT, CLOSE, MISSED = "Right:", "Close:", "Not quite:"
_TRUE = {"score": "sum", "breaks": "stuck", "alike": "small"}
_NEAR = 0.05  # relative distance from √d_k that still counts as right
_EVEN = 0.01  # distance from the power ½ that still counts as right
_MANY, _AT = 1_024, 64  # an example: number of keys, d_k
_ROUND = 0.1  # relative distance: an answer this close to d_k or 1 gets a reason of its own
_WHY = {
    "share": "that is a weight, which softmax makes of the scores.",
    "distance": "a distance is small where two vectors agree, and there a score is large.",
    "overflow": "softmax subtracts the largest score first, so no exponential overflows.",
    "choice": "the winner is the same, divided or not. Dividing does not choose better.",
    "adam": "Adam helps a little, and still leaves many wrong winners.",
}
BREATH = (
    "A score is a sum of dₖ products; sums of random products spread like √dₖ; softmax turns the spread into one "
    "winner, whom chance has chosen; what is nearly certain can hardly be corrected; divided by √dₖ the choice stays "
    "open, at every dₖ alike; divided by dₖ every token gets nearly the same average. Dividing does not choose better, "
    "and where dₖ is small, or the numbers start small, little changes."
)


def verdict(name: str, said: float | str, values: Values, chosen: NDArray[np.int_] | None) -> tuple[str, str]:
    """Return the verdict (right, close or not quite), and the answer with the reason if it is not right.

    chosen: number of rows that the learner's power of d_k puts right at each size.
    """
    if name == "spread":
        return _of_spread(float(said), values["d_k"])
    if name == "power":
        return _of_power(float(said), chosen)
    said_so = QUESTIONS[name].options[str(said)]
    if name == "alike" and said == _TRUE[name]:
        most = harmless_spread()
        return RIGHT, f"{said_so}: there raw scores spread by {typed(most)} or less, as up to dₖ = {typed(most**2)}."
    return (RIGHT, f"{said_so}.") if said == _TRUE[name] else (MISSED, f"“{said_so}”? {_capital(_why(str(said)))}")


def _why(said):
    """Return the reason why an option is wrong."""
    if said != "many":
        return _WHY[said]
    largest = percent(expected_attention(_MANY, _AT, 1.0).max_weight, 0)
    return f"with {_MANY:,} keys at dₖ = {_AT}, one still takes {largest} of the weight on average."


def _capital(text):
    return text[0].upper() + text[1:]


def _of_spread(said, d_k):
    off, text = abs(said / sqrt(d_k) - 1), typed(said)
    if off <= _NEAR:
        return RIGHT, f"{text}, or about √dₖ."
    if off <= 4 * _NEAR:
        return CLOSE, f"{text}. The square root of dₖ says how far."
    return MISSED, f"{text}? {_why_not(said, d_k)}"


def _why_not(said, d_k):
    """Return the reason why an answer far from √d_k is not the spread of raw scores."""
    if isclose(said, d_k, rel_tol=_ROUND):
        return "That is the variance; the standard deviation is its root."
    if isclose(said, 1, rel_tol=_ROUND):
        return "So far spreads one product, or a score once it is divided by √dₖ."
    if said > d_k:
        return "So far they would lie only if the products were larger, or agreed."
    return "Variances add up, one for each product, and the spread is the root of their sum."


def _of_power(said, chosen):
    if abs(said - 0.5) < _EVEN:
        return (
            RIGHT,
            "the power ½, so √dₖ. ÷ dₖ can learn too, but it starts by giving each token nearly the same average.",
        )
    grow = "grow" if said < 0.5 else "shrink"
    if chosen.min() >= NEARLY_ALL:
        return (
            CLOSE,
            f"the power {said:g} serves as far as {RACED[-1]:,}. Its scores still {grow} with dₖ; at ½ they do not.",
        )
    at = f"{chosen.min()} of {N_ROWS} come right at dₖ = {RACED[int(chosen.argmin())]:,}"
    return MISSED, f"the power {said:g}? Scores still {grow} with dₖ then, and only {at}."
