"""The rooms of all classes: their phones, their answers and draws, and the addresses of their walls.

They are kept in one SQLite file for all processes of a machine, or in the Postgres that DATABASE_URL names.
Until the first room is opened there is no file, and SQLAlchemy is not loaded. This module has the parts without a
database: the limits, the checks and the hash of the secret; `kept` has the rest.
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
_NOT_STORED = re.compile("[\0\ud800-\udfff]")  # Postgres refuses the one, UTF-8 the others


class Store:
    """All rooms of one database. It may be used from several threads and several processes at once.

    Without an open room reads find nothing, and writes raise `RoomError`. If the database does not
    answer, all raise `StoreError`.
    """

    def __init__(
        self, url: str | None = None, *, clock: Callable[[], float] = time.time, patience: float = PATIENCE
    ) -> None:
        """Keep the address. url: postgresql://… or sqlite:///…; None: the file of this copy of the lab.

        patience: seconds that a write waits for others, before it raises `StoreError`.
        """
        self._place, self._clock, self._patience = _place_of(url), clock, patience
        self._loading = Lock()
        self._loaded: Kept | None = None

    def open_room(
        self, secret: str, *, stem: str, query: str = "", said: str = "", network: Network | None = None
    ) -> Room:
        """Open a room whose teacher knows the secret; rooms that are too old are forgotten first.

        said: what the teacher's link says for all lessons, as the end of an address.
        network: of who opens it, which may not have most of the rooms; None for no such limit.
        """
        if not secret:
            raise ValueError("secret must not be empty")
        _check("stem", stem)
        _check("query", query, LONGEST_QUERY)
        _check("said", said, LONGEST_QUERY)
        return self._kept().open_room(_hashed(secret), stem, query, said, network)

    def room(self, code: str) -> Room | None:
        """Return the room, or None if there is none, if it is closed, or if it is older than `LASTS`."""
        return self._kept().room(code) if self._may_have(code) else None

    def is_teacher(self, code: str, secret: str) -> bool:
        """Return True if this is the secret that the room was opened with."""
        found = self._kept().secret_of(code) if self._may_have(code) else None
        return found is not None and hmac.compare_digest(found, _hashed(secret))

    def close(self, code: str) -> None:
        """Close the room; for `UNDO` seconds it may be opened again, then it is forgotten with everything of it."""
        if self._may_have(code):
            self._kept().close(code)

    def closed(self, code: str) -> Room | None:
        """Return a room that was closed and may be opened again, else None."""
        found = self._kept().closed(code) if self._may_have(code) else None
        return None if found is None else found[0]

    def may_reopen(self, code: str, secret: str) -> bool:
        """Return True if the room was closed, and this is the secret that it was opened with."""
        found = self._kept().closed(code) if self._may_have(code) else None
        return found is not None and hmac.compare_digest(found[1], _hashed(secret))

    def reopen(self, code: str) -> None:
        """Open a closed room again, with everything in it."""
        self._writing(code).reopen(code)

    def stand(self, code: str, stem: str, query: str) -> None:
        """Record the address of the wall."""
        _check("stem", stem)
        _check("query", query, LONGEST_QUERY)
        self._writing(code).stand(code, stem, query)

    def asked(self, code: str, question: str) -> Asked:
        """Return the state of a question of the room; an untouched one is open and has no answers."""
        _check("question", question)
        return self._kept().asked(code, question) if self._may_have(code) else Asked()

    def ask(self, code: str, question: str, *, revealed: bool | None = None, locked: bool | None = None) -> None:
        """Reveal, hide, lock or unlock. A revealed question is locked, and stays so when it is hidden again."""
        _check("question", question)
        self._writing(code).ask(code, question, revealed, locked)

    def reset(self, code: str, question: str) -> None:
        """Open a question again. Its first answers are kept beside the new ones; any later ones are deleted."""
        _check("question", question)
        self._writing(code).reset(code, question)

    def join(self, code: str, phone: str, network: Network | None = None) -> None:
        """Let a phone in, which has no number until it answers or draws. network: that which `limits.JOINED` counts."""
        _check("phone", phone)
        self._writing(code).join(code, phone, network)

    def has_joined(self, code: str, phone: str) -> bool:
        """Return True if the phone is in the room, with a number or without."""
        _check("phone", phone)
        return self._may_have(code) and self._kept().has_joined(code, phone)

    def clear(self, code: str) -> None:
        """Delete the phones that have joined and neither answered nor drawn."""
        self._writing(code).clear(code)

    def lock_door(self, code: str, *, shut: bool) -> None:
        """Let nobody new in, or let them in again; those inside go on."""
        self._writing(code).lock_door(code, shut)

    def is_unseen(self, code: str) -> bool:
        """Return True if no recent note says that the room's wall or desk is there."""
        return self._may_have(code) and self._kept().is_unseen(code)

    def see(self, code: str) -> None:
        """Note that the room's wall or desk is there: without such notes a room ends that no phone has joined."""
        self._writing(code).see(code)

    def number_of(self, code: str, phone: str) -> int | None:
        """Return the number of a phone, from 0 on in the order of first answers or draws; None if it has none."""
        _check("phone", phone)
        return self._kept().number_of(code, phone) if self._may_have(code) else None

    def answer(self, code: str, question: str, phone: str, text: str, settings: str = "") -> None:
        """Keep the phone's answer instead of the one it gave before; `TooLate` once the question is locked.

        The first answer of a phone takes a place in the room.

        settings: those of the question, as the end of an address.
        """
        for name, value in (("question", question), ("phone", phone), ("text", text)):
            _check(name, value)
        _check("settings", settings, LONGEST_QUERY)
        self._writing(code).answer(code, question, phone, text, settings)

    def answer_of(self, code: str, question: str, phone: str) -> Answer | None:
        """Return the answer of the phone, None if there is none.

        question + `room.FIRST` is the question before it was asked again.
        """
        _check("question", question)
        _check("phone", phone)
        return self._kept().answer_of(code, question, phone) if self._may_have(code) else None

    def answers(self, code: str, question: str) -> list[Answer]:
        """Return all answers in the order of the phones' numbers. question + `room.FIRST`: as above."""
        _check("question", question)
        return self._kept().answers(code, question) if self._may_have(code) else []

    def lecture(self, code: str) -> list[Given]:
        """Return the answers to all questions, grouped by question, in the order of the phones' numbers."""
        return self._kept().lecture(code) if self._may_have(code) else []

    def draws(self, code: str) -> list[Given]:
        """Return the draws of all phones, by their numbers."""
        return self._kept().draws(code) if self._may_have(code) else []

    def draw(self, code: str, phone: str, settings: str = "") -> int:
        """Return the number of the phone's draw in the room, from 0 on: the same if it asks again.

        settings: those that it is drawn at, as the end of an address.
        """
        _check("phone", phone)
        _check("settings", settings, LONGEST_QUERY)
        return self._writing(code).draw(code, phone, settings)

    def drawn(self, code: str, phone: str) -> int | None:
        """Return the number of the phone's draw, None before it has drawn."""
        _check("phone", phone)
        return self._kept().drawn(code, phone) if self._may_have(code) else None

    def reset_draws(self, code: str) -> None:
        """Start the draws of the room again."""
        self._writing(code).reset_draws(code)

    def takes(self, rate: Rate, who: str) -> bool:
        """Take one of a rate, if one is left; before the first room is opened there is nothing to protect."""
        return not self._place.is_there() or self._kept().takes(rate, who)

    def is_over(self, rate: Rate, who: str) -> bool:
        """Return True if none of a rate is left now; nothing is taken."""
        return self._place.is_there() and self._kept().is_over(rate, who)

    def is_known(self, code: str, network: Network) -> bool:
        """Return True if this network has opened the room, or a phone of it has joined within the hour."""
        return self._may_have(code) and self._kept().is_known(code, network)

    def check(self) -> None:
        """Raise unless the rooms can be read, or will be created with the first one."""
        if self._place.is_there():
            self._kept().check()

    def sweep(self) -> None:
        """Delete the rooms that are older than `LASTS`."""
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
    """Return the process's own store, by DATABASE_URL."""
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
