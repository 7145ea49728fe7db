"""The screen of a lesson with steps: a picture with its sentence, tries, and folds."""

from collections.abc import Callable

import streamlit as st

from pages._view.lesson import Lesson
from pages._view.page import frame, show

_FILLED = "filled_folds"  # session state: (lesson, title) of each fold of own inputs that has been opened


def draw(lesson: Lesson, own: tuple[str, Callable[[], None]] | None = None) -> None:
    """Draw the open step.

    own: the title of a fold for the visitor's own inputs, and the function that draws the fold.
    """
    shown = show.main()
    if frame.more():
        draw_under(lesson, shown, own)


def draw_under(
    lesson: Lesson, shown: show.Shown | None, own: tuple[str, Callable[[], None]] | None = None, *, resting: bool = True
) -> None:
    """Draw the tries and folds below a picture. resting: False while the picture changes and has no data yet."""
    with st.container(horizontal=True, key="under"):
        if shown:
            show.tries()
        with st.container(key="folds"):
            if resting:
                show.behind(shown)
            if own:
                _draw_own(lesson, *own)
            show.background(lesson)


def _draw_own(lesson, title, fill):
    """Draw the fold of the visitor's own inputs.

    It is filled when it is first opened, and stays filled once it is closed, since it may hold a file.
    """
    box = st.expander(title, key="own", on_change="rerun")
    if box.open:
        st.session_state[_FILLED] = {*st.session_state.get(_FILLED, ()), (lesson.stem, title)}
    if is_filled(lesson, title):
        with box:
            fill()


def is_filled(lesson: Lesson, title: str) -> bool:
    """Return True if the fold with this title has been opened, so that its controls are drawn."""
    return (lesson.stem, title) in st.session_state.get(_FILLED, ())


def open_lesson(lesson: Lesson) -> None:
    """Draw the open step in a fragment, which reruns when a slider is released."""
    st.fragment(lambda: draw(lesson), key=frame.LIVE)()
