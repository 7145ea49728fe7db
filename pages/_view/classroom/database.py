"""The database of the rooms: its tables, reads and writes, on SQLite or Postgres."""

import os
import sqlite3
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from threading import Lock
from typing import Any
from urllib.parse import quote

import sqlalchemy as sa
from sqlalchemy.exc import ArgumentError, DataError, DBAPIError, IntegrityError, ProgrammingError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.pool import NullPool, QueuePool
from sqlalchemy.schema import CreateColumn

from pages._view.classroom.room import FAILURES, REFUSED, UNREACHABLE, Place, StoreError

_CONNECTIONS = {"pool_size": 5, "max_overflow": 5, "pool_timeout": 10}  # as many connections as `threads` may use
_MAKING = 10  # seconds that a process waits for others to make the tables
_GIVEN_UP = {"tcp_user_timeout": 10_000, "keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3}
_NOT_ALLOWED = "42501"  # Postgres's error code for a missing privilege
_LOCK = 7_231_905  # Postgres advisory lock for all rooms together

# A new column must allow NULL, because older versions that still run write rows without it.
_VERSION = 5  # version of the tables, stored in an SQLite file; increase it with every added column or table
_TABLES = sa.MetaData()
ROOMS = sa.Table(
    "lab_rooms", _TABLES,
    sa.Column("code", sa.String, primary_key=True), sa.Column("secret", sa.String, nullable=False),
    sa.Column("seed", sa.Integer, nullable=False), sa.Column("stem", sa.String, nullable=False),
    sa.Column("query", sa.String, nullable=False), sa.Column("opened", sa.Double, nullable=False),
    sa.Column("version", sa.Integer, nullable=False), sa.Column("phones", sa.Integer, nullable=False),
    sa.Column("drawn", sa.Integer, nullable=False), sa.Column("closed", sa.Double),  # seconds since 1970
    sa.Column("waiting", sa.Integer), sa.Column("shut", sa.Boolean),
    sa.Column("seen", sa.Double),  # when its wall or desk was last there
    sa.Column("opener", sa.String),  # the hashed network of its opener
    sa.Column("said", sa.String),  # settings of the teacher's link that hold for all lessons
)  # fmt: skip
ASKED = sa.Table(
    "lab_asked", _TABLES,
    sa.Column("code", sa.String, primary_key=True), sa.Column("question", sa.String, primary_key=True),
    sa.Column("revealed", sa.Boolean, nullable=False), sa.Column("locked", sa.Boolean, nullable=False),
    sa.Column("answers", sa.Integer, nullable=False),
)  # fmt: skip
PHONES = sa.Table(
    "lab_phones", _TABLES,
    sa.Column("code", sa.String, primary_key=True), sa.Column("phone", sa.String, primary_key=True),
    sa.Column("number", sa.Integer, nullable=False), sa.Column("draw", sa.Integer),
    sa.Column("settings", sa.String), sa.Column("at", sa.Double),  # at: time of the draw
)  # fmt: skip
WAITING = sa.Table(  # phones that have joined but have no number yet
    "lab_waiting", _TABLES,
    sa.Column("code", sa.String, primary_key=True), sa.Column("phone", sa.String, primary_key=True),
    sa.Column("at", sa.Double, nullable=False),
)  # fmt: skip
LIMITS = sa.Table(  # how many requests a rate still allows, and when that last changed
    "lab_limits", _TABLES,
    sa.Column("rate", sa.String, primary_key=True), sa.Column("who", sa.String, primary_key=True),
    sa.Column("remaining", sa.Double, nullable=False), sa.Column("at", sa.Double, nullable=False),
)  # fmt: skip
ANSWERS = sa.Table(
    "lab_answers", _TABLES,
    sa.Column("code", sa.String, primary_key=True), sa.Column("question", sa.String, primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("text", sa.String, nullable=False),
    sa.Column("settings", sa.String), sa.Column("at", sa.Double),  # the question's settings; time of the answer
)  # fmt: skip


def database_at(place: Place, patience: float) -> "Database":
    """Return the database of this file or URL, not connected yet. patience: seconds that a write waits for another."""
    if place.file is not None:
        return _Sqlite(place.file, patience)
    try:
        return _Postgres(place.url, patience)
    except (ArgumentError, ValueError) as error:
        raise StoreError(
            "DATABASE_URL cannot be read: it must be like postgresql://user:word@host:5432/name."
        ) from error


@contextmanager
def _told() -> Iterator[None]:
    """Raise `StoreError` if the database does not answer or refuses access."""
    try:
        yield
    except (DataError, IntegrityError, ProgrammingError) as error:
        if getattr(error.orig, "sqlstate", None) == _NOT_ALLOWED:
            raise _failure(REFUSED, error) from error
        raise  # a bug in this code
    except (DBAPIError, PoolTimeout, OSError) as error:
        raise _failure(UNREACHABLE, error) from error


def _failure(sentence, error):
    FAILURES.info("%s (%s)", sentence, getattr(error, "orig", error))
    return StoreError(sentence)


class Database:
    """The interface that both databases implement."""

    engine: sa.Engine
    patience: float
    reader: sa.Engine  # each statement is its own transaction

    def rows(self, statement: sa.Executable) -> Sequence[sa.Row[Any]]:
        """Return the rows of one reading statement."""
        with _told():
            self.prepare()
            with self.reader.connect() as connection:
                return connection.execute(statement).all()

    @contextmanager
    def writing(self, *, whole: bool = False) -> Iterator[sa.Connection]:
        """Open a write transaction. whole: make the tables first, and let nobody else open or delete rooms."""
        with _told():
            self.prepare(making=whole)
            until = time.monotonic() + self.patience
            with self.in_turn(), self.engine.connect() as connection:
                self.wait(connection, max(until - time.monotonic(), 0))
                with connection.begin():
                    self.limit(connection, self.patience)
                    if whole:
                        self.lock(connection)
                    yield connection

    def prepare(self, *, making: bool = False) -> None:
        """Make the tables if they are missing."""

    def in_turn(self) -> AbstractContextManager[Any]:
        """Return a context manager that lets one thread write at a time, if the database needs it."""
        return nullcontext()

    def wait(self, connection: sa.Connection, seconds: float) -> None:
        """Limit the seconds that the next transaction waits for others before it begins."""

    def limit(self, connection: sa.Connection, seconds: float) -> None:
        """Limit the seconds that the current transaction waits for each lock."""

    def lock(self, connection: sa.Connection) -> None:
        """Let nobody else open or delete rooms until the transaction ends."""

    def dispose(self) -> None:
        """Close all connections."""
        self.engine.dispose()


class _Sqlite(Database):
    """An SQLite file. A write transaction locks the whole database when it begins, since it reads before it writes.

    The threads of a process wait for each other at a lock of this class: waiting for SQLite's own lock, they would
    sleep longer and longer, and others could overtake them for ever.
    """

    def __init__(self, file: Path, patience: float) -> None:
        self.file, self.patience, self._writing, self._making = file, patience, Lock(), Lock()
        self.reader = sa.create_engine("sqlite://", creator=self._connect, poolclass=QueuePool, **_CONNECTIONS)
        self.engine = self.reader.execution_options()
        sa.event.listen(self.engine, "begin", _begin_immediate)

    def _connect(self):
        # Turn off the driver's own transactions, and never create an empty file.
        where = f"file:{quote(str(self.file.absolute()))}?mode=rw"
        made = sqlite3.connect(where, _MAKING, isolation_level=None, check_same_thread=False, uri=True)
        try:
            # With a write-ahead log, NORMAL is safe if the process is killed, but not in a power cut.
            made.execute("PRAGMA synchronous=NORMAL")
            if made.execute("PRAGMA user_version").fetchone()[0] < _VERSION:
                _make_tables(self.file)
        except (sqlite3.Error, DBAPIError):
            made.close()
            raise
        return made

    @contextmanager
    def in_turn(self) -> Iterator[None]:
        if not self._writing.acquire(timeout=self.patience):
            raise TimeoutError("others write")
        try:
            yield
        finally:
            self._writing.release()

    def wait(self, connection: sa.Connection, seconds: float) -> None:
        own = connection.connection.driver_connection
        own.execute(f"PRAGMA busy_timeout={round(1000 * seconds)}")  # type: ignore[union-attr]

    def prepare(self, *, making: bool = False) -> None:
        """Make the file, readable only for its owner, and move it into place complete, even if others do the same."""
        if not making or self.file.exists():
            return
        with self._making:
            self.dispose()  # somebody may have deleted its folder
            self.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(prefix="making", dir=self.file.parent)  # readable only for its owner
            os.close(handle)
            try:
                _make_tables(name)
                with suppress(FileExistsError):
                    os.link(name, self.file)
            finally:
                os.unlink(name)


def _begin_immediate(connection):
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def _make_tables(file):
    def connect():
        made = sqlite3.connect(file, _MAKING, isolation_level=None)
        _write_ahead(made)
        return made

    engine = sa.create_engine("sqlite://", creator=connect, poolclass=NullPool)
    sa.event.listen(engine, "begin", _begin_immediate)
    with engine.begin() as connection:
        _complete(connection)
        connection.exec_driver_sql(f"PRAGMA user_version={_VERSION}")


def _write_ahead(connection):
    """Turn on write-ahead logging; retry, since SQLite fails if another process turns it on at the same moment."""
    until = time.monotonic() + _MAKING
    while connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError:
            if time.monotonic() > until:
                raise
            time.sleep(0.01)


def _complete(connection):
    """Add missing tables and columns; remove nothing."""
    _TABLES.create_all(connection)
    for table in _TABLES.sorted_tables:
        there = {each["name"] for each in sa.inspect(connection).get_columns(table.name)}
        for column in table.columns:
            if column.name not in there:
                added = CreateColumn(column).compile(dialect=connection.dialect)
                connection.exec_driver_sql(f"ALTER TABLE {table.name} ADD COLUMN {added}")


class _Postgres(Database):
    """A Postgres database. A write locks its room's row, so that the writes of a room come one after another."""

    def __init__(self, url: str, patience: float) -> None:
        # No prepared statements: a pooler in front of the database may change the connection between two statements.
        # Detect dead connections after 10 s (TCP's default is hours).
        arguments = {"connect_timeout": 5, "prepare_threshold": None, **_GIVEN_UP}
        self.engine = sa.create_engine(url, pool_pre_ping=True, connect_args=arguments, **_CONNECTIONS)
        self.reader = self.engine.execution_options(isolation_level="AUTOCOMMIT")
        self.patience, self._made = patience, False

    def prepare(self, *, making: bool = False) -> None:
        """Make the tables. Threads may do so at the same time, so that none waits for another's failure."""
        if self._made:
            return
        with self.engine.begin() as connection:
            self.limit(connection, _MAKING)
            self.lock(connection)
            _complete(connection)
        self._made = True

    def limit(self, connection: sa.Connection, seconds: float) -> None:
        milliseconds = max(round(1000 * seconds), 1)  # 0 would mean no limit
        connection.execute(sa.text(f"SET LOCAL lock_timeout = {milliseconds}"))

    def lock(self, connection: sa.Connection) -> None:
        connection.execute(sa.text(f"SELECT pg_advisory_xact_lock({_LOCK})"))
