"""The wall of a class, which shows its room's lesson and settings, with code and counts.

A room may have several walls. Each takes over the room's settings when they change. A wall that leads tells the room
only what was moved on that wall, so that two walls cannot answer each other in a loop. A cookie gives the right to
lead; a wall's address does not. The results of a class are in the wall's address, as in the link that shows them
afterwards.
"""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import streamlit as st

from pages._view import bet_html, lecture
from pages._view._streamlit import StreamlitAPIException, is_part_of_page, path_of
from pages._view.address import Address, query_of
from pages._view.classroom import leading, limits, results, rounds, wall_state
from pages._view.classroom.moment import LONGEST_SETTING, Moment, moment_of, settings_of
from pages._view.classroom.room import TEACHER, Room, RoomError, StoreError, secret_in
from pages._view.classroom.store import store
from pages._view.lesson import CLASS, FIRST, GUESSED_AT, PHONES, REVEAL, VOTES, Lesson
from pages._view.literal import plain
from pages._view.page import bets, controls
from pages._view.page.components import draw_room
from pages._view.routes import CODE, JOIN, TEACH
from pages._view.shared import CARRIED, HOME, JOINING, PATH, ROOM, SCREEN, SHARED
from pages._view.stage import Line

_OVER = "The room of this wall is closed."
# Session state. _STOOD: this wall's lesson and settings when it was last drawn or last told the room. _TAKEN: the
# room's lesson and settings that this wall last took over.
_STOOD, _TAKEN = "room_stood", "room_taken"
_HERE = "room_here"  # the code of the room that this wall has followed


def follow(lesson: Lesson) -> Room | None:
    """Synchronise this wall with its room; return the room if that is at another lesson."""
    code = controls.address().room
    if not code:
        return None
    try:
        return _follow(lesson, code)
    except (RoomError, StoreError) as problem:
        st.session_state["room_problem"] = str(problem)
        st.session_state.pop("room_leads", None)
        return None


def _follow(lesson, code):
    st.session_state.pop("room_problem", None)
    turned = st.session_state.pop(bets.TURNED, None)
    leads, network = store().is_teacher(code, _secret(code)), _network()
    is_over = store().is_over(limits.WRONG_CODES, network.name)
    room = store().room(code) if leads or _was_here(code) or not is_over or store().is_known(code, network) else None
    if room is None:
        store().takes(limits.WRONG_CODES, network.name)
        store().takes(limits.GUESSES, "")
        _leave()
        return None
    st.session_state.update({"room_leads": leads, _HERE: code})
    if leads:
        room = _tell(room)
    elif _stood() not in (None, _stands()):
        st.session_state.pop(_TAKEN, None)  # return to what the room shows
    if room.stem != lesson.stem:
        st.session_state.pop(_STOOD, None)
        return room
    moment = moment_of(room)
    shown = _told(moment, turned) if leads else moment
    _take_over(shown)
    _settle(shown)
    # The picture lacks answers that arrive after this, so the corner must not count them.
    st.session_state["room_shown"] = wall_state.state_of(shown)
    return None


def _network():
    """Return the visitor's IP network; its wrong codes are counted together with those of phones."""
    return limits.network_of(str(st.context.ip_address or ""), st.context.headers.get("X-Forwarded-For") or "")


def _was_here(code):
    """Return True if this wall has followed the class before."""
    return st.session_state.get(_HERE) == code


def _stands():
    """Return the lesson and the settings of this wall."""
    here = controls.address()
    return here.lesson.stem, query_of(settings_of(here))


def _stood():
    return st.session_state.get(_STOOD)


def end_run() -> None:
    """Note this wall's lesson and settings at the end of a run: what differs later was moved by the visitor."""
    if controls.address().room:
        st.session_state[_STOOD] = _stands()


def _secret(code):
    return secret_in(st.context.cookies.get(TEACHER, ""), code)


def _leave():
    st.session_state["room_problem"] = _OVER
    for name in ("room_leads", _STOOD, _TAKEN):
        st.session_state.pop(name, None)
    st.session_state["carried"].pop(ROOM, None)
    st.query_params.pop(ROOM, None)  # last: Streamlit may abort the run when it sends this to the browser


def tell() -> None:
    """Tell the room what was moved on this wall since its last run, if this wall leads.

    Do nothing in a run of the whole page, which has told the room already and may change settings by itself.
    """
    if not st.session_state.get("room_leads") or not is_part_of_page():
        return
    with suppress(RoomError, StoreError):  # the next run of the whole page tells the room, or shows the problem
        room = store().room(controls.address().room)
        if room:
            _tell(room)


def _tell(room: Room) -> Room:
    """Tell the room what was moved on this wall; return the updated room."""
    stood, (stem, query) = _stood(), _stands()
    if stood in (None, (stem, query)):
        return room
    if stem == stood[0] != room.stem:  # the class has gone on to another lesson meanwhile
        return room
    if stem == stood[0]:
        names = {name for name in {*query, *stood[1]} if query.get(name) != stood[1].get(name)}
        kept = {name: text for name, text in query_of(room.query).items() if name not in names}
        told = kept | {name: query[name] for name in names if name in query}
    else:
        told = query
    after = leading.move(room, stem, told)
    st.session_state[_STOOD] = stem, query
    return after


