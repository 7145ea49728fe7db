"""What a phone of a class has of the hundred rows: one, at the learning rate that the class has chosen."""

from pages._view import compute
from pages._view.lesson_view import Part, Values
from pages._view.lessons.wrong_choice import work
from pages._view.theme import percent
from sattn_core.lessons.wrong_choice import PUT_RIGHT, measure_wrong_choices

_DIVIDED = ("with raw scores", "divided by √dₖ", "divided by dₖ")


def part(place: int, values: Values) -> Part:
    """The weight on the right key of the row at this place, after the steps on the wall."""
    result = compute.result(measure_wrong_choices, work.params(values))
    found = result.right_weight[:, values["steps"], place].tolist()
    said = [
        f"{by}: {percent(weight, 0)}, {'put right' if weight > PUT_RIGHT else 'still wrong'}"
        for by, weight in zip(_DIVIDED, found, strict=True)
    ]
    return Part((f"Your row is number {place + 1}. The weight on its right key, {'; '.join(said)}.",), found)
