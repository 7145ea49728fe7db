"""Measure how many visitors a second, each with an empty cache, can open a link and drag once.

The lab is one process, then one behind the shipped proxy, then two behind it. The last set-up is also measured with a
mix of visitors: a tenth have their own settings, and a twentieth start a session. The visitors run on the same cores;
the details give their share of the cores, and name the process that uses one up.
A rate lasts a few seconds only, so a rate that is slightly too high to last may still pass.
"""

import asyncio
import gc
import itertools
import math
import os
import random
import resource
import sys
import time
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from statistics import median
from urllib.parse import urlencode

from arriving import Crowd
from browsing import chromium, following_dimension, new_page
from classroom import TICKS, cpu
from harness import page_url
from ratios import Row, crossing, percentile
from visiting import Visitor
from visitors import lab

SHARED = 20  # links shared by all visitors without their own settings
OWN, SESSIONS = 10, 20  # in the mix, every 10th visitor has its own settings, every 20th starts a session
STOPS = (16, 32, 64, 128, 256)
LIMIT, LIMIT_OF_MIX = 500, 1000  # ms: largest p95 of the waits
ROUNDS = 3
SLOWEST, FASTEST = 1, 640  # visitors a second
BARE, MIXED = 5, 20  # first rate without the proxy, and with the mix
FINER = 2**0.5  # factor between rates, once the limit is known to lie between two
REST = 0.5  # seconds between two rates
MANY = 5  # fewest responses of a kind for a p95
LOOKING, STAYS = 3, 5.0  # visitors in a browser, and seconds that they stay after their last drag
LOOK = 0.1  # seconds between two readings of the memory
FULL = 0.9  # share of a core, or of all cores, that counts as used up
ORIGIN = "http://lab.example"  # without an origin, a shared cache stores no page


def crowd(rate=200, seconds=5):
    """Yield the rows of each lab. rate: visitors a second behind the proxy; seconds: how long each rate lasts."""
    _allow_connections()
    links()  # cache them before the first visitor arrives
    for replicas, proxied in ((1, False), (1, True), (2, True)):
        name = f"crowd, {'2 replicas' if replicas > 1 else '1 process'}{' and the proxy' if proxied else ''}"
        with lab(replicas, proxied=proxied, environment={"SATTN_ORIGIN": ORIGIN}) as site:
            measured = _Measured(site, seconds)
            first = measured.at(rate if proxied else BARE, _shared)
            if proxied:
                quantity = f"{name} that has nothing yet: {rate} visitors a second, p95"
                yield Row(quantity, first.late, None, "ms", first.details())
            if replicas > 1:
                yield _budget(measured, name, rate)
            begin = rate / 2 if proxied else BARE
            yield _until_it_breaks(measured, f"{name}, {SHARED} links", _shared, begin, LIMIT)
            if replicas > 1:
                measured.at(MIXED, _mixed)  # fill the caches with Streamlit's files
                yield _until_it_breaks(measured, f"{name}, the mix", _mixed, MIXED, LIMIT_OF_MIX)
            yield Row(f"{name}: peak memory", max(measured.memory), None, "MB")
            yield Row(f"{name}: errors", measured.errors, 0, "errors", f"of {measured.answers} answers")
    yield from _looking()


