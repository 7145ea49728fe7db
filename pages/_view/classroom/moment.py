"""The current question of a room, with its lesson, its state and the wall's settings."""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any
from urllib.parse import parse_qsl, urlencode

from pages._view.address import Address, query_of, written
from pages._view.classroom.room import FIRST, Answer, Asked, Room
from pages._view.classroom.store import store
from pages._view.lesson import GUESS, PHONES, REVEAL, Lesson
from pages._view.lesson_view import Outcome, Part
from pages._view.lessons import LESSONS, VIEWS
from pages._view.shared import HOME, JOINING, PATH, SCREEN

BET, VOTE = "bet", "vote"  # the kinds of questions
LONGEST_SETTING = 50  # characters


@dataclass(frozen=True)
class Moment:
    """A room with its current question: the lesson's first bet, or a vote if the class chooses a setting."""

    room: Room
    asked: Asked

    @cached_property
    def lesson(self) -> Lesson:
        """The lesson on the wall."""
        return LESSONS[self.room.stem]

    @cached_property
    def query(self) -> dict[str, str]:
        """The wall's settings, as in its address."""
        return dict(parse_qsl(self.room.query, keep_blank_values=True))

    @cached_property
    def address(self) -> Address:
        """The lesson at the wall's settings."""
        return Address(self.lesson, self.query)

    @cached_property
    def drawn(self) -> Address:
        """The lesson as the wall shows it: with the phones' draws, at the settings pinned for draws."""
        return Address(self.lesson, self.query | ({PHONES: str(self.room.drawn)} if self.draws_apart else {}))

    @cached_property
    def settings(self) -> str:
        """The settings of the question, including the large slider's value, as a query."""
        slider = self.drawn.step.slider
        at = {slider: self.address.known(slider).write(self.values[slider])} if slider else {}
        return urlencode(at | self.address.settings)

    def at(self, settings: str) -> Address:
        """Return the lesson at the settings of an answer, or at the wall's for unknown settings."""
        return Address(self.lesson, query_of(settings)) if settings else self.address

    @property
    def values(self) -> dict[str, Any]:
        """The value of every control of the lesson."""
        return self.address.values

    @property
    def screen(self) -> str:
        """The panel that covers the wall: how to join, links to take home, or "none"."""
        return str(self.address.linked(SCREEN))

    @property
    def on_path(self) -> Address:
        """The lesson at the wall's settings, with the room's path, and with the truth if it is revealed."""
        said = {name: text for name, text in query_of(self.room.said).items() if name == PATH}
        return Address(self.lesson, self.query | said | ({REVEAL: "1"} if self.asked.revealed else {}))

    @property
    def votes(self) -> bool:
        """True if the class votes on a setting of this lesson."""
        return self.lesson.together is not None and self.lesson.together.chooses != ""

    @cached_property
    def kind(self) -> str:
        """BET or VOTE, the kind of question that the room is asked; "" if none is asked."""
        if self.screen == JOINING:
            return ""
        if self.votes:
            return VOTE
        return BET if self.address.shows_bet and self.address.bet == self.lesson.bet else ""

    @property
    def is_open(self) -> bool:
        """True while a question is asked and its truth is not revealed."""
        return self.kind != "" and not self.asked.revealed

    @property
    def draws_apart(self) -> bool:
        """True if each phone makes its own draw on this lesson, even if a bet's truth must be revealed first."""
        return self.lesson.together is not None and not self.lesson.together.chooses

    @property
    def draws(self) -> bool:
        """True if each phone may draw now: not while a bet on the draws is open."""
        return self.draws_apart and not self.is_open

    @cached_property
    def mark(self) -> str:
        """A hash of everything that a phone shows, except other phones' answers."""
        told = (self.room.stem, self.room.query, self.asked.revealed, self.asked.locked)
        return sha256(repr(told).encode()).hexdigest()[:16]

    @cached_property
    def wall_mark(self) -> str:
        """A hash of everything that the wall's picture shows, with the number of draws."""
        return f"{self.mark}-{self.room.drawn if self.draws else 0}"

    @property
    def question(self) -> str:
        """The text of the question; "" if there is none."""
        if self.kind == VOTE:
            return self.lesson.together.asks  # type: ignore[union-attr]
        return self.address.question if self.kind else ""

    @property
    def which(self) -> str:
        """A hash of the lesson and the question, by which a form names its question."""
        return sha256(f"{self.room.stem} {self.question}".encode()).hexdigest()[:16]

    def read(self, text: str) -> tuple[Any, str | None]:
        """Return the answer that a text gives, and what is wrong with the text, or None."""
        if self.votes:
            options = self.lesson.together.options  # type: ignore[union-attr]
            value = next((each for each in options if text == f"{each:g}"), None)
            return value, None if value is not None else "must be one of those that are offered"
        return self.lesson.linked[GUESS].of.read(text)  # type: ignore[union-attr]

    def written(self, value: Any) -> str:
        """Return an answer as text for the store."""
        return f"{value:g}" if self.kind == VOTE else self.lesson.linked[GUESS].write(value)

    @cached_property
    def chosen(self) -> str:
        """The value with the most votes, in a tie the smallest; "" without votes."""
        return self.most_voted[0] if self.answers else ""

    @cached_property
    def most_voted(self) -> list[str]:
        """All values with the most votes, the smallest first."""
        return self.winners(self.answers)

    def winners(self, votes: list[Answer]) -> list[str]:
        """Return the values with the most votes among these, the smallest first."""
        counts = Counter(each.text for each in votes)
        return sorted(
            (text for text, n in counts.items() if n == max(counts.values())), key=lambda text: self.read(text)[0]
        )

    @cached_property
    def answers(self) -> list[Answer]:
        """All answers, in the order of the phones' numbers."""
        return store().answers(self.room.code, self.room.stem)

    @cached_property
    def first(self) -> list[Answer]:
        """The answers from before the question was asked again, if it was."""
        return store().answers(self.room.code, self.room.stem + FIRST)

    @cached_property
    def judged(self) -> str:
        """The settings at which most phones have bet, in a tie the first ones; without bets the wall's settings."""
        said = Counter(each.settings for each in self.answers)
        return (said.most_common(1)[0][0] if said else "") or self.settings

    @property
    def bets(self) -> list[Answer]:
        """The bets at the settings in `judged`; the wall shows these bets beside their truth."""
        return self._judged(self.answers)

    @property
    def first_bets(self) -> list[Answer]:
        """The bets at the settings in `judged` from before the question was asked again."""
        return self._judged(self.first)

    def _judged(self, answers):
        return [each for each in answers if (each.settings or self.settings) == self.judged]

    def outcome(self, settings: str = "") -> Outcome:
        """Return the outcome of a bet at these settings, by default those in `judged`."""
        return VIEWS[self.room.stem].outcome(self.at(settings or self.judged).values)

    def part(self, number: int) -> Part:
        """Return a phone's own part in the class's experiment."""
        return VIEWS[self.room.stem].part(number, self.values | {"seed": self.room.seed})


def moment_of(room: Room) -> Moment:
    """Return the room with the current state of its question."""
    return Moment(room, store().asked(room.code, room.stem))


def settings_of(address: Address) -> str:
    """Return the part of a wall's query that its room stores: all that the wall shows, and the parameter `bet`.

    Long texts, which a visitor has typed, are left out.
    """
    not_said, query = {"mode", *address.lesson.of_class}, address.query
    set_to = written(address.lesson, address.said)
    said = {name: text for name, text in set_to.items() if name not in not_said and len(text) <= LONGEST_SETTING}
    shown = address.linked(SCREEN)
    return urlencode(
        said | ({"bet": query["bet"]} if "bet" in query else {}) | ({SCREEN: shown} if shown in (JOINING, HOME) else {})
    )
