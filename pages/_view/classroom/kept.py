"""The reads and writes of a store: each read one statement, each write one transaction that holds its room."""

import secrets
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import asdict, fields

from sqlalchemy import and_, delete, exists, insert, or_, select, update

from pages._view.classroom.database import ANSWERS, ASKED, PHONES, ROOMS, database_at
from pages._view.classroom.room import (
    ALPHABET,
    CODE_LETTERS,
    LASTS,
    MOST_PHONES,
    MOST_ROOMS,
    SEEDS,
    UNDO,
    Answer,
    Asked,
    NoSuchRoom,
    NotJoined,
    Place,
    Room,
    RoomIsFull,
    TooLate,
    TooManyRooms,
)

_PUBLIC = [ROOMS.c[each.name] for each in fields(Room)]
_STANDING = [ASKED.c[each.name] for each in fields(Asked)]
_ANSWER = [ANSWERS.c[each.name] for each in fields(Answer)]


class Kept:
    """The methods of a `Store`, which checks what it hands on."""

    def __init__(self, place: Place, clock: Callable[[], float], patience: float) -> None:
        self._database, self._clock = database_at(place, patience), clock
        self.dispose = self._database.dispose

    # --- rooms ---

    def open_room(self, hashed: str, stem: str, query: str) -> Room:
        with self._database.writing(whole=True) as connection:
            self._forget_old(connection)
            used = set(connection.scalars(select(ROOMS.c.code)))
            if len(used) >= MOST_ROOMS:  # those that are closed make way
                _forget(connection, ROOMS.c.closed.is_not(None))
                used = set(connection.scalars(select(ROOMS.c.code)))
            if len(used) >= MOST_ROOMS:
                raise TooManyRooms
            room = Room(
                _unused(used), secrets.randbelow(SEEDS), stem, query, self._clock(), version=1, phones=0, drawn=0
            )
            connection.execute(insert(ROOMS).values(secret=hashed, **asdict(room)))
        return room

    def room(self, code: str) -> Room | None:
        row = self._one(select(*_PUBLIC).where(self._open(code)))
        return None if row is None else Room(*row)

    def secret_of(self, code: str) -> str | None:
        return self._value(select(ROOMS.c.secret).where(self._open(code)))

    def stand(self, code: str, stem: str, query: str) -> None:
        with self._holding(code) as (connection, room):
            if (room.stem, room.query) != (stem, query):
                _change(connection, room, stem=stem, query=query)

    def close(self, code: str) -> None:
        with self._database.writing() as connection:
            connection.execute(update(ROOMS).where(self._open(code)).values(closed=self._clock()))

    def closed(self, code: str) -> tuple[Room, str] | None:
        row = self._one(select(*_PUBLIC, ROOMS.c.secret).where(self._closed(code)))
        return None if row is None else (Room(*row[:-1]), row.secret)

    def reopen(self, code: str) -> None:
        with self._database.writing() as connection:
            connection.execute(update(ROOMS).where(self._closed(code)).values(closed=None))

    def sweep(self) -> None:
        with self._database.writing(whole=True) as connection:
            self._forget_old(connection)

    def check(self) -> None:
        self._database.rows(select(ROOMS.c.code).limit(1))

    # --- questions ---

    def asked(self, code: str, question: str) -> Asked:
        row = self._one(select(*_STANDING).where(_is(ASKED, code, question=question), self._in_open(code)))
        return Asked() if row is None else Asked(*row)

    def ask(self, code: str, question: str, revealed: bool | None, locked: bool | None) -> None:
        with self._holding(code) as (connection, room):
            before = _asked(connection, code, question)
            shown = before.revealed if revealed is None else revealed
            shut = shown or (before.locked if locked is None else locked)
            _put(connection, room, question, before, Asked(shown, shut, before.answers))

    def reset(self, code: str, question: str) -> None:
        with self._holding(code) as (connection, room):
            connection.execute(delete(ANSWERS).where(_is(ANSWERS, code, question=question)))
            _put(connection, room, question, _asked(connection, code, question), Asked())

    def answer(self, code: str, question: str, phone: str, text: str, settings: str) -> None:
        with self._holding(code) as (connection, room):
            number, standing = _joined(connection, code, phone).number, _asked(connection, code, question)
            if standing.locked:
                raise TooLate
            mine = _is(ANSWERS, code, question=question, number=number)
            before = connection.execute(select(ANSWERS.c.text, ANSWERS.c.settings).where(mine)).one_or_none()
            said = {"text": text, "settings": settings}
            if before is None:
                connection.execute(insert(ANSWERS).values(code=code, question=question, number=number, **said))
                after = Asked(standing.revealed, standing.locked, standing.answers + 1)
                _put(connection, room, question, standing, after)
            elif tuple(before) != (text, settings):
                connection.execute(update(ANSWERS).where(mine).values(said))
                _change(connection, room)

    def answer_of(self, code: str, question: str, phone: str) -> Answer | None:
        joined = and_(PHONES.c.code == ANSWERS.c.code, PHONES.c.number == ANSWERS.c.number)
        found = select(*_ANSWER).join(PHONES, joined).where(PHONES.c.phone == phone)
        row = self._one(found.where(_is(ANSWERS, code, question=question), self._in_open(code)))
        return None if row is None else _answer(row)

    def answers(self, code: str, question: str) -> list[Answer]:
        found = select(*_ANSWER).where(_is(ANSWERS, code, question=question), self._in_open(code))
        return [_answer(row) for row in self._database.rows(found.order_by(ANSWERS.c.number))]

    # --- phones ---

    def join(self, code: str, phone: str) -> int:
        with self._holding(code) as (connection, room):
            number = connection.scalar(select(PHONES.c.number).where(_is(PHONES, code, phone=phone)))
            if number is not None:
                return number
            if room.phones >= MOST_PHONES:
                raise RoomIsFull
            connection.execute(insert(PHONES).values(code=code, phone=phone, number=room.phones))
            _change(connection, room, phones=room.phones + 1)
        return room.phones

    def number_of(self, code: str, phone: str) -> int | None:
        return self._value(select(PHONES.c.number).where(_is(PHONES, code, phone=phone), self._in_open(code)))

    def draw(self, code: str, phone: str) -> int:
        with self._holding(code) as (connection, room):
            before = _joined(connection, code, phone).draw
            if before is not None:
                return before
            connection.execute(update(PHONES).where(_is(PHONES, code, phone=phone)).values(draw=room.drawn))
            _change(connection, room, drawn=room.drawn + 1)
        return room.drawn

    def drawn(self, code: str, phone: str) -> int | None:
        return self._value(select(PHONES.c.draw).where(_is(PHONES, code, phone=phone), self._in_open(code)))

    def reset_draws(self, code: str) -> None:
        with self._holding(code) as (connection, room):
            if room.drawn:
                connection.execute(update(PHONES).where(PHONES.c.code == code).values(draw=None))
                _change(connection, room, drawn=0)

    # --- how ---

    @contextmanager
    def _holding(self, code):
        """Open a transaction that holds an open room; it comes with the room's row as it is then."""
        with self._database.writing() as connection:
            row = connection.execute(select(ROOMS).where(self._open(code)).with_for_update()).one_or_none()
            if row is None:
                raise NoSuchRoom
            yield connection, row

    def _open(self, code):
        return and_(ROOMS.c.code == code, ROOMS.c.opened >= self._clock() - LASTS, ROOMS.c.closed.is_(None))

    def _closed(self, code):
        now = self._clock()
        return and_(ROOMS.c.code == code, ROOMS.c.opened >= now - LASTS, ROOMS.c.closed >= now - UNDO)

    def _in_open(self, code):
        return exists().where(self._open(code))

    def _forget_old(self, connection):
        now = self._clock()
        _forget(connection, or_(ROOMS.c.opened < now - LASTS, ROOMS.c.closed < now - UNDO))

    def _one(self, statement):
        return next(iter(self._database.rows(statement)), None)

    def _value(self, statement):
        row = self._one(statement)
        return None if row is None else row[0]


