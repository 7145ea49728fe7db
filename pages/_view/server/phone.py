"""A phone's page in a room: the wall's question, the phone's answer, and later the truth beside it."""

from dataclasses import dataclass, replace
from typing import Any

from pages._view._streamlit import path_of
from pages._view.address import Address, query_of
from pages._view.bet_words import both, in_fact, verdict, written
from pages._view.classroom.limits import Network
from pages._view.classroom.moment import VOTE, Moment
from pages._view.classroom.room import FIRST, LASTS, UNDO, Answer, Room
from pages._view.classroom.store import store
from pages._view.kinds import Choice, Drawing
from pages._view.lecture import stops_of
from pages._view.lesson import CLASS, GUESSED_AT
from pages._view.lessons import LESSONS, ORDER, path_of_page
from pages._view.server import html
from pages._view.shared import HOME, JOINING
from pages._view.stage import Stage

_LOOK = "Look at the wall."
# Links to take home: the first page, and the lecture's last lesson, which asks what was seen.
_HOME = ((ORDER[0], "All lessons"), (stops_of("lecture")[-1].stem, "Five questions: what have you seen?"))
_HOURS, _MINUTES = round(LASTS / 3600), round(UNDO / 60)
KEPT = (
    "Kept here: a random number in a cookie of this browser, and with it your answers in this room. "
    "No name and no address; of your network a scrambled number for an hour, so that nobody can fill the room. "
    f"All of it is deleted {_MINUTES} minutes after the room is closed, and after {_HOURS} hours at the latest."
)


@dataclass(frozen=True)
class Phone:
    """A phone in a room. number: its number among phones that have answered or drawn, else None."""

    token: str
    place: str  # the path of its page
    number: int | None
    answer: Answer | None = None
    drawn: int | None = None
    first: Answer | None = None  # the answer from before the question was asked again


def join(moment: Moment, cookie: str, network: Network) -> None:
    """Let a phone join the room, if it has not joined; it takes a place only with its first answer or draw."""
    if not store().has_joined(moment.room.code, cookie):
        store().join(moment.room.code, cookie, network)


def phone_at(moment: Moment, cookie: str, token: str, place: str) -> Phone:
    """Return the phone with its stored number, answers and draw."""
    code, rooms = moment.room.code, store()
    number = rooms.number_of(code, cookie)
    answer = rooms.answer_of(code, moment.room.stem, cookie) if moment.kind else None
    drawn = rooms.drawn(code, cookie) if moment.draws else None
    first = rooms.answer_of(code, moment.room.stem + FIRST, cookie) if moment.kind else None
    return Phone(token, place, number, answer, drawn, first)


def page(
    moment: Moment,
    phone: Phone,
    problem: str = "",
    typed: dict[str, str] | None = None,
    *,
    changes: bool = False,
    again: str = "",
) -> str:
    """Return the whole page. problem: what is wrong with the typed text, which stays in its field.

    changes: True if somebody without scripts wants to change an answer. again: the action that the page repeats by
    itself.
    """
    values = _values(moment, phone, problem, typed or {}, changes=changes) | {"again": again}
    stays = problem or changes or (values["fields"] and phone.answer is None)
    refresh = 0 if stays else 5  # seconds, without scripts; a text that is being typed must not be lost
    room = {"code": moment.room.code, "number": None if phone.number is None else phone.number + 1, "kept": KEPT}
    return html.render("phone.html", refresh=refresh, **room, **values)


def goodbye(room: Room, root: str) -> str:
    """Return the page of a phone whose room is closed, with a link to the wall's last picture."""
    here = Address(LESSONS[room.stem], query_of(room.query))
    shown = (f"{root}{path_of_page(room.stem)}{here.shared()}", here.lesson.question)
    return html.render("goodbye.html", title="The class is over", links=[shown, (root, "All lessons")])


def part(moment: Moment, phone: Phone, problem: str = "", typed: dict[str, str] | None = None) -> str:
    """Return the part of the page that changes with the room."""
    return html.render("phone_main.html", **_values(moment, phone, problem, typed or {}))


def _values(moment, phone, problem, typed, *, changes=False):
    return {
        "title": moment.lesson.question,
        "mark": moment.mark,
        "which": moment.which,
        "place": phone.place,
        "token": phone.token,
        "problem": problem,
        "question": moment.question,
        "answered": phone.answer is not None,
        "changes": changes or bool(problem),
        "again": "",
        **_answer(moment, phone, typed),
        **_own_part(moment, phone),
        "look": _LOOK,
        **_between(moment),
    }


