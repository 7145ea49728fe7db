"""The most expensive links, many at once and each with its own seed: memory, and the wait of another visitor.

The links are requested as HTML, as the pictures of a moving slider, and as sessions, each time from a new process.
"""

import asyncio
import re
import time
from urllib.parse import urlsplit

from harness import running_server
from ratios import Row, percentile
from replicas import ENVIRONMENT
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from visiting import ENDED
from websockets.asyncio.client import connect

LINKS = 150
DEAR = (
    "your_scores?sample=layer_norm_mha&d_k=1024&seed={}",
    "training_race?seed={}",
    "softmax_saturation?d_k=1024&n_keys=512&law=student_t&seed={}",
)
OTHER = ("score_variance", "moving/score_variance?d_k=64")  # requests of the other visitor
EVERY, LOOK, PATIENCE = 0.25, 0.03, 600  # seconds: between requests, between readings of the memory, timeout
MEMORY, PLAIN = 800, 500  # budgets: MB, ms at p95


def many_links():
    """Yield the rows of each kind of request."""
    environment = {name: value for name, value in ENVIRONMENT.items() if name.startswith("MALLOC")}
    for name, ask, path in (
        ("HTML", _get, "{}"),
        ("moving pictures", _get, "moving/{}"),
        ("sessions", _open, "{}"),
    ):
        with running_server(environment=environment) as server:
            most, waits, taken, errors = asyncio.run(_measured(server, ask, path))
        title = f"{LINKS} links at once, {name}"
        yield Row(f"{title}: peak memory of the process", most, MEMORY, "MB")
        for other, each in zip(OTHER, waits, strict=True):
            detail = f"{len(each)}, median {percentile(each, 0.5):.0f} ms"
            yield Row(f"{title}: {other} meanwhile, p95", percentile(each, 0.95), PLAIN, "ms", detail)
        yield Row(f"{title}: until the last is there", taken, None, "s")
        yield Row(f"{title}: errors", errors, 0, "errors")


async def _measured(server, ask, path):
    over, most, waits = asyncio.Event(), [server.memory_mb()], [[] for _ in OTHER]
    beside = [_watch(server, over, most), *(_visit(server.url, *each, over) for each in zip(OTHER, waits, strict=True))]
    others, began = [asyncio.create_task(each) for each in beside], time.perf_counter()
    asked = (ask(server.url, path.format(DEAR[i % len(DEAR)].format(i))) for i in range(LINKS))
    answers = await asyncio.gather(*asked, return_exceptions=True)
    taken = time.perf_counter() - began
    over.set()
    await asyncio.gather(*others)
    return max(most), waits, taken, sum(each is not True for each in answers)


async def _watch(server, over, most):
    while not over.is_set():
        most.append(server.memory_mb())
        await asyncio.sleep(LOOK)


async def _visit(url, path, waits, over):
    """Request one page at fixed intervals, even if the last response has not arrived."""

    async def one():
        began = time.perf_counter()
        came = await _get(url, path)
        waits.append(1e3 * (time.perf_counter() - began) if came else float("inf"))

    asked = []
    while not over.is_set():
        asked.append(asyncio.create_task(one()))
        await asyncio.sleep(EVERY)
    await asyncio.gather(*asked)


async def _get(url, path):
    """Request a page as a browser does; return True if it arrived."""
    there = urlsplit(url)
    reader, writer = await asyncio.open_connection(there.hostname, there.port)
    wish = f"GET /{path} HTTP/1.1\r\nHost: {there.netloc}\r\nAccept: text/html\r\nAccept-Encoding: gzip\r\n"
    writer.write(f"{wish}Connection: close\r\n\r\n".encode())
    answer = await asyncio.wait_for(reader.read(), PATIENCE)
    writer.close()
    return re.match(rb"HTTP/1.1 200 ", answer) is not None


async def _open(url, path):
    """Open a session at a link; return True when its page is drawn."""
    message = BackMsg()
    message.rerun_script.page_name, _, message.rerun_script.query_string = path.partition("?")
    there = url.replace("http://", "ws://") + "/_stcore/stream"
    options = {"subprotocols": ["streamlit"], "max_size": None, "compression": None, "proxy": None}
    async with (
        asyncio.timeout(PATIENCE),
        connect(there, origin=url, open_timeout=PATIENCE, ping_interval=None, **options) as socket,
    ):
        await socket.send(message.SerializeToString())
        while True:
            heard = ForwardMsg.FromString(await socket.recv())
            if heard.WhichOneof("type") == "script_finished" and heard.script_finished in ENDED:
                return True
