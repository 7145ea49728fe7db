"""Calls to the core for the recap page: the picture of each question, once it is answered."""

from pages._view import compute
from pages._view.figures import story as drawn
from pages._view.lesson_view import Values
from pages._view.lessons.recap import answers, figures
from pages._view.lessons.recap.declaration import STORY
from pages._view.picture import Picture
from pages._view.theme import Profile
from sattn_core.lessons import recap as core
from sattn_core.story import StoryParams, tell_story

Said = float | str


def verdict(name: str, said: Said, values: Values) -> tuple[str, str]:
    """Return the verdict (right, close or not quite), and the reason."""
    chosen = divided(said, values).chosen if name == "power" else None
    return answers.verdict(name, said, values, chosen)


def picture(name: str, said: Said, values: Values, profile: Profile) -> Picture:
    """Return the picture that answers a question."""
    return _PICTURES[name](said, values, profile)


def story(values: Values, profile: Profile) -> Picture:
    """Return the story as one picture."""
    return drawn.story(STORY, compute.result(tell_story, StoryParams(seed=values["seed"])), profile)


def _score(_said, values, profile):
    return figures.growing_sum(compute.result(core.measure_sum, values["seed"]), values["seed"], profile)


def _spread(said, values, profile):
    params = core.SpreadParams(values["d_k"], values["seed"])
    return figures.sums_spread(compute.result(core.measure_spread, params), said, profile)


def _corrected(values, d_k, size=1.0):
    return compute.result(core.measure_correction, core.CorrectionParams(d_k, size, values["seed"]))


def _breaks(_said, values, profile):
    return figures.put_right_or_not(_corrected(values, core.LARGE), profile)


def divided(said: Said, values: Values) -> core.DivisorResult:
    """Return the rows put right with the learner's power of d_k, or with √d_k before there is an answer."""
    return compute.result(core.compare_divisors, core.DivisorParams(0.5 if said == "" else float(said), values["seed"]))


def _power(said, values, profile):
    return figures.one_rate(divided(said, values), profile)


def _alike(_said, values, profile):
    results = (
        _corrected(values, core.SMALL),
        _corrected(values, core.LARGE, core.TENTH),
        _corrected(values, core.LARGE),
    )
    return figures.no_difference(results, profile)


_PICTURES = {"score": _score, "spread": _spread, "breaks": _breaks, "power": _power, "alike": _alike}
