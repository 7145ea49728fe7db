"""Bets on the page: until a bet is placed, the browser gets nothing that shows the truth.

The picture first shows only its known part, with the question. The state is in the address: bet=1 asks for bets, guess
is the learner's answer on this lesson, tally counts right and placed bets. Without these, as from the menu or a bare
link, the picture shows everything at once. On a wall, class holds the answers of a class, and reveal=1 shows the truth.
"""

from collections.abc import Mapping, Sequence

import streamlit as st

from pages._view import bet_html
from pages._view.lesson import ANSWERS, GUESS, REVEAL
from pages._view.page import controls
from pages._view.shared import CARRIED
from pages._view.stage import Stage

FILM = "truth_film"  # session state: the lesson whose running film will show the truth
TURNED = "truth_turned"  # session state: True if the visitor has just shown the truth, False if just hidden


def hold() -> None:
    """Move the lesson to the picture of a waiting bet, unless an earlier step is open.

    Other parts of the lesson would show the truth.
    """
    here = controls.address()
    if here.bet is None or not here.bet_waits:
        return
    if here.bet.when and here.withholds(here.step.name):
        controls.send_to(*here.bet.when)
        st.rerun()
    changed = controls.changed(here.bet.usual)  # the question is about the defaults
    for name in changed:
        controls.send_to(name, controls.control(name).default)
    if changed:
        st.rerun()


def holds(name: str) -> bool:
    """Return True if a slider is not drawn, because a waiting bet needs its default."""
    here = controls.address()
    return bool(here.bet and here.bet_waits and name in here.bet.usual and name in here.step.followed)


# --- changes of the address ------------------------------------------------------------------------------


def put(values: Mapping[str, str], names: Sequence[str] = ANSWERS) -> None:
    """Write the values of these parameters into the address; remove parameters without a value."""
    for name in names:
        if name in values:
            st.query_params[name] = values[name]
        else:
            st.query_params.pop(name, None)


def place(text: str) -> None:
    """Place a bet; ignore a text that is no valid answer."""
    if placed := bet_html.placed(controls.address(), text):
        put(placed)


def take_back() -> None:
    """Open the bet again."""
    put({})
    st.session_state[TURNED] = False


def set_by_link(query: Mapping[str, str]) -> None:
    """Follow a link of the stage: turn bets on or off, open a bet again, or show or hide the truth on a wall."""
    if "bet" in query:
        controls.carry("bet", str(CARRIED["bet"].read(query["bet"])[0]))
        put({})
    if query.get(REVEAL) == "1":
        st.query_params[REVEAL] = "1"
        st.session_state[TURNED] = True
    elif REVEAL in query or GUESS in query:
        take_back()


def draw(stage: Stage) -> None:
    """Draw the form of a waiting bet, or links after its result; count a bet in the tally once."""
    if text := bet_html.html_of(stage):
        st.html(text)
    if (tally := bet_html.tally_of(stage)) != stage.address.linked("tally"):
        controls.carry("tally", tally)
