"""The unit_variance lesson's bet: the picture before it, and its outcome."""

from pages._view.lesson_view import Outcome, Values
from pages._view.lessons.unit_variance import work
from pages._view.lessons.unit_variance.declaration import SCHEME_NAMES, TO_BET_ON
from pages._view.lessons.unit_variance.figures import UPRIGHT
from pages._view.picture import Picture
from pages._view.theme import Profile, listed, number

_HIDDEN = "The scores are q times k, added up over dₖ components; they are hidden while the bet is open."
_UNIT = 0.02  # a variance closer to 1 than this is called 1


def before(values: Values, profile: Profile) -> Picture:
    """Return the picture of the stages up to k only, for every initialisation."""
    last, every = work.sweep(values).stages.index("k"), ("assumed", "others", "chosen", "expected")
    return work.MAIN.picture(values, profile).partly(_HIDDEN, keep=every, words=(UPRIGHT,), last=last)


def outcome(values: Values) -> Outcome:
    """Return the one of three initialisations that gives scaled scores variance 1, or none."""
    sweep = work.sweep(values)
    at = [(sweep.schemes.index(name), sweep.dims.index(values["d_k"])) for name in TO_BET_ON]
    scores = [sweep.std[i, j, sweep.stages.index("scaled_scores")] ** 2 for i, j in at]
    truth = next((name for name, each in zip(TO_BET_ON, scores, strict=True) if abs(each - 1) < _UNIT), "")
    each = [f"{number(variance)} for {SCHEME_NAMES[name]}" for name, variance in zip(TO_BET_ON, scores, strict=True)]
    why = f"The variance of scaled scores is Var(qᵢ) times Var(kᵢ): {listed(each)}."
    return Outcome(truth, why, text="" if truth else "none of the three")
