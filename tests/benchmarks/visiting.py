"""A visitor without a browser: the websocket messages of Streamlit's page, and the requests of `live/picture.js`.

Sixty browsers on a small machine would measure the browsers.
"""

import asyncio
import json
import random
import re
import time
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import connect

from pages._view.entry import as_asked

EVERY = 2.0  # seconds between two moves of one visitor
CYCLE = 10.0  # seconds from the start of one drag to the next
HELD = 1.0  # seconds that a drag takes
HAND = 0.025  # seconds between two stops of a drag
DRAWN = 0.05  # seconds that a browser takes to draw a picture, while the next one is on its way
PATIENCE = 60  # seconds after which a missing answer is an error
ENDED = (
    ForwardMsg.FINISHED_SUCCESSFULLY,
    ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY,
    ForwardMsg.FINISHED_WITH_COMPILE_ERROR,
)  # not FINISHED_EARLY_FOR_RERUN: the run that replaces it follows


@dataclass
class Visitor:
    """One session: its state, and its waits (ms).

    opening: until the page is there; moves: from releasing the slider until the run has ended and the picture is there;
    last: from releasing it after a drag until the picture of that value is there; pictures: the number drawn during
    drags.
    """

    url: str
    page: str
    query: str
    rng: random.Random
    opening: float | None = None
    moves: list = field(default_factory=list)
    last: list = field(default_factory=list)
    pictures: int = 0
    held: float = 0.0
    errors: list = field(default_factory=list)
    page_hash: str = ""
    kept: set = field(default_factory=set)
    slider: str = ""  # the id of its component
    fragment: str = ""  # the fragment around the slider
    value: float | None = None
    stops: tuple = ()
    place: int = 0
    picture: dict = field(default_factory=dict)  # the data of the main picture; the hero of the start page needs none
    connection: tuple = ()  # that requests pictures
    hand_is_on: bool = False
    cookie: str = ""

    async def visit(self, arrival, rounds):
        """Open the page, then play the rounds in turn; a round is (method, begin, end)."""
        try:
            await _until(arrival)
            async with self.there():
                self.opening = 1e3 * (time.perf_counter() - arrival)
                for way, begin, end in rounds:
                    await way(self, begin, end)
        except Exception as problem:
            self.errors.append(f"{type(problem).__name__}: {problem}")

    @asynccontextmanager
    async def there(self):
        """Connect, and keep the session open after its page is drawn."""
        self.cookie = self.cookie or await self._first_cookie()
        address = self.url.replace("http://", "ws://") + "/_stcore/stream"
        options = {"subprotocols": ["streamlit"], "max_size": None, "compression": None, "proxy": None}
        headers = {"Cookie": self.cookie}
        async with connect(
            address, origin=self.url, open_timeout=PATIENCE, additional_headers=headers, **options
        ) as self.socket:
            await self._open()
            await self._look_at(self.value)
            yield
            if self.connection:
                self.connection[1].close()

    async def _first_cookie(self):
        """Return the cookies set before the session; behind a proxy, one of them names the replica."""
        there = urlsplit(self.url)
        reader, writer = await asyncio.open_connection(there.hostname, there.port)
        with closing(writer):
            writer.write(f"HEAD /_stcore/health HTTP/1.1\r\nHost: {there.netloc}\r\n\r\n".encode())
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), PATIENCE)
        return "; ".join(re.findall(r"(?i)set-cookie: ([^;\r]+)", head.decode()))

    async def move(self, begin, end):
        """Move one stop every two seconds."""
        async for due in self._every(EVERY, begin, end):
            self.place = (self.place + 1) % len(self.stops)
            # As by a key: the picture is requested when the slider moves, before it is released.
            await asyncio.gather(self._look_at(self.stops[self.place]), self.let_go())
            # Count from the moment the move was due: a late answer also delays the next move.
            self.moves.append(1e3 * (time.perf_counter() - due))

    async def drag(self, begin, end):
        """Drag the slider for one second in every ten."""
        async for _ in self._every(CYCLE, begin, end - HELD):
            self.hand_is_on = True
            following = asyncio.create_task(self._follow() if self.picture else asyncio.sleep(HELD))
            await self._hold()
            left, released = time.perf_counter(), asyncio.create_task(self.let_go())
            await asyncio.wait(
                {following, released} if self._is_sent else {following}, return_when=asyncio.FIRST_COMPLETED
            )
            if self.picture:  # until the requested picture or a run that sends it, whichever comes first
                self.last.append(1e3 * (time.perf_counter() - left))
            await asyncio.gather(following, released)

    async def _every(self, pause, begin, end):
        due = max(begin, time.perf_counter()) + self.rng.uniform(0, pause)
        while due < end:
            await _until(due)
            yield due
            due = max(due + pause, time.perf_counter())

    async def _hold(self):
        """Move the slider over its stops until the drag ends."""
        begin = time.perf_counter()
        for step in range(1, round(HELD / HAND) + 1):
            self.place = (self.place + 1) % len(self.stops)
            await _until(begin + step * HAND)
        self.hand_is_on = False
        if self.picture:
            self.held += time.perf_counter() - begin

    async def _follow(self):
        """Request pictures as a browser does: one at a time, of the current value, and finally of the last value."""
        shown = None
        while self.hand_is_on or shown != self.place:
            shown = self.place
            await asyncio.gather(self._look_at(self.stops[shown]), asyncio.sleep(DRAWN))
            self.pictures += self.hand_is_on

    @property
    def _is_sent(self):
        """True if the run sends the picture, so that a browser need not wait for the requested one."""
        return "figure" in self.picture

    async def _look_at(self, d_k):
        """Request the picture at a value of the slider, under the name that `live/entry.js` gives it."""
        if not self.picture:
            return
        reader, writer = await self._connected()
        place, query = self.picture["address"].split("?")
        values = self.picture["values"] | {"d_k": d_k}
        said = dict(parse_qsl(query, keep_blank_values=True)) | {name: f"{each:.17g}" for name, each in values.items()}
        said = {name: text for name, text in said.items() if values.get(name) != self.picture["usual"].get(name, "")}
        address = f"{place}?{as_asked(said)}"
        wish = f"GET /{address} HTTP/1.1\r\nHost: {urlsplit(self.url).netloc}\r\nAccept-Encoding: gzip"
        wish += f"\r\nCookie: {self.cookie}"
        writer.write(f"{wish}\r\n\r\n".encode())
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), PATIENCE)
        length = re.search(rb"(?i)\r\ncontent-length: (\d+)", head)  # a 204 has none: its picture waits for a button
        await reader.readexactly(int(length[1]) if length else 0)
        if not head.startswith((b"HTTP/1.1 200", b"HTTP/1.1 204")):
            self.errors.append(f"{address}: {head[:40]}")

    async def _connected(self):
        """Return the connection for pictures; a server closes one that rests, and a browser opens another."""
        if not self.connection or self.connection[0].at_eof():
            there = urlsplit(self.url)
            self.connection = await asyncio.open_connection(there.hostname, there.port)
        return self.connection

    async def _open(self):
        message = BackMsg()
        message.rerun_script.page_name = self.page
        await self._run(message)
        if not self.slider:
            raise RuntimeError(f"the page {self.page} has no slider")
        self.place = self.rng.randrange(len(self.stops))

    async def let_go(self):
        """Release the slider: the fragment around it is rerun."""
        message = BackMsg()
        message.rerun_script.page_script_hash = self.page_hash
        message.rerun_script.fragment_id = self.fragment
        trigger = f"$$STREAMLIT_INTERNAL_KEY_{self.slider}__events"
        state = message.rerun_script.widget_states.widgets.add(id=trigger)
        release = {"at": self.stops[self.place], "number": self.rng.random()}
        state.json_trigger_value = json.dumps([{"event": "release", "value": release}])
        await self._run(message)
        if self.value != self.stops[self.place]:
            self.errors.append(f"the slider went to {self.value}, not to {self.stops[self.place]}")

    async def _run(self, message):
        """Send a message and read until the run it caused has ended."""
        message.rerun_script.query_string = self.query
        message.rerun_script.context_info.url = f"{self.url}/{self.page}"
        message.rerun_script.cached_message_hashes.extend(self.kept)
        await self.socket.send(message.SerializeToString())
        self.kept = set()
        async with asyncio.timeout(PATIENCE):
            while not self._hear(ForwardMsg.FromString(await self.socket.recv())):
                pass

    def _hear(self, answer):
        """Handle one message; return True if it ends the run."""
        kind = answer.WhichOneof("type")
        if kind == "ref_hash":
            self.kept.add(answer.ref_hash)
        elif answer.metadata.cacheable:
            self.kept.add(answer.hash)
        if kind == "navigation":
            self.page_hash = answer.navigation.page_script_hash
        elif kind == "page_info_changed":
            self.query = answer.page_info_changed.query_string
        elif kind == "delta":
            self._look(answer.delta.new_element, answer.delta.fragment_id)
        return kind == "script_finished" and answer.script_finished in ENDED

    def _look(self, element, fragment):
        kind = element.WhichOneof("type")
        if kind == "exception":
            self.errors.append(f"{element.exception.type}: {element.exception.message}")
        elif kind == "bidi_component" and element.bidi_component.component_name == "sattn_slider":
            (state,) = json.loads(element.bidi_component.json)
            if state["name"] == "d_k":  # a step may have other sliders too
                self.slider, self.fragment = element.bidi_component.id, fragment
                self.value, self.stops = state["value"], tuple(state["stops"])
        elif kind == "bidi_component" and element.bidi_component.component_name == "sattn_picture":
            (told,) = json.loads(element.bidi_component.json)
            self.picture = told if told["address"] else self.picture


async def _until(due):
    await asyncio.sleep(max(0.0, due - time.perf_counter()))
