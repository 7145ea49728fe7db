"""What is watched while a page is attacked: what each computation costs, and the memory of the process."""

import time
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from pages._view import compute
from sattn_core.cost import price_of
from tests.reference import reference_seconds

FACTOR, SLACK = 2, 0.05  # a price is right within a factor of 2; seconds that no price counts
GROWTH = 300  # MB that the store of results, and what is loaded meanwhile, may add


@contextmanager
def prices_kept():
    """No run may ask unasked for more than it may, and none may cost more than its price."""
    asked, result = {}, compute.result

    def watched(function, *args, **kwargs):
        begin = time.thread_time()
        found = result(function, *args, **kwargs)
        call, spent = partial(function, *args, **kwargs), time.thread_time() - begin
        asked.setdefault(repr((function, args, kwargs)), (call, spent))  # asked for again, it is kept
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compute, "result", watched)
        yield
    prices = [(price_of(call.func, *call.args, **call.keywords), call, spent) for call, spent in asked.values()]
    assert sum(price.seconds for price, *_ in prices) <= compute.UNASKED.seconds
    for price, call, spent in prices:
        assert price.bytes <= compute.UNASKED.bytes, call
        most = FACTOR * price.seconds + SLACK
        assert spent <= most or reference_seconds(call) <= most, call  # on a busy machine the first is no proof


@contextmanager
def memory_bounded():
    before = resident_mb()
    yield
    assert resident_mb() - before < GROWTH
    assert compute._store.currsize <= compute.BYTES


def resident_mb():
    """Memory of this process (Linux; elsewhere 0)."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS:")), 0.0)
