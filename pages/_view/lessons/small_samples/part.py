"""A phone's part in a class: ten products of its own."""

from pages._view import compute
from pages._view.lesson_view import Part, Values
from pages._view.theme import number
from sattn_core.draws.phones import phone_draws
from sattn_core.lessons.small_samples import ASKED_VALUE


def part(place: int, values: Values) -> Part:
    """Return the part of the phone with this number: its variances, and its first draw in full."""
    found = compute.result(phone_draws, place, ddof=int(values["ddof"]), seed=values["seed"])
    first, *others = found.variances.tolist()
    named = (("A", found.first_A), ("B", found.first_B), ("A B", found.first_product))
    return Part(
        (
            f"The four entries of your first product have variance {number(first)}. Someone else found {ASKED_VALUE}.",
            f"Your other nine: {', '.join(number(each, 2) for each in others)}.",
        ),
        (first, *others),
        [(name, [[f"{each:.2f}".replace("-", "−") for each in row] for row in matrix]) for name, matrix in named],
    )
