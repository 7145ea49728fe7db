"""The long_context lesson's bet: the part of the line drawn before it, and its outcome."""

from pages._view.lesson_view import Outcome, Values
from pages._view.lessons.long_context import figures, work
from pages._view.picture import Picture
from pages._view.theme import Profile, number
from sattn_core.lessons.long_context import crowd_score


def before(values: Values, profile: Profile) -> Picture:
    """Return the picture with only the start of the line of 1/√d_k, which does not reveal the answer."""
    n = figures.far_fewer(values["context_length"])
    hidden = "The lines are hidden while the bet is open."
    if n:
        kept = figures.share(work.fading(values).weight("vaswani", n))
        hidden = f"Among {n:,} keys it keeps {kept}; the rest of the line is hidden while the bet is open."
    return work.KEYS.picture(values, profile).partly(hidden, keep=("1/√dₖ",), words=(figures.UPRIGHT,), last=n)


def outcome(values: Values) -> Outcome:
    """Return the exact mean weight after 1/√d_k, in percent."""
    n, score = values["context_length"], values["key_score"]
    weight = work.fading(values).weight("vaswani", n)
    why = f"The others together weigh on average like one key of score {number(crowd_score(n))}; this one has {score}."
    return Outcome(100 * weight, why, text=figures.share(weight))
