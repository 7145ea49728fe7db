"""The wall of a class: it reports its lesson, follows a teacher who leads from elsewhere, and shows code and counts.

A cookie says who leads, so the address of a wall lets nobody lead. The results of a class are in the wall's address,
as they are in the link that shows them afterwards.
"""

from contextlib import suppress
from typing import Any

import streamlit as st

from pages._view import bet_html
from pages._view._streamlit import StreamlitAPIException, path_of
from pages._view.address import Address
from pages._view.classroom import leading, limits, results, rounds, wall_state
from pages._view.classroom.moment import VOTE, Moment, moment_of, settings_of
from pages._view.classroom.room import TEACHER, RoomError, StoreError, secret_in
from pages._view.classroom.store import store
from pages._view.lesson import CLASS, GUESSED_AT, PHONES, REVEAL, VOTES, Lesson
from pages._view.literal import plain
from pages._view.page import bets, controls
from pages._view.page.components import draw_room
from pages._view.routes import CODE, JOIN, TEACH
from pages._view.shared import ROOM
from pages._view.stage import Line

_OVER = "The room of this wall is closed."


def follow(lesson: Lesson) -> str | None:
    """Bring wall and class together; return the stem of the lesson to which the class has moved on, if it has."""
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
    st.session_state["room_leads"] = leads
    if room.stem != lesson.stem and not (leads and _has_turned(lesson, code)):
        st.session_state["room_at"] = code, room.stem
        return room.stem
    st.session_state["room_at"] = code, lesson.stem
    _tell()
    moment = moment_of(store().room(code) or room)
    shown = _settle(_told(moment, turned) if leads else moment)
    # Answers that arrive after this are not in the picture: the corner must not count them.
    st.session_state["room_shown"] = wall_state.state_of(shown)
    return None


def _network():
    """Return whom the limit of wrong codes counts, as for phones."""
    return limits.network_of(str(st.context.ip_address or ""), st.context.headers.get("X-Forwarded-For") or "")


def _was_here(code):
    """Return True if this wall has followed the class before."""
    return st.session_state.get("room_at", ("",))[0] == code


def _has_turned(lesson, code):
    """Return True if this wall itself has opened another lesson since its last run."""
    return st.session_state.get("room_at") != (code, lesson.stem)


def _secret(code):
    return secret_in(st.context.cookies.get(TEACHER, ""), code)


def _leave():
    st.session_state["room_problem"] = _OVER
    st.session_state.pop("room_leads", None)
    st.session_state["carried"].pop(ROOM, None)
    st.query_params.pop(ROOM, None)  # last: a run may be aborted when it sends this to the browser


def tell() -> None:
    """Report this wall's lesson and settings to the class, if this wall leads."""
    with suppress(RoomError, StoreError):  # the next run of the whole page reports them, or says why not
        _tell()


def _tell():
    if not st.session_state.get("room_leads"):
        return
    here = Address(controls.current_lesson(), st.query_params.to_dict())
    lesson, code, settings = here.lesson, here.room, settings_of(here)
    room = store().room(code)
    if room and (room.stem, room.query) != (lesson.stem, settings):
        store().stand(code, lesson.stem, settings)


def _told(moment: Moment, turned: bool | None) -> Moment:
    """Return the moment after the teacher has shown or hidden the truth; the wall's address may still lag behind."""
    if moment.kind and turned not in (None, moment.asked.revealed):
        return leading.turn(moment, revealed=bool(turned))
    return moment


def _settle(moment):
    """Write the state of the class into the address; return the moment of that state."""
    moment = _settle_vote(moment)
    shown = moment.kind != "" and moment.asked.revealed
    found = {REVEAL: "1"} if moment.asked.revealed else {}  # at a later step too: else the bet would be open there
    if moment.draws_apart:  # from the first moment on: the wall draws nothing else
        found[PHONES] = str(moment.room.drawn if moment.draws else 0)
    if shown or moment.draws:
        found |= results.shown(moment)
    if moment.lesson.together:
        with suppress(StreamlitAPIException):  # its field may be on the page already, and shows the seed then
            controls.send_to("seed", moment.room.seed)
    bets.put(found, (REVEAL, CLASS, GUESSED_AT, PHONES, VOTES))
    return moment


def _settle_vote(moment):
    """Apply the settings of a vote when it is opened, shown or hidden; return the moment after that."""
    state = (moment.room.code, moment.room.stem, moment.asked.revealed, moment.chosen if moment.asked.revealed else "")
    if moment.kind != VOTE or st.session_state.get("room_vote") == state:
        return moment
    st.session_state["room_vote"] = state
    for name, text in leading.settled(moment).items():
        controls.send_to(name, controls.control(name).read(text)[0])
    _tell()
    return moment_of(store().room(moment.room.code) or moment.room)


def draw_door() -> None:
    """Draw the link that starts a class, if none is open."""
    if not controls.address().room:
        st.html(f'<a class="door" href="{path_of(TEACH)}">Open a room</a>')


def draw_corner(lesson: Lesson) -> None:
    """Draw code, QR code and counts, where they cover nothing; or say why the class is over."""
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
        **{name: st.session_state["room_shown"][name] for name in ("mark", "count", "joined")},
    }
    with st.container(key="room"):
        draw_room(told)


def line(usual: Line) -> Line:
    """Return the question of a vote, or the choice of the class; else the usual line, with its first vote."""
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
    """Return what a class bet before it was asked again, once the truth is shown; of others nothing is looked up."""
    here = controls.address()
    if not here.room or here.guesses is None or not here.shows_bet or "room_problem" in st.session_state:
        return ""
    with suppress(RoomError, StoreError):
        room = store().room(here.room)
        return rounds.told(moment_of(room)) if room and room.stem == here.lesson.stem else ""
    return ""


def draw_reveal() -> None:
    """Draw the link with which the teacher shows the choice of the class, or hides it again."""
    moment = _vote() if st.session_state.get("room_leads") else None
    if moment:
        st.html(bet_html.reveal(controls.address(), "Reveal" if moment.is_open else "Hide"))


def _vote() -> Moment | None:
    """Return the moment of this wall's class if its lesson asks for a vote; other lessons do not look it up."""
    lesson, code = controls.current_lesson(), controls.address().room
    if not (code and lesson.together and lesson.together.chooses) or "room_problem" in st.session_state:
        return None
    room = store().room(code)
    return moment_of(room) if room and room.stem == lesson.stem else None
