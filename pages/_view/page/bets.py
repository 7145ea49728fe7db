"""Bet, then see: until the learner has answered one question on the main picture, what tells the answer is not sent.

The question stands at the picture, which shows what is known before; there it is revealed. All of it stands in the
address: bet=1 asks for the bets, guess is what was bet on this lesson, tally how many were right. The menu and a bare
link say nothing, and show the picture at once. On a wall the class bets, and reveal=1 shows the truth; class is what
many have bet.
"""

from collections.abc import Mapping, Sequence

import streamlit as st

from pages._view import bet_html
from pages._view.lesson import ANSWERS, GUESS, REVEAL
from pages._view.page import controls
from pages._view.shared import CARRIED
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
    if here.bet.when and here.withholds(here.step.name):
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
    return bool(here.bet and here.bet_waits and name in here.bet.usual and name in here.step.followed)


# --- what changes the address ----------------------------------------------------------------------------


def put(said: Mapping[str, str], names: Sequence[str] = ANSWERS) -> None:
    """Let the address say this of these names: what was bet, whether the truth is shown; what is not said goes."""
    for name in names:
        if name in said:
            st.query_params[name] = said[name]
        else:
            st.query_params.pop(name, None)


def place(text: str) -> None:
    """Place a bet; of an answer that is none nothing is said."""
    if said := bet_html.placed(controls.address(), text):
        put(said)


def take_back() -> None:
    """Open the bet again."""
    put({})
    st.session_state[TURNED] = False


def set_by_link(said: Mapping[str, str]) -> None:
    """Follow a link of the stage that asks for bets, opens one again, or shows its truth on a wall and hides it."""
    if "bet" in said:
        controls.carry("bet", str(CARRIED["bet"].read(said["bet"])[0]))
        put({})
    if said.get(REVEAL) == "1":
        st.query_params[REVEAL] = "1"
        st.session_state[TURNED] = True
    elif REVEAL in said or GUESS in said:
        take_back()


def draw(stage: Stage) -> None:
    """Draw the form of a bet that waits, or what became of one; count it if it is the first on this lesson."""
    if text := bet_html.html_of(stage):
        st.html(text)
    if (tally := bet_html.tally_of(stage)) != stage.address.linked("tally"):
        controls.carry("tally", tally)
