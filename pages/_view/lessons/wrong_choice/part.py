"""A phone's part in a class: one of the hundred rows, at the learning rate that the class has chosen."""

from math import isnan

from pages._view import compute
from pages._view.lesson_view import Part, Values
from pages._view.lessons.wrong_choice import work
from pages._view.lessons.wrong_choice.figures import share
from sattn_core.lessons.wrong_choice import PUT_RIGHT, measure_wrong_choices

_DIVIDED = ("with raw scores", "divided by √dₖ", "divided by dₖ")


def part(place: int, values: Values) -> Part:
    """Return the part of the phone at this place: the weights on its row's right key after the steps on the wall."""
    result = compute.result(measure_wrong_choices, work.params(values))
    found = result.right_weight[:, values["steps"], place].tolist()
    said = "; ".join(f"{by}: {_became(weight)}" for by, weight in zip(_DIVIDED, found, strict=True))
    return Part((f"Your row is number {place + 1}. The weight on its right key, {said}.",), found)


def _became(weight):
    """Return a weight and its meaning as text; a row that overflowed at a very large rate has no weight."""
    if isnan(weight):
        return "lost, for its numbers overflowed"
    return f"{share(weight)}, {'put right' if weight > PUT_RIGHT else 'still wrong'}"