def _allow_connections():
    """Let this process and its children have as many connections as the system allows."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


# --- who comes ---------------------------------------------------------------------------------------


@cache
def links():
    """Return the shared links: steps whose picture follows dₖ at once even on a machine three times slower."""
    from pages._view.address import Address
    from pages._view.compute import rates
    from pages._view.compute.store import AT_ONCE
    from pages._view.lessons import LESSONS
    from pages._view.stage import Stage

    def is_drawn(page, query):
        stage = Stage(Address(LESSONS[page], {name: str(each) for name, each in query.items()}))
        params = stage.main.params and stage.main.params(stage.address.values)
        return stage.main.ready is None and (not params or 3 * rates.decided(params.price) <= AT_ONCE)

    steps = [(page, step) for page, step in following_dimension() if page]  # the start page makes no further request
    every = [(page, {"d_k": STOPS[i % len(STOPS)], "step": step}) for i, (page, step) in enumerate(steps)]
    drawn = [f"/{page}?{urlencode(query)}" for page, query in every if is_drawn(page, query)]
    return [drawn[i * len(drawn) // SHARED] for i in range(SHARED)]


def _shared(rng, numbers):
    """Yield visitors who each open one of the shared links."""
    every = links()
    while True:
        yield rng.choice(every), False


def _mixed(rng, numbers):
    """Yield visitors at shared links: a tenth with their own settings, and a twentieth who start a session."""
    for number, (link, _) in enumerate(_shared(rng, numbers)):
        own = f"&seed={next(numbers)}" if number % OWN == OWN // 2 else ""
        yield f"{link}{own}", number % SESSIONS == SESSIONS - 1


async def _session(url, link, due, waits):
    """Open a session at a link, and release the slider once."""
    page, _, query = link.partition("?")
    visitor = Visitor(url, page.strip("/"), query, random.Random(due))
    async with visitor.there():
        waits.by_kind["session"].append(1e3 * (time.perf_counter() - due))
        let_go = time.perf_counter()
        await visitor.let_go()
        waits.by_kind["move"].append(1e3 * (time.perf_counter() - let_go))
    waits.errors += visitor.errors


# --- what is measured --------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Rate:
    """Measurements at one rate."""

    rate: float
    waits: object
    taken: float  # seconds
    used: dict  # share of a core, by process

    @property
    def late(self):
        """p95 of the waits for the slowest kind of response (ms), among kinds with at least MANY responses."""
        many = [each for each in self.waits.by_kind.values() if len(each) >= MANY]
        return max(percentile(each, 0.95) for each in many or self.waits.by_kind.values())

    def details(self):
        """Return as text the waits of each kind, the load of the cores, and the delay of the generator itself."""
        waits = self.waits.by_kind | {"first picture": self.waits.opened or [math.inf]}
        kinds = ", ".join(f"{kind} {percentile(each, 0.95):.0f}" for kind, each in waits.items())
        kept = 100 * self.waits.kept / max(1, self.waits.answers)
        used = ", ".join(f"{who} {share:.2f}" for who, share in self.used.items())
        size = self.waits.size / self.taken / 1e6
        late = percentile(self.waits.late, 0.95)
        return (
            f"p95 {kinds} ms; kept {kept:.0f} %; {size:.0f} MB/s; cores {used}: {self.spent()}; "
            f"visitors late by {late:.0f} ms"
        )

    def spent(self):
        """Return in words which cores are used up."""
        most = max(self.used, key=self.used.get)
        if sum(self.used.values()) >= FULL * os.cpu_count():
            return f"all of {os.cpu_count()}, most by {most}"
        return f"one, by {most}" if self.used[most] >= FULL else "some are free"


class _Measured:
    """A lab, and the measurements of every rate tried on it."""

    def __init__(self, site, seconds):
        self.site, self.seconds = site, seconds
        self.pages, self.numbers, self.rounds = {}, itertools.count(1), itertools.count()
        self.memory, self.errors, self.answers = [site.memory_mb()], 0, 0

    def at(self, rate, who):
        time.sleep(REST)
        gc.collect()
        gc.freeze()
        rng = random.Random(next(self.rounds))
        wishes = itertools.islice(who(rng, self.numbers), max(1, round(rate * self.seconds)))
        crowd = Crowd(self.site.url, pages=self.pages)
        begin, before, busy = time.perf_counter(), self._spent(), _busy()
        asyncio.run(self._together(crowd, wishes, rate, rng))
        taken = time.perf_counter() - begin
        used = {name: (now - before[name]) / taken for name, now in self._spent().items()}
        used["others"] = max(0.0, (_busy() - busy) / taken - sum(used.values()))
        return self._noted(_Rate(rate, crowd.waits, taken, used))

    def _noted(self, one):
        self.errors += len(one.waits.errors)
        self.answers += one.waits.answers
        for error in one.waits.errors[:1]:
            print(f"at {one.rate:.0f} visitors a second: {error}", file=sys.stderr)
        print(f"  {one.rate:.0f}/s: {one.details()}", file=sys.stderr)
        return one

    async def _together(self, crowd, wishes, rate, rng):
        looking = asyncio.create_task(self._look())
        await crowd.come(wishes, rate, rng, partial(_session, self.site.url))
        looking.cancel()

    async def _look(self):
        while True:
            self.memory.append(self.site.memory_mb())
            await asyncio.sleep(LOOK)

    def _spent(self):
        return {
            "replicas": sum(cpu(each.pid) for each in self.site.processes),
            **({"proxy": cpu(self.site.proxy.pid)} if self.site.proxy else {}),
            "visitors": time.process_time(),
        }


def _busy():
    """Return the seconds that all cores together have worked (Linux)."""
    user, nice, system, _, _, irq, soft, *_ = map(int, Path("/proc/stat").read_text().split()[1:9])
    return (user + nice + system + irq + soft) / TICKS


def _budget(measured, name, rate):
    """Return the row of the promised rate: the median of three tries."""
    rounds = sorted((measured.at(rate, _shared) for _ in range(ROUNDS)), key=lambda one: one.late)
    detail = _spread([one.late for one in rounds], rounds[ROUNDS // 2])
    return Row(f"{name}, {SHARED} links: {rate} visitors a second, p95", rounds[ROUNDS // 2].late, LIMIT, "ms", detail)


def _until_it_breaks(measured, name, who, begin, limit):
    """Return the row of the rate at which the p95 of the waits passes the limit."""
    found = []
    for number in range(ROUNDS):
        found.append(_search(measured, who, begin, limit, FINER if number else 2))
        begin = found[0][2]
    rates = [at for at, _, _ in found]
    broke = next(one for at, one, _ in found if at == median(rates))
    quantity = f"{name}: visitors a second until p95 passes {limit} ms"
    return Row(quantity, median(rates), None, "/s", _spread(rates, broke))


def _search(measured, who, rate, limit, factor):
    """Raise the rate until it fails, or lower it until it passes; return rate at the limit, failure, last pass."""
    one = measured.at(rate, who)
    passed, broke = (None, one) if one.late > limit else (one, None)
    while not (passed and broke) and SLOWEST <= rate <= FASTEST:
        rate = rate * factor if passed else rate / factor
        one = measured.at(rate, who)
        passed, broke = (passed, one) if one.late > limit else (one, broke)
    if not (passed and broke):
        return rate, one, rate
    return crossing(passed.rate, passed.late, broke.rate, broke.late, limit), broke, passed.rate


def _spread(values, one):
    return f"{min(values):.0f} to {max(values):.0f}; at {one.rate:.0f}/s {one.details()}"


# --- sessions that nobody needs ----------------------------------------------------------------------


def _looking():
    """Yield the number of sessions opened by browsers that open a link, drag, and go to the next step."""
    opened, every = [], links()[:: SHARED // LOOKING]
    with chromium() as browser, lab(1) as site:
        for link in every:
            page = new_page(browser)
            page.on("websocket", lambda socket: opened.append(socket.url))
            page.goto(page_url(site, link))
            _drag(page)
            page.locator("[data-way] a[href]").last.click()
            _drag(page)
            page.wait_for_timeout(1e3 * STAYS)
            page.context.close()
    yield Row("visitors who look, drag and step: sessions opened", len(opened), 0, "sessions", f"{len(every)} visitors")


def _drag(page):
    """Wait for the picture, and move its slider if it has one."""
    page.locator("[data-picture][data-value]").first.wait_for()
    box = next(filter(None, (each.bounding_box() for each in page.locator("input[type=range]").all())), None)
    if box is None:
        return
    height = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] / 2, height)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.7 * box["width"], height, steps=10)
    page.mouse.up()
    page.wait_for_timeout(1e3)
