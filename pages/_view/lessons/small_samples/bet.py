"""What the bet of small_samples comes to."""

from pages._view.bets import Outcome
from pages._view.lessons.small_samples import work
from pages._view.main_picture import Values
from pages._view.theme import number


def outcome(values: Values) -> Outcome:
    """The exact mean of the variance of four entries."""
    asked = work.asked(values)
    n, ddof = asked.params.size**2, asked.params.ddof
    why = f"The {n} entries are compared with their own mean, which takes a quarter of the variance away."
    if ddof:
        why = f"Dividing by {n - ddof} instead of {n} makes up for comparing the entries with their own mean."
    return Outcome(asked.mean_theory, why, text=number(asked.mean_theory, 2))
