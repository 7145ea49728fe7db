"""A server's health: alive, and ready if it is warm, its database answers, and it is not shutting down."""

import asyncio
import threading

import pytest
from starlette.applications import Starlette

from pages._view.classroom.room import UNREACHABLE, StoreError
from pages._view.classroom.store import Store
from pages._view.server import health
from tests.pages.asgi import ask, run


@pytest.fixture
def readiness(monkeypatch, tmp_path):
    """Return the readiness of a warm server with an empty database."""
    mine = health.Readiness()
    mine.is_warm = True
    monkeypatch.setattr(health, "readiness", mine)
    monkeypatch.setattr(health, "store", lambda: Store(f"sqlite:///{tmp_path}/rooms.sqlite"))
    return mine


def told(place):
    status, headers, body = ask(Starlette(routes=health.routes()), f"/{place}")
    assert headers["cache-control"] == "no-store"
    return status, body.decode()


def test_a_warm_server_is_ready_before_and_after_the_first_class(readiness):
    assert told(health.READY) == (200, "ready")
    health.store().open_room("a secret of the teacher", stem="start")
    assert told(health.READY) == (200, "ready")


@pytest.mark.parametrize("state", [{"is_warm": False}, {"is_ending": True}])
def test_server_is_alive_but_not_ready_while_it_starts_or_stops(readiness, state):
    vars(readiness).update(state)
    status, said = told(health.READY)
    assert status == 503
    assert said.endswith(".")
    assert told(health.ALIVE) == (200, "ok")


def test_server_is_ready_again_once_its_database_answers_again(readiness, monkeypatch):
    answers = iter([StoreError(UNREACHABLE), None])

    class Away:
        def check(self):
            if problem := next(answers):
                raise problem

    monkeypatch.setattr(health, "store", Away)
    assert told(health.READY) == (503, UNREACHABLE)
    assert told(health.READY) == (200, "ready")


def test_database_that_never_answers_costs_one_thread_and_one_task(readiness, monkeypatch):
    monkeypatch.setattr(health, "PATIENCE", 0.05)
    looks, over = [], threading.Event()

    class Silent:
        def check(self):
            looks.append(threading.current_thread())
            over.wait()

    monkeypatch.setattr(health, "store", Silent)

    async def many():
        found = [await readiness.problem() for _ in range(3)]
        found += await asyncio.gather(*(readiness.problem() for _ in range(40)))
        return set(found), len(asyncio.all_tasks())

    try:
        assert run(many()) == ({UNREACHABLE}, 2)  # two tasks: this one and the one that checks the database
        assert len(looks) == 1
    finally:
        over.set()


def test_readiness_check_ends_within_two_seconds():
    assert health.PATIENCE < 2
