"""The window of who teaches: opens a room and leads it, from the laptop at the wall or from another device."""

from urllib.parse import urlencode

from pages._view._streamlit import path_of
from pages._view.address import Address, query_of
from pages._view.classroom import leading, results, wall_state
from pages._view.classroom.moment import VOTE, moment_of, settings_of
from pages._view.classroom.room import MOST_PHONES, Room
from pages._view.classroom.store import store
from pages._view.codes import code_of
from pages._view.lessons import LESSONS, ORDER, path_of_page
from pages._view.routes import JOIN, TEACH
from pages._view.server import html
from pages._view.server.links import lesson_at
from pages._view.server.phone import KEPT
from pages._view.shared import ROOM

_OPEN = "Open a room"
_WHAT = (
    "A room lets a class take part by phone. The wall shows a code of four letters and a QR code; phones open it and "
    "follow the wall: its question, then the bet, then the truth beside their own answer.",
    f"A room has at most {MOST_PHONES} phones. {KEPT}",
)


def before_opening(token: str, at: str) -> str:
    """What a room is, and the button that opens one where the lesson stands."""
    place = _place(*_standing(at))  # of an address of any length what a form may hold
    kept = f'<input type="hidden" name="at" value="{html.escape(place)}">'
    inside = html.form(path_of(TEACH), token, "open", kept + html.button(_OPEN, first=True))
    return html.document(_OPEN, html.main_part(f"<h1>{_OPEN}</h1>{html.paragraphs(_WHAT)}{inside}"))


def open_room(secret: str, at: str) -> tuple[Room, str]:
    """A new room where this address of a lesson leads, and the address of its wall."""
    stem, settings = _standing(at)
    room = store().open_room(secret, stem=stem, query=settings)
    return room, f"{_place(stem, settings)}&{urlencode({'mode': 'projector', ROOM: room.code})}"


def _standing(at):
    """The lesson that an address leads to, else the first, and its settings, with which a room begins."""
    path, _, query = at.partition("?")
    stem = lesson_at(path) or ORDER[0]
    return stem, settings_of(Address(LESSONS[stem], query_of(query) | {"bet": "1"}))


def _place(stem, settings):
    return f"{path_of(path_of_page(stem))}?{settings}"


def ask_for_secret(room: Room, token: str, problem: str = "") -> str:
    """Where one who teaches says so on another device."""
    field = '<label class="above" for="secret">The secret of the room</label>'
    field += '<input id="secret" name="secret" type="password" required maxlength="40" autocomplete="off">'
    inside = html.form(path_of(f"{TEACH}/{room.code}"), token, "secret", field + html.button("Lead", first=True))
    said = f"<h1>Lead room {room.code}</h1>{html.paragraphs([problem], 'wrong')}{inside}"
    return html.document(f"Room {room.code}", html.main_part(said))


def page(room: Room, token: str, secret: str, root: str) -> str:
    """The whole window."""
    return html.document(f"Room {room.code}", part(room, token, secret, root), news=True, refresh=5)


def part(room: Room, token: str, secret: str, root: str) -> str:
    """What changes when the room does."""
    place, moment = path_of(f"{TEACH}/{room.code}"), moment_of(room)

    def act(do, label, more="", *, first=False):
        return html.form(place, token, do, more + html.button(label, first=first))

    inside = "".join(
        (
            f"<h1>{html.escape(moment.lesson.question)}</h1>",
            html.paragraphs([moment.question, wall_state.count(moment)], "mine"),
            f'<div class="row">{_acts(moment, act)}</div>',
            f'<h2>Go to</h2><div class="row">{_ways(room, act)}</div>{_all_ways(room, act)}',
            _results(moment, root, place),
            _door(room, secret, root),
            f"<h2>The end</h2>{act('close', 'Close the room')}{html.paragraphs([_closing(room)])}",
        )
    )
    return html.main_part(inside, mark=str(room.version), news=f"{place}/news", asked=room.stem)


def _acts(moment, act):
    """What can be done with the question of the moment."""
    acts = []
    if moment.kind:
        label = "Show what comes of it" if moment.kind == VOTE else "Reveal"
        acts.append(act("reveal", label, first=True) if moment.is_open else act("hide", "Hide"))
    if moment.is_open:
        acts.append(act("unlock", "Take answers again") if moment.asked.locked else act("lock", "No more answers"))
    if moment.kind:
        acts.append(act("reset", "Ask again"))
    if moment.draws:
        acts.append(act("reset_draws", "Draw again"))
    return "".join(acts)


def _ways(room, act):
    """To the lesson before and the one after."""
    at = ORDER.index(room.stem) if room.stem in ORDER else 0
    near = [(at - 1, "← Back"), (at + 1, "Next →")]
    return "".join(act("to", label, _stem(ORDER[i])) for i, label in near if 0 <= i < len(ORDER))


def _all_ways(room, act):
    rows = "".join(act("to", LESSONS[stem].question, _stem(stem)) for stem in ORDER if stem != room.stem)
    return f"<details><summary>All lessons</summary>{rows}</details>"


def _stem(stem):
    return f'<input type="hidden" name="stem" value="{stem}">'


def _results(moment, root, place):
    link = results.link_to(moment, root)
    shown = f'<p><a href="{html.escape(link)}" target="_blank">The result as a link</a></p>' if link else ""
    return f'<h2>Results</h2><p><a href="{place}/results.csv" download>As a table (CSV)</a></p>{shown}'


def _door(room, secret, root):
    """How phones come in, and how another device leads."""
    join = f"{root}{JOIN}/{room.code}"
    drawn = f'<div style="max-width:16rem;background:#fff">{code_of(join)}</div>'
    said = html.paragraphs([f"On another device, open {root}{TEACH}/{room.code} and type {secret}."])
    return (
        f'<h2>Join</h2><p class="code">{room.code}</p><p><a href="{html.escape(join)}">{html.escape(join)}</a></p>'
        f"{drawn}<details><summary>The secret of this room</summary>{said}</details>"
    )


def _closing(room):
    return f"What its {room.phones} phones said and drew is deleted at once; links to results go on working."


def do(room: Room, sent: dict[str, str]) -> str | None:
    """What the teacher asks for; returns where to go on, if it is elsewhere."""
    what, rooms = sent.get("do"), store()
    if what == "close":
        rooms.close(room.code)
        return path_of(TEACH)
    if what == "to" and sent.get("stem") in LESSONS:
        leading.go_to(moment_of(room), sent["stem"])
    if what in ("reveal", "hide"):
        leading.turn(moment_of(room), revealed=what == "reveal")
    if what in ("lock", "unlock"):
        rooms.ask(room.code, room.stem, locked=what == "lock")
    if what == "reset":
        rooms.reset(room.code, room.stem)
    if what == "reset_draws":
        rooms.reset_draws(room.code)
    return None
