"""Kinds of controls (a number, a choice, a text) and of parameters without a widget, and their values in links."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from sattn_core.files.typed import parse_number

LONGEST_LINK_VALUE = 2000
_HEIGHT = r"[0-9]{1,9}(?:\.[0-9]{1,9})?"  # a height of a drawing, as in an address

Value = int | float | str
Read = tuple[Value, str | None]


@dataclass(frozen=True)
class Number:
    """A number on a slider with stops; a linked or typed value between two stops becomes a further stop.

    when: (control, value); the number is shown only while that control has that value. play: milliseconds per stop
    while the slider plays; 0 if it does not play. letter: the number's symbol, shown beside its value. ticks: the
    stops that are labelled under the track; without any, its ends.
    """

    label: str
    default: float
    low: float
    high: float
    stops: Sequence[float]
    whole: bool = True
    help: str | None = None
    shown: Callable[[Any], str] = str
    typed: bool = False
    when: tuple[str, str] | None = None
    play: int = 0
    letter: str = ""
    ticks: Sequence[float] = ()

    def read(self, text: str) -> Read:
        """Return the value of a text, and a remark on what had to be changed, or None."""
        try:
            value = parse_number(text)
        except ValueError:
            return self.default, f"is not a number; {self.shown(self.default)} is used"
        nearest = min(max(value, self.low), self.high)
        if nearest != value:
            kept = self._plain(nearest)
            low, high, used = self.shown(self.low), self.shown(self.high), self.shown(kept)
            return kept, f"must be between {low} and {high}; {used} is used"
        if self.whole and not value.is_integer():
            kept = round(value)
            return kept, f"must be a whole number; {kept} is used"
        return self._plain(value), None

    def write(self, value: Any) -> str:
        return self.shown(value)

    def ordered(self, stops: Iterable[float]) -> list[float]:
        """Return these stops in the slider's order, from left to right."""
        return sorted(stops)

    def _plain(self, value):
        return int(value) if self.whole else float(value)


@dataclass(frozen=True)
class Choice:
    """One of a few named options.

    shown: the words for an option, on the page and in its address; the code uses the option's name.
    """

    label: str
    default: str
    options: tuple[str, ...]
    help: str | None = None
    bar: bool = False
    when: tuple[str, str] | None = None
    shown: Mapping[str, str] = field(default_factory=dict, hash=False)

    def read(self, text: str) -> Read:
        """Return the option with this name or these words, and a remark on what had to be changed, or None."""
        name = next((option for option in self.options if text in (option, self.called(option))), None)
        if name is not None:
            return name, None
        return self.default, f"must be one of {', '.join(self.options)}; {self.default} is used"

    def called(self, option: str) -> str:
        """Return the words for an option."""
        return self.shown.get(option, option)

    def write(self, value: Any) -> str:
        return self.called(value)


@dataclass(frozen=True)
class Text:
    """A typed text; the lesson validates it.

    most: a longer typed text is cut to so many letters, to fit into an address; None to cut nothing.
    """

    label: str
    default: str
    help: str | None = None
    lines: int = 1
    when: tuple[str, str] | None = None
    most: int | None = None

    def read(self, text: str) -> Read:
        """Return the text, and a remark on what had to be changed, or None."""
        longest = self.most or LONGEST_LINK_VALUE
        if len(text) > longest:
            return self.default, f"is longer than {longest:,} characters; the default is used"
        return text, None

    def write(self, value: Any) -> str:
        return value


@dataclass(frozen=True)
class Drawing:
    """A curve drawn on a picture: one height from 0 to `most` at each place in `at`; in an address 8-16-23."""

    label: str
    at: tuple[int, ...]
    most: int

    def read(self, text: str) -> tuple[tuple[float, ...], str | None]:
        """Return the heights, and a remark on what had to be changed, or None."""
        found = re.fullmatch(f"{_HEIGHT}(-{_HEIGHT})*", text)
        heights = tuple(map(_height, text.split("-"))) if found else ()
        if self.takes(heights):
            return heights, None
        return (), f"must be {len(self.at)} numbers from 0 to {self.most:,}, such as 1-2-3; none is used"

    def takes(self, heights: Any) -> bool:
        """Return True if these are heights of a curve that can be drawn."""
        numbers = isinstance(heights, (tuple, list)) and all(type(each) in (int, float) for each in heights)
        return numbers and len(heights) == len(self.at) and all(0 <= each <= self.most for each in heights)

    def write(self, value: Any) -> str:
        return "-".join(map(str, value))


def _height(text):
    return int(text) if text.isdecimal() else float(text)


