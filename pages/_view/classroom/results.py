"""The results of a room: as a file, and as a link that shows them without the room."""

import csv
import io
from urllib.parse import urlencode

from pages._view.classroom.leading import settled
from pages._view.classroom.moment import BET, VOTE, Moment, moment_of
from pages._view.classroom.room import Room
from pages._view.lesson import CLASS, GUESSED_AT, PHONES
from pages._view.lessons import path_of_page


def shown(moment: Moment) -> dict[str, str]:
    """Return what an address says of a result: the bets and their settings, or the phones and what they have chosen."""
    lesson, found = moment.lesson, dict[str, str]()
    if moment.kind == BET and moment.answers:
        found |= {CLASS: "~".join(each.text for each in moment.bets), GUESSED_AT: moment.judged}
    if moment.kind == VOTE and moment.answers:
        found |= settled(moment) | {PHONES: str(moment.room.phones)}
    if moment.draws and moment.room.drawn:
        found[PHONES] = str(moment.room.drawn)
    seed = {"seed": str(moment.room.seed)} if lesson.together and moment.room.seed else {}
    return {name: text for name, text in (found | seed).items() if text}


def link_to(moment: Moment, root: str) -> str:
    """Return the address that shows the result; "" while there is none, or while its truth is hidden."""
    found = shown(moment)
    if moment.is_open or not {CLASS, PHONES} & set(found):
        return ""
    said = moment.at(found.pop(GUESSED_AT, "")).settings | found
    return f"{root}{path_of_page(moment.room.stem)}?{urlencode(said)}"


def as_csv(room: Room) -> str:
    """Return the answers to the lesson on the wall, in the order in which their phones came, and the phones' draws.

    One table: what was asked or drawn, the place of the phone among those that did, which of its draws, the value.
    """
    moment, out = moment_of(room), io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["what", "phone", "draw", "value"])
    if moment.kind:
        writer.writerows((_asked(moment, each), i + 1, "", each.text) for i, each in enumerate(moment.answers))
    if moment.draws:
        writer.writerows(("drawn", *each) for each in _drawn(moment))
    return out.getvalue()


def _asked(moment, answer):
    return moment.question if moment.kind == VOTE else moment.at(answer.settings).question


def _drawn(moment: Moment) -> list[tuple[int, int, float]]:
    return [
        (phone + 1, i + 1, value)
        for phone in range(moment.room.drawn)
        for i, value in enumerate(moment.part(phone).numbers)
    ]
