"""Measurements while a page is attacked: the cost of each computation, and the memory of the process."""

from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from pages._view import compute
from pages._view.compute import rates, store
from tests.counting import count

FACTOR, SLACK = 2, 0.05  # a price may be too low by this factor and this many seconds
GROWTH = 300  # MB that the cache of results and newly imported modules may add


@contextmanager
def prices_kept():
    """Check that runs keep the limits for unrequested work, and that the most expensive computation keeps its price."""
    asked, result = {}, compute.result

    def watched(function, *args, **kwargs):
        call = partial(function, *args, **kwargs)
        asked[repr((function, args, kwargs))] = call  # a second request is cached
        return result(function, *args, **kwargs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compute, "result", watched)
        yield
    prices = {call: _price_of(call) for call in asked.values()}
    assert sum(map(rates.decided, prices.values())) <= compute.UNASKED.seconds
    assert all(price.bytes <= compute.UNASKED.bytes for price in prices.values())
    priced = {call: rates.decided(price) for call, price in prices.items() if hasattr(call.func, "price")}
    if priced:
        dearest = max(priced, key=priced.get)
        assert rates.decided(count(dearest)) <= FACTOR * priced[dearest] + SLACK, dearest


def _price_of(call):
    """Return the price of a call, or its counted work if it has no price."""
    return call.func.price(*call.args, **call.keywords) if hasattr(call.func, "price") else count(call)


@contextmanager
def memory_bounded():
    before = resident_mb()
    yield
    assert resident_mb() - before < GROWTH
    assert store._store.currsize <= compute.BYTES


def resident_mb():
    """Return the memory of this process in MB, or 0 if this is not Linux."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS:")), 0.0)