@dataclass(frozen=True)
class Answer:
    """The learner's answer to a bet, only in the address; "" without a valid answer."""

    of: Number | Choice | Drawing
    default: str = ""

    @property
    def label(self) -> str:
        return self.of.label

    def read(self, text: str) -> tuple[Any, str | None]:
        """Return the answer, and a remark on what had to be changed, or None."""
        value, problem = self.of.read(text)
        return ("", "is no answer to the bet of this lesson, which stays open") if problem else (value, None)

    def write(self, value: Any) -> str:
        return "" if value == "" else self.of.write(value)


@dataclass(frozen=True)
class Answers:
    """A class's answers to a bet, only in the address, as 10~25~25; "" without valid answers."""

    of: Number | Choice | Drawing
    most: int
    default: str = ""

    @property
    def label(self) -> str:
        return self.of.label

    def read(self, text: str) -> tuple[Any, str | None]:
        """Return the answers, and a remark on what had to be changed, or None."""
        found = [self.of.read(each) for each in text.split("~")]
        if text and len(found) <= self.most and not any(problem for _, problem in found):
            return tuple(value for value, _ in found), None
        return "", f"is no list of at most {self.most} answers to the bet of this lesson; it is left out"

    def write(self, value: Any) -> str:
        return "~".join(map(self.of.write, value))


@dataclass(frozen=True)
class Settings:
    """The settings at which a bet was placed, only in the address, as d_k=96; "" if there are none."""

    label: str
    default: str = ""

    def read(self, text: str) -> Read:
        """Return the settings as a query, and a remark on what had to be changed, or None."""
        if re.fullmatch(r"(\w+=[^&=]*)(&\w+=[^&=]*)*|", text) and len(text) <= LONGEST_LINK_VALUE:
            return text, None
        return "", "is no list of settings, such as d_k=96; it is left out"

    def write(self, value: Any) -> str:
        return str(value)


@dataclass(frozen=True)
class Tally:
    """The numbers of right and placed bets, with a letter for each placed one: 3-5-acdfg, only in the address.

    A small letter is a lesson's first bet, a capital its second. "" before the first bet; older links have no letters.
    """

    label: str
    most: int
    default: str = ""

    def read(self, text: str) -> Read:
        """Return the tally, and a remark on what had to be changed, or None."""
        found = re.fullmatch(r"([0-9]{1,3})-([0-9]{1,3})(-[A-Za-z]{1,52})?", text)
        right, placed = map(int, found.groups()[:2]) if found else (1, 0)
        if found and right <= placed <= self.most:
            return f"{right}-{placed}{found[3] or ''}" if placed else "", None
        return "", "is no count of bets, such as 3-5-acdfg; it is left out"

    def write(self, value: Any) -> str:
        return value


@dataclass(frozen=True)
class Code:
    """The code of a class, only in the address: four to six letters; "" if there is none."""

    label: str
    default: str = ""

    def read(self, text: str) -> Read:
        """Return the code, and a remark on what had to be changed, or None."""
        found = text.strip().upper()
        if re.fullmatch(r"[A-Z]{4,6}", found):
            return found, None
        return "", "is no code of a room, which has four to six letters; it is left out"

    def write(self, value: Any) -> str:
        return value


@dataclass(frozen=True)
class Listed:
    """Names separated by commas, only in the address, as a,b.c; "" for none. Unknown names are not checked here."""

    label: str
    most: int = 1_000
    default: str = ""

    def read(self, text: str) -> Read:
        """Return the names, and a remark on what had to be changed, or None."""
        if len(text) <= self.most and re.fullmatch(r"[\w., ]*", text, re.ASCII):
            return text, None
        return "", "is no list of names, such as start,score_variance.draw,recap; it is left out"

    def write(self, value: Any) -> str:
        return str(value)


Control = Number | Choice | Text
Linked = Answer | Answers | Settings | Tally | Code | Listed  # without a widget


def fraction(value: float) -> str:
    """Return a number as text: 1/64 … 1/2, 1, 2 … 64, and decimals for numbers between these."""
    exact = Fraction(value).limit_denominator(64)
    if exact.numerator == 1 and exact == Fraction(value):
        return str(exact)
    return decimal(value)


def decimal(value: float) -> str:
    """Return a number as text with no more digits than needed, at most six."""
    return f"{float(value):g}"


def between(answer: Number | Choice | Drawing) -> Number | Choice | Drawing:
    """Return a copy of an answer that also takes values between its stops, since the truth has decimals."""
    return replace(answer, whole=False, shown=decimal) if isinstance(answer, Number) and answer.whole else answer


def is_number(text: str) -> bool:
    """Return True if a text from an address reads as a number."""
    try:
        parse_number(text)
    except ValueError:
        return False
    return True
