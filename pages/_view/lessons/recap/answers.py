"""What is right, and why what was said is not: in no browser before its question is answered."""

from math import isclose, sqrt

from pages._view.lessons.recap.declaration import QUESTIONS
from pages._view.main_picture import Values
from pages._view.theme import typed

RIGHT, CLOSE, MISSED = "Right:", "Close:", "Not quite:"
_TRUE = {"score": "sum", "breaks": "stuck", "alike": "small"}
_NEAR, _NEARLY = 0.05, 0.15  # of √d_k, and of ½ as it is
_ROUND = 0.1
_WHY = {
    "share": "that is a weight, which softmax makes of the scores.",
    "distance": "a distance is small where two vectors agree, and there a score is large.",
    "overflow": "softmax subtracts the largest score first, and nothing overflows.",
    "choice": "the winner is the same, divided or not. Dividing does not choose better.",
    "many": "however many keys there are, large scores still leave one of them nearly all the weight.",
    "adam": "Adam helps a little, and still leaves many wrong winners.",
}
BREATH = (
    "A score is a sum of dₖ products; sums of random products spread like √dₖ; softmax turns the spread into one winner, "
    "whom chance has chosen; what is nearly certain can hardly be corrected; divided by √dₖ the choice stays open, at "
    "every dₖ alike. Dividing does not choose better, and where dₖ is small, or the numbers start small, little changes."
)


def verdict(name: str, said: float | str, values: Values) -> tuple[str, str]:
    """Right, close or not quite; and what was said, with the reason where it is not right."""
    if name == "spread":
        return _of_spread(float(said), values["d_k"])
    if name == "power":
        return _of_power(float(said))
    said_so = QUESTIONS[name].options[str(said)]
    return (RIGHT, f"{said_so}.") if said == _TRUE[name] else (MISSED, f"“{said_so}”? {_capital(_WHY[str(said)])}")


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
    """Why a spread that is far from √d_k is not that of the raw scores."""
    if isclose(said, d_k, rel_tol=_ROUND):
        return "That is the variance; the standard deviation is its root."
    if isclose(said, 1, rel_tol=_ROUND):
        return "So far spreads one product, or a score once it is divided by √dₖ."
    if said > d_k:
        return "So far they would lie only if the products were larger, or agreed."
    return "Variances add up, one for each product, and the spread is the root of their sum."


def _of_power(said):
    off, text = abs(said - 0.5), f"the power {said:g}"
    if off < _ROUND / 2:
        return RIGHT, "the power ½, so √dₖ."
    grow = "grow" if said < 0.5 else "shrink"
    if off <= _NEARLY:
        return CLOSE, f"{text}. Its scores still {grow} a little with dₖ; at ½ they do not."
    return MISSED, f"{text}? Scores still {grow} with dₖ then, and the rate that suits one size fails another."
