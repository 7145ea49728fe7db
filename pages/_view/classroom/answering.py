"""Answers of phones: every one is checked here before it is stored."""

from pages._view.classroom.moment import BET, VOTE, Moment
from pages._view.classroom.room import TooLate
from pages._view.classroom.store import store
from pages._view.kinds import Drawing

_GONE_ON = "The wall has gone on. This is what it asks now."
_NOTHING = "There is nothing to answer now."


def take(moment: Moment, who: str, sent: dict[str, str]) -> str:
    """Store the answer of a phone that has joined; return what is wrong with it, "" if nothing."""
    if sent.get("of") != moment.which:
        return _GONE_ON
    if sent.get("do") == "draw":
        return _draw(moment, who)
    if sent.get("do") != "answer" or not moment.kind:
        return _NOTHING
    text = answered(moment, sent)
    value, problem = moment.read(text)
    answer = moment.lesson.bet.answer if moment.lesson.bet else None
    if problem and moment.kind == BET and isinstance(answer, Drawing):  # a curve is typed into number fields
        return f"Your answer must be a number in each field, 0 to {answer.most:,}."
    if problem or text == "":
        return f"Your answer {(problem or 'is missing').split(';')[0]}."
    try:
        store().answer(moment.room.code, moment.room.stem, who, moment.written(value), moment.settings)
    except TooLate as late:
        return str(late)
    return ""


def answered(moment: Moment, sent: dict[str, str]) -> str:
    """Return the answer in a form's fields as one text; a curve has one field per height."""
    answer = moment.lesson.bet.answer if moment.lesson.bet else None
    if moment.kind != VOTE and isinstance(answer, Drawing):
        return "-".join(sent.get(f"answer_{i}", "").strip() for i in range(len(answer.at)))
    return sent.get("answer", "").strip()


def _draw(moment, who):
    if not moment.draws:
        return _NOTHING
    store().draw(moment.room.code, who, moment.settings)
    return ""
