"""Measurements while a page is attacked: the cost of each computation, and the memory of the process."""

from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from pages._view import compute
from pages._view.compute import rates, store
from tests.counting import count

FACTOR, SLACK = 2, 0.05  # a price counts the work within a factor of 2; seconds that no price counts
GROWTH = 300  # MB for the cache of results, and for modules loaded meanwhile


@contextmanager
def prices_kept():
    """Check that no run asks unasked for more than it may, and that the dearest computation keeps to its price."""
    asked, result = {}, compute.result

    def watched(function, *args, **kwargs):
        call = partial(function, *args, **kwargs)
        asked[repr((function, args, kwargs))] = call  # at the second request it is cached
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
    """Return the price of a call; without a price its real counts."""
    return call.func.price(*call.args, **call.keywords) if hasattr(call.func, "price") else count(call)


@contextmanager
def memory_bounded():
    before = resident_mb()
    yield
    assert resident_mb() - before < GROWTH
    assert store._store.currsize <= compute.BYTES


def resident_mb():
    """Return the memory of this process (Linux; elsewhere 0)."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS:")), 0.0)
