"""Simulate a class's phones by plain requests: browsers without scripts, each with its own cookies and connection."""

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

AWAY = (502, 503, 504)  # a proxy's statuses for a missing server
_FORM = re.compile(r'<form method="post" action="([^"]+)">(.*?)</form>', re.DOTALL)
_HIDDEN = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)">')
_TAG = re.compile(r"<[^>]+>")


class Away(Exception):
    """Raised if the server does not answer a request."""


@dataclass
class Phone:
    """A phone that repeats a request until the server answers, as a person reloads or presses again."""

    url: str
    code: str
    html: str = ""
    status: int = 0
    at: str = ""  # path and query of the last request, after redirects
    mark: str = ""  # version of the shown page
    waits: list[float] = field(default_factory=list)  # seconds that each answered request took
    cookies: dict[str, str] = field(default_factory=dict)
    _connection: HTTPConnection | None = None

    @property
    def place(self):
        return f"{urlsplit(self.url).path}/j/{self.code}"

    @property
    def says(self):
        """The visible text of the page's main element."""
        inside = self.html[self.html.index("<main") : self.html.index("</main>")]
        return " ".join(unescape(_TAG.sub(" ", inside)).split())

    @property
    def number(self):
        """The phone's number in its class, from 1, as its page shows it."""
        return int(re.search(r"You are number (\d+)\.", self.html)[1])

    def look(self):
        """Load or reload the page."""
        self._ask("GET", self.place)
        return self

    def answer(self, *values):
        """Send an answer; several values are the heights of a curve."""
        names = ["answer"] if len(values) == 1 else [f"answer_{i}" for i in range(len(values))]
        return self._send("answer", dict(zip(names, values, strict=True)))

    def draw(self):
        return self._send("draw", {})

    def has_news(self):
        """Poll for a newer page, as the page's script does; return True if there was one."""
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
        """Repeat a request until the server answers, and follow redirects."""
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
        """Send one request; return status, text, and the target of a redirect or None."""
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
    """The window of a teacher who opens and leads a class."""

    @property
    def place(self):
        return f"{urlsplit(self.url).path}/room/{self.code}"

    def open(self, at):
        """Open a class from a lesson's address, and read the class's code from the redirect."""
        self._ask("GET", f"{self.place.rstrip('/')}?{urlencode({'at': at})}")
        self._send("open", {})
        self.code = parse_qs(urlsplit(self.at).query)["room"][0]
        return self

    def does(self, do, **fields):
        self.look()
        return self._send(do, fields)

    def table(self):
        """Return the lines of the class's results file."""
        self._ask("GET", f"{self.place}/results.csv")
        return self.html.splitlines()


def draws_in(lines):
    """Return the ten drawn values of each phone from the lines of a results file, in order of the phones' numbers."""
    rows = [row for row in csv.DictReader(lines) if row["question"] == "drawn"]
    names = [(int(row["phone"]), int(row["draw"])) for row in rows]
    assert names == [(phone, i) for phone in range(1, len(rows) // 10 + 1) for i in range(1, 11)]
    return [[float(row["answer"]) for row in rows[i : i + 10]] for i in range(0, len(rows), 10)]


def whose(drawn, says):
    """Return the indices of the rows in `drawn` whose numbers a phone's text shows."""
    return [i for i, ten in enumerate(drawn) if _said_of(ten) in " ".join(says.split())]


def _said_of(ten):
    others = ", ".join(number(each, 2) for each in ten[1:])
    return f"have variance {number(ten[0])}. Someone else found 1.6. Your other nine: {others}."


def together(phones, deed):
    """Call `deed` for all phones at the same time; return the results."""
    with ThreadPoolExecutor(len(phones)) as pool:
        return list(pool.map(deed, phones))


def come_in(url, code, many):
    """Let `many` new phones join the class at the same time; return them."""
    phones = [Phone(url, code) for _ in range(many)]
    together(phones, Phone.look)
    return phones
