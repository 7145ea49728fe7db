"""What stands on a phone in a room: the question of the wall, one's own answer, and then the truth beside it."""

from dataclasses import dataclass
from typing import Any

from pages._view.bet_words import both, in_fact, verdict, written
from pages._view.classroom.moment import VOTE, Moment
from pages._view.classroom.room import LASTS
from pages._view.classroom.store import store
from pages._view.kinds import Choice, Drawing
from pages._view.server import html

_LOOK = "Look at the wall."
_HOURS = round(LASTS / 3600)
KEPT = (
    "Kept here: a random number in a cookie of this browser, and with it your answers in this room. "
    f"No name and no address. All of it is deleted with the room, after {_HOURS} hours at the latest."
)


@dataclass(frozen=True)
class Phone:
    """One phone in a room. number: its place among those who joined; text: its answer as it is kept, None if none."""

    token: str
    place: str  # the path of its page
    number: int
    text: str | None = None
    drawn: int | None = None


def phone_at(moment: Moment, cookie: str, token: str, place: str) -> Phone:
    """What the room knows of a phone, which joins it if it is new."""
    code, rooms = moment.room.code, store()
    number = rooms.join(code, cookie)
    text = rooms.answer_of(code, moment.room.stem, cookie) if moment.kind else None
    drawn = rooms.drawn(code, cookie) if moment.draws else None
    return Phone(token, place, number, text, drawn)


def page(moment: Moment, phone: Phone, problem: str = "", typed: dict[str, str] | None = None) -> str:
    """The whole page. problem: what was wrong with what was typed, which is still there."""
    asks = moment.is_open and phone.text is None and not moment.asked.locked
    foot = html.paragraphs([f"Room {moment.room.code}. You are number {phone.number + 1}."])
    foot += f"<details><summary>What is kept</summary>{html.paragraphs([KEPT])}</details>"
    foot += '<noscript><p><a href="">Look again</a></p></noscript>'
    inside = part(moment, phone, problem, typed)
    return html.document(moment.lesson.question, inside, news=True, refresh=0 if asks else 5, footer=foot)


def part(moment: Moment, phone: Phone, problem: str = "", typed: dict[str, str] | None = None) -> str:
    """What changes when the room does."""
    parts = [f"<h1>{html.escape(moment.lesson.question)}</h1>", html.paragraphs([problem], "wrong")]
    if moment.kind:
        parts.append(_question(moment, phone, typed or {}))
    if moment.lesson.together and (moment.draws or (moment.kind == VOTE and not moment.is_open)):
        parts.append(_own_part(moment, phone))
    if not (moment.kind or moment.draws):
        parts.append(html.paragraphs([_LOOK]))
    return html.main_part("".join(parts), mark=moment.mark, news=f"{phone.place}/news", asked=moment.which)


def _question(moment, phone, typed):
    asked = html.paragraphs([moment.question])
    if not moment.is_open:
        return asked + _told(moment, phone)
    if phone.text is None and moment.asked.locked:
        return asked + html.paragraphs([f"It is too late to answer. {_LOOK}"])
    if phone.text is None:
        return asked + _form(moment, phone, typed)
    said = html.paragraphs([f"Your answer: {_said(moment, phone)}.", _LOOK], "mine")
    if moment.asked.locked:
        return asked + said
    return f"{asked}{said}<details><summary>Change it</summary>{_form(moment, phone, typed)}</details>"


def _told(moment, phone):
    """One's own answer beside the truth."""
    if moment.kind == VOTE:
        own = "You did not choose." if phone.text is None else f"You chose {_said(moment, phone)}."
        return html.paragraphs([own], "mine")
    found, lesson = moment.outcome(), moment.lesson
    if phone.text is None:
        return html.paragraphs(["You did not bet.", in_fact(lesson, found), found.why], "mine")
    own = moment.read(phone.text)[0]
    told = verdict(lesson.bet, own, found.truth)
    return html.paragraphs([f"{told} {both(lesson, own, found)}", found.why], "mine")


def _said(moment, phone):
    value = moment.read(phone.text)[0]
    return phone.text if moment.kind == VOTE else _in_words(moment.lesson.bet, value)


def _in_words(bet, value):
    return ", ".join(f"{each:,}" for each in value) if isinstance(bet.answer, Drawing) else written(bet, value)


def _form(moment, phone, typed):
    return _sending(moment, phone, "answer", _fields(moment, typed) + html.button("Send", first=True))


def _sending(moment, phone, do, inside):
    """A form that says of which question it is: the wall may have gone on."""
    return html.form(phone.place, phone.token, do, f'<input type="hidden" name="of" value="{moment.which}">{inside}')


def _fields(moment, typed):
    if moment.kind == VOTE:
        choices = [(f"{each:g}", f"{each:,g}") for each in moment.lesson.together.options]
        return html.options("answer", "Your choice", choices, typed.get("answer", ""))
    answer: Any = moment.lesson.bet.answer
    if isinstance(answer, Choice):
        choices = [(each, answer.called(each)) for each in answer.options]
        return html.options("answer", answer.label, choices, typed.get("answer", ""))
    if isinstance(answer, Drawing):
        labels = [answer.label.format(f"{each:,}") for each in answer.at]
        names = [f"answer_{i}" for i in range(len(labels))]
        pairs = zip(names, labels, strict=True)
        return "".join(html.field(name, label, 0, answer.most, typed.get(name, "")) for name, label in pairs)
    label = f"{answer.label}{moment.lesson.bet.suffix.replace(' ', ', in ')}: {answer.low:g} to {answer.high:g}"
    return html.field("answer", label, answer.low, answer.high, typed.get("answer", ""))


def _own_part(moment, phone):
    """What this phone has drawn, or the button that draws."""
    together = moment.lesson.together
    number = phone.number if together.chooses else phone.drawn
    if number is None:
        inside = html.button(together.button, first=True)
        return html.paragraphs([together.asks]) + _sending(moment, phone, "draw", inside)
    mine = moment.part(number)
    return html.matrices(mine.matrices) + html.paragraphs([*mine.sentences, _LOOK], "mine")
