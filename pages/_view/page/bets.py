"""Bet, then see: until the learner has answered one question on the main picture, what tells the answer is not sent.

The question stands at the picture, which shows what is known before; there it is revealed. All of it stands in the
address: bet=1 asks for the bets, guess is what was bet on this lesson, tally how many were right. The menu and a bare
link say nothing, and show the picture at once. On a wall the class bets, and reveal=1 shows the truth; class is what
many have bet.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from pages._view.address import Guesses
from pages._view.bet_marks import said
from pages._view.bet_words import OPEN, RIGHT, of_class, verdict, written
from pages._view.kinds import Choice, Drawing
from pages._view.lesson import CLASS, GUESS, GUESSED_AT, REVEAL, STEP, Lesson
from pages._view.lesson_view import LessonView, Outcome
from pages._view.lessons import VIEWS
from pages._view.literal import plain
from pages._view.page import controls
from pages._view.stage import Stage

FILM = "truth_film"  # in the state of a session: the lesson whose film, which shows the truth, still runs
TURNED = "truth_turned"  # in the state of a session: whether a hand has just shown the truth, or hidden it


def hold() -> None:
    """Move the lesson to the picture of a bet that waits, unless it is at an earlier step.

    Its other parts would tell the answer. A page that draws the choice itself calls this before it does.
    """
    here = controls.address()
    if here.bet is None or not here.bet_waits:
        return
    if here.bet.when and here.values[here.bet.when[0]] not in (here.bet.when[1], *here.bet.earlier):
        controls.send_to(*here.bet.when)
        st.rerun()
    changed = controls.changed(here.bet.usual)  # the question is about the defaults
    for name in changed:
        controls.send_to(name, controls.control(name).default)
    if changed:
        st.rerun()


def holds(name: str) -> bool:
    """Return True if a control must stay where it is, because a bet waits."""
    here = controls.address()
    bet = here.bet
    if bet is None or not here.bet_waits:
        return False
    return (name in bet.usual and name in here.step.followed) or ((bet.when or ("",))[0] == name and not bet.earlier)


def view_of(lesson: Lesson) -> LessonView:
    """Return what is drawn of a lesson; while the film runs that shows the truth, nothing is known of it."""
    view = VIEWS[lesson.stem]
    return replace(view, outcome=_unknown) if st.session_state.get(FILM) == lesson.stem else view


def _unknown(_):
    return Outcome(None, "")


def draft() -> Any:
    """Return where the learner's marker stands, or what they have drawn so far; None if nothing."""
    return st.session_state.get(_draft(controls.current_lesson()))


def keep_drawing(heights: object) -> None:
    """Keep what the learner has drawn so far; a forged message may say anything."""
    lesson = controls.current_lesson()
    answer = lesson.bet and lesson.bet.answer
    if isinstance(answer, Drawing) and answer.takes(heights):
        st.session_state[_draft(lesson)] = heights


def _draft(lesson):
    return f"guess_on_{lesson.stem}"


# --- what changes the address ----------------------------------------------------------------------------


def put(said: Mapping[str, str], names: Sequence[str] = (GUESS, GUESSED_AT, REVEAL, CLASS)) -> None:
    """Let the address say this of these names: what was bet, whether the truth is shown; what is not said goes."""
    for name in names:
        if name in said:
            st.query_params[name] = said[name]
        else:
            st.query_params.pop(name, None)


def show_truth() -> None:
    """Show on a wall what the bet comes to."""
    st.query_params[REVEAL] = "1"
    st.session_state[TURNED] = True
    st.rerun()


def take_back() -> None:
    """Open the bet again."""
    put({})
    st.session_state[TURNED] = False
    st.rerun()


def draw_switch(lesson: Lesson) -> None:
    """Draw the switch that asks for the bet before the picture is seen; none where there is nothing to bet on."""
    if lesson.bet is not None:
        st.session_state["bet_switch"] = controls.address().bet is not None
        label = "Draw it first" if isinstance(lesson.bet.answer, Drawing) else "Bet first"
        st.toggle(label, key="bet_switch", on_change=_switch)


def _switch():
    here, on = controls.address(), st.session_state["bet_switch"]
    if on == (here.bet is not None):
        return  # called though nobody touched it, when the page changes right after a move of the slider
    wish = "draw" if here.lesson.bet and isinstance(here.lesson.bet.answer, Drawing) else "1"
    controls.carry("bet", wish if on else "0")
    put({})


