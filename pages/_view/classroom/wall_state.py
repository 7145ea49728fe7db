"""The state of a room for its wall and its teacher: counts of phones and answers, and a hash of the picture."""

from typing import Any

from pages._view.classroom.moment import BET, Moment
from pages._view.classroom.room import Room


def state_of(moment: Moment) -> dict[str, Any]:
    """Return the state that a wall requests regularly."""
    is_empty = moment.is_open and moment.room.joined > 0 and moment.asked.answers == 0
    return {"mark": moment.wall_mark, "count": count(moment), "joined": came(moment.room), "empty": is_empty}


def count(moment: Moment) -> str:
    """Return the number of answers or draws as text, with a note if the door is locked."""
    return f"{_done(moment)}{' The door is locked.' if moment.room.shut else ''}"


def came(room: Room) -> str:
    """Return the number of joined phones as text, with a note if the door is locked."""
    has = f"{room.joined} {'phone has' if room.joined == 1 else 'phones have'}"
    return f"{has} joined.{' The door is locked.' if room.shut else ''}"


def joined(room: Room) -> list[str]:
    """Return sentences on the joined phones, on those that have answered or drawn, and on a locked door."""
    has = f"{room.joined} {'phone has' if room.joined == 1 else 'phones have'}"
    said = [f"{has} joined, {room.phones} of them have answered or drawn."]
    if room.shut:
        said.append("The door is locked: nobody new can join. Who is in goes on.")
    if room.waiting and not room.shut:
        said.append("A phone that is cleared and still here joins again by itself.")
    return said


def _done(moment):
    phones, many = moment.room.joined, moment.asked.answers
    if moment.is_open:
        closed = " No more answers." if moment.asked.locked else ""
        return f"{many} of {phones} have answered.{closed}"
    if moment.draws:
        return f"{moment.room.drawn} of {phones} have drawn."
    others = len(moment.answers) - len(moment.bets) if moment.kind == BET else 0
    if others:
        return f"{others} of {many} bets were at other settings."
    return f"{phones} {'phone is' if phones == 1 else 'phones are'} here."
