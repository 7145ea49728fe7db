"""The teacher's window, which opens a room and leads it, on any device."""

from urllib.parse import urlencode

from markupsafe import Markup

from pages._view import lecture
from pages._view._streamlit import path_of
from pages._view.address import Address, query_of
from pages._view.classroom import leading, results, rounds, wall_state
from pages._view.classroom.limits import Network
from pages._view.classroom.moment import VOTE, moment_of, settings_of
from pages._view.classroom.room import MOST_PHONES, UNDO, Room
from pages._view.classroom.store import store
from pages._view.codes import code_of
from pages._view.lesson import STEP
from pages._view.lessons import LESSONS, ORDER, path_of_page
from pages._view.routes import JOIN, TEACH
from pages._view.server import html
from pages._view.server.links import lesson_at
from pages._view.server.near import Near
from pages._view.server.phone import KEPT
from pages._view.shared import HOME, JOINING, PATH, ROOM, SCREEN

_WHAT = (
    "A room lets a class take part by phone. The wall shows a code of a few letters and a QR code; phones open it and "
    "follow the wall: its question, then the bet, then the truth beside their own answer.",
    f"A room has at most {MOST_PHONES} phones. {KEPT}",
)


_MINUTES = round(UNDO / 60)


def before_opening(token: str, at: str, away: Near | None = None) -> str:
    """Return the page that explains rooms, with the button that opens one at the lesson of address `at`."""
    stem, settings, said = _standing(at)
    path = {name: text for name, text in query_of(said).items() if name == PATH}
    place = _place(stem, settings, path)  # short enough for a form, however long `at` is
    problem = lecture.problem_of(query_of(at.partition("?")[2]).get(PATH, ""))
    told = (f"The path {problem}.", *_WHAT) if problem else _WHAT
    values = {"what": told, "place": path_of(TEACH), "token": token, "at": place}
    values |= _elsewhere(away, f"{TEACH}?{urlencode({'at': place})}")
    return html.render("opening.html", title="Open a room", **values)


def open_room(secret: str, at: str, network: Network) -> tuple[Room, str]:
    """Open a room at the lesson of address `at`; return the room and the address of its wall."""
    stem, settings, said = _standing(at)
    stops = lecture.stops_at(Address(LESSONS[stem], query_of(said)))
    if stops:
        here = Address(LESSONS[stem], query_of(settings))
        first = lecture.Stop(stem, here.step.name)
        first = first if first in stops else stops[0]
        stem, begins = first.stem, {**here.query, STEP: first.step, SCREEN: JOINING}
        settings = settings_of(Address(first.lesson, begins))
    room = store().open_room(secret, stem=stem, query=settings, said=said, network=network)
    room = leading.settle(room).room
    return room, _wall(room)


def _wall(room):
    path = {name: text for name, text in query_of(room.said).items() if name == PATH}
    return _place(room.stem, room.query, {"mode": "projector", ROOM: room.code, **path})


def closed(room: Room, token: str) -> str:
    """Return the teacher's page of a closed room, which can be opened again there."""
    values = {"place": path_of(f"{TEACH}/{room.code}"), "token": token, "elsewhere": path_of(TEACH)}
    title = f"Room {room.code} is closed"
    return html.render("closed.html", title=title, minutes=_MINUTES, **values)


def reopen(room: Room) -> str:
    """Open a room again; return the address of its wall."""
    store().reopen(room.code)
    return _wall(room)


def _standing(at):
    """Return an address's lesson (else the first), its settings for a room, and those that hold for all lessons."""
    path, _, query = at.partition("?")
    stem = lesson_at(path) or ORDER[0]
    here = Address(LESSONS[stem], query_of(query) | {"bet": "1"})
    settings = settings_of(here)
    said = {name: text for name, text in query_of(settings).items() if name in leading.OF_ONE_LESSON}
    path = {PATH: str(here.linked(PATH))} if lecture.stops_at(here) else {}
    return stem, settings, urlencode(said | path)


def _place(stem, settings, more):
    """Return the address of a lesson with these settings and these further parameters."""
    return f"{path_of(path_of_page(stem))}?{'&'.join(filter(None, (settings, urlencode(more))))}"


def ask_for_secret(room: Room, token: str, problem: str = "") -> str:
    """Return the page that asks for the room's secret on another device."""
    values = {"code": room.code, "place": path_of(f"{TEACH}/{room.code}"), "token": token, "problem": problem}
    return html.render("secret.html", title=f"Room {room.code}", **values)


def page(room: Room, token: str, secret: str, root: str, problem: str = "", away: Near | None = None) -> str:
    """Return the whole window.

    problem: why something was not done. away: a warning with other addresses, if phones cannot reach this one.
    """
    values = _values(room, token, secret, root, away) | {"problem": problem}
    return html.render("desk.html", title=f"Room {room.code}", refresh=5, **values)


