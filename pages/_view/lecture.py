"""A lecture: a list of steps, `path` in an address, that clicker, wall and teacher's window follow.

A path is a name, path=lecture, or a list of lessons, each with or without one of its steps:
path=start,score_variance.draw,recap. A lesson without a step is at the step on which it opens.
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
    """A step of a lecture; `step` is "" for a lesson without steps."""

    stem: str
    step: str

    @property
    def lesson(self) -> Lesson:
        """The lesson of this step."""
        return LESSONS[self.stem]


class BadPath(ValueError):
    """A path that names an unknown or repeated step; its text says what is allowed."""


@lru_cache(maxsize=64)
def stops_of(text: str) -> tuple[Stop, ...]:
    """Return the steps of a path, none for ""; raise `BadPath` if a step is unknown or named twice."""
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
    """Return what is wrong with a path; "" for a valid one."""
    try:
        stops_of(text)
    except BadPath as problem:
        return str(problem)
    return ""


def stops_at(here: Address) -> tuple[Stop, ...]:
    """Return the steps of an address's path; none without a valid path."""
    text = str(here.linked(PATH))
    return () if problem_of(text) else stops_of(text)


def beside(here: Address) -> tuple[Stop | None, Stop | None]:
    """Return the stops before and after an address on its path; skip later stops that show a waiting bet's truth."""
    stops = stops_at(here)
    if not stops:
        return None, None
    before, after = around(stops, here.lesson.stem, here.step.name)
    while after and after.stem == here.lesson.stem and here.withholds(after.step):
        after = around(stops, *after)[1]
    return before, after


def other_lessons(here: Address) -> tuple[Stop | None, Stop | None]:
    """Return the nearest stops before and after an address on its path that belong to other lessons."""
    stops = stops_at(here)
    found = list(beside(here))
    for i, stop in enumerate(found):
        while stop and stop.stem == here.lesson.stem:
            stop = around(stops, *stop)[i]
        found[i] = stop
    return found[0], found[1]


def around(stops: tuple[Stop, ...], stem: str, step: str) -> tuple[Stop | None, Stop | None]:
    """Return the stops before and after a step, None at the ends.

    A step that is no stop is placed among the stops of its own lesson; if there are none, among all stops, by the order
    of all lessons.
    """
    here = Stop(stem, step)
    own = [each for each in stops if each.stem == stem] or [*stops]
    passed = [stops.index(each) for each in own if _place(each) < _place(here)]
    last = max(passed) if passed else stops.index(own[0]) - 1  # the last stop before this step
    after = stops.index(here) + 1 if here in stops else last + 1
    before = stops.index(here) - 1 if here in stops else last
    return (stops[before] if before >= 0 else None), (stops[after] if after < len(stops) else None)


def _place(stop):
    """Return the position of a step in the order of all lessons."""
    names = [each.name for each in stop.lesson.steps] or [""]
    return list(LESSONS).index(stop.stem), names.index(stop.step)
