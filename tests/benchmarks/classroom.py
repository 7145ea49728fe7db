"""A class with SQLite, Postgres and two replicas: waits of the phones, delays on the wall, CPU time of a request.

Phones are plain HTTP clients that ask for news as `room.js` does. The wall is a browser. Each phone answers, and then
draws, at its own moment.
"""

import os
import random
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from browsing import chromium, new_page
from harness import page_url, wait_until_idle
from phones import Phone, come_in, together
from postgres import cluster
from ratios import Row, percentile
from visitors import lab

from pages._view.lessons import LESSONS

SIZES, ROUNDS = (40, 100), 3
COMING, ACTING = 5.0, 10.0  # seconds within which all join, and within which all answer or draw
EVERY = 1.2  # seconds between two requests for news, on average
REQUEST, WALL, ALL_IN = 150, 2000, 5.0  # budgets: ms at p95, ms, s
TICKS = os.sysconf("SC_CLK_TCK")
_SEEN = """
window.counted = [], window.histograms = {};
new MutationObserver(() => {
  const draws = document.querySelector('[data-picture]')?.textContent.match(/The class: [0-9,]+ draws/);
  if (draws) window.histograms[draws[0]] ??= Date.now() / 1000;
  const text = document.querySelector('.room-count')?.textContent;
  if (text && text !== window.counted.at(-1)?.[1]) window.counted.push([Date.now() / 1000, text]);
}).observe(document, {childList: true, subtree: true, characterData: true});
"""


def classes():
    """Yield the rows of each database and class size, also with two replicas; every class is played three times."""
    with chromium() as browser:
        for name, database, replicas in (("SQLite", _file, 1), ("Postgres", cluster, 1), ("two replicas", cluster, 2)):
            with database() as url, lab(replicas, environment={"DATABASE_URL": url} if url else {}) as server:
                for many in SIZES:
                    rounds = [_Round(browser, server, many).played() for _ in range(ROUNDS)]
                    yield from _rows(f"class of {many}, {name}", rounds)


@contextmanager
def _file():
    yield ""


def _rows(name, rounds):
    def row(what, values, budget, unit="ms", detail=""):
        note = f"{', '.join(f'{each:.3g}' for each in values)} {unit}{detail and f'; {detail}'}"
        return Row(f"{name}: {what}", median(values), budget, unit, note)

    def late(which):
        return [1e3 * percentile(getattr(each, which), 0.95) for each in rounds]

    middle = ", ".join(f"{1e3 * median(each.waits):.3g}" for each in rounds)
    return [
        row("all join at once, until the last is in", [each.all_in for each in rounds], ALL_IN, "s"),
        row("a phone's request, p95", late("waits"), REQUEST, detail=f"medians {middle} ms"),
        row("answer or draw and the page after it, p95", late("sent"), None),
        row("from an answer to the count on the wall, p95", late("to_wall"), WALL),
        row("from the reveal to the wall that shows it", [1e3 * each.reveal for each in rounds], WALL),
        row("from the last draw to the histogram of all", [1e3 * each.histogram for each in rounds], WALL),
        row("CPU of the server, a phone's request and the wall's part", [1e3 * each.cost for each in rounds], None),
        row("numbers twice or missing", [each.wrong for each in rounds], 0, "numbers"),
    ]


@dataclass
class _Person:
    """One phone, and the times of its presses."""

    phone: Phone
    rng: random.Random
    sent: list = field(default_factory=list)  # (time of the press, seconds until the next page)

    def stays(self, until, deed=None, within=0.0):
        """Ask for news at random intervals until `until`; call `deed` once, at random within `within` seconds."""
        begin = time.time()
        due = begin + self.rng.uniform(0, within) if deed else until
        asks = begin + self.rng.uniform(0, EVERY)
        while (now := time.time()) < until:
            if now >= due:
                pressed = time.time()
                deed(self.phone)
                self.sent.append((pressed, time.time() - pressed))
                due = until
            elif now >= asks:
                self.phone.has_news()
                asks = time.time() + EVERY * self.rng.uniform(0.5, 1.5)
            else:
                time.sleep(max(0.0, min(due, asks, until) - now))


