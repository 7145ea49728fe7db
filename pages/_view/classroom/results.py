"""The results of a room, as a file or as a link that works without the room."""

import csv
import io
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

from pages._view.address import query_of
from pages._view.bet_words import RIGHT, verdict
from pages._view.classroom.leading import settled
from pages._view.classroom.moment import BET, VOTE, Moment
from pages._view.classroom.room import FIRST as FIRST_VOTE
from pages._view.classroom.room import Asked, Room
from pages._view.classroom.store import store
from pages._view.lesson import CLASS, FIRST, GUESSED_AT, PHONES, VOTES
from pages._view.lessons import LESSONS, VIEWS, path_of_page


def shown(moment: Moment) -> dict[str, str]:
    """Return the parameters of a result: bets and their settings, votes, the number of draws, and first answers."""
    lesson, found = moment.lesson, dict[str, str]()
    seed = {"seed": str(moment.room.seed)} if lesson.together and moment.room.seed else {}
    if moment.kind == BET and moment.answers:
        judged = urlencode(query_of(moment.judged) | seed)
        found |= {CLASS: _joined(moment.bets), GUESSED_AT: judged, FIRST: _joined(moment.first_bets)}
    if moment.kind == VOTE and moment.answers:
        found |= settled(moment) | {PHONES: str(moment.room.phones), VOTES: _joined(moment.answers)}
        found[FIRST] = _joined(moment.first)
    if moment.draws and moment.room.drawn:
        found[PHONES] = str(moment.room.drawn)
    return {name: text for name, text in (found | seed).items() if text}


def _joined(answers):
    return "~".join(each.text for each in answers)


def link_to(moment: Moment, root: str) -> str:
    """Return the address of the result; "" while there is none, or while its truth is hidden."""
    found = shown(moment)
    if moment.is_open or not {CLASS, PHONES} & set(found):
        return ""
    said = moment.at(found.pop(GUESSED_AT, "")).settings | found
    return f"{root}{path_of_page(moment.room.stem)}?{urlencode(said)}"


COLUMNS = ("lesson", "question", "vote", "step", "d_k", "seed", "time", "phone", "draw", "answer", "right")
DRAWN = "drawn"  # written in the column "question" for a draw


def as_csv(room: Room) -> str:
    """Return the answers and draws of the whole lecture as CSV, one row each, by question in the order of asking.

    vote is 1, or 2 after the question was asked again. Time is UTC; right is "yes", "no", or empty if no answer is
    right or wrong. If the settings of an answer are unknown, step, d_k and seed are empty.
    """
    rows, out = [*_answered(room), *_drawn(room)], io.StringIO()
    begun: dict[str, str] = {}
    for each in rows:
        begun[each["lesson"]] = min(begun.get(each["lesson"], each["time"]), each["time"])
    rows.sort(key=lambda each: (begun[each["lesson"]], each["lesson"]))  # stable: keeps the order within a lesson
    writer = csv.DictWriter(out, COLUMNS, restval="")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def _answered(room):
    truths: dict[tuple[str, str], Any] = {}
    found = store().lecture(room.code)
    again = {str(each.what).removesuffix(FIRST_VOTE) for each in found if str(each.what).endswith(FIRST_VOTE)}
    for each in sorted(found, key=lambda each: not str(each.what).endswith(FIRST_VOTE)):  # the first vote first
        stem = str(each.what).removesuffix(FIRST_VOTE)
        if stem not in LESSONS:
            continue
        here = _moment(room, stem, each.settings)
        vote = 2 if stem in again and each.what == stem else 1
        row = _row(here, each) | {"vote": vote, "answer": each.text}
        if here.votes:
            yield row | {"question": here.lesson.together.asks}
            continue
        if each.settings and (stem, each.settings) not in truths:
            truths[stem, each.settings] = VIEWS[stem].outcome(here.values).truth
        yield row | {"question": here.address.question, "right": _is_right(here, each, truths)}


def _is_right(here, given, truths):
    truth, (value, problem) = truths.get((here.room.stem, given.settings)), here.read(given.text)
    if truth is None or problem or here.lesson.bet is None:
        return ""
    return "yes" if verdict(here.lesson.bet, value, truth) == RIGHT else "no"


def _drawn(room):
    stem = next(stem for stem, lesson in LESSONS.items() if lesson.together and not lesson.together.chooses)
    for each in store().draws(room.code):
        here = _moment(room, stem, each.settings or (room.query if room.stem == stem else ""))
        for i, value in enumerate(here.part(int(each.what)).numbers):
            yield _row(here, each) | {"question": DRAWN, "draw": i + 1, "answer": value}


def _moment(room, stem, settings):
    return Moment(replace(room, stem=stem, query=settings), Asked())


def _row(here, given):
    known = {*here.lesson.shared, *here.lesson.controls}
    said = {name: here.drawn.values[name] for name in ("d_k", "seed") if name in known}
    if here.lesson.together:
        said["seed"] = here.room.seed
    if here.lesson.steps:
        said["step"] = here.address.step.name
    time = "" if given.at is None else f"{datetime.fromtimestamp(given.at, UTC):%Y-%m-%dT%H:%M:%SZ}"
    return {"lesson": here.room.stem, "time": time, "phone": given.number + 1} | (said if given.settings else {})
