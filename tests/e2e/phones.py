"""The phones of a class by plain requests: each a browser without scripts, with its own cookie and connection."""

import csv
import re
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from html import unescape
from http.client import HTTPConnection, HTTPException
from urllib.parse import parse_qs, quote, urlencode, urlsplit

from harness import START_S

from pages._view.theme import number

AWAY = (502, 503, 504)  # a proxy's answer for a missing server
_FORM = re.compile(r'<form method="post" action="([^"]+)">(.*?)</form>', re.DOTALL)
_HIDDEN = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)">')
_TAG = re.compile(r"<[^>]+>")


class Away(Exception):
    """The server did not answer."""


@dataclass
class Phone:
    """One phone. It has a person's patience: without an answer it asks again, as by a reload or another press."""

    url: str
    code: str
    html: str = ""
    status: int = 0
    at: str = ""  # the address it has come to
    mark: str = ""  # of the page it shows
    waits: list[float] = field(default_factory=list)  # seconds, of each request that was answered
    cookies: dict[str, str] = field(default_factory=dict)
    _connection: HTTPConnection | None = None

    @property
    def place(self):
        return f"{urlsplit(self.url).path}/j/{self.code}"

    @property
    def says(self):
        """The text of the page, without its foot."""
        inside = self.html[self.html.index("<main") : self.html.index("</main>")]
        return " ".join(unescape(_TAG.sub(" ", inside)).split())

    @property
    def number(self):
        """The number of the phone in its class, from 1 on, as its page has it."""
        return int(re.search(r"You are number (\d+)\.", self.html)[1])

    def look(self):
        """Open the page, or load it again."""
        self._ask("GET", self.place)
        return self

    def answer(self, *values):
        """Send an answer; for a curve its heights."""
        names = ["answer"] if len(values) == 1 else [f"answer_{i}" for i in range(len(values))]
        return self._send("answer", dict(zip(names, values, strict=True)))

    def draw(self):
        return self._send("draw", {})

    def has_news(self):
        """Ask for news, as the page does by itself now and then, and show them."""
        before = self.mark
        self._ask("GET", f"{self.place}/news?seen={quote(before)}")
        return self.mark != before

    def leave(self):
        """Close the connection; the cookie stays."""
        if self._connection is not None:
            self._connection.close()
        self._connection = None

    def __del__(self):
        self.leave()

    def _send(self, do, fields):
        forms = {dict(hidden)["do"]: (place, hidden) for place, hidden in self._forms()}
        place, hidden = forms[do]
        self._ask("POST", place, urlencode([*hidden, *fields.items()]))
        return self

    def _forms(self):
        return [(place, _HIDDEN.findall(inside)) for place, inside in _FORM.findall(self.html)]

    def _ask(self, method, place, body=None):
        """Ask until there is an answer, and follow its redirect."""
        limit = time.monotonic() + START_S
        while True:
            try:
                return self._ask_once(method, place, body)
            except Away:
                if time.monotonic() > limit:
                    raise
                time.sleep(0.2)

    def _ask_once(self, method, place, body):
        while place:
            begin = time.perf_counter()
            self.at = place
            status, text, place = self._answer(method, place, body)
            self.waits.append(time.perf_counter() - begin)
            method, body = "GET", None
        self.status = status
        if status != 204:
            self.html = text
            marked = re.search(r'data-mark="([^"]*)"', text)
            self.mark = marked[1] if marked else ""

    def _answer(self, method, place, body):
        """Return status, text, and the address of a redirect, if any."""
        kept = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
        typed = {"Content-Type": "application/x-www-form-urlencoded"} if body else {}
        try:
            if self._connection is None:
                self._connection = HTTPConnection(urlsplit(self.url).netloc, timeout=START_S)
            self._connection.request(method, place, body, kept | typed)
            answer = self._connection.getresponse()
            text = answer.read().decode()
        except (HTTPException, OSError) as problem:
            self.leave()
            raise Away from problem
        if answer.status in AWAY:
            raise Away(text)
        for each in answer.headers.get_all("Set-Cookie") or []:
            name, _, value = each.partition(";")[0].partition("=")
            self.cookies[name] = value
        return answer.status, text, answer.headers["Location"]


class Desk(Phone):
    """The window of a person who opens a class and leads it."""

    @property
    def place(self):
        return f"{urlsplit(self.url).path}/room/{self.code}"

    def open(self, at):
        """Open a class from an address of a lesson; the page that follows is that of its wall."""
        self._ask("GET", f"{self.place.rstrip('/')}?{urlencode({'at': at})}")
        self._send("open", {})
        self.code = parse_qs(urlsplit(self.at).query)["room"][0]
        return self

    def does(self, do, **fields):
        self.look()
        return self._send(do, fields)

    def table(self):
        """Return the lines of the file."""
        self._ask("GET", f"{self.place}/results.csv")
        return self.html.splitlines()


def draws_in(lines):
    """Read ten drawn values of each phone from a class's file, by the phones' numbers."""
    rows = [row for row in csv.DictReader(lines) if row["question"] == "drawn"]
    names = [(int(row["phone"]), int(row["draw"])) for row in rows]
    assert names == [(phone, i) for phone in range(1, len(rows) // 10 + 1) for i in range(1, 11)]
    return [[float(row["answer"]) for row in rows[i : i + 10]] for i in range(0, len(rows), 10)]


def whose(drawn, says):
    """Return which of these draws a phone shows, by its text; all of them if it shows all."""
    return [i for i, ten in enumerate(drawn) if _said_of(ten) in " ".join(says.split())]


def _said_of(ten):
    others = ", ".join(number(each, 2) for each in ten[1:])
    return f"have variance {number(ten[0])}. Someone else found 1.6. Your other nine: {others}."


def together(phones, deed):
    """Let all do something at the same time; return their results."""
    with ThreadPoolExecutor(len(phones)) as pool:
        return list(pool.map(deed, phones))


def come_in(url, code, many):
    """Return so many new phones, which open the class at the same time."""
    phones = [Phone(url, code) for _ in range(many)]
    together(phones, Phone.look)
    return phones
