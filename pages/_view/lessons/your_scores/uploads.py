"""Fields for a visitor's own files. A field never shows a file that this server does not have."""

from typing import Any

import streamlit as st

from sattn_core.lessons.your_scores import SUFFIXES

LOST = "Your file is gone: it is forgotten when you leave or are reconnected to another server. Choose it again."


def draw_both() -> list[Any]:
    """The fields for Q and for K side by side: their files, or None."""
    with st.container(key="aside_own"):
        st.markdown("**Your own files**")
    fields = {"q_file": "Q, or one file with Q and K", "k_file": "K, if Q is a file of its own"}
    files = []
    for column, (name, label) in zip(st.columns(2), fields.items(), strict=True):
        with column:
            files.append(draw(name, label))
    return files


def draw(name: str, label: str) -> Any:
    """A field for one file: the file, or None.

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
        file = place.file_uploader(label, list(SUFFIXES), key=key, on_change=_forget, args=(name,))
        missed = _box(name, ticked=file is None and st.session_state[f"{name}_had"])
    st.session_state[f"{name}_lost"] = missed
    st.session_state[f"{name}_had"] = missed or file is not None
    return file


def remarks(*names: str) -> list[str]:
    """What a visitor should know whose files were lost on the way."""
    return [LOST] if any(st.session_state[f"{name}_lost"] for name in names) else []


def _is_lost(place, label, key):
    """Whether the browser names a file that the server does not have: the field is None, yet the state holds it."""
    return place.file_uploader(label, list(SUFFIXES), key=key) is None and st.session_state[key] is not None


def _forget(name):
    """The visitor has taken the file away, or chosen another: none is missed."""
    st.session_state[f"{name}_had"] = False


def _box(name, ticked=None):
    """Whether a file is missed, in a box that nobody sees: the browser tells the next server what it says."""
    key = f"{name}_missed"
    if ticked is not None:
        st.session_state[key] = ticked
    return st.checkbox("A file is missed", key=key)
