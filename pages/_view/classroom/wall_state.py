"""The state of a room, for a wall and for who teaches: how many have answered, and if the picture has changed."""

from typing import Any

from pages._view.classroom.moment import BET, Moment


def state_of(moment: Moment) -> dict[str, Any]:
    """Return what a wall asks for now and then."""
    return {"mark": moment.wall_mark, "count": count(moment)}


def count(moment: Moment) -> str:
    """Say how many have done what they are asked."""
    phones, many = moment.room.phones, moment.asked.answers
    if moment.is_open:
        closed = " No more answers." if moment.asked.locked else ""
        return f"{many} of {phones} have answered.{closed}"
    if moment.draws:
        return f"{moment.room.drawn} of {phones} have drawn."
    others = len(moment.answers) - len(moment.bets) if moment.kind == BET else 0
    if others:
        return f"{others} of {many} bets were at other settings."
    return f"{phones} {'phone is' if phones == 1 else 'phones are'} here."
