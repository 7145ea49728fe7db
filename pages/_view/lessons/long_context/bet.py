"""What the bet of long_context comes to, and the line that is seen before it."""

from pages._view.bets import Outcome
from pages._view.lessons.long_context import figures, work
from pages._view.main_picture import Values
from pages._view.picture import Picture
from pages._view.theme import Profile, number
from sattn_core.lessons.long_context import crowd_score


def before(values: Values, profile: Profile) -> Picture:
    """The weight without the scale."""
    found = work.fading(values)
    kept = figures.share(found.weight("no_scale", values["context_length"]))
    said = f"Without the scale the key keeps {kept}; the lines of the other rules are hidden until you have bet."
    return work.MAIN.picture(values, profile).partly(said, keep=("no scale",), words=("no scale",))


def outcome(values: Values) -> Outcome:
    """The exact mean weight after 1/√d_k, in percent."""
    n, score = values["context_length"], values["score"]
    weight = work.fading(values).weight("vaswani", n)
    why = f"The others together weigh on average like one key of score {number(crowd_score(n))}; this one has {score}."
    return Outcome(100 * weight, why, text=figures.share(weight))
