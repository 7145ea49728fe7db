"""What the bet of new_lesson comes to."""

from pages._view.bets import Outcome
from pages._view.lessons.new_lesson import work
from pages._view.main_picture import Values
from pages._view.picture import Picture
from pages._view.theme import Profile


def before(values: Values, profile: Profile) -> Picture:
    """The variance of the raw scores."""
    hidden = "The variance of the scaled scores is hidden while the bet is open."
    return work.MAIN.picture(values, profile).partly(hidden, keep=("raw",), words=("Variance of the scores",))


def outcome(values: Values) -> Outcome:
    """The exact variances of the scaled scores, here and at twice the d_k, as far as d_k goes."""
    twice = {**values, "d_k": min(2 * values["d_k"], 1_024)}
    here, there = (round(work.measured(each).variance_theory[1], 9) for each in (values, twice))
    truth = "stays" if here == there else "grows" if there > here else "falls"
    return Outcome(truth, "Dividing by √dₖ takes the factor dₖ out of the variance.")
