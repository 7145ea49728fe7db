"""The wrong_choice lesson's bet: the picture before it, and its outcome."""

from pages._view import compute
from pages._view.lesson_view import Outcome, Values
from pages._view.lessons.wrong_choice import figures, work
from pages._view.lessons.wrong_choice.declaration import COUNTS
from pages._view.picture import Picture
from pages._view.theme import Profile
from sattn_core.lessons.wrong_choice import NEARLY_ALL, measure_wrong_choices

_ALIKE = 5  # counts of rows that differ by at most this are alike
_WHY = {
    False: "Where nearly all the weight is on a wrong key, softmax passes on hardly any gradient.",
    True: "Here the raw scores are small enough for gradient descent to move them.",
}


def before(values: Values, profile: Profile) -> Picture:
    """Return the picture of the rows before the first step."""
    return figures.start(work.row(values), profile)


def outcome(values: Values) -> Outcome:
    """Return the number of rows put right without the scale, and the option nearest to it."""
    params = work.params(values)
    found = compute.kept(measure_wrong_choices, params)
    if found is None and compute.needs_button(params):
        return Outcome(None, "Compute the picture to see what comes of it.")
    found = found or compute.result(measure_wrong_choices, params)
    count, scaled = map(int, found.put_right[:2, values["steps"]])
    why = _WHY[count >= NEARLY_ALL]
    if count < NEARLY_ALL and count >= scaled - _ALIKE:
        why = f"At so small a dₖ the scale hardly matters: {scaled} come right with ÷ √dₖ."
    return Outcome(min(COUNTS, key=lambda each: abs(count - int(each))), why, f"{count}")