def _place(lesson):
    """Put what the marker says into the address; it is counted if it is the first bet on this lesson."""
    if isinstance(lesson.bet.answer, Drawing):  # what was drawn just before may come with the click
        heard = st.session_state.get(controls.picture_key(f"{controls.address().step.picture}_before")) or {}
        keep_drawing(heard.get("drawn"))
    st.query_params[GUESS] = lesson.bet.answer.write(st.session_state[_draft(lesson)])
    here = controls.address()
    settings = {name: text for name, text in here.settings.items() if name != STEP}
    st.query_params[GUESSED_AT] = urlencode(_slider_of(here) | settings)
    st.session_state["bet_placed"] = lesson.stem
    st.rerun()


def _slider_of(here):
    """Return the place of the large slider, which a verdict names even where it is the usual one."""
    name = here.step.slider
    return {name: controls.control(name).write(here.values[name])} if name else {}


# --- the card --------------------------------------------------------------------------------------------


def draw_card() -> None:
    """Draw the question, or what became of the bet, right at the picture; at an earlier step, where it waits."""
    here = controls.address()
    if here.bet and here.bet.when and here.bet_waits and not here.shows_bet:
        if here.lesson.steps:
            return
        name, option = here.bet.when
        st.markdown(f"A bet waits at **{plain(controls.control(name).write(option))}**.")
    elif here.shows_bet:
        with st.container(border=True, key="bet_card"):
            (_ask if here.bet_waits else _tell)(here)


def _ask(here):
    bet: Any = here.bet
    key = _draft(here.lesson)
    with st.container(horizontal=True, vertical_alignment="center", key="bet_row"):
        shown, answer = partial(written, bet), bet.answer
        if not here.lesson.steps:  # where the line of the step asks
            st.markdown(f"**{plain(here.question)}**", width="stretch")
        if here.is_wall:  # where the class bets, and who teaches reveals
            st.button("Reveal", key="reveal", on_click=show_truth)
            return
        if isinstance(answer, Choice):
            st.radio(answer.label, answer.options, format_func=shown, index=None, horizontal=True, key=key)
        elif not isinstance(answer, Drawing):
            st.select_slider(answer.label, (None, *answer.stops), None, shown, key=key)
        none = st.session_state.get(key) is None
        st.button("Place my bet", key="place_bet", type="primary", on_click=_place, args=(here.lesson,), disabled=none)


def _tell(here):
    """Write what was bet and the truth; of one's own bet whether it is right, why, and how many were right so far."""
    guesses: Guesses = here.guesses or ()
    found = view_of(here.lesson).outcome(here.judged.values)
    with st.container(horizontal=True, vertical_alignment="center", key="bet_row"):
        if len(guesses) == 1 and CLASS not in here.query:
            _tell_own(here, guesses[0], found)
        else:
            st.markdown(plain(_told(here, guesses, found)), width="stretch")
        if here.is_wall or not guesses:
            st.button("Hide", key="reveal", on_click=take_back)
        elif CLASS not in here.query:
            st.button("Bet again", key="bet_again", on_click=take_back)


def _told(here, guesses, found):
    """Return the truth; of a class what it has bet before, and where there is room for it why."""
    text = of_class(here.lesson, guesses, found) if guesses else said(here.lesson, guesses, found)
    return f"{text} {'' if here.is_wall and text else found.why}"


def _tell_own(here, own, found):
    told = verdict(here.lesson.bet, own, found.truth)
    if st.session_state.get("bet_placed") == here.lesson.stem:
        _count(here, told)
    else:
        _counted().add(here.lesson.stem)
    right, _, of = controls.address().linked("tally").partition("-")
    why = f"{found.why} {right} of {of} {'bet' if of == '1' else 'bets'} right so far." if of else found.why
    text = f"{said(here.lesson, (own,), found)} {'' if here.is_wall and found.truth is not None else why}"
    st.markdown(f"**{_place_of(here)}{told}** {plain(text)}", width="stretch")


def _place_of(here):
    """Return the place of the large slider at which a bet was placed, once that has moved on."""
    slider = Stage(here.judged).slider if here.has_moved_on else None
    return f"{slider['shown'][slider['stops'].index(slider['value'])]}: " if slider else ""


def _count(here, told):
    """Count the first bet of this visitor on a lesson, once its outcome is known."""
    if told != OPEN and here.lesson.stem not in _counted():
        _counted().add(here.lesson.stem)
        right, _, of = (here.linked("tally") or "0-0").partition("-")
        controls.carry("tally", f"{int(right) + (told == RIGHT)}-{int(of) + 1}")


def _counted():
    """Return the lessons whose bets are in the tally."""
    return st.session_state.setdefault("bets_counted", set())
