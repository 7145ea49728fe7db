"""The two votes of a class that was asked again: the results of the first one and of the second."""

from pages._view.bet_words import RIGHT, verdict
from pages._view.classroom.moment import VOTE, Moment
from pages._view.classroom.room import Answer
from pages._view.theme import listed


def told(moment: Moment) -> str:
    """Return a sentence on both votes; "" before the truth is shown, or if the class was asked once."""
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
    """Return a sentence on what the wall shows where several values have the most votes; "" where one has."""
    tied = [_number(text) for text in moment.most_voted]
    if len(tied) < 2:
        return ""
    return f"A tie of {listed(tied)}: the wall shows the {'smaller' if len(tied) == 2 else 'smallest'}."


def _right(moment: Moment, answers: list[Answer]) -> int | None:
    """Return how many answers are right, each at its own settings; None while a truth is not known."""
    truths = {said: moment.outcome(said).truth for said in {each.settings for each in answers}}
    if None in truths.values() or moment.lesson.bet is None:
        return None
    judged = [verdict(moment.lesson.bet, moment.read(each.text)[0], truths[each.settings]) for each in answers]
    return judged.count(RIGHT)
