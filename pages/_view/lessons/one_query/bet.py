"""The one_query lesson's bet: the picture before it, and its outcome."""

from pages._view.lesson_view import Outcome, Values
from pages._view.lessons.one_query import figures, work
from pages._view.picture import Picture
from pages._view.theme import Profile
from sattn_core.example import KEY_WORDS
from sattn_core.lessons.one_query import COMPONENTS, EXAMPLE_KEY


def before(values: Values, profile: Profile) -> Picture:
    """Return the picture of the sums of invented products only: nothing random is added, no sentences are counted."""
    few = {**values, "d_k": min(values["d_k"], len(COMPONENTS))}
    shown = work.STEPS["wander"].picture(few, profile)
    layout = vars(shown.figure)["layout"]
    words = [layout["title"]["text"], *(each["text"] for each in layout["annotations"])]
    return shown.partly(shown.sentence, keep=(*KEY_WORDS, figures.ENDS), words=words)


def outcome(values: Values) -> Outcome:
    """Return the percentage of sentences whose top word is the one that the invented numbers favour."""
    result = work.result(values, "wander")
    n_drawn = result.params.d_k - result.n_invented
    second, first = sorted(result.invented_scores.scores)[-2:]
    why = (
        f"Chance adds {n_drawn:,} product{'s' if n_drawn > 1 else ''} of ±1 to each score; the invented numbers give a "
        f"lead of {first - second:g}."
    )
    if not n_drawn:
        why = f"Up to dₖ = {len(COMPONENTS)} nothing is random, so every sentence has the same scores."
    return Outcome(float(100 * result.sentences.on_top[EXAMPLE_KEY]), why)
