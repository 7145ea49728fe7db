"""The rooms of all classes: their phones, their answers and draws, and the addresses of their walls.

Rooms are stored in one SQLite file for all processes of a machine, or in the Postgres database at DATABASE_URL. Until
the first room is opened there is no file, and SQLAlchemy is not loaded. This module has the parts that need no
database: checks of arguments and the hash of the secret; `kept` has the rest.
"""

import hashlib
import hmac
import os
import re
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from pages._view.classroom.limits import Network, Rate
from pages._view.classroom.room import (
    ALPHABET,
    CODE_LETTERS,
    LASTS,
    LONGER_CODE,
    LONGEST_QUERY,
    LONGEST_TEXT,
    MOST_PHONES,
    MOST_ROOMS,
    PATIENCE,
    Answer,
    Asked,
    Given,
    NoSuchRoom,
    Place,
    Room,
    RoomError,
    RoomIsFull,
    StoreError,
    TooLate,
    TooManyRooms,
)

if TYPE_CHECKING:
    from pages._view.classroom.kept import Kept

__all__ = [
    "ALPHABET", "LASTS", "LONGEST_QUERY", "LONGEST_TEXT", "MOST_PHONES", "MOST_ROOMS", "Answer", "Asked", "NoSuchRoom",
    "Room", "RoomError", "RoomIsFull", "Store", "StoreError", "TooLate", "TooManyRooms", "store",
]  # fmt: skip

DATABASE_URL = "DATABASE_URL"
FILE = Path(__file__).resolve().parents[3] / ".rooms" / "rooms.sqlite"
_CODE = re.compile(f"[{ALPHABET}]{{{CODE_LETTERS},{LONGER_CODE}}}")
_NOT_STORED = re.compile("[\0\ud800-\udfff]")  # Postgres refuses NUL, UTF-8 refuses surrogates


