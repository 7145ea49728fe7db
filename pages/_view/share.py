"""A link to the lesson as it is set, to copy or to photograph; what is the sharer's own is left out of it."""

from html import escape

import streamlit as st

from pages._view import controls
from pages._view.lesson import Lesson
from pages._view.server.codes import code_of
from pages._view.server.headers import framed_by_others
from pages._view.server.links import EMBED

_OURS_ALONE = (
    "Pages of other addresses cannot show it yet: whoever runs this server allows them by SATTN_FRAME_ANCESTORS."
)
_TOO_LONG = "With these texts the link is too long for a code."


def draw_button(lesson: Lesson) -> None:
    """Copies the link, and shows it."""
    if st.button("Share", key="share", icon=":material/share:"):
        _show(link_to(lesson), lesson.question)


def link_to(lesson: Lesson) -> str:
    """The address of the lesson with its settings."""
    return f"{st.context.url or ''}{controls.query_at(lesson, st.query_params)}"


@st.dialog("Share this lesson", width="large")
def _show(link, question):
    drawn = code_of(link)
    with st.container(horizontal=True, key="share_row"):
        with st.container(key="share_link"):
            st.markdown("The link holds the settings, and neither your answers nor your display.")
            st.code(link, language=None, wrap_lines=True)
            if not drawn:
                st.markdown(_TOO_LONG)
        if drawn:
            with st.container(key="share_code"):
                st.image(drawn, alt="A QR code of the link", width="stretch")
    if controls.stands(("mode", "screen")):  # in a classroom nobody writes a page
        with st.container(key="share_frame"):
            st.markdown("For a page of your own, picture and slider alone:")
            st.code(frame_of(link, question), language=None, wrap_lines=True)
            if not framed_by_others():
                st.markdown(_OURS_ALONE)


def frame_of(link: str, question: str) -> str:
    """The HTML that shows the stage of a link on another page."""
    source = escape(f"{link}{'&' if '?' in link else '?'}{EMBED}=1")
    return f'<iframe src="{source}" title="{escape(question)}" width="640" height="480" style="border: 0"></iframe>'
