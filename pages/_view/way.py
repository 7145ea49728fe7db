"""The way through a lesson as plain HTML for both front ends: line, steps, next link, and tries."""

from collections.abc import Mapping
from html import escape
from urllib.parse import urlencode

from pages._view import lecture, unbroken
from pages._view.address import Address
from pages._view.kinds import Drawing
from pages._view.lesson import ANSWERS, STEP, Lesson
from pages._view.lessons import LESSONS, ORDER
from pages._view.shared import CARRIED, SHARED
from pages._view.stage import Line

_PAST, _HERE, _TO_COME = "past", "here", "to come"


def neighbours(lesson: Lesson) -> tuple[Lesson | None, Lesson | None]:
    """Return the lessons before and after a lesson, None at the ends."""
    every = [None, *LESSONS.values(), None]
    here = every.index(lesson)
    return every[here - 1], every[here + 1]


def lessons_beside(here: Address) -> tuple[lecture.Stop | None, lecture.Stop | None]:
    """Return the nearest steps of other lessons before and after an address, on its path or in the usual order."""
    if lecture.stops_at(here):
        return lecture.other_lessons(here)
    before, after = neighbours(here.lesson)
    return _first(before), _first(after)


def _first(lesson):
    return lecture.Stop(lesson.stem, first_step(lesson).get(STEP, "")) if lesson else None


def first_step(lesson: Lesson) -> dict[str, str]:
    """Return the query of a link to a lesson: its first step, if it has any."""
    return {STEP: lesson.steps[0].name} if lesson.steps else {}


def switch_html(here: Address) -> str:
    """Return the switch that asks for the bet before the picture; "" on a step without a bet."""
    bet = here.step.bet
    if bet is None:
        return ""
    draws, on = isinstance(bet.answer, Drawing), here.bet is not None
    wish = "0" if on else "draw" if draws else "1"
    query = {**here.without(ANSWERS).query, "bet": wish}
    label, checked = "Draw it first" if draws else "Bet first", str(on).lower()
    return (
        f'<a class="switch" role="switch" aria-checked="{checked}" data-sets="bet={wish}" '
        f'href="{escape(_query(query))}">{label}</a>'
    )


def proposed(here: Lesson, query: Mapping[str, str]) -> dict[str, str]:
    """Return the parameters that a link along the path adds: bet=1 on the start page."""
    return {"bet": "1"} if here.stem == ORDER[0] and "bet" not in query else {}


def line_html(line: Line, *, asks: bool) -> str:
    """Return the line of a step, or the result of a bet on it.

    asks: True if the step has a bet, whose question may need more room.
    """
    bold, rest, why = map(unbroken.html_of, line)
    kinds = " ".join(["line", *["told"] * bool(why), *["asks"] * asks])
    parts = (f"<b>{bold}</b>" if bold else "", rest, f'<span class="why">{why}</span>' if why else "")
    return f'<p class="{kinds}">{" ".join(filter(None, parts))}</p>'


def tries_html(here: Address) -> str:
    """Return the tries of a step as links to their settings; "" while a bet waits and on a wall."""
    if here.bet_waits or here.is_wall:
        return ""
    return f'<p class="tries">{"".join(_try(here, each) for each in here.step.tries)}</p>' if here.step.tries else ""


def _try(here, each):
    sets = {name: here.known(name).write(value) for name, value in each.settings.items()}
    done = all(here.values[name] == value for name, value in each.settings.items())
    current = ' aria-current="true"' if done else ""
    said, href = escape(urlencode(sets)), escape(_query({**here.query, **sets}))
    named = f'class="go" data-try="{each.key}" data-sets="{said}"{current}'
    return f'<a {named} href="{href}"><span>{unbroken.html_of(each.promise)}</span></a>'


def ended(here: Address) -> dict[str, str]:
    """Return the defaults of the drawer's settings that a try of this step has changed.

    A link to another step resets these settings. Shared controls, such as the number of keys, keep their values.
    """
    found: dict[str, str] = {}
    for each in here.step.tries:
        for name, value in each.settings.items():
            usual = here.known(name).default
            if _is_hidden(here, name) and here.values[name] == value != usual:
                found[name] = here.known(name).write(usual)
    return found


def _is_hidden(here, name):
    return name in here.lesson.settings and name not in (*here.step.followed, *here.step.in_sight)


def html_of(here: Address) -> str:
    """Return the navigation of a lesson: a dot for each step, previous and next link; "" for a lesson without steps."""
    steps, step = here.lesson.steps, here.step
    if not steps:
        return ""
    at = [each.name for each in steps].index(step.name)
    dots = "".join(_dot(here, i, at) for i in range(len(steps)))
    before = _before(here, at)
    back = "" if before is None else _link(here, before, "←", 'rel="prev" aria-label="Previous step"')
    named = f'<ol aria-label="Steps of this lesson">{dots}</ol>'
    return f'<nav class="way" data-way aria-label="Steps">{back}{named}{_on(here, at)}</nav>'


def _dot(here, i, at):
    state = _PAST if i < at else _HERE if i == at else _TO_COME
    current = ' aria-current="step"' if i == at else ""
    label = f'aria-label="Step {i + 1} of {len(here.lesson.steps)}"{current} data-state="{state}"'
    return f"<li>{_link(here, i, '', label)}</li>"


def _before(here, at):
    """Return the index of the previous step; None if there is none in this lesson."""
    if not lecture.stops_at(here):
        return at - 1 if at else None
    stop = lecture.beside(here)[0]
    return here.lesson.steps.index(here.lesson.step(stop.step)) if stop and stop.stem == here.lesson.stem else None


def _on(here, at):
    further = [*range(at + 1, len(here.lesson.steps))]
    if lecture.stops_at(here):
        stop = lecture.beside(here)[1]
        further = [here.lesson.steps.index(here.lesson.step(stop.step))] if stop and stop.lesson is here.lesson else []
    if further:
        to = next((i for i in further if not here.withholds(here.lesson.steps[i].name)), further[0])
        return _link(here, to, "Next →", 'rel="next" class="on"')
    stop = lessons_beside(here)[1]
    if stop is None:
        return ""
    after = stop.lesson
    if here.bet_waits:
        return '<a role="link" aria-disabled="true" rel="next" class="on">Next lesson →</a>'
    said = {name: text for name, text in here.query.items() if name in SHARED or name in CARRIED}
    said |= ({STEP: stop.step} if stop.step else {}) | proposed(here.lesson, here.query)
    named = f'data-lesson="{after.stem}" title="{after.question}"'
    return f'<a rel="next" class="on" {named} href="{after.stem}{escape(_query(said))}">Next lesson →</a>'


def _link(here, i, text, rest):
    """Return the link to a step; disabled if the step would show the truth of a bet that waits."""
    step = here.lesson.steps[i]
    if here.withholds(step.name):
        return f'<a role="link" aria-disabled="true" {rest}>{text}</a>'
    kept = here.query if step is here.step else here.without(ended(here)).query
    return f'<a href="{escape(_query({**kept, STEP: step.name}))}" data-step="{step.name}" {rest}>{text}</a>'


def _query(said):
    return f"?{urlencode(said)}" if said else ""
