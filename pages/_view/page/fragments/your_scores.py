"""Fields for a visitor's own files. A field never shows a file that this server does not have."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from pages._view import compute
from pages._view.compute import turns
from pages._view.lessons.your_scores import work
from sattn_core.lessons import your_scores as core

LOST = "Your file is gone: it is forgotten when you leave or are reconnected to another server. Choose it again."


def draw_both() -> list[Any]:
    """Draw the fields for Q and for K side by side; return their files, or None."""
    with st.container(key="aside_own"):
        st.markdown("**Your own files**")
    fields = {"q_file": "Q, or one file with Q and K", "k_file": "K, if Q is a file of its own"}
    files = []
    for column, (name, label) in zip(st.columns(2), fields.items(), strict=True):
        with column:
            files.append(draw(name, label))
    return files


def draw(name: str, label: str) -> Any:
    """Draw a field for one file; return the file, or None.

    A browser that is reconnected to another process still shows the file that the first one had. Only a field with
    another key is empty in the browser too. So each field takes one of two keys, and a new session tries both: under
    one of them the browser may hold a lost file.
    """
    place, key = st.empty(), st.session_state.get(f"{name}_key")
    if key is None:
        lost = [each for each in (f"{name}_again", name) if _is_lost(place, label, each)]
        st.session_state[f"{name}_key"] = f"{name}_again" if name in lost else name
        st.session_state[f"{name}_had"] = bool(lost)
        if lost:
            st.rerun()
        file, missed = None, _box(name)
    else:
        file = place.file_uploader(label, list(core.SUFFIXES), key=key, on_change=_forget, args=(name,))
        missed = _box(name, ticked=file is None and st.session_state[f"{name}_had"])
    st.session_state[f"{name}_lost"] = missed
    st.session_state[f"{name}_had"] = missed or file is not None
    return file


def remarks(*names: str) -> list[str]:
    """Return what a visitor should know whose files were lost on the way."""
    return [LOST] if any(st.session_state[f"{name}_lost"] for name in names) else []


def _is_lost(place, label, key):
    """Return True if the browser names a file that the server does not have: no file, yet a state of the field."""
    return place.file_uploader(label, list(core.SUFFIXES), key=key) is None and st.session_state[key] is not None


def _forget(name):
    """Note that the visitor has taken the file away, or chosen another: none is missed."""
    st.session_state[f"{name}_had"] = False


def _box(name, ticked=None):
    """Return True if a file is missed, by a box that nobody sees: the browser tells the next server what it says."""
    key = f"{name}_missed"
    if ticked is not None:
        st.session_state[key] = ticked
    return st.checkbox("A file is missed", key=key)


def measure(
    params: core.YourScoresParams, q_file: Any, k_file: Any, head: int
) -> tuple[core.YourScoresResult, Sequence[str], list[str]]:
    """Return the report on the visitor's files, or on the sample while there is none, file names and problems."""
    report, problem = _uploaded(q_file, k_file, head)
    names = tuple(each.name for each in (q_file, k_file) if each is not None) if report else ()
    result = report or compute.result(work.measure_sample, params, head)
    return result, names, [problem] if problem else []


def _uploaded(q_file, k_file, head):
    """Return the report on files, kept for this visitor until others are chosen; never where visitors share."""
    if q_file is None:
        st.session_state.pop("your_report", None)
        return None, "A file for K needs a file for Q beside it; choose that one too." if k_file else None
    files = [each for each in (q_file, k_file) if each is not None]
    key = (*(each.file_id for each in files), head)
    if st.session_state.get("your_report", (None,))[0] != key:
        contents = [(each.name, each.getvalue()) for each in files]
        with turns.turn(long=True), st.spinner("Measuring your scores: many heads of many rows take some seconds"):
            report = core.read_your_scores(*contents, head=head - 1, check=turns.look)
        st.session_state["your_report"] = key, report
    return st.session_state["your_report"][1]
