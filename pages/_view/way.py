"""The way through a lesson: its steps as dots, the way back and the way on, as plain links for both front ends."""

from collections.abc import Mapping
from html import escape
from urllib.parse import urlencode

from pages._view.address import Address
from pages._view.lesson import STEP, Lesson
from pages._view.lessons import LESSONS, ORDER
from pages._view.shared import CARRIED, SHARED

_PAST, _HERE, _TO_COME = "past", "here", "to come"


def neighbours(lesson: Lesson) -> tuple[Lesson | None, Lesson | None]:
    """Return the lessons before it and after it, None at the ends."""
    every = [None, *LESSONS.values(), None]
    here = every.index(lesson)
    return every[here - 1], every[here + 1]


def first_step(lesson: Lesson) -> dict[str, str]:
    """Return what a link to a lesson says: its first step, if it has any."""
    return {STEP: lesson.steps[0].name} if lesson.steps else {}


def proposed(here: Lesson, query: Mapping[str, str]) -> dict[str, str]:
    """Return what a link along the path adds: the start proposes to bet."""
    return {"bet": "1"} if here.stem == ORDER[0] and "bet" not in query else {}


def html_of(here: Address) -> str:
    """Return dots, the way back and the way on as HTML; "" of a lesson without steps."""
    steps, step = here.lesson.steps, here.step
    if not steps:
        return ""
    at = steps.index(step)
    dots = "".join(_dot(here, i, at) for i in range(len(steps)))
    back = _link(here, at - 1, "←", 'rel="prev" aria-label="Previous step"') if at else ""
    named = f'<ol aria-label="Steps of this lesson">{dots}</ol>'
    return f'<nav class="way" data-way aria-label="Steps">{back}{named}{_on(here, at)}</nav>'


def _dot(here, i, at):
    state = _PAST if i < at else _HERE if i == at else _TO_COME
    current = ' aria-current="step"' if i == at else ""
    label = f'aria-label="Step {i + 1} of {len(here.lesson.steps)}"{current} data-state="{state}"'
    return f"<li>{_link(here, i, '', label)}</li>"


def _on(here, at):
    further = range(at + 1, len(here.lesson.steps))
    if further:
        to = next((i for i in further if not _is_withheld(here, here.lesson.steps[i])), at + 1)
        return _link(here, to, "Next →", 'rel="next" class="on"')
    after = neighbours(here.lesson)[1]
    if after is None:
        return ""
    said = {name: text for name, text in here.query.items() if name in SHARED or name in CARRIED}
    said |= first_step(after) | proposed(here.lesson, here.query)
    named = f'data-lesson="{after.stem}" title="{after.question}"'
    return f'<a rel="next" class="on" {named} href="{after.stem}{escape(_query(said))}">Next lesson →</a>'


def _link(here, i, text, rest):
    """Return the link to a step; none to one that would tell the answer of a bet that waits."""
    step = here.lesson.steps[i]
    if _is_withheld(here, step):
        return f'<a role="link" aria-disabled="true" {rest}>{text}</a>'
    return f'<a href="{escape(_query({**here.query, STEP: step.name}))}" data-step="{step.name}" {rest}>{text}</a>'


def _is_withheld(here, step):
    """Return True if a step would tell the answer of a bet that waits."""
    bet = here.bet
    return bet and bet.when and here.bet_waits and step.name not in (bet.when[1], *bet.earlier)


def _query(said):
    return f"?{urlencode(said)}" if said else ""