class _Round:
    """A class that plays a bet and the draws of its phones."""

    def __init__(self, browser, server, many):
        self.server, self.many, self.sent, self.to_wall = server, many, [], []
        self.wall = new_page(browser, _SEEN, (1920, 950))
        begin = self._open()
        come_in(server.url, self.code, many)
        self.all_in = time.time() - begin
        self._open()
        self.window = self.wall.context.new_page()
        self.window.goto(page_url(server, f"room/{self.code}"))

    def _open(self):
        """Open a room; return the time at which it was open."""
        self.wall.goto(page_url(self.server, "room", at="/softmax_saturation"))
        self.wall.get_by_role("button", name="Open a room").click()
        self.wall.locator("[data-room]").wait_for()
        wait_until_idle(self.wall)
        self.code = self.wall.locator(".room-code").inner_text()
        return time.time()

    def _cpu(self):
        return sum(cpu(each.pid) for each in self.server.processes)

    def played(self):
        """Play a bet, then the draws of all phones."""
        phones = [Phone(self.server.url, self.code) for _ in range(self.many)]
        people = [_Person(phone, random.Random(i)) for i, phone in enumerate(phones)]
        before = self._cpu()
        self._all(people, Phone.look, COMING)
        self._all(people, lambda phone: phone.answer(round(40 * random.random())), ACTING)
        self._counted(people, "have answered")
        self.reveal = self._shown(self._press("Reveal"), f"◆ {self.many} bets")
        self._draw_next(phones)
        self._all(people, Phone.draw, ACTING)
        self._counted(people, "have drawn")
        last = max(pressed for each in people for pressed, _ in each.sent)
        heading = f"The class: {10 * self.many:,} draws"
        self.wall.get_by_text(heading).wait_for()
        self.histogram = self.wall.evaluate("heading => histograms[heading]", heading) - last
        self.waits = [wait for phone in phones for wait in phone.waits]
        self.cost = (self._cpu() - before) / len(self.waits)
        self.wrong = len({*range(1, self.many + 1)} ^ {phone.number for phone in phones})
        self.wall.context.close()
        return self

    def _draw_next(self, phones):
        """Lead the class to the lesson in which phones draw."""
        self.window.get_by_text("All lessons").click()
        self._press(LESSONS["small_samples"].question)
        self.wall.wait_for_url("**/small_samples**")
        wait_until_idle(self.wall)
        self._shown(self._press("Reveal"), f"0 of {self.many} have drawn.")
        together(phones, Phone.look)

    def _press(self, label):
        """Press a button of the teacher's window; return the time of the press."""
        begin = time.time()
        self.window.get_by_role("button", name=label, exact=True).click()
        return begin

    def _all(self, people, deed, within):
        """Let every phone call `deed` once within `within` seconds, and stay two seconds longer."""
        for each in people:
            each.sent.clear()
        until = time.time() + within + 2
        with ThreadPoolExecutor(len(people)) as pool:
            for done in [pool.submit(each.stays, until, deed, within) for each in people]:
                done.result()
        if deed is not Phone.look:
            self.sent += [wait for each in people for _, wait in each.sent]

    def _counted(self, people, words):
        """Record the seconds from each phone's press until the wall has counted it."""
        self._shown(time.time(), f"{self.many} of {self.many} {words}")
        seen = [(when, int(text.split()[0])) for when, text in self.wall.evaluate("counted") if words in text]
        presses = sorted(pressed for each in people for pressed, _ in each.sent)
        for i, pressed in enumerate(presses):
            self.to_wall.append(next(when for when, count in seen if count > i) - pressed)

    def _shown(self, begin, text):
        """Wait until the wall shows a text; return the seconds since `begin`."""
        self.wall.get_by_text(text).first.wait_for()
        return time.time() - begin


def cpu(pid):
    """Return the seconds of CPU that a process and its children have used (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    started = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return (int(fields[11]) + int(fields[12])) / TICKS + sum(map(cpu, started))
