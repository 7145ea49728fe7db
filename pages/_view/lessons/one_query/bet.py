"""What the bet of one_query comes to, and what of its picture is known before."""

from pages._view.bets import Outcome
from pages._view.lessons.one_query import figures, work
from pages._view.main_picture import Values
from pages._view.picture import Picture
from pages._view.theme import Profile
from sattn_core.lessons.one_query import EXAMPLE_KEY


def outcome(values: Values) -> Outcome:
    """In how many of a hundred sentences the word is on top for which the invented numbers speak."""
    result = work.result(values)
    n_drawn = result.params.d_k - result.n_invented
    second, first = sorted(result.invented_scores.scores)[-2:]
    why = (
        f"Chance adds {n_drawn:,} products of ±1 to each score; the invented numbers give a lead of {first - second:g}."
    )
    if not n_drawn:
        why = "Nothing is drawn yet, so every sentence has the same scores."
    return Outcome(float(100 * result.sentences.on_top[EXAMPLE_KEY]), why)


def before(values: Values, profile: Profile) -> Picture:
    """The sums of the invented products, which the random ones are still to be added to."""
    return figures.before(work.result(values), profile)
