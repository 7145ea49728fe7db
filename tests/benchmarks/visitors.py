"""Sixty visitors at once: their waits for a page, a move and the last picture of a drag; memory; sessions.

The one link opens the lesson whose picture costs most. Visitors with their own settings are spread over all lessons
that have a slider of d_k, at the first step with one, or over all such steps. Each has a seed, and every second one
also its own d_k, distribution or number of keys.
"""

import asyncio
import random
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import urlencode, urlsplit
from urllib.request import ProxyHandler, build_opener

from browsing import following_dimension
from harness import Server, running_server
from ratios import Row, percentile
from replicas import ENVIRONMENT, proxy
from visiting import Visitor

LINK = "score_variance"
LAWS = ("uniform", "rademacher", "laplace", "student_t", "sparse")
ARRIVALS = 30.0  # seconds within which the visitors arrive
ROUND = 30.0  # seconds of moves, then as many seconds of drags
LAST_PICTURE = 500  # ms, p95
MEMORY, GROWTH = 400, 1.05  # MB at the end; MB at the end of a long visit ÷ MB after a fifth of it
LONG = 600  # seconds
KEPT_FOR = 3  # seconds that the server keeps the session of a browser that has gone; by default two minutes
COUNTED = "tests/benchmarks/counted.py"


def visitors(people=60, minutes=2.5, replicas=2):
    """Yield the rows of four groups, each on new servers. minutes: stay of those with their own settings."""
    stay, steps = 60 * minutes, following_dimension()
    first = [*dict(reversed(steps)).items()][::-1]  # the first step of each lesson
    lessons, own = ([_own(i, places) for i in range(people)] for places in (first, steps))
    yield from _class("one link", [at(LINK, {})] * people, min(stay, 2 * ROUND), replicas, moves=150)
    yield from _class("settings of their own", lessons, stay, replicas, opening=2000, moves=150)
    yield from _class("settings of their own, on all steps", own, stay, replicas, opening=2000, moves=150)
    yield from _class("settings of their own, on all steps, all at once", own, 0, replicas, opening=8000)


@dataclass(frozen=True)
class Lab:
    """The servers under test: one process, or several behind the shipped proxy."""

    url: str
    processes: tuple[Server, ...]
    proxy: Server | None = None

    def memory_mb(self):
        return sum(each.memory_mb() for each in self.processes)

    def log(self):
        return "\n".join(each.log() for each in self.processes)


@contextmanager
def lab(replicas, *, proxied=None, environment=None):
    """Run `replicas` processes, behind the proxy if there are several or `proxied` is set."""
    proxied = replicas > 1 if proxied is None else proxied
    flags = ("--server.disconnectedSessionTTL", str(KEPT_FOR))
    shared = (ENVIRONMENT if replicas > 1 else {}) | (environment or {})
    with ExitStack() as held:
        start = partial(running_server, COUNTED, *flags, environment=shared)
        processes = tuple(held.enter_context(start()) for _ in range(replicas))
        if not proxied:
            yield Lab(processes[0].url, processes)
            return
        folder = Path(held.enter_context(tempfile.TemporaryDirectory()))
        ports = [urlsplit(each.url).port for each in processes]
        before = held.enter_context(proxy(folder, *ports))
        yield Lab(before.url, processes, before)


def at(page, query):
    return {"page": page, "query": urlencode(query)}


