"""How many moves a second the lab answers in time, from one process and from two behind the proxy.

A move is what a hand causes when it lets go of the slider: the fragments of the page are drawn anew. Visitors are
websockets on one shared link, spread over the replicas. The rate grows until answers are late. What a move costs a
process and the proxy is printed too: more processes can be worked out from it.
"""

import asyncio
import os
import random
import sysconfig
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from pathlib import Path

from browsing import following_dimension
from ratios import Row, percentile
from replicas import Replica, build, proxy
from visiting import Visitor

VISITORS = 40
SECONDS = 8  # at each rate
FIRST, FASTER = 4.0, 1.4  # moves a second, and from one rate to the next
LATE = 300  # ms, p95
TICKS = os.sysconf("SC_CLK_TCK")


def scaling():
    """One process, then two, each behind the proxy."""
    with tempfile.TemporaryDirectory() as folder:
        here = {"PYTHONPATH": sysconfig.get_path("purelib")}
        site = Path(folder)
        build(site, os.environ | here)
        both = Replica(site, here), Replica(site, here)
        try:
            with ThreadPoolExecutor() as pool:
                list(pool.map(Replica.start, both))
            with tempfile.TemporaryDirectory() as place, proxy(Path(place), *(each.port for each in both)) as lab:
                return [row for count in (1, 2) for row in _rows(lab, both[:count])]
        finally:
            for each in both:
                each.stop()


def _rows(lab, replicas):
    page = following_dimension()[0]
    cookies = [f"lab_replica={replicas[i % len(replicas)].port}" for i in range(VISITORS)]
    people = [Visitor(lab.url, page, "", random.Random(i), cookie=cookie) for i, cookie in enumerate(cookies)]
    pids = [each.server.pid for each in replicas]
    rate, slowest, cost, cost_of_proxy = asyncio.run(_climb(people, lambda: (sum(map(cpu, pids)), cpu(lab.pid))))
    name, detail = f"{len(replicas)} behind the proxy", f"p95 {slowest:.0f} ms, {VISITORS} visitors"
    return [
        Row(f"processes: {name}, moves a second at p95 < {LATE} ms", rate, None, "a second", detail),
        Row(f"processes: {name}, CPU of a move in them", 1e3 * cost, None, "ms"),
        Row(f"processes: {name}, CPU of a move in the proxy", 1e3 * cost_of_proxy, None, "ms"),
    ]


async def _climb(people, spent):
    """The last rate at which the answers came in time, its slowest, and what a move cost: a process, and the proxy."""
    async with AsyncExitStack() as held:
        for each in people:
            await held.enter_async_context(each.there())
        await _moves(people, FIRST)  # warms
        before, moves, rate, best = spent(), 0, FIRST, (0.0, float("inf"))
        while True:
            waits = await _moves(people, rate)
            moves, slowest = moves + len(waits), percentile(waits, 0.95)
            if slowest >= LATE:
                return *best, *((after - first) / moves for first, after in zip(before, spent(), strict=True))
            best, rate = (rate, slowest), rate * FASTER


async def _moves(people, rate):
    """How long the moves took, all together at this rate."""
    for each in people:
        each.moves = []
    await asyncio.gather(*(_keep_moving(each, len(people) / rate) for each in people))
    return [wait for each in people for wait in each.moves]


async def _keep_moving(visitor, every):
    """A move at each multiple of `every` seconds from a moment of the visitor's own."""
    begin = time.perf_counter()
    due = begin + random.uniform(0, every)
    while due < begin + max(SECONDS, every):
        await asyncio.sleep(max(0, due - time.perf_counter()))
        visitor.place = visitor.rng.randrange(len(visitor.stops))
        await visitor.let_go()
        # Counted from when the hand meant to, so that no late answer is hidden.
        visitor.moves.append(1e3 * (time.perf_counter() - due))
        due += every


def cpu(pid):
    """Seconds of CPU that a process and those that it started have used (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    started = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return (int(fields[11]) + int(fields[12])) / TICKS + sum(map(cpu, started))