def part(room: Room, token: str, secret: str, root: str, away: Near | None = None) -> str:
    """Return the part of the window that changes with the room."""
    return html.render("desk_main.html", **_values(room, token, secret, root, away))


def _elsewhere(away, place):
    """Return the warning about an address that phones cannot reach, and links to the same page at other addresses."""
    links = [(f"{each}{path_of(place)}", each.partition("//")[2]) for each in away.roots] if away else []
    return {"warning": away.says if away else "", "elsewhere": links}


def _values(room, token, secret, root, away):
    moment, join = moment_of(room), f"{root}{JOIN}/{room.code}"
    return {
        "problem": "",
        "mark": room.version,
        "stem": room.stem,
        "place": path_of(f"{TEACH}/{room.code}"),
        "token": token,
        "question": moment.lesson.question,
        "asked": [moment.question, wall_state.count(moment), rounds.told(moment)],
        "acts": _acts(moment),
        "ways": _ways(moment),
        "following": _following(moment),
        "all_ways": [(stem, LESSONS[stem].question) for stem in ORDER if stem != room.stem],
        "link": results.link_to(moment, root),
        "code": room.code,
        "joined": wall_state.joined(room),
        "door": _door(room),
        "join": join,
        "drawn": Markup(code_of(join)),
        "lead": f"{root}{TEACH}/{room.code}",
        "secret": secret,
        "minutes": _MINUTES,
        **_elsewhere(away, f"{TEACH}/{room.code}"),
    }


def _ways(moment):
    """Return the buttons that lead back and forward: along the room's path, else in the order of lessons.

    Each is an action, its label, and the lesson and step that it leads to.
    """
    room, here = moment.room, moment.on_path
    if lecture.stops_at(here):
        before, after = lecture.beside(here)
        if moment.screen == JOINING:
            before, after = None, lecture.Stop(room.stem, here.step.name)
        if moment.screen == HOME:
            before, after = lecture.Stop(room.stem, here.step.name), None
        ways = [("to", "← Back", *before)] if before else []
        ways += [("to", "Next →", *after)] if after else []
        return ways + ([] if after or moment.screen == HOME else [("end", "The end →", "", "")])
    at = ORDER.index(room.stem) if room.stem in ORDER else 0
    beside = [(at - 1, "← Back"), (at + 1, "Next →")]
    return [("to", label, ORDER[i], "") for i, label in beside if 0 <= i < len(ORDER)]


def _following(moment):
    """Return text on the next stop of the room's path, for the teacher alone: walls and phones do not show it."""
    after = lecture.beside(moment.on_path)[1]
    if after is None or moment.screen == HOME:
        return ""
    there = Address(after.lesson, {**moment.query, STEP: after.step, "bet": "1"} if after.step else {})
    asks = there.question if there.shows_bet else there.step.line if after.step else ""
    return f"Next: {after.lesson.question} {asks}"


def _acts(moment):
    """Return the possible actions on the current question, each with its label."""
    acts = []
    if moment.kind:
        label = "Show what comes of it" if moment.kind == VOTE else "Reveal"
        acts.append(("reveal", label) if moment.is_open else ("hide", "Hide"))
    if moment.is_open:
        acts.append(("unlock", "Take answers again") if moment.asked.locked else ("lock", "No more answers"))
    if moment.kind:
        acts.append(("reset", "Ask again"))
    if moment.draws:
        acts.append(("reset_draws", "Draw again"))
    return acts


def _door(room):
    """Return the possible actions on the door, each with its label."""
    acts = [("open_door", "Open the door") if room.shut else ("lock_door", "Lock the door")]
    return acts + ([("clear", f"Clear {room.waiting:,} without an answer")] if room.waiting else [])


def do(room: Room, sent: dict[str, str]) -> None:
    """Carry out the teacher's action."""
    what, rooms = sent.get("do"), store()
    if what == "close":
        rooms.close(room.code)
    if what == "to" and sent.get("stem") in LESSONS:
        leading.go_to(moment_of(room), sent["stem"], sent.get("step", ""))
    if what == "end":
        leading.end(moment_of(room))
    if what in ("reveal", "hide"):
        leading.turn(moment_of(room), revealed=what == "reveal")
    if what in ("lock", "unlock"):
        rooms.ask(room.code, room.stem, locked=what == "lock")
    if what in ("lock_door", "open_door"):
        rooms.lock_door(room.code, shut=what == "lock_door")
    if what == "clear":
        rooms.clear(room.code)
    if what == "reset":
        leading.reset(moment_of(room))
    if what == "reset_draws":
        rooms.reset_draws(room.code)
