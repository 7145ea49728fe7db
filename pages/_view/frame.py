"""The frame around every lesson: the registry, the navigation, the controls all lessons share."""

from dataclasses import dataclass
from pathlib import Path

import pandas  # noqa: F401  (Plotly looks for it half loaded when two sessions of a fresh server import it at once)
import streamlit as st

from pages._view import controls, theme
from pages._view.live import mend_browser

PAGES = Path(__file__).resolve().parent.parent
STYLE = Path(__file__).resolve().parent / "style"
LIVE = "live"  # the key of the fragment that a page redraws when only d_k moves
SHARED = ("d_k", "n_keys", "law", "seed")
_WIDTHS = {"d_k": "stretch", "n_keys": 165, "law": 150, "seed": 105}


@dataclass(frozen=True)
class Lesson:
    """One page: its file stem is its address, `uses` names the shared controls shown above it.

    live says that all of the page that depends on d_k stands in a fragment with the key `LIVE`.
    """

    stem: str
    title: str
    question: str
    icon: str
    section: str
    uses: tuple
    live: bool = False


LESSONS = (
    Lesson(
        "start",
        "Start",
        "Why divide by √d_k?",
        ":material/play_circle:",
        "The idea",
        ("n_keys", "law", "seed"),
    ),
    Lesson(
        "score_variance",
        "Score variance",
        "How far do raw scores spread?",
        ":material/ssid_chart:",
        "The idea",
        ("d_k", "n_keys", "law", "seed"),
        live=True,
    ),
    Lesson(
        "softmax_saturation",
        "Softmax saturation",
        "What does softmax do with large scores?",
        ":material/bar_chart:",
        "The idea",
        ("d_k", "n_keys", "law", "seed"),
        live=True,
    ),
    Lesson(
        "gradient_flow",
        "Gradient flow",
        "Do gradients really vanish?",
        ":material/water_drop:",
        "The idea",
        ("d_k", "n_keys", "seed"),
        live=True,
    ),
    Lesson(
        "derivation",
        "Derivation",
        "Where does d_k come from?",
        ":material/functions:",
        "The mechanism",
        ("d_k", "seed"),
        live=True,
    ),
    Lesson(
        "attention_steps",
        "Attention step by step",
        "What happens to the numbers, step by step?",
        ":material/account_tree:",
        "The mechanism",
        ("d_k", "seed"),
        live=True,
    ),
    Lesson(
        "backprop",
        "Backprop",
        "How does the gradient come back?",
        ":material/undo:",
        "The mechanism",
        ("d_k", "seed"),
        live=True,
    ),
    Lesson(
        "small_samples",
        "Small samples",
        "Why did my 2 × 2 experiment give 1.6?",
        ":material/casino:",
        "The evidence",
        ("d_k", "seed"),
        live=True,
    ),
    Lesson(
        "unit_variance",
        "Unit variance",
        "Are q and k really unit variance?",
        ":material/straighten:",
        "The evidence",
        ("d_k", "law", "seed"),
        live=True,
    ),
    Lesson(
        "training_race",
        "Training race",
        "Does it matter when we train?",
        ":material/sports_score:",
        "The evidence",
        ("d_k", "seed"),
        live=True,
    ),
    Lesson(
        "scaling_rules",
        "Scaling rules",
        "Why √, and what else do people divide by?",
        ":material/rule:",
        "The evidence",
        ("d_k", "n_keys", "seed"),
        live=True,
    ),
    Lesson(
        "your_scores",
        "Your scores",
        "Is √d_k right for my model?",
        ":material/upload_file:",
        "Beyond",
        ("d_k", "seed"),
        live=True,
    ),
)


def open_frame():
    """Everything above the lesson; returns the page to run."""
    st.set_page_config(page_title="Why attention divides by √d_k", page_icon="➗", layout="wide")
    page = _navigation()
    if "frame" not in st.session_state:
        st.session_state["frame"] = True
        if controls.repair_link():
            st.rerun()
    lesson = next(lesson for lesson in LESSONS if lesson.title == page.title)
    _leave_notes_behind(lesson)
    _follow_address(lesson)
    st.html(_style(lesson))
    mend_browser()
    if profile().name != "projector":
        _draw_menu()
    _draw_shared_controls(lesson)
    controls.show_link_notes()
    return page


def lesson(stem):
    """The registered lesson of a page."""
    return next(lesson for lesson in LESSONS if lesson.stem == stem)


def profile():
    """The figure profile for this visitor: display mode, and the ground they see."""
    return theme.profile(controls.value_of("mode"), st.context.theme.type)


def _navigation():
    sections = {}
    for each in LESSONS:
        page = st.Page(file_of(each), title=each.title, url_path=each.stem, default=each.stem == "start")
        sections.setdefault(each.section, []).append(page)
    position = "top" if controls.value_of("mode") == "projector" else "hidden"
    return st.navigation(sections, position=position)


def _draw_menu():
    """The lessons by section, each as the question it answers."""
    with st.sidebar:
        for section in dict.fromkeys(each.section for each in LESSONS):
            st.markdown(f"**{section}**")
            for each in LESSONS:
                if each.section == section:
                    st.page_link(file_of(each), label=each.question, icon=each.icon)


def file_of(lesson):
    """The script of a page."""
    return PAGES / f"{lesson.stem}.py"


def _leave_notes_behind(lesson):
    """The remarks about a link belong to the page it opened."""
    if st.session_state.setdefault("first_page", lesson.stem) != lesson.stem:
        st.session_state.pop("link_notes", None)


def _follow_address(lesson):
    """On a page change the address has the last word: a move still on its way to Python may be lost on the way."""
    if st.session_state.setdefault("page", lesson.stem) != lesson.stem:
        st.session_state["page"] = lesson.stem
        for name in (*SHARED, "mode"):
            controls.follow_address(name)


def _draw_shared_controls(lesson):
    """All of them on every page, each at its own place: one that moved or was left out would lose its address."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="shared_controls"):
        for name in SHARED:
            moved = _redraw_live if name == "d_k" and lesson.live else None
            controls.draw(name, width=_WIDTHS[name], on_change=moved)
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
    names = ["screen"]
    if profile().name == "projector":
        names += ["projector", "projector_on_dark"] if st.context.theme.type == "dark" else ["projector"]
    rules = [(STYLE / f"{name}.css").read_text(encoding="utf-8") for name in names]
    closed = ".st-key-shared_controls:not(:has(.st-key-more_settings details[open]))"
    rules += [f"{closed} .st-key-{name} {{ display: none; }}" for name in SHARED if name not in lesson.uses]
    return f"<style>{' '.join(rules)}</style>"
