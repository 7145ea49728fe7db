"""The first and second vote of a class that was asked again."""

from pages._view.bet_words import RIGHT, verdict
from pages._view.classroom.moment import VOTE, Moment
from pages._view.classroom.room import Answer
from pages._view.theme import listed


def told(moment: Moment) -> str:
    """Return a sentence that compares both votes; "" before the reveal, or if the class was asked once."""
    if not moment.kind or moment.is_open or not moment.first:
        return ""
    if moment.kind == VOTE:
        return f"The first vote: {_number(moment.winners(moment.first)[0])}."
    right, after = _right(moment, moment.first), _right(moment, moment.answers)
    if right is None or after is None:
        return ""
    return f"The first vote: {right} of {len(moment.first)} right, now {after} of {len(moment.answers)}."


def _number(text):
    return f"{float(text):,g}"


def tie(moment: Moment) -> str:
    """Return a sentence on a tie, with the value that the wall shows; "" without a tie."""
    tied = [_number(text) for text in moment.most_voted]
    if len(tied) < 2:
        return ""
    return f"A tie of {listed(tied)}: the wall shows the {'smaller' if len(tied) == 2 else 'smallest'}."


def _right(moment: Moment, answers: list[Answer]) -> int | None:
    """Return the number of right answers, each judged at its own settings; None while a truth is unknown."""
    truths = {said: moment.outcome(said).truth for said in {each.settings for each in answers}}
    if None in truths.values() or moment.lesson.bet is None:
        return None
    judged = [verdict(moment.lesson.bet, moment.read(each.text)[0], truths[each.settings]) for each in answers]
    return judged.count(RIGHT)
