"""Fields for a visitor's own files. A field never shows a file that this server does not have."""

from typing import Any

import streamlit as st

from sattn_core.lessons.your_scores import SUFFIXES

LOST = "You were reconnected to another server, which does not have your file: choose it again."


def draw_both() -> list[Any]:
    """The fields for Q and for K side by side: their files, or None."""
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
        st.session_state[f"{name}_lost"] = bool(lost)
        if not lost:
            return None
        st.rerun()
    file = place.file_uploader(label, list(SUFFIXES), key=key)
    if file is not None:
        st.session_state[f"{name}_lost"] = False
    return file


def remarks(*names: str) -> list[str]:
    """What a visitor should know whose files were lost on the way."""
    return [LOST] if any(st.session_state[f"{name}_lost"] for name in names) else []


def _is_lost(place, label, key):
    """Whether the browser names a file that the server does not have: the field is None, yet the state holds it."""
    return place.file_uploader(label, list(SUFFIXES), key=key) is None and st.session_state[key] is not None
