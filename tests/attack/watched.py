"""What is watched while a page is attacked: what each computation costs, and the memory of the process."""

from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from pages._view import compute
from pages._view.compute import rates, store
from tests.counting import count

FACTOR, SLACK = 2, 0.05  # a price counts the work within a factor of 2; seconds that no price counts
GROWTH = 300  # MB that the store of results, and what is loaded meanwhile, may add


@contextmanager
def prices_kept():
    """No run may ask unasked for more than it may, and the dearest computation may not do more than its price says."""
    asked, result = {}, compute.result

    def watched(function, *args, **kwargs):
        call = partial(function, *args, **kwargs)
        asked[repr((function, args, kwargs))] = call  # asked again, it is kept
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
    """Return the price of a call, and of one that has none what it really counts."""
    return call.func.price(*call.args, **call.keywords) if hasattr(call.func, "price") else count(call)


@contextmanager
def memory_bounded():
    before = resident_mb()
    yield
    assert resident_mb() - before < GROWTH
    assert store._store.currsize <= compute.BYTES


def resident_mb():
    """Memory of this process (Linux; elsewhere 0)."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS:")), 0.0)
