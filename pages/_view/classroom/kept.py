"""The database part of a store: each read is one statement, each write one transaction that locks its room."""

import secrets
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import asdict, fields

from sqlalchemy import and_, delete, exists, false, func, insert, not_, or_, select, text, update

from pages._view.classroom import limits
from pages._view.classroom.database import ANSWERS, ASKED, LIMITS, PHONES, ROOMS, WAITING, database_at
from pages._view.classroom.limits import Network, Rate
from pages._view.classroom.room import (
    ABANDONED,
    ALPHABET,
    CODE_LETTERS,
    FIRST,
    LASTS,
    LONGER_CODE,
    MOST_PHONES,
    MOST_ROOMS,
    MOST_WAITING,
    SEEDS,
    SEEN_EVERY,
    UNDO,
    Answer,
    Asked,
    DoorIsShut,
    Given,
    NoSuchRoom,
    NotJoined,
    Place,
    Room,
    RoomIsFull,
    TooFast,
    TooLate,
    TooManyAtOnce,
    TooManyHere,
    TooManyRooms,
)

_SHARE = 10  # a network may have a tenth of the free rooms, but at least one
_MOST_KEYS = 10_000  # highest number of networks counted for one rate; the oldest are deleted
_WAITING = func.coalesce(ROOMS.c.waiting, 0).label("waiting")  # NULL in rows that an earlier version has written
_ADDED = {
    "waiting": _WAITING,
    "shut": func.coalesce(ROOMS.c.shut, false()).label("shut"),
    "said": func.coalesce(ROOMS.c.said, "").label("said"),
}
_PUBLIC = [_ADDED.get(each.name, ROOMS.c[each.name]) for each in fields(Room)]
_USED = or_(ROOMS.c.phones > 0, func.coalesce(ROOMS.c.waiting, 0) > 0)
_LAST_SEEN = func.coalesce(ROOMS.c.seen, ROOMS.c.opened)
_REMEMBERED = 3600.0  # seconds after which the count of a rate is deleted
_ADD_LIMIT = text(
    "INSERT INTO lab_limits (rate, who, remaining, at) VALUES (:rate, :who, :remaining, :at) ON CONFLICT DO NOTHING"
)
_STANDING = [ASKED.c[each.name] for each in fields(Asked)]
_ANSWER = [ANSWERS.c[each.name] for each in fields(Answer)]


