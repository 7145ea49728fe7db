"""Three long computations at once: how much longer the moves of the other visitors take, on one process."""

import asyncio
import random
import time
from dataclasses import dataclass, field

from ratios import Row, percentile
from streamlit.proto.BackMsg_pb2 import BackMsg
from visiting import Visitor
from visitors import LINK, at, lab

OTHERS, WORKERS, ROUNDS = 20, 3, 3
LONG = {"n_samples": 1_000_000, "law": "student_t", "d_k": 1024}  # more than a minute of one core
PART = 15.0  # seconds without the computations, and as many beside them
SLOWER = 1.8


@dataclass
class Other(Visitor):
    """One who moves the slider; beside: how long the moves beside the computations took."""

    beside: list = field(default_factory=list)

    async def move_beside(self, begin, end):
        quiet, self.moves = self.moves, self.beside
        await self.move(begin, end)
        self.moves = quiet


@dataclass
class Worker(Visitor):
    """One who presses the button of a long computation, and leaves."""

    button: str = ""
    waited: bool = False

    async def work(self, begin, end):
        message = BackMsg()
        message.rerun_script.page_script_hash = self.page_hash
        message.rerun_script.widget_states.widgets.add(id=self.button, trigger_value=True)
        await self._run(message)
        await asyncio.sleep(max(0.0, end - time.perf_counter()))

    def _look(self, element, fragment):
        super()._look(element, fragment)
        kind = element.WhichOneof("type")
        if kind == "button" and element.button.label.startswith("Compute ("):
            self.button = element.button.id
        self.waited = self.waited or kind == "progress"


def jobs():
    """The moves of the others while nothing else runs, and while three have long computations, in turn."""
    with lab(1) as server:
        others, workers = asyncio.run(_in_turn(server.url))
    quiet = percentile([wait for each in others for wait in each.moves], 0.95)
    busy = percentile([wait for each in others for wait in each.beside], 0.95)
    errors = [error for each in (*others, *workers) for error in each.errors]
    errors += ["a computation was not seen"] * sum(not each.waited for each in workers)
    name = f"move of {OTHERS} visitors on one link and one process, p95"
    return [
        Row(f"{name}: beside {WORKERS} long computations, over without", busy / quiet, SLOWER, "×", f"{quiet:.0f} ms"),
        Row(f"{name}: errors", len(errors), 0, "errors", "; ".join(errors[:1])),
    ]


async def _in_turn(url):
    begin = time.perf_counter() + 2
    others = [Other(url, rng=random.Random(i), **at(LINK, {})) for i in range(OTHERS)]
    workers, rounds, visits = [], [], []
    for i in range(ROUNDS):
        quiet, busy, end = (begin + (2 * i + j) * PART for j in range(3))
        rounds += [(Other.move, quiet, busy), (Other.move_beside, busy, end)]
        now = [Worker(url, rng=random.Random(0), **at(LINK, LONG | {"seed": WORKERS * i + j})) for j in range(WORKERS)]
        visits += [each.visit(busy, [(Worker.work, busy, end - 2)]) for each in now]
        workers += now
    visits += [each.visit(begin - 2, rounds) for each in others]
    await asyncio.gather(*visits)
    return others, workers
