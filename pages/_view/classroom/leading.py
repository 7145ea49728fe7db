"""Actions of whoever leads a room, from its wall or from the teacher's window."""

from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import urlencode

from pages._view.address import Address, query_of
from pages._view.classroom.moment import VOTE, Moment, moment_of, settings_of
from pages._view.classroom.room import Room
from pages._view.classroom.store import store
from pages._view.lesson import STEP
from pages._view.lessons import LESSONS
from pages._view.shared import HOME, SCREEN, SHARED

OF_ONE_LESSON = ("seed", "rest", "exponent")


def turn(moment: Moment, *, revealed: bool) -> Moment:
    """Reveal or hide the truth; return the moment with settings that fit."""
    store().ask(moment.room.code, moment.room.stem, revealed=revealed)
    return settle(moment.room)


def reset(moment: Moment) -> None:
    """Ask the room's question again."""
    store().reset(moment.room.code, moment.room.stem)
    settle(moment.room)


def settle(room: Room) -> Moment:
    """Set a room to settings that show the result of its vote, or that do not show the truth while a question waits."""
    moment = moment_of(store().room(room.code) or room)
    return moment_of(move(moment.room, moment.room.stem, moment.query | settled(moment)))


def settled(moment: Moment) -> dict[str, str]:
    """Return the settings during a vote or after its result is revealed, as in an address; {} without a vote."""
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


def move(room: Room, stem: str, query: Mapping[str, str]) -> Room:
    """Set the room to a lesson and these settings, without any that show a waiting bet's truth; return the room."""
    if stem != room.stem:
        query = _arriving(room, LESSONS[stem], {name: text for name, text in query.items() if name != SCREEN})
    there = moment_of(replace(room, stem=stem, query=urlencode(query)))
    if there.kind == VOTE:
        query = {**query, **(settled(there) if stem != room.stem else {})}
    elif not there.asked.revealed:
        query = there.address.waiting.query
    store().stand(room.code, stem, urlencode(query))
    return store().room(room.code) or room


def _arriving(room, lesson, query):
    """Return the settings at which a room arrives at another lesson.

    Values of seed, rest and exponent do not come along, unless the teacher's link sets them for all lessons.
    """
    said = {name: text for name, text in query_of(room.said).items() if name in OF_ONE_LESSON}
    kept = {name: text for name, text in query.items() if name not in OF_ONE_LESSON}
    return query_of(settings_of(Address(lesson, kept | said)))


def go_to(moment: Moment, stem: str, step: str = "") -> None:
    """Set the room to a lesson, or to one of its steps; its walls follow."""
    if stem == moment.room.stem:
        said = {name: text for name, text in moment.query.items() if name != SCREEN}
    else:
        said = {name: text for name, text in moment.query.items() if name in SHARED or name == "bet"}
    at = {STEP: step} if step else {}
    move(moment.room, stem, query_of(settings_of(Address(LESSONS[stem], {"bet": "1", **said, **at}))))


def end(moment: Moment) -> None:
    """End the lecture: show links to take home on walls and phones."""
    move(moment.room, moment.room.stem, {**moment.query, SCREEN: HOME})
