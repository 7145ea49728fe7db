"""Processes that share one store and print what it returns.

python -m tests.pages.room_crowd URL            each process opens a class
python -m tests.pages.room_crowd URL CODE       each process acts as phones in a class
python -m tests.pages.room_crowd URL CODE on    one process acts as phones, and sends answers until it is killed
"""

import json
import os
import sys
from itertools import count

import psycopg  # noqa: F401 - what is loaded before the fork is loaded once
from sqlalchemy.dialects.postgresql import psycopg as _  # noqa: F401

from pages._view.classroom import kept  # noqa: F401
from pages._view.classroom.store import RoomIsFull, Store

PROCESSES, PHONES = 8, 14
SHARED = "shared"  # a phone that joins via every process


def _store(url):
    return Store(url, patience=60)  # enough on a slow machine


def opened(store, me):
    return store.open_room(f"secret {me}", stem="a").code


def played(store, code, me):
    """Return the number and draw of each phone, by phone; None if the class was full."""
    return {phone: _played(store, code, phone) for phone in (SHARED, *(f"{me} {i}" for i in range(PHONES)))}


def _played(store, code, phone):
    try:
        store.join(code, phone)
        store.answer(code, "q", phone, phone)
    except RoomIsFull:
        return None
    return store.number_of(code, phone), store.draw(code, phone)


def go_on(store, code):
    for i in range(PHONES):
        print(json.dumps([f"0 {i}", _played(store, code, f"0 {i}")]), flush=True)
    for i in count():
        store.answer(code, "more", "0 0", str(i))
        print(i, flush=True)


def main(url, code=None, on=None):
    if on:
        go_on(_store(url), code)
    reader, gate = os.pipe()
    children = [_fork(url, code, me, reader, gate) for me in range(PROCESSES)]
    os.close(gate)  # all children start now
    if any(os.waitpid(child, 0)[1] for child in children):
        sys.exit(1)


def _fork(url, code, me, reader, gate):
    child = os.fork()
    if child:
        return child
    os.close(gate)
    os.read(reader, 1)
    told = played(_store(url), code, me) if code else opened(_store(url), me)
    os.write(sys.stdout.fileno(), f"{json.dumps(told)}\n".encode())
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