def _own(i, places):
    page, step = places[i % len(places)]
    more = ({"d_k": 65 + i}, {"law": LAWS[i % len(LAWS)]}, {"n_keys": 17 + i})[i % 3]
    return at(page, {"step": step, "seed": i + 1} | (more if (i + i // len(places)) % 2 else {}))


def _class(title, wishes, stay, replicas, *, opening=None, moves=None):
    """Return the rows of one group; its visitors arrive all at once if they do not stay."""
    with lab(replicas) as server:
        people = [Visitor(server.url, rng=random.Random(i), **wish) for i, wish in enumerate(wishes)]
        begin, spent = time.perf_counter(), time.process_time()
        memory = asyncio.run(_together(people, server, stay))
        clients = (time.process_time() - spent) / (time.perf_counter() - begin)
        left, log = _sessions_left(server, wishes[0]), server.log()
    errors = [error for person in people for error in person.errors]
    errors += ["a traceback in the log"] * log.count("Traceback")
    if errors:
        print(f"{errors[0]}\nend of the server's log:\n{log[-3000:]}", file=sys.stderr)
    name = f"{len(people)} visitors, {title}, {replicas} process{'es' if replicas > 1 else ''}"
    rows = [
        _wait(f"{name}: opening, p95", [each.opening or float("inf") for each in people], opening),
        *(_moving(name, people, moves) if stay else ()),
        Row(f"{name}: errors", len(errors), 0, "errors", f"the clients took {clients:.2f} of a core"),
        Row(f"{name}: sessions in memory after all have gone, and one more", left, 1, "sessions"),
        Row(f"{name}: memory", memory[-1], MEMORY, "MB"),
    ]
    return rows + ([_growth(name, memory, stay)] if stay else [])


def _moving(name, people, budget):
    following = [each for each in people if each.held]
    rates = [each.pictures / each.held for each in following]
    last = [wait for each in people for wait in each.last]
    middle = f"of {len(following)} visitors whose pictures the server draws"
    return [
        _wait(f"{name}: move, p95", [wait for each in people for wait in each.moves], budget),
        Row(f"{name}: pictures a second of drag, median", percentile(rates or [0], 0.5), None, "pictures", middle),
        _wait(f"{name}: last picture after letting go, p95", last, LAST_PICTURE),
    ]


def _wait(quantity, waits, budget):
    waits = waits or [float("inf")]
    return Row(quantity, percentile(waits, 0.95), budget, "ms", f"{len(waits)}, median {percentile(waits, 0.5):.0f} ms")


def _growth(name, memory, stay):
    detail = f"{memory[0]:.0f} MB after {stay / 300:.2g} minutes, {memory[1]:.0f} MB after {stay / 60:.2g}"
    budget = GROWTH if stay >= LONG else None  # in a shorter stay the cache of results still fills
    return Row(f"{name}: memory at the end, over that after a fifth", memory[1] / memory[0], budget, detail=detail)


async def _together(people, server, stay):
    """Run the visitors, arriving one by one if they stay; return the memory after 1/5 of the stay and at its end."""
    begin = time.perf_counter() + 1
    each = ARRIVALS / len(people) if stay else 0
    settled = begin + each * len(people)
    rounds = _rounds(settled, settled + stay)
    gathered = [person.visit(begin + i * each, rounds) for i, person in enumerate(people)]
    early, *_ = await asyncio.gather(_memory(server, settled + stay / 5), *gathered)
    return early, server.memory_mb()


def _rounds(begin, end):
    """Return rounds of equal length, in which moves and drags alternate."""
    length, ways, rounds = min(ROUND, (end - begin) / 2), (Visitor.move, Visitor.drag), []
    while length and begin + length <= end + 1e-6:
        rounds.append((ways[len(rounds) % 2], begin, begin + length))
        begin += length
    return rounds


async def _memory(server, due):
    await asyncio.sleep(max(0.0, due - time.perf_counter()))
    return server.memory_mb()


def _sessions_left(server, wish):
    """Return the most sessions that a process still has. An expired session is dropped when the next visitor leaves."""
    time.sleep(KEPT_FOR + 1)
    return max(_sessions_left_in(process.url, wish) for process in server.processes)


def _sessions_left_in(url, wish):
    asyncio.run(Visitor(url, rng=random.Random(0), **wish).visit(time.perf_counter(), []))
    with build_opener(ProxyHandler({})).open(f"{url}/sessions") as answer:
        return int(answer.read())
