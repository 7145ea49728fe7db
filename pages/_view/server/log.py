"""A log with one line of JSON per request and per failure of the store, with nothing that identifies the visitor.

Off unless SATTN_LOG is json. A separate thread writes the lines. If they come faster than they can be written, some
are dropped and counted, so that no visitor waits.
"""

import json
import logging
import os
import sys
from datetime import UTC, datetime
from queue import Empty, Full, Queue
from threading import Thread
from typing import TextIO

from pages._view.classroom.room import FAILURES
from pages._view.server import places
from pages._view.server.seen import Seen

LOG = "SATTN_LOG"
MOST = 10_000  # lines that may wait to be written


class Log(logging.Handler):
    """The queue of lines, and the thread that writes them."""

    def __init__(self, out: TextIO | None = None) -> None:
        super().__init__(logging.INFO)
        self._out = out or sys.stdout
        self._lines: Queue[str] = Queue(MOST)
        self._left_out = 0

    def begin(self) -> "Log":
        """Start writing, and include the store's failures."""
        Thread(target=self._write, name="log", daemon=True).start()
        FAILURES.addHandler(self)
        FAILURES.setLevel(logging.INFO)
        return self

    def request(self, seen: Seen) -> None:
        """Queue a line for a request that has ended."""
        path, seconds = places.shown(seen.path, seen.status), round(seen.seconds, 4)
        self._say(kind=seen.kind, method=seen.method, path=path, status=seen.status, seconds=seconds, bytes=seen.bytes)

    def emit(self, record: logging.LogRecord) -> None:
        """Queue a line for a failure of the store."""
        self._say(kind="store", failure=record.getMessage())

    def _say(self, **facts):
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        left_out = {"left_out": self._left_out} if self._left_out else {}
        try:
            self._lines.put_nowait(json.dumps({"at": at, **facts, **left_out}))
        except Full:
            self._left_out += 1
        else:
            self._left_out -= left_out.get("left_out", 0)

    def _write(self):
        while True:
            lines = [self._lines.get()]
            while len(lines) < MOST:
                try:
                    lines.append(self._lines.get_nowait())
                except Empty:
                    break
            self._out.write("\n".join(lines) + "\n")
            self._out.flush()


def is_asked_for() -> bool:
    """Return True if the environment asks for a log; exit with a message if the setting is invalid."""
    asked = os.environ.get(LOG, "")
    if asked not in ("", "json"):
        raise SystemExit(f"{LOG} is {asked!r}, but it must be json, or not set")
    return asked == "json"
