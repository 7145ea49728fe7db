"""Visitors who arrive at a fixed rate, even if earlier ones still wait for responses; each has an empty cache.

There is no browser: each visitor, from its own IP address, sends the requests of a browser that opens a link, and those
for the pictures of one drag. A wait counts from the planned moment of the arrival, or of the drag's stop, so it
includes delays of the server and of the generator.
"""

import asyncio
import json
import math
import re
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urljoin, urlsplit

import brotli

from pages._view.entry import as_asked

LOOKS = 1.0  # seconds from arrival to the drag; longer if the picture is not there yet
STOPS, EACH = 8, 0.1  # stops of a drag, and seconds from one to the next
AT_ONCE = 6  # connections of a browser to one host
PATIENCE = 60  # seconds after which a visitor leaves, with an error
GROUND = {"ground": "light"}
TAKES = "gzip, deflate, br, zstd"  # Accept-Encoding that browsers send over HTTPS
AGENT = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/146.0.0.0 Safari/537.36"
# Streamlit's own files, which only visitors who start a session request.
_PLATFORM = re.compile(r'<template id="lab-platform">(.*?)</template>', re.DOTALL)
_TOLD = re.compile(r'<script type="application/json" id="lab-told">(.*?)</script>', re.DOTALL)
_ELEMENT = re.compile(r"<(?:link|script)\b[^>]*>")
_FETCHED = re.compile(r"\b(?:preload|modulepreload|stylesheet|icon)\b")


@dataclass(frozen=True)
class Page:
    """The URLs that the HTML of a link makes a browser request."""

    files: tuple[str, ...]
    platform: tuple[str, ...]
    picture: dict
    slider: dict

    @classmethod
    def of(cls, link, html):
        """Read the URLs in a page; link: the path and query of the page."""
        told = json.loads(_TOLD.search(html)[1])
        if not told["picture"] or not told["slider"]:
            raise ValueError(f"{link} shows no picture that follows a slider before a session")
        platform = "".join(_PLATFORM.findall(html))
        picture = {**told["picture"], "address": urljoin(link, told["picture"]["address"])}
        return cls(_files(link, _PLATFORM.sub("", html)), _files(link, platform), picture, told["slider"])

    def at(self, place=None):
        """Return the URL of the picture with the slider at this value, or at the link's value."""
        values = self.picture["values"] | ({} if place is None else {self.slider["name"]: place})
        moved = {name: str(value) for name, value in values.items() if value != self.picture["usual"].get(name)}
        path, _, query = self.picture["address"].partition("?")
        return f"{path}?{as_asked(dict(parse_qsl(query)) | GROUND | moved)}"

    def drag(self, rng):
        """Return the stops of a drag: up or down from the slider's position, one or two stops at a time."""
        stops, step = self.slider["stops"], rng.choice((-2, -1, 1, 2))
        begin = min(range(len(stops)), key=lambda i: abs(stops[i] - self.slider["value"]))
        passed = [begin + step * i for i in range(1, STOPS + 1)]
        return [stops[max(0, min(len(stops) - 1, i))] for i in passed]


def _files(link, html):
    """Return the paths that a browser requests, each once, from elements outside scripts."""
    found = []
    for element in _ELEMENT.findall(re.sub(r"(<script\b[^>]*>).*?</script>", r"\1", html, flags=re.DOTALL)):
        attributes = dict(re.findall(r'([\w-]+)="([^"]*)"', element))
        wanted = "src" in attributes if element.startswith("<script") else _FETCHED.search(attributes.get("rel", ""))
        if wanted:
            found.append(urljoin(link, attributes.get("src") or attributes["href"]))
    return tuple(dict.fromkeys(found))


@dataclass
class Waits:
    """Waits (ms) by kind of response, failures, bytes over the wire, and the responses that a proxy had cached."""

    by_kind: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    opened: list[float] = field(default_factory=list)  # from arrival to the first picture
    errors: list[str] = field(default_factory=list)
    late: list[float] = field(default_factory=list)  # how late the generator started a visitor
    size: int = 0
    answers: int = 0
    kept: int = 0

    def all(self):
        return [wait for each in self.by_kind.values() for wait in each]


@dataclass
class Crowd:
    """A site, and what its visitors share: the pages read so far, and the waits."""

    url: str
    waits: Waits = field(default_factory=Waits)
    pages: dict[str, Page] = field(default_factory=dict)

    async def come(self, links, rate, rng, session=None):
        """Let visitors arrive independently of each other, `rate` a second on average.

        links: (path and query, True if this visitor starts a session). session: called for visitors who start one.
        """
        due, coming = time.perf_counter(), []
        for number, (link, goes_on) in enumerate(links):
            due += rng.expovariate(rate)
            await _until(due)
            person = _Person(self, number, rng)
            coming.append(asyncio.create_task(person.visit(link, due, session if goes_on else None)))
        await asyncio.gather(*coming)


