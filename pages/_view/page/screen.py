"""The screen of a lesson that goes in steps: a picture with its sentence, what to try, and the folds under it."""

from collections.abc import Callable

import streamlit as st

from pages._view.lesson import Lesson
from pages._view.page import frame, show
from pages._view.picture import Picture


def draw(lesson: Lesson, own: tuple[str, Callable[[], None]] | None = None) -> Picture | None:
    """Draw the step that is open; return its picture, or None while that waits.

    own: the title of a fold for what people bring to this lesson themselves, and what draws it.
    """
    shown = show.main()
    if frame.more():
        draw_under(lesson, shown, own)
    return shown


def draw_under(
    lesson: Lesson, shown: Picture | None, own: tuple[str, Callable[[], None]] | None = None, *, resting: bool = True
) -> None:
    """Draw what stands under a picture: what to try, and the folds. One that goes on changing has no data yet."""
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
    """Draw the step that is open, anew where the hand lets go of a slider."""
    st.fragment(lambda: draw(lesson), key=frame.LIVE)()
