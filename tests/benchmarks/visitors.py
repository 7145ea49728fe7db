"""Thirty visitors at once, each moving a slider every two seconds, without thirty browsers.

Thirty browsers on a small machine would measure the browsers. Each visitor here is a websocket that says
what Streamlit's own page says: its first message, its slider moves, the hashes of cached messages.
"""

import asyncio
import random
import sys
import time
from dataclasses import dataclass, field
from urllib.parse import urlencode

from browsing import following_dimension
from harness import running_server
from ratios import Row, percentile
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import connect

VISITORS = 30
SECONDS = 30
EVERY = 2.0  # seconds between two moves of one visitor
SLIDER = "d_k"
BUDGET = 500  # ms, p95
PATIENCE = 60  # seconds after which an unanswered move is an error


@dataclass
class Visitor:
    """One session: what it has been told, and how long its moves took."""

    url: str
    page: str
    query: dict
    rng: random.Random
    waits: list = field(default_factory=list)
    errors: list = field(default_factory=list)
    slider: object = None
    page_hash: str = ""
    place: int = 0
    kept: set = field(default_factory=set)

    async def visit(self, everyone_is_in):
        address = self.url.replace("http://", "ws://") + "/_stcore/stream"
        options = {"subprotocols": ["streamlit"], "max_size": None, "compression": None}
        async with connect(address, origin=self.url, proxy=None, **options) as socket:
            try:
                await asyncio.wait_for(self._open(socket), PATIENCE)
            finally:
                await everyone_is_in.wait()
            begin = time.perf_counter()
            due = begin + self.rng.uniform(0, EVERY)
            while due < begin + SECONDS:
                await asyncio.sleep(max(0, due - time.perf_counter()))
                await asyncio.wait_for(self._move(socket), PATIENCE)
                # Counted from when the hand moved, so that a late answer is not hidden by a late next move.
                self.waits.append(1e3 * (time.perf_counter() - due))
                due = max(due + EVERY, time.perf_counter())

    async def _open(self, socket):
        message = BackMsg()
        message.rerun_script.page_name = self.page
        await self._run(socket, message)
        if self.slider is None:
            raise RuntimeError(f"the page {self.page} has no slider bound to {SLIDER}")
        self.place = self.rng.randrange(len(self.slider.options))

    async def _move(self, socket):
        """One stop to the right, and to and fro at the end of the track."""
        self.place = (self.place + 1) % len(self.slider.options)
        chosen = self.slider.options[self.place]
        self.query[SLIDER] = chosen
        message = BackMsg()
        message.rerun_script.page_script_hash = self.page_hash
        state = message.rerun_script.widget_states.widgets.add(id=self.slider.id)
        state.string_array_value.data.append(chosen)
        await self._run(socket, message)

    async def _run(self, socket, message):
        """Send a message and read until the run it caused has ended."""
        message.rerun_script.query_string = urlencode(self.query)
        message.rerun_script.context_info.url = f"{self.url}/{self.page}"
        message.rerun_script.cached_message_hashes.extend(self.kept)
        await socket.send(message.SerializeToString())
        self.kept = set()
        while True:
            answer = ForwardMsg()
            answer.ParseFromString(await socket.recv())
            if self._hear(answer):
                return

    def _hear(self, answer):
        """Take in one message; True if it ends the run."""
        kind = answer.WhichOneof("type")
        if kind == "ref_hash":
            self.kept.add(answer.ref_hash)
        elif answer.metadata.cacheable:
            self.kept.add(answer.hash)
        if kind == "navigation":
            self.page_hash = answer.navigation.page_script_hash
        elif kind == "delta":
            self._look(answer.delta.new_element)
        elif kind == "script_finished" and answer.script_finished == ForwardMsg.FINISHED_WITH_COMPILE_ERROR:
            self.errors.append("the script did not compile")
        # A run that ends early is followed by the run that replaces it.
        ended = (
            ForwardMsg.FINISHED_SUCCESSFULLY,
            ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY,
            ForwardMsg.FINISHED_WITH_COMPILE_ERROR,
        )
        return kind == "script_finished" and answer.script_finished in ended

    def _look(self, element):
        if element.WhichOneof("type") == "exception":
            self.errors.append(f"{element.exception.type}: {element.exception.message}")
        elif element.WhichOneof("type") == "slider" and element.slider.query_param_key == SLIDER:
            self.slider = element.slider


def visitors():
    """All on one shared link; then, for information, each with a seed of their own: nothing is shared."""
    shared = _class("one shared link", BUDGET, lambda i: {})
    own = _class("each their own seed", None, lambda i: {"seed": i})
    return [*shared, *own]


def _class(title, budget, link):
    page = following_dimension()[0]
    with running_server() as server:
        people = [Visitor(server.url, page, link(i), random.Random(i)) for i in range(VISITORS)]
        asyncio.run(together(people))
        memory, log = server.memory_mb(), server.log()
    waits = [wait for person in people for wait in person.waits]
    errors = [error for person in people for error in person.errors]
    if errors:
        print(f"{errors[0]}\nend of the server's log:\n{log[-3000:]}", file=sys.stderr)
    slowest, middle = percentile(waits or [float("inf")], 0.95), percentile(waits or [float("inf")], 0.5)
    detail = f"{len(waits)} moves, median {middle:.0f} ms, server {memory:.0f} MB"
    name = f"{VISITORS} visitors of {page}, {title}"
    return [
        Row(f"{name}, move to script finished, p95", slowest, budget, "ms", detail),
        Row(f"{name}, errors", len(errors), 0, "errors"),
    ]


async def together(people):
    """All open the page at once; the moves begin when everyone has it."""
    everyone_is_in = asyncio.Barrier(len(people))
    ended = await asyncio.gather(*(each.visit(everyone_is_in) for each in people), return_exceptions=True)
    for person, problem in zip(people, ended, strict=True):
        if problem is not None:
            person.errors.append(f"{type(problem).__name__}: {problem}")
        if not person.waits:
            person.errors.append("no move was answered")
