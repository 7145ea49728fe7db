"""The acts of the leader on a room's question, from the wall or from another window."""

from urllib.parse import urlencode

from pages._view.address import Address
from pages._view.classroom.moment import VOTE, Moment, moment_of, settings_of
from pages._view.classroom.store import store
from pages._view.lessons import LESSONS


def turn(moment: Moment, *, revealed: bool) -> Moment:
    """Reveal, or hide again; of a vote this puts the settings where it is seen, or where it is not."""
    room = moment.room
    store().ask(room.code, room.stem, revealed=revealed)
    after = moment_of(store().room(room.code) or room)
    if after.kind == VOTE:
        after = stand(after, after.query | settled(after))
    return after


def settled(moment: Moment) -> dict[str, str]:
    """Return the settings of a vote, open or shown, as an address has them."""
    together = moment.lesson.together
    if together is None or moment.kind != VOTE:
        return {}
    known, shown = moment.lesson.controls, moment.asked.revealed
    said = {
        name: known[name].write(known[name].default if shown else value) for name, value in together.meanwhile.items()
    }
    if shown and moment.chosen:
        said[together.chooses] = known[together.chooses].write(moment.read(moment.chosen)[0])
    return said


def stand(moment: Moment, query: dict[str, str]) -> Moment:
    """Let the room stand at these settings of its lesson."""
    store().stand(moment.room.code, moment.room.stem, urlencode(query))
    return moment_of(store().room(moment.room.code) or moment.room)


def go_to(moment: Moment, stem: str) -> None:
    """Let the room go on to another lesson; its wall follows."""
    lesson = LESSONS[stem]
    store().stand(moment.room.code, stem, settings_of(Address(lesson, {"bet": moment.query.get("bet", "1")})))