class Kept:
    """The part of `Store` that reads and writes the database; `Store` checks all arguments first."""

    def __init__(self, place: Place, clock: Callable[[], float], patience: float) -> None:
        self._database, self._clock = database_at(place, patience), clock
        self.dispose = self._database.dispose

    # --- rooms ---

    def open_room(self, hashed: str, stem: str, query: str, said: str, network: Network | None) -> Room:
        with self._database.writing(whole=True) as connection:
            self._forget_old(connection)
            used = set(connection.scalars(select(ROOMS.c.code)))
            if len(used) >= MOST_ROOMS:  # delete closed rooms to make room
                _forget(connection, ROOMS.c.closed.is_not(None))
                used = set(connection.scalars(select(ROOMS.c.code)))
            if len(used) >= MOST_ROOMS:
                raise TooManyRooms
            if network:
                self._may_open(connection, network.site)
            letters = LONGER_CODE if self._left(connection, limits.GUESSES, "") < 1 else CODE_LETTERS
            code, seed = _unused(used, letters), secrets.randbelow(SEEDS)
            room = Room(code, seed, stem, query, self._clock(), version=1, phones=0, drawn=0, said=said)
            opener = network.site if network else None
            connection.execute(insert(ROOMS).values(secret=hashed, opener=opener, **asdict(room)))
        return room

    def _may_open(self, connection, site):
        """Raise an error if the network has too many rooms for the number still free, or opens them too fast."""
        in_use = connection.scalars(select(ROOMS.c.opener).where(ROOMS.c.closed.is_(None))).all()
        own = in_use.count(site)
        if own >= max((MOST_ROOMS - len(in_use)) // _SHARE, 1):
            raise TooManyHere(own)
        if not self._take(connection, limits.OPENED, site):
            raise TooFast

    def room(self, code: str) -> Room | None:
        row = self._one(select(*_PUBLIC).where(self._open(code)))
        return None if row is None else Room(*row)

    def secret_of(self, code: str) -> str | None:
        return self._value(select(ROOMS.c.secret).where(self._open(code)))

    def lock_door(self, code: str, shut: bool) -> None:
        with self._holding(code) as (connection, room):
            if room.shut != shut:
                _change(connection, room, shut=shut)

    def is_unseen(self, code: str) -> bool:
        seen = func.coalesce(ROOMS.c.seen, ROOMS.c.opened)
        return self._value(select(seen < self._clock() - SEEN_EVERY).where(self._open(code))) or False

    def see(self, code: str) -> None:
        with self._database.writing() as connection:
            connection.execute(update(ROOMS).where(self._open(code)).values(seen=self._clock()))

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
            mine, first = _is(ANSWERS, code, question=question), question + FIRST
            if connection.scalar(select(exists().where(_is(ANSWERS, code, question=first)))):
                connection.execute(delete(ANSWERS).where(mine))
            else:
                connection.execute(update(ANSWERS).where(mine).values(question=first))
            _put(connection, room, question, _asked(connection, code, question), Asked())

    def answer(self, code: str, question: str, phone: str, text: str, settings: str) -> None:
        with self._holding(code) as (connection, room):
            standing = _asked(connection, code, question)
            if standing.locked:
                raise TooLate
            number = _placed(connection, room, phone).number
            mine = _is(ANSWERS, code, question=question, number=number)
            before = connection.execute(select(ANSWERS.c.text, ANSWERS.c.settings).where(mine)).one_or_none()
            said = {"text": text, "settings": settings, "at": self._clock()}
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

    def join(self, code: str, phone: str, network: Network | None) -> None:
        with self._holding(code) as (connection, room):
            if _one_of(connection, PHONES, code, phone) or _one_of(connection, WAITING, code, phone):
                return
            if room.shut:
                raise DoorIsShut
            if room.phones >= MOST_PHONES:
                raise RoomIsFull
            first = limits.FIRST_JOINED if room.phones + room.waiting < limits.FEW else limits.JOINED.most
            if network and not self._take(connection, limits.JOINED, f"{code} {network.name}", first):
                raise TooManyAtOnce
            waiting = room.waiting
            if waiting >= MOST_WAITING:  # delete the earliest phone; if it is still there, it joins again by itself
                waiting -= _forget_first_waiting(connection, code)
            connection.execute(insert(WAITING).values(code=code, phone=phone, at=self._clock()))
            _change(connection, room, waiting=waiting + 1)

    def has_joined(self, code: str, phone: str) -> bool:
        there = [exists().where(_is(table, code, phone=phone)) for table in (PHONES, WAITING)]
        return self._value(select(or_(*there)).where(self._in_open(code))) or False

    def clear(self, code: str) -> None:
        with self._holding(code) as (connection, room):
            if room.waiting:
                connection.execute(delete(WAITING).where(WAITING.c.code == code))
                _change(connection, room, waiting=0)

    def number_of(self, code: str, phone: str) -> int | None:
        return self._value(select(PHONES.c.number).where(_is(PHONES, code, phone=phone), self._in_open(code)))

    def lecture(self, code: str) -> list[Given]:
        columns = [ANSWERS.c[name] for name in ("question", "number", "text", "settings", "at")]
        found = select(*columns).where(ANSWERS.c.code == code, self._in_open(code))
        rows = self._database.rows(found.order_by(ANSWERS.c.question, ANSWERS.c.number))
        return [Given(row.question, row.number, row.text, row.settings or "", row.at) for row in rows]

    def draws(self, code: str) -> list[Given]:
        found = select(PHONES).where(PHONES.c.code == code, PHONES.c.draw.is_not(None), self._in_open(code))
        rows = self._database.rows(found.order_by(PHONES.c.number))
        return [Given(row.draw, row.number, "", row.settings or "", row.at) for row in rows]

    def draw(self, code: str, phone: str, settings: str) -> int:
        with self._holding(code) as (connection, room):
            before = _placed(connection, room, phone).draw
            if before is not None:
                return before
            said = {"draw": room.drawn, "settings": settings, "at": self._clock()}
            connection.execute(update(PHONES).where(_is(PHONES, code, phone=phone)).values(said))
            _change(connection, room, drawn=room.drawn + 1)
        return room.drawn

    def drawn(self, code: str, phone: str) -> int | None:
        return self._value(select(PHONES.c.draw).where(_is(PHONES, code, phone=phone), self._in_open(code)))

    def reset_draws(self, code: str) -> None:
        with self._holding(code) as (connection, room):
            if room.drawn:
                connection.execute(update(PHONES).where(PHONES.c.code == code).values(draw=None))
                _change(connection, room, drawn=0)

    # --- rates ---

    def takes(self, rate: Rate, who: str) -> bool:
        with self._database.writing() as connection:
            return self._take(connection, rate, who)

    def is_over(self, rate: Rate, who: str) -> bool:
        found = self._one(_counted(rate, who))
        return found is not None and rate.left(found.remaining, self._clock() - found.at) < 1

    def is_known(self, code: str, network: Network) -> bool:
        """Return True if the room was opened from this network, or one of its phones has joined within the hour."""
        here = exists().where(LIMITS.c.rate == limits.JOINED.name, LIMITS.c.who == f"{code} {network.name}")
        return self._value(select(or_(ROOMS.c.opener == network.site, here)).where(self._open(code))) or False

    def _take(self, connection, rate, who, first=None):
        now = self._clock()
        values = {"rate": rate.name, "who": who, "remaining": rate.most if first is None else first, "at": now}
        added = connection.execute(_ADD_LIMIT, values).rowcount
        found = connection.execute(_counted(rate, who).with_for_update()).one()
        if added:
            _forget_most(connection, rate)
        left = rate.left(found.remaining, now - found.at)
        if left >= 1:
            this = and_(LIMITS.c.rate == rate.name, LIMITS.c.who == who)
            connection.execute(update(LIMITS).where(this).values(remaining=left - 1, at=now))
        return left >= 1

    def _left(self, connection, rate, who):
        found = connection.execute(_counted(rate, who)).one_or_none()
        return rate.most if found is None else rate.left(found.remaining, self._clock() - found.at)

    # --- helpers ---

    @contextmanager
    def _holding(self, code):
        """Open a transaction that locks an open room; yield its connection and the room's current row."""
        with self._database.writing() as connection:
            row = connection.execute(select(*_PUBLIC).where(self._open(code)).with_for_update()).one_or_none()
            if row is None:
                raise NoSuchRoom
            yield connection, row

    def _open(self, code):
        now = self._clock()
        lasts = and_(ROOMS.c.opened >= now - LASTS, ROOMS.c.closed.is_(None), or_(_USED, _LAST_SEEN >= now - ABANDONED))
        return and_(ROOMS.c.code == code, lasts)

    def _closed(self, code):
        now = self._clock()
        return and_(ROOMS.c.code == code, ROOMS.c.opened >= now - LASTS, ROOMS.c.closed >= now - UNDO)

    def _in_open(self, code):
        return exists().where(self._open(code))

    def _forget_old(self, connection):
        now = self._clock()
        abandoned = and_(ROOMS.c.closed.is_(None), not_(_USED), _LAST_SEEN < now - ABANDONED)
        _forget(connection, or_(ROOMS.c.opened < now - LASTS, ROOMS.c.closed < now - UNDO, abandoned))
        connection.execute(delete(LIMITS).where(LIMITS.c.at < now - _REMEMBERED))

    def _one(self, statement):
        return next(iter(self._database.rows(statement)), None)

    def _value(self, statement):
        row = self._one(statement)
        return None if row is None else row[0]


def _answer(row):
    return Answer(row.number, row.text, row.settings or "")  # NULL in rows that an earlier version has written


def _is(table, code, **others):
    return and_(table.c.code == code, *(table.c[name] == value for name, value in others.items()))


def _unused(used, letters):
    code = ""
    while not code or code in used:
        code = "".join(secrets.choice(ALPHABET) for _ in range(letters))
    return code


def _change(connection, room, **values):
    connection.execute(update(ROOMS).where(ROOMS.c.code == room.code).values(version=room.version + 1, **values))


def _one_of(connection, table, code, phone):
    return connection.execute(select(table).where(_is(table, code, phone=phone))).one_or_none()


def _placed(connection, room, phone):
    """Return the row of a phone; give a number to a phone that has joined and has none."""
    row = _one_of(connection, PHONES, room.code, phone)
    if row is not None:
        return row
    if _one_of(connection, WAITING, room.code, phone) is None:
        raise NotJoined
    if room.phones >= MOST_PHONES:
        raise RoomIsFull
    connection.execute(delete(WAITING).where(_is(WAITING, room.code, phone=phone)))
    connection.execute(insert(PHONES).values(code=room.code, phone=phone, number=room.phones))
    _change(connection, room, phones=room.phones + 1, waiting=max(room.waiting - 1, 0))
    return _one_of(connection, PHONES, room.code, phone)


def _forget_first_waiting(connection, code):
    """Delete the phone that has waited longest; return the number of deleted phones."""
    found = select(WAITING.c.phone).where(WAITING.c.code == code).order_by(WAITING.c.at, WAITING.c.phone).limit(1)
    first = connection.scalar(found)
    return connection.execute(delete(WAITING).where(_is(WAITING, code, phone=first))).rowcount


def _counted(rate, who):
    return select(LIMITS.c.remaining, LIMITS.c.at).where(LIMITS.c.rate == rate.name, LIMITS.c.who == who)


def _forget_most(connection, rate):
    """Delete the oldest counts of a rate, if there are too many."""
    of_rate = LIMITS.c.rate == rate.name
    newest_first = select(LIMITS.c.at).where(of_rate).order_by(LIMITS.c.at.desc())
    last = connection.scalar(newest_first.offset(_MOST_KEYS).limit(1))
    if last is not None:
        connection.execute(delete(LIMITS).where(of_rate, LIMITS.c.at <= last))


def _asked(connection, code, question):
    row = connection.execute(select(*_STANDING).where(_is(ASKED, code, question=question))).one_or_none()
    return Asked() if row is None else Asked(*row)


def _put(connection, room, question, before, after):
    """Write the state of a question if it has changed; an untouched question has no row."""
    if after == before:
        return
    connection.execute(delete(ASKED).where(_is(ASKED, room.code, question=question)))
    if after != Asked():
        connection.execute(insert(ASKED).values(code=room.code, question=question, **asdict(after)))
    _change(connection, room)


def _forget(connection, which):
    """Delete rooms with all their rows, after waiting for other writes in these rooms."""
    found = select(ROOMS.c.code).where(which).order_by(ROOMS.c.code).with_for_update()
    codes = list(connection.scalars(found))
    for table in (ANSWERS, ASKED, WAITING, PHONES, ROOMS):
        connection.execute(delete(table).where(table.c.code.in_(codes)))
