"""A lecture: the steps that clicker, wall and teacher's window follow, one after another. path=… in an address says it.

Either a name, path=lecture, or a list of one's own: path=start,score_variance.draw,recap names lessons, and after a dot
a step. A lesson alone is at the step that its address opens.
"""

from functools import lru_cache
from typing import NamedTuple

from pages._view.address import Address
from pages._view.lesson import Lesson
from pages._view.lessons import LESSONS
from pages._view.shared import PATH

LECTURES = {
    "lecture": "start.drag,score_variance.draw,score_variance.straighten,softmax_saturation.divisor,"
    "softmax_saturation.too_flat,small_samples.draw,wrong_choice.rows,recap",
}


class Stop(NamedTuple):
    """A step of a lecture; step is "" where the lesson has none."""

    stem: str
    step: str

    @property
    def lesson(self) -> Lesson:
        """The lesson of this step."""
        return LESSONS[self.stem]


class BadPath(ValueError):
    """A list that names something else; the text says what it may name."""


@lru_cache(maxsize=64)
def stops_of(text: str) -> tuple[Stop, ...]:
    """Return the steps that a path names, none of ""; raise `BadPath` if one is no step, or is named twice."""
    stops: list[Stop] = []
    for name in filter(None, LECTURES.get(text, text).split(",")):
        stop = _stop(name.strip())
        if stop in stops:
            raise BadPath(f"names {name} twice; name each step once")
        stops.append(stop)
    return tuple(stops)


def _stop(name):
    stem, _, step = name.partition(".")
    if stem not in LESSONS:
        allowed = ", ".join((*LECTURES, *LESSONS))
        raise BadPath(f"names “{stem[:24]}”, which is no lesson; these are allowed: {allowed}")
    names = [each.name for each in LESSONS[stem].steps]
    if step and step not in names:
        allowed = f"its steps are {', '.join(names)}" if names else "it has none: name the lesson alone"
        raise BadPath(f"names “{step[:24]}”, which is no step of {stem}; {allowed}")
    return Stop(stem, step or LESSONS[stem].step(LESSONS[stem].opens).name)


def problem_of(text: str) -> str:
    """Return what is wrong with a path, "" if nothing."""
    try:
        stops_of(text)
    except BadPath as problem:
        return str(problem)
    return ""


def stops_at(here: Address) -> tuple[Stop, ...]:
    """Return the steps of the path that an address names; none where it names none, or one that cannot be read."""
    text = str(here.linked(PATH))
    return () if problem_of(text) else stops_of(text)


def beside(here: Address) -> tuple[Stop | None, Stop | None]:
    """Return the stops before and after an address on its path; after it none that would tell the answer of a bet."""
    stops = stops_at(here)
    if not stops:
        return None, None
    before, after = around(stops, here.lesson.stem, here.step.name)
    while after and after.stem == here.lesson.stem and here.withholds(after.step):
        after = around(stops, *after)[1]
    return before, after


def other_lessons(here: Address) -> tuple[Stop | None, Stop | None]:
    """Return the nearest stops before and after an address on its path that are of other lessons."""
    stops = stops_at(here)
    found = list(beside(here))
    for i, stop in enumerate(found):
        while stop and stop.stem == here.lesson.stem:
            stop = around(stops, *stop)[i]
        found[i] = stop
    return found[0], found[1]


def around(stops: tuple[Stop, ...], stem: str, step: str) -> tuple[Stop | None, Stop | None]:
    """Return the stops before and after a step, None at the ends.

    Of a step that is no stop these are the nearest in its own lesson, and what follows; of a lesson without a stop,
    those beside it in the order of all lessons.
    """
    here = Stop(stem, step)
    own = [each for each in stops if each.stem == stem] or [*stops]
    passed = [stops.index(each) for each in own if _place(each) < _place(here)]
    last = max(passed) if passed else stops.index(own[0]) - 1  # the stop that lies behind
    after = stops.index(here) + 1 if here in stops else last + 1
    before = stops.index(here) - 1 if here in stops else last
    return (stops[before] if before >= 0 else None), (stops[after] if after < len(stops) else None)


def _place(stop):
    """Return the place of a step in the order of all lessons."""
    names = [each.name for each in stop.lesson.steps] or [""]
    return list(LESSONS).index(stop.stem), names.index(stop.step)
