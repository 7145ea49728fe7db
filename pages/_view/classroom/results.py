"""The results of a room: as a file, and as a link that shows them without the room."""

import csv
import io
from urllib.parse import urlencode

from pages._view.classroom.leading import settled
from pages._view.classroom.moment import BET, VOTE, Moment, moment_of
from pages._view.classroom.room import Room
from pages._view.classroom.store import store
from pages._view.lesson import CLASS, PHONES
from pages._view.lessons import path_of_page


def shown(moment: Moment, answers: list[str]) -> dict[str, str]:
    """Return what an address says of a result: the bets, or the phones and what they have chosen."""
    lesson, found = moment.lesson, {}
    if moment.kind == BET and answers:
        found[CLASS] = "~".join(answers)
    if moment.kind == VOTE and answers:
        found |= settled(moment) | {PHONES: str(moment.room.phones)}
    if moment.draws and moment.room.drawn:
        found[PHONES] = str(moment.room.drawn)
    seed = {"seed": str(moment.room.seed)} if lesson.together and moment.room.seed else {}
    return {name: text for name, text in (found | seed).items() if text}


def link_to(moment: Moment, root: str) -> str:
    """Return the address that shows the result; "" while there is none, or while its truth is hidden."""
    found = shown(moment, store().answers(moment.room.code, moment.room.stem))
    if moment.is_open or not {CLASS, PHONES} & set(found):
        return ""
    said = moment.address.settings | found
    return f"{root}{path_of_page(moment.room.stem)}?{urlencode(said)}"


def as_csv(room: Room) -> str:
    """Return the answers to the lesson on the wall, in the order in which their phones came, and the phones' draws.

    One table: what was asked or drawn, the place of the phone among those that did, which of its draws, the value.
    """
    moment, out = moment_of(room), io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["what", "phone", "draw", "value"])
    if moment.kind:
        answers = enumerate(store().answers(room.code, room.stem))
        writer.writerows((moment.question, i + 1, "", each) for i, each in answers)
    if moment.draws:
        writer.writerows(("drawn", *each) for each in _drawn(moment))
    return out.getvalue()


def _drawn(moment: Moment) -> list[tuple[int, int, float]]:
    return [
        (phone + 1, i + 1, value)
        for phone in range(moment.room.drawn)
        for i, value in enumerate(moment.part(phone).numbers)
    ]