class Store:
    """All rooms of one database. A store may be used from several threads and processes at once.

    If a room is not open, reads find nothing and writes raise `RoomError`. If the database does not answer, both raise
    `StoreError`.
    """

    def __init__(
        self, url: str | None = None, *, clock: Callable[[], float] = time.time, patience: float = PATIENCE
    ) -> None:
        """Keep the database's URL. url: postgresql://… or sqlite:///…; None: the file of this copy of the lab.

        patience: seconds that a write waits for other writes before it raises `StoreError`.
        """
        self._place, self._clock, self._patience = _place_of(url), clock, patience
        self._loading = Lock()
        self._loaded: Kept | None = None

    def open_room(
        self, secret: str, *, stem: str, query: str = "", said: str = "", network: Network | None = None
    ) -> Room:
        """Open a room whose teacher knows the secret, after deleting rooms that are too old.

        said: settings of the teacher's link that hold for all lessons, as a query.
        network: the opener's, which may not have most of the rooms; None for no such limit.
        """
        if not secret:
            raise ValueError("secret must not be empty")
        _check("stem", stem)
        _check("query", query, LONGEST_QUERY)
        _check("said", said, LONGEST_QUERY)
        return self._kept().open_room(_hashed(secret), stem, query, said, network)

    def room(self, code: str) -> Room | None:
        """Return the room; None if there is none, if it is closed, or if it is older than `LASTS`."""
        return self._kept().room(code) if self._may_have(code) else None

    def is_teacher(self, code: str, secret: str) -> bool:
        """Return True if the room was opened with this secret."""
        found = self._kept().secret_of(code) if self._may_have(code) else None
        return found is not None and hmac.compare_digest(found, _hashed(secret))

    def close(self, code: str) -> None:
        """Close the room. It may be opened again for `UNDO` seconds; then it is deleted with all its data."""
        if self._may_have(code):
            self._kept().close(code)

    def closed(self, code: str) -> Room | None:
        """Return a closed room that may be opened again, else None."""
        found = self._kept().closed(code) if self._may_have(code) else None
        return None if found is None else found[0]

    def may_reopen(self, code: str, secret: str) -> bool:
        """Return True if the room is closed and was opened with this secret."""
        found = self._kept().closed(code) if self._may_have(code) else None
        return found is not None and hmac.compare_digest(found[1], _hashed(secret))

    def reopen(self, code: str) -> None:
        """Open a closed room again, with everything in it."""
        self._writing(code).reopen(code)

    def stand(self, code: str, stem: str, query: str) -> None:
        """Store the lesson and the settings of the room's wall."""
        _check("stem", stem)
        _check("query", query, LONGEST_QUERY)
        self._writing(code).stand(code, stem, query)

    def asked(self, code: str, question: str) -> Asked:
        """Return the state of a question; an untouched one is open and has no answers."""
        _check("question", question)
        return self._kept().asked(code, question) if self._may_have(code) else Asked()

    def ask(self, code: str, question: str, *, revealed: bool | None = None, locked: bool | None = None) -> None:
        """Reveal, hide, lock or unlock a question. Revealing locks the question; hiding does not unlock it."""
        _check("question", question)
        self._writing(code).ask(code, question, revealed, locked)

    def reset(self, code: str, question: str) -> None:
        """Ask a question again. Its first answers are kept beside the new ones; any later ones are deleted."""
        _check("question", question)
        self._writing(code).reset(code, question)

    def join(self, code: str, phone: str, network: Network | None = None) -> None:
        """Let a phone join; it has no number until it answers or draws. network: counted by `limits.JOINED`."""
        _check("phone", phone)
        self._writing(code).join(code, phone, network)

    def has_joined(self, code: str, phone: str) -> bool:
        """Return True if the phone has joined, with a number or without."""
        _check("phone", phone)
        return self._may_have(code) and self._kept().has_joined(code, phone)

    def clear(self, code: str) -> None:
        """Delete the phones that have joined but neither answered nor drawn."""
        self._writing(code).clear(code)

    def lock_door(self, code: str, *, shut: bool) -> None:
        """Lock the room for new phones, or unlock it; phones that have joined may stay."""
        self._writing(code).lock_door(code, shut)

    def is_unseen(self, code: str) -> bool:
        """Return True if the room has no recent note that its wall or desk is there."""
        return self._may_have(code) and self._kept().is_unseen(code)

    def see(self, code: str) -> None:
        """Note that the room's wall or desk is there; without such notes a room without phones ends."""
        self._writing(code).see(code)

    def number_of(self, code: str, phone: str) -> int | None:
        """Return a phone's number, from 0 in the order of first answers or draws; None if it has none."""
        _check("phone", phone)
        return self._kept().number_of(code, phone) if self._may_have(code) else None

    def answer(self, code: str, question: str, phone: str, text: str, settings: str = "") -> None:
        """Store a phone's answer in place of its previous one; raise `TooLate` once the question is locked.

        The first answer of a phone gives it a number in the room. settings: the question's, as a query.
        """
        for name, value in (("question", question), ("phone", phone), ("text", text)):
            _check(name, value)
        _check("settings", settings, LONGEST_QUERY)
        self._writing(code).answer(code, question, phone, text, settings)

    def answer_of(self, code: str, question: str, phone: str) -> Answer | None:
        """Return the phone's answer; None if there is none.

        With `room.FIRST` after the question's name, return the answer from before it was asked again.
        """
        _check("question", question)
        _check("phone", phone)
        return self._kept().answer_of(code, question, phone) if self._may_have(code) else None

    def answers(self, code: str, question: str) -> list[Answer]:
        """Return all answers by the phones' numbers; with `room.FIRST` after the question's name, the first vote's."""
        _check("question", question)
        return self._kept().answers(code, question) if self._may_have(code) else []

    def lecture(self, code: str) -> list[Given]:
        """Return the answers to all questions, by question and the phones' numbers."""
        return self._kept().lecture(code) if self._may_have(code) else []

    def draws(self, code: str) -> list[Given]:
        """Return the draws of all phones, by their numbers."""
        return self._kept().draws(code) if self._may_have(code) else []

    def draw(self, code: str, phone: str, settings: str = "") -> int:
        """Return the number of the phone's draw in the room, from 0; a second call returns the same number.

        settings: the wall's at the time of the draw, as a query.
        """
        _check("phone", phone)
        _check("settings", settings, LONGEST_QUERY)
        return self._writing(code).draw(code, phone, settings)

    def drawn(self, code: str, phone: str) -> int | None:
        """Return the number of the phone's draw; None before it has drawn."""
        _check("phone", phone)
        return self._kept().drawn(code, phone) if self._may_have(code) else None

    def reset_draws(self, code: str) -> None:
        """Delete the room's draws, so that they start again."""
        self._writing(code).reset_draws(code)

    def takes(self, rate: Rate, who: str) -> bool:
        """Return True if the rate allows another request, and count it; always True before the first room is opened."""
        return not self._place.is_there() or self._kept().takes(rate, who)

    def is_over(self, rate: Rate, who: str) -> bool:
        """Return True if the rate allows no further request; count nothing."""
        return self._place.is_there() and self._kept().is_over(rate, who)

    def is_known(self, code: str, network: Network) -> bool:
        """Return True if this network has opened the room, or one of its phones has joined within the hour."""
        return self._may_have(code) and self._kept().is_known(code, network)

    def check(self) -> None:
        """Raise `StoreError` unless the rooms can be read, or do not exist yet."""
        if self._place.is_there():
            self._kept().check()

    def sweep(self) -> None:
        """Delete rooms whose time is over."""
        if self._place.is_there():
            self._kept().sweep()

    def dispose(self) -> None:
        """Close all connections; the next call opens new ones."""
        with self._loading:
            if self._loaded is not None:
                self._loaded.dispose()
            self._loaded = None

    def _kept(self) -> "Kept":
        with self._loading:
            if self._loaded is None:
                from pages._view.classroom.kept import Kept  # noqa: PLC0415  SQLAlchemy: 0.2 s and 11 MB

                self._loaded = Kept(self._place, self._clock, self._patience)
            return self._loaded

    def _may_have(self, code):
        return _CODE.fullmatch(code) is not None and self._place.is_there()

    def _writing(self, code):
        if not self._may_have(code):
            raise NoSuchRoom
        return self._kept()


@cache
def store() -> Store:
    """Return the process's only store, at DATABASE_URL."""
    return Store(os.environ.get(DATABASE_URL) or None)


def _place_of(url):
    scheme, _, rest = (url or f"sqlite:///{FILE}").partition("://")
    if scheme in ("postgres", "postgresql", "postgresql+psycopg") and rest:
        return Place(url=f"postgresql+psycopg://{rest}")
    if scheme == "sqlite" and len(rest) > 1 and rest[0] == "/":
        return Place(file=Path(rest[1:]))
    raise StoreError(f"{DATABASE_URL} must begin with postgresql:// or sqlite:///, but begins with {scheme[:20]!r}")


def _hashed(secret):
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _check(name, text, most=LONGEST_TEXT):
    if not isinstance(text, str) or len(text) > most or _NOT_STORED.search(text):
        raise ValueError(f"{name} must be a text of at most {most} characters, none of them NUL or half a pair")