def _between(moment):
    """Return a phone's text while nothing is asked: the wall's line, or links to take home at the end."""
    if moment.screen == HOME:
        links = [(path_of(path_of_page(stem)), label) for stem, label in _HOME]
        return {"wall": ["The lecture is over. To take home:"], "links": links}
    if moment.kind or moment.draws:
        return {"wall": [], "links": []}
    if moment.screen == JOINING:
        return {"wall": ["You are in. The wall shows how to join."], "links": []}
    line = moment.address.step.line if moment.lesson.steps else ""
    return {"wall": [f"On the wall: {line}" if line else "", _LOOK], "links": []}


def _answer(moment, phone, typed):
    """Return the phone's answer and the fields for it. fields: None if the phone cannot answer."""
    if not moment.is_open:
        told = [*_told(moment, phone), _first(moment, phone)] if moment.kind else []
        return {"late": "", "mine": told, "fields": None}
    locked, given = moment.asked.locked, phone.answer is not None
    return {
        "late": f"It is too late to answer. {_LOOK}" if locked and not given else "",
        "mine": [f"Your answer: {_said(moment, phone)}.", _LOOK] if given else [],
        "fields": None if locked else _fields(moment, typed or _given(moment, phone)),
    }


def _given(moment, phone):
    """Return the phone's answer as field values."""
    if phone.answer is None:
        return {}
    value = moment.read(phone.answer.text)[0]
    if isinstance(value, tuple):
        return {f"answer_{i}": each for i, each in enumerate(value)}
    return {"answer": value if isinstance(value, str) else f"{value:g}"}


def _told(moment, phone):
    """Return sentences with the phone's answer and the truth at the answer's settings."""
    mine = phone.answer
    if moment.kind == VOTE:
        return ["You did not choose." if mine is None else f"You chose {_said(moment, phone)}."]
    bet = moment.lesson.bet
    if moment.draws and phone.drawn is None:  # the truth comes once the phone has drawn
        return [] if mine is None else [f"Your bet: {_said(moment, phone)}."]
    if mine is None:
        found = moment.outcome()
        return ["You did not bet.", in_fact(bet, found), found.why]
    found, own = moment.outcome(mine.settings), moment.read(mine.text)[0]
    at = _where(moment, mine)
    return [f"{at}{': ' if at else ''}{verdict(bet, own, found.truth)} {both(bet, own, found)}", found.why]


def _first(moment, phone):
    """Return the phone's answer from before the question was asked again, with a verdict; "" if there is none."""
    first = phone.first
    if first is None:
        return ""
    said = f"Your first answer: {_said(moment, replace(phone, answer=first))}."
    if moment.kind == VOTE:
        return said
    value, truth = moment.read(first.text)[0], moment.outcome(first.settings).truth
    return f"{said} {verdict(moment.lesson.bet, value, truth)}"


def _said(moment, phone):
    mine = phone.answer
    if moment.kind == VOTE:
        return mine.text
    at = _where(moment, mine)
    return f"{_in_words(moment.lesson.bet, moment.read(mine.text)[0])}{f' ({at})' if at else ''}"


def _where(moment, answer):
    """Return the values of the sliders when a bet was placed; "" if they are the wall's."""
    here = Address(moment.lesson, {**moment.query, CLASS: answer.text, GUESSED_AT: answer.settings})
    return Stage(here).bet_at


def _in_words(bet, value):
    return ", ".join(f"{each:,}" for each in value) if isinstance(bet.answer, Drawing) else written(bet, value)


def _fields(moment, typed):
    """Return the options of an answer; for numbers each field's name, label, lowest and highest value, and text."""
    if moment.kind == VOTE:
        return _options("Your choice", [(f"{each:g}", f"{each:,g}") for each in moment.lesson.together.options], typed)
    answer: Any = moment.lesson.bet.answer
    if isinstance(answer, Choice):
        return _options(answer.label, [(each, answer.called(each)) for each in answer.options], typed)
    if isinstance(answer, Drawing):
        labels = [answer.label.format(f"{each:,}") for each in answer.at]
        numbers = [(f"answer_{i}", label, 0, answer.most) for i, label in enumerate(labels)]
    else:
        label = f"{answer.label}{moment.lesson.bet.suffix.replace(' ', ', in ')}: {answer.low:g} to {answer.high:g}"
        numbers = [("answer", label, answer.low, answer.high)]
    return {"choices": [], "numbers": [(*each, typed.get(each[0], "")) for each in numbers]}


def _options(legend, choices, typed):
    return {"legend": legend, "choices": choices, "chosen": typed.get("answer", ""), "numbers": []}


def _own_part(moment, phone):
    """Return the phone's own part of the experiment, or the task that it may do now."""
    together = moment.lesson.together
    if not together or moment.is_open or not (moment.draws or moment.kind == VOTE):
        return {"draws": None, "drawn": None}
    number = phone.number if together.chooses else phone.drawn
    if number is None:
        return {"draws": None if together.chooses else together, "drawn": None}
    return {"draws": None, "drawn": moment.part(number)}
