"""Fields for a visitor's own files. A field never shows a file that this server does not have."""

import streamlit as st

from sattn_core.lessons.your_scores import SUFFIXES

LOST = "The connection came back to another server, which does not have your file: choose it again."


def draw(name, label):
    """A field for one file: the file, or None.

    A browser that comes back to another process still shows its file. Only a field of another key is empty there
    too, so a field has two keys in turn, and a new session looks which of them the browser holds a lost file of.
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


def remarks(*names):
    """What a visitor should know whose files were lost on the way."""
    return [LOST] if any(st.session_state[f"{name}_lost"] for name in names) else []


def _is_lost(place, label, key):
    """Whether the browser names a file to this field that the server does not have: None, though the state holds it."""
    return place.file_uploader(label, list(SUFFIXES), key=key) is None and st.session_state[key] is not None
