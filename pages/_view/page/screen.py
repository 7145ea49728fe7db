"""The screen of a lesson with steps: a picture with its sentence, tries, and folds."""

from collections.abc import Callable

import streamlit as st

from pages._view.lesson import Lesson
from pages._view.page import frame, show
from pages._view.picture import Picture


def draw(lesson: Lesson, own: tuple[str, Callable[[], None]] | None = None) -> Picture | None:
    """Draw the open step; return its picture, or None while the picture waits.

    own: the title of a fold for the visitor's own inputs, and the function that draws the fold.
    """
    shown = show.main()
    if frame.more():
        draw_under(lesson, shown, own)
    return shown


def draw_under(
    lesson: Lesson, shown: Picture | None, own: tuple[str, Callable[[], None]] | None = None, *, resting: bool = True
) -> None:
    """Draw the tries and folds below a picture. resting: False while the picture changes and has no data yet."""
    with st.container(horizontal=True, key="under"):
        if shown:
            show.tries()
        with st.container(key="folds"):
            if resting:
                show.behind(shown)
            if own:
                with st.expander(own[0], key="own"):
                    own[1]()
            show.background(lesson)


def open_lesson(lesson: Lesson) -> None:
    """Draw the open step in a fragment, which reruns when a slider is released."""
    st.fragment(lambda: draw(lesson), key=frame.LIVE)()
