"""Cold loads as visitors have them: a new browser context with an empty cache, at a desk and on a phone.

Our pages take turns with four charts in Streamlit with its defaults, and in Dash if DASH_PYTHON names a Python that has
it. Every server has served its page before. The slider is measured in a separate load, since key presses would change
the other numbers: once it is there, a key is pressed ten times a second until the picture shows another d_k. This time
includes the wait for the first picture. Our page is usable when slider and picture are live:
Streamlit loads only for visitors who need more. The others are usable when their four charts are drawn and nothing has
changed for 0.7 s, which are not counted.
"""

import statistics
from contextlib import ExitStack
from dataclasses import dataclass

from browsing import chromium
from four_charts import PAGES, dash
from harness import ROOT, running_server
from loading import FOUR_CHARTS, LESSON, Machine, answer, load
from ratios import Row, ratio_row

LESSONS = ("score_variance", "derivation", "gradient_flow")
LINKED = "score_variance?d_k=100&seed=3"
STREAMLIT, DASH = "Streamlit's own four charts", "Dash's four charts"
FAST_4G = {"latency": 165, "downloadThroughput": 8e6 / 8, "uploadThroughput": 1.35e6 / 8}
SHIFT = 0.05  # largest layout shift allowed, as a share of the window
WIRE_OF_START, WIRE = 0.4, 1.9  # MB


@dataclass(frozen=True)
class Budgets:
    """Budgets in seconds; `usable` is relative to the time of Streamlit's own four charts."""

    text: float
    start: float
    lesson: float
    linked: float
    answer: float
    usable: float

    def picture(self, place):
        return {"": self.start, LINKED: self.linked}.get(place, self.lesson)


MACHINES = {
    Machine("desktop", (1440, 900)): Budgets(0.3, 0.5, 0.6, 1.5, 1, 1.2),
    Machine("phone", (390, 844), 4, FAST_4G): Budgets(1.2, 2, 2.5, 6, 5, 1.0),
}


def cold(loads=5):
    """Yield for each machine and page the rows of question, picture, slider, whole page, layout shift and bytes."""
    with chromium() as browser, ExitStack() as servers:
        ours, others = _sites(servers)
        taken = _taken(browser, ours, others, loads)
    for machine, budgets in MACHINES.items():
        here = {place: each for (name, place), each in taken.items() if name == machine.name}
        theirs = {name: here[name] for name in others}
        for place in ours:
            yield from _rows(machine.name, place, here[place], theirs, budgets)


def _sites(servers):
    """Return the URLs of our pages, and of the four charts in Streamlit and, if installed, in Dash."""
    lab = servers.enter_context(running_server()).url
    environment = {"DRAW": "plotly_chart", "PYTHONPATH": str(ROOT)}
    plain = servers.enter_context(running_server("page.py", cwd=PAGES, environment=environment)).url
    others = {STREAMLIT: plain, DASH: servers.enter_context(dash())}
    ours = {place: f"{lab}/{place}" for place in ("", *LESSONS, LINKED)}
    return ours, {name: url for name, url in others.items() if url}


def _taken(browser, ours, others, loads):
    """Return the measurements of each load, by machine and page; pages take turns, so a busy moment affects all."""
    sites = [(place, url, LESSON) for place, url in ours.items()]
    sites += [(name, url, FOUR_CHARTS) for name, url in others.items()]
    taken = {(machine.name, place): [] for machine in MACHINES for place, *_ in sites}
    for _, url, usable in sites:
        load(browser, next(iter(MACHINES)), url, usable)  # not counted
    for turn in range(loads):
        for machine in MACHINES:
            for place, url, usable in sites[:: -1 if turn % 2 else 1]:
                seen = load(browser, machine, url, usable)
                if place in ours:
                    seen["answer"] = answer(browser, machine, url)
                taken[machine.name, place].append(seen)
    return taken


def _rows(machine, place, loads, theirs, budgets):
    name = f"{machine}, {place or 'start'}"
    limits = {"text": budgets.text, "picture": budgets.picture(place), "answer": budgets.answer}
    for what, label in {"text": "question and answer", "picture": "picture", "answer": "slider answers"}.items():
        yield _row(f"{name}: {label}", [each[what] / 1e3 for each in loads], limits[what], "s")
    for other, times in theirs.items():
        yield _compared(f"{name}: all usable / {other}", loads, times, budgets.usable if other == STREAMLIT else None)
    yield _row(f"{name}: layout shift", [each["shift"] for each in loads], SHIFT, "")
    sizes = [each["wire"] / 1e6 for each in loads]
    yield _row(f"{name}: all bytes until quiet", sizes, WIRE if place else WIRE_OF_START, "MB")


def _row(quantity, values, budget, unit):
    return Row(quantity, statistics.median(values), budget, unit, _spread(values, unit))


def _compared(quantity, loads, others, budget):
    ours, theirs = [each["usable"] / 1e3 for each in loads], [each["still"] / 1e3 for each in others]
    wire = statistics.median(each["wire"] / 1e6 for each in others)
    note = f"ours {_spread(ours, 's')}; theirs {_spread(theirs, 's')}, {wire:.1f} MB"
    return ratio_row(quantity, budget, list(zip(ours, theirs, strict=True)), scale=1, unit="s", note=note)


def _spread(values, unit):
    return f"{min(values):.3g} to {max(values):.3g} {unit}".strip() + f", {len(values)} times"