def _answer(row):
    return Answer(row.number, row.text, row.settings or "")  # one of an earlier version has none


def _is(table, code, **others):
    return and_(table.c.code == code, *(table.c[name] == value for name, value in others.items()))


def _unused(used):
    code = ""
    while not code or code in used:
        code = "".join(secrets.choice(ALPHABET) for _ in range(CODE_LETTERS))
    return code


def _change(connection, room, **values):
    connection.execute(update(ROOMS).where(ROOMS.c.code == room.code).values(version=room.version + 1, **values))


def _joined(connection, code, phone):
    row = connection.execute(select(PHONES).where(_is(PHONES, code, phone=phone))).one_or_none()
    if row is None:
        raise NotJoined
    return row


def _asked(connection, code, question):
    row = connection.execute(select(*_STANDING).where(_is(ASKED, code, question=question))).one_or_none()
    return Asked() if row is None else Asked(*row)


def _put(connection, room, question, before, after):
    """Write the state of a question, if it is new; one that nobody has touched has no row."""
    if after == before:
        return
    connection.execute(delete(ASKED).where(_is(ASKED, room.code, question=question)))
    if after != Asked():
        connection.execute(insert(ASKED).values(code=room.code, question=question, **asdict(after)))
    _change(connection, room)


def _forget(connection, which):
    """Delete rooms and all of them; whoever is at work in one ends first."""
    found = select(ROOMS.c.code).where(which).order_by(ROOMS.c.code).with_for_update()
    codes = list(connection.scalars(found))
    for table in (ANSWERS, ASKED, PHONES, ROOMS):
        connection.execute(delete(table).where(table.c.code.in_(codes)))