def _take_over(moment: Moment) -> None:
    """Set this wall to the settings of its room, if they have changed since the last time."""
    path = query_of(moment.room.said).get(PATH)
    if path != st.query_params.get(PATH):
        _write(PATH, path)
    state = moment.room.stem, moment.room.query
    if st.session_state.get(_TAKEN) == state:
        return
    seed = {"seed": str(moment.room.seed)} if moment.lesson.together else {}
    here, there = controls.address(), Address(moment.lesson, moment.query | seed)
    for name in (*moment.lesson.unseen, "bet", SCREEN):
        if (text := moment.query.get(name)) != here.query.get(name):
            _write(name, text)
    known = {*SHARED, *moment.lesson.controls} - {"mode"}
    moved = {name: there.said[name] for name in known if here.said[name] != there.said[name]}
    moved = {name: value for name, value in moved.items() if not _is_long(here, name)}
    is_new = any(name not in st.session_state for name in moved)
    st.session_state[_TAKEN] = state
    controls.put(moved)
    st.session_state[_STOOD] = _stands()
    if is_new:  # a new widget takes its value from the address of the previous run
        st.rerun()


def _write(name, text):
    if name in CARRIED and text is not None:
        controls.carry(name, text)
    elif name in CARRIED:
        controls.drop(name)
    elif text is None:
        st.query_params.pop(name, None)
    else:
        st.query_params[name] = text


def _is_long(here, name):
    """Return True for a text that is too long for a room's settings."""
    return len(str(here.known(name).write(here.said[name]))) > LONGEST_SETTING


def _told(moment: Moment, turned: bool | None) -> Moment:
    """Return the moment; if the teacher has just shown or hidden the truth on this wall, first do it in the room."""
    if moment.kind and turned not in (None, moment.asked.revealed):
        return leading.turn(moment, revealed=bool(turned))
    return moment


def _settle(moment):
    """Write the state of the class into the wall's address."""
    shown = moment.kind != "" and moment.asked.revealed
    found = {REVEAL: "1"} if moment.asked.revealed else {}  # also at later steps, where the bet would else wait again
    if moment.draws_apart:  # from the start: such a wall draws only what phones have drawn
        found[PHONES] = str(moment.room.drawn if moment.draws else 0)
    if shown or moment.draws:
        found |= results.shown(moment)
    if moment.lesson.together:
        with suppress(StreamlitAPIException):  # a seed field that is drawn already shows this seed
            controls.send_to("seed", moment.room.seed)
    bets.put(found, (REVEAL, CLASS, FIRST, GUESSED_AT, PHONES, VOTES))


def set_by_link(query: Mapping[str, str]) -> None:
    """Follow a link of the stage that opens or closes the panel over the wall."""
    if SCREEN in query:
        shown = str(CARRIED[SCREEN].read(query[SCREEN])[0])
        _write(SCREEN, shown if shown in (JOINING, HOME) else None)


def draw_end() -> None:
    """Draw the link that ends a lecture after its last step, and then covers the wall with links to take home."""
    here = controls.address()
    if here.room and lecture.stops_at(here) and lecture.beside(here)[1] is None:
        st.html(f'<a class="door" data-end data-sets="{SCREEN}={HOME}" href="">The end</a>')


def draw_door() -> None:
    """Draw the link that starts a class, if none is open."""
    if not controls.address().room:
        st.html(f'<a class="door" href="{path_of(TEACH)}">Open a room</a>')


def draw_corner(lesson: Lesson) -> None:
    """Draw the class's code, QR code and counts in a free corner; or say why the class is over."""
    if problem := st.session_state.get("room_problem"):
        st.warning(plain(problem))
    code = controls.address().room
    if not code or problem:
        return
    leads = st.session_state.get("room_leads")
    told = {
        "code": code,
        "door": path_of(JOIN),
        "join": path_of(f"{JOIN}/{code}"),
        "state": path_of(f"{TEACH}/{code}/state"),
        "near": path_of(f"{TEACH}/{code}/near"),
        "lead": path_of(f"{TEACH}/{code}") if leads else "",
        "drawn": path_of(CODE),
        "home": path_of(""),
        "screen": str(controls.address().linked(SCREEN)),
        **{name: st.session_state["room_shown"][name] for name in ("mark", "count", "joined")},
    }
    with st.container(key="room"):
        draw_room(told)


def line(usual: Line) -> Line:
    """Return a vote's question or result; without a vote, the usual line and a sentence that compares both rounds."""
    moment = _vote()
    if moment is None:
        return usual._replace(rest=" ".join(filter(None, (usual.rest, _both_votes()))))
    together: Any = moment.lesson.together
    name = controls.control(together.chooses).label.lower()
    chosen = (
        f"The class has chosen: {name} {float(moment.chosen):,g}." if moment.chosen else f"Nobody has chosen a {name}."
    )
    if moment.is_open:
        return Line(together.asks)
    return Line(chosen, " ".join(filter(None, (rounds.tie(moment), rounds.told(moment)))))


def _both_votes():
    """Return a sentence that compares the bets before and after the class was asked again; "" before the reveal."""
    here = controls.address()
    if not here.room or here.guesses is None or not here.shows_bet or "room_problem" in st.session_state:
        return ""
    with suppress(RoomError, StoreError):
        room = store().room(here.room)
        return rounds.told(moment_of(room)) if room and room.stem == here.lesson.stem else ""
    return ""


def draw_reveal() -> None:
    """Draw the link with which the teacher shows or hides the result of the vote."""
    moment = _vote() if st.session_state.get("room_leads") else None
    if moment:
        st.html(bet_html.reveal(controls.address(), "Reveal" if moment.is_open else "Hide"))


def _vote() -> Moment | None:
    """Return the moment of this wall's class; None if its lesson has no vote."""
    lesson, code = controls.current_lesson(), controls.address().room
    if not (code and lesson.together and lesson.together.chooses) or "room_problem" in st.session_state:
        return None
    room = store().room(code)
    return moment_of(room) if room and room.stem == lesson.stem else None
