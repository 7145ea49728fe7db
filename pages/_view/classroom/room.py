"""A room as other modules see it, the limits of rooms, and their errors."""

import logging
import re
from dataclasses import dataclass
from pathlib import Path

ALPHABET = "BCDFGHJKMNPQRTVWXYZ"  # letters of a room's code: no vowels, so no words, and no L or S
CODE_LETTERS, LONGER_CODE = 4, 6  # longer codes while somebody guesses codes
LASTS = 24 * 3600.0  # seconds that a room is kept
UNDO = 3600.0  # seconds in which a closed room may be opened again
ABANDONED = 45 * 60.0  # seconds after which a room without phones ends, once wall and desk are gone
SEEN_EVERY = 5 * 60.0  # seconds between two notes that a room's wall or desk is there
MOST_ROOMS, MOST_PHONES = 200, 100  # rooms open at once; phones in one room
MOST_WAITING = 300  # phones in one room that have neither answered nor drawn
LONGEST_TEXT, LONGEST_QUERY = 400, 2_000  # characters
PATIENCE = 2.0  # seconds that a write waits for other writes
SEEDS = 10_000
REFUSED = "The rooms cannot be kept: their database does not let the lab make or use its tables."
FAILURES = logging.getLogger("sattn.store")  # logs one line per failure, at a level that only a listener enables
UNREACHABLE = "The rooms cannot be reached: their database does not answer. Try again soon."


FIRST = "~first"  # suffix of a question's name: the answers from before it was asked again
TEACHER = "lab_room"  # name of the teacher's cookie, which holds a room's code and its secret
_SECRET = re.compile("([A-Z]{4,6})([0-9a-z]{12})")


def secret_in(cookie: str, code: str) -> str:
    """Return the secret that a teacher's cookie holds for this room, or ""."""
    found = _SECRET.fullmatch(cookie)
    return found[2] if found and found[1] == code else ""


@dataclass(frozen=True)
class Room:
    """The public facts of a room."""

    code: str
    seed: int
    stem: str  # the wall's address is this lesson with `query`
    query: str
    opened: float  # seconds since 1970
    version: int  # increases with every change that a wall or a phone shows
    phones: int  # phones with a number: they have answered or drawn
    drawn: int
    waiting: int = 0  # phones that have joined, but neither answered nor drawn
    shut: bool = False  # True if no new phone may join
    said: str = ""  # settings of the teacher's link that hold for all lessons, as a query

    @property
    def joined(self) -> int:
        """The number of phones that have joined, with or without an answer."""
        return self.phones + self.waiting


@dataclass(frozen=True)
class Asked:
    """The state of one question of a room."""

    revealed: bool = False
    locked: bool = False
    answers: int = 0


@dataclass(frozen=True)
class Answer:
    """An answer of a phone. settings: the question's at the time of the answer; "" if unknown."""

    number: int  # the phone's
    text: str
    settings: str = ""


@dataclass(frozen=True)
class Given:
    """An answer or a draw of a lecture. what: the question, or the number of the draw in the room."""

    what: str | int
    number: int  # the phone's
    text: str
    settings: str
    at: float | None  # seconds since 1970; None if unknown


@dataclass(frozen=True)
class Place:
    """The place where rooms are stored: a file, or the URL of a Postgres database."""

    url: str = ""
    file: Path | None = None

    def is_there(self) -> bool:
        """Return False if the file is missing; always True for Postgres, which would have to be asked."""
        try:
            return self.file is None or self.file.exists()
        except OSError as error:
            raise StoreError(UNREACHABLE) from error


class RoomError(Exception):
    """A refusal of a room; its text is a sentence for the person who asked."""


class NoSuchRoom(RoomError):
    """A room that is closed, too old, or has never existed."""

    def __init__(self) -> None:
        super().__init__("This room is not open. Check its code, or ask for a new one.")


class RoomClosed(RoomError):
    """A room that its teacher has closed and may open again."""

    def __init__(self, room: Room) -> None:
        super().__init__("The class is over.")
        self.room = room


class TooManyRooms(RoomError):
    """A new room while all rooms are in use."""

    def __init__(self) -> None:
        super().__init__(f"All {MOST_ROOMS} rooms are in use. Try again later.")


class TooManyHere(RoomError):
    """A new room from a network that has its share of rooms while few are free."""

    def __init__(self, open_there: int) -> None:
        rooms = "1 room" if open_there == 1 else f"{open_there} rooms"
        super().__init__(f"Your network has {rooms} open, and few are left for others. Close one, then open another.")


class TooFast(RoomError):
    """A visitor who sends requests too often."""

    def __init__(self) -> None:
        super().__init__("That was too often. Wait a moment, then try again.")


class TooManyAtOnce(RoomError):
    """A new phone from a network with many new ones; it may join a little later."""

    def __init__(self) -> None:
        super().__init__(
            "Many new phones come from your network. Your answer is sent again in a moment; without scripts, press the "
            "button again."
        )


class DoorIsShut(RoomError):
    """A new phone after the teacher has locked the door."""

    def __init__(self) -> None:
        super().__init__("The door of this room is locked: nobody new can join. Ask your teacher to open it.")


class RoomIsFull(RoomError):
    """A new phone in a full room."""

    def __init__(self) -> None:
        super().__init__(f"This room is full: it has {MOST_PHONES} phones.")


class NotJoined(RoomError):
    """A phone that is not in the room."""

    def __init__(self) -> None:
        super().__init__("This phone is not in the room. Join it first.")


class TooLate(RoomError):
    """An answer to a question that is locked."""

    def __init__(self) -> None:
        super().__init__("It is too late to answer: the question is closed.")


class StoreError(Exception):
    """A database that cannot be reached, or whose URL cannot be read; the text says so, the cause gives details."""
