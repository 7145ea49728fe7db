"""The frame around every lesson: the navigation, and the controls all lessons share."""

from pathlib import Path
from typing import Any

import pandas  # noqa: F401  (Plotly looks for it half loaded when two sessions of a fresh server import it at once)
import streamlit as st
from streamlit.navigation.page import StreamlitPage

from pages._view import controls, theme
from pages._view.lesson import Lesson
from pages._view.lessons import LESSONS, ORDER
from pages._view.live import mend_browser

PAGES = Path(__file__).resolve().parent.parent
STYLE = Path(__file__).resolve().parent / "style"
LIVE = "live"  # the key of the fragment that a page redraws when only d_k moves
_WIDTHS: dict[str, Any] = {"d_k": "stretch", "n_keys": 165, "law": 150, "seed": 105}  # of the shared controls in a row


def open_frame() -> StreamlitPage:
    """Everything above the lesson; returns the page to run."""
    st.set_page_config(page_title="Why attention divides by √dₖ", page_icon="➗", layout="wide")
    page = _navigation()
    lesson = next(lesson for lesson in LESSONS.values() if lesson.title == page.title)
    controls.open_lesson(lesson)
    if "frame" not in st.session_state:
        st.session_state["frame"] = True
        if controls.repair_link():
            st.rerun()
    _leave_notes_behind(lesson)
    st.html(_style(lesson))
    mend_browser()
    if profile().name != "projector":
        _draw_menu()
    st.title(lesson.question, anchor=False)
    st.markdown(lesson.answer)
    _draw_shared_controls(lesson)
    controls.show_link_notes()
    return page


def close_frame() -> None:
    """Below the lesson: the question before it, its place on the path, and the question after it."""
    if profile().name == "projector":
        return
    every, stem = list(LESSONS.values()), st.session_state["lesson"]
    here = ORDER.index(stem)
    section = [each.stem for each in every if each.section == LESSONS[stem].section]
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute", key="way"):
        if here > 0:
            _way_to(every[here - 1], icon=":material/arrow_back:")
        st.markdown(f"{LESSONS[stem].section}: {section.index(stem) + 1} of {len(section)}")
        if here + 1 < len(every):
            _way_to(every[here + 1], icon=":material/arrow_forward:", icon_position="right")


def _way_to(lesson, **options):
    st.page_link(file_of(lesson), label=lesson.question, **options)


def profile() -> theme.Profile:
    """The figure profile for this visitor: display mode, and the ground they see."""
    return theme.profile(controls.value_of("mode"), st.context.theme.type)


def _navigation():
    sections: dict[str, list[StreamlitPage]] = {}
    for each in LESSONS.values():
        page = st.Page(file_of(each), title=each.title, url_path=each.stem, default=each.stem == ORDER[0])
        sections.setdefault(each.section, []).append(page)
    return st.navigation(sections, position="top" if controls.value_of("mode") == "projector" else "hidden")


def _draw_menu():
    """The lessons by section, each as the question it answers."""
    with st.sidebar:
        for section in dict.fromkeys(each.section for each in LESSONS.values()):
            st.markdown(f"**{section}**")
            for each in LESSONS.values():
                if each.section == section:
                    st.page_link(file_of(each), label=each.question, icon=each.icon)


def file_of(lesson: Lesson) -> Path:
    """The script of a page."""
    return PAGES / f"{lesson.stem}.py"


def _leave_notes_behind(lesson):
    """The remarks about a link belong to the page it opened."""
    if st.session_state.setdefault("first_page", lesson.stem) != lesson.stem:
        st.session_state.pop("link_notes", None)


def _draw_shared_controls(lesson):
    """All of them on every page, each at its own place: one that moved or was left out would lose its address."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="shared_controls"):
        for name, width in _WIDTHS.items():
            moved = _redraw_live if name == "d_k" and lesson.live else None
            controls.draw(name, width=width, on_change=moved)
        # Not a popover: a closed one is not in the browser, which then forgets its settings on a page change.
        with st.expander("More settings", key="more_settings", icon=":material/tune:", width=190):
            controls.draw("mode")
            _typed_dimension()


def _redraw_live():
    """A move of d_k changes what depends on d_k; the rest of the page is left as it stands."""
    st.rerun([LIVE, "typed"])


@st.fragment(key="typed")
def _typed_dimension():
    controls.draw_typed("d_k")


def _style(lesson):
    """The few rules Streamlit has no setting for; what a lesson does not use is seen with More settings only."""
    names = ["screen", "terms"]
    if profile().name == "projector":
        names += ["projector", "projector_on_dark"] if st.context.theme.type == "dark" else ["projector"]
    rules = [(STYLE / f"{name}.css").read_text(encoding="utf-8") for name in names]
    closed = ".st-key-shared_controls:not(:has(.st-key-more_settings details[open]))"
    rules += [f"{closed} .st-key-{name} {{ display: none; }}" for name in _WIDTHS if name not in lesson.shared]
    return f"<style>{' '.join(rules)}</style>"
