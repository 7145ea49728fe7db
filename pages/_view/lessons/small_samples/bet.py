"""The small_samples lesson's bet: the picture before it, and its outcome."""

from pages._view.lesson_view import Outcome, Values
from pages._view.lessons.small_samples import work
from pages._view.picture import Picture
from pages._view.theme import Profile, number


def before(values: Values, profile: Profile) -> Picture:
    """Return the picture of a single draw, with the found and the expected variance; in a class, the empty picture."""
    if work.of_class(values) is not None:
        return work.STEPS["draw"].picture({**values, "phones": 0}, profile)
    asked = work.asked(values)
    names = (f"{asked.value} found", f"{asked.params.d_k} expected")
    said = f"A single draw: these four entries have variance {number(asked.variances[0], 2)}. Another draw differs."
    one = work.STEPS["draw"].picture({**values, "n_draws": 1}, profile)
    words = ("The question", f"dₖ = {values['d_k']:,}", *names)
    return one.partly(said, keep=("draws", "last draw", *names), words=words)


def outcome(values: Values) -> Outcome:
    """Return the exact mean of the variance of four entries."""
    asked = work.asked(values)
    n, ddof = asked.params.size**2, asked.params.ddof
    why = f"The {n} entries are compared with their own mean, which takes a quarter of the variance away."
    if ddof:
        why = f"Dividing by {n - ddof} instead of {n} makes up for comparing the entries with their own mean."
    return Outcome(asked.mean_theory, why, text=number(asked.mean_theory, 2))