class _Person:
    """One visitor with its connections."""

    def __init__(self, crowd, number, rng):
        self.crowd, self.rng = crowd, rng
        there = urlsplit(crowd.url)
        self.there = there.hostname, there.port
        # Each visitor has its own IP address, by which a proxy counts connections.
        self.home = f"127.{1 + number // 62500 % 250}.{1 + number // 250 % 250}.{1 + number % 250}"
        self.head = f"Host: {there.netloc}\r\nUser-Agent: {AGENT}\r\nAccept: */*\r\nAccept-Encoding: {TAKES}\r\n\r\n"
        self.free, self.lines, self.room = [], [], asyncio.Semaphore(AT_ONCE)

    async def visit(self, link, arrival, session: Callable | None = None):
        """Open a link, drag once, and start a session if one is given."""
        waits = self.crowd.waits
        waits.late.append(1e3 * (time.perf_counter() - arrival))
        try:
            async with asyncio.timeout(PATIENCE):
                page = await self._open(link, arrival)
                waits.opened.append(1e3 * (time.perf_counter() - arrival))
                await self._drag(page, arrival)
                if session:
                    due = time.perf_counter()
                    await _all(self._ask("platform", each) for each in page.platform)
                    await session(link, due, waits)
        except Exception as problem:
            waits.errors.append(f"{link}: {type(problem).__name__}: {problem}")
        finally:
            for line in self.lines:
                line.close()

    async def _open(self, link, arrival):
        html = await self._ask("page", link, arrival)
        page = self.crowd.pages.get(link)
        if page is None:
            page = self.crowd.pages[link] = Page.of(link, brotli.decompress(html).decode())
        files = [self._ask("file", each) for each in page.files]
        await _all([self._ask("picture", page.at()), *files])
        return page

    async def _drag(self, page, arrival):
        """Request the pictures of a drag, each when the slider is there and the previous picture has arrived."""
        begin = max(arrival + LOOKS, time.perf_counter())
        for number, place in enumerate(page.drag(self.rng)):
            due = begin + number * EACH
            await _until(due)
            await self._ask("picture", page.at(place), due)

    async def _ask(self, kind, path, due=None):
        """Return the body of a response; its wait counts from `due`, or from now."""
        due = due or time.perf_counter()
        waits, wait = self.crowd.waits, math.inf
        try:
            async with self.room:
                line = self.free.pop() if self.free else await self._connect()
                status, head, body = await line.ask(f"GET {path} HTTP/1.1\r\n{self.head}".encode())
                self.free.append(line)
            if status not in (200, 204):
                raise RuntimeError(f"{path} was answered with {status}")
            wait = 1e3 * (time.perf_counter() - due)
        finally:
            waits.by_kind[kind].append(wait)
        waits.answers += 1
        waits.kept += re.search(rb"\r\nX-Cache: (HIT|STALE|UPDATING)", head) is not None
        waits.size += len(head) + len(body)
        return body

    async def _connect(self):
        loop = asyncio.get_running_loop()
        _, line = await loop.create_connection(_Line, *self.there, local_addr=(self.home, 0))
        self.lines.append(line)
        return line


class _Line(asyncio.Protocol):
    """A persistent connection, one request after the other. asyncio's streams would take twice the CPU time."""

    def __init__(self):
        self.wire, self.answer = None, None
        self.head, self.body, self.whole = b"", bytearray(), None

    def connection_made(self, transport):
        self.wire = transport

    def connection_lost(self, exc):
        if self.answer and not self.answer.done():
            self.answer.set_exception(exc or ConnectionResetError("the connection was closed"))

    def close(self):
        if self.wire:
            self.wire.close()

    def ask(self, wish):
        """Send a request; return a future of its status, its head and its body."""
        if self.wire.is_closing():
            raise ConnectionResetError("the connection was closed")
        self.head, self.body, self.whole = b"", bytearray(), None
        self.answer = asyncio.get_running_loop().create_future()
        self.wire.write(wish)
        return self.answer

    def data_received(self, data):
        self.body += data
        if not self.head and not self._has_head():
            return
        if self.whole is None:
            body = unchunked(self.body)
        else:
            body = self.body if len(self.body) >= self.whole else None
        if body is not None and not self.answer.done():
            self.answer.set_result((int(self.head[9:12]), self.head, body))

    def _has_head(self):
        end = self.body.find(b"\r\n\r\n")
        if end < 0:
            return False
        self.head = bytes(self.body[: end + 2])
        del self.body[: end + 4]
        length = re.search(rb"(?i)\r\ncontent-length: (\d+)", self.head)
        if length:
            self.whole = int(length[1])
        elif not re.search(rb"(?i)\r\ntransfer-encoding: chunked", self.head):
            self.whole = 0  # a 204 has no body
        return True


def unchunked(body):
    """Join the chunks of a body; return None while one is missing."""
    whole, place = b"", 0
    while (end := body.find(b"\r\n", place)) >= 0:
        size = int(body[place:end].split(b";")[0], 16)
        place = end + 4 + size
        if place > len(body):
            return None
        if not size:
            return whole
        whole += body[end + 2 : end + 2 + size]
    return None


async def _all(coming):
    """Run all coroutines at once; if one fails, cancel the others."""
    tasks = [asyncio.create_task(each) for each in coming]
    try:
        await asyncio.gather(*tasks)
    finally:
        for each in tasks:
            each.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _until(due):
    await asyncio.sleep(max(0.0, due - time.perf_counter()))
