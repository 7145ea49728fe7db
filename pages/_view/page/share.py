"""A link to the lesson and its settings, as text and as QR code, without the sharer's own state."""

from html import escape

import streamlit as st

from pages._view.address import Address
from pages._view.codes import code_of
from pages._view.lesson import Lesson
from pages._view.page import controls
from pages._view.routes import EMBED, framed_by_others

_OURS_ALONE = (
    "Pages of other addresses cannot show it yet: whoever runs this server allows them by SATTN_FRAME_ANCESTORS."
)
_ONE = "The link holds the settings, and neither your answers nor your display."
_EACH = "Who opens this link gets a seed of their own and keeps it. The other settings are yours."
_TOO_LONG = "With these texts the link is too long for a code."


def draw_button(lesson: Lesson) -> None:
    """Draw the button that copies the link and shows it."""
    if st.button("Share", key="share", icon=":material/share:"):
        _show(lesson)


def link_to(lesson: Lesson, *, each: bool = False) -> str:
    """Return the lesson's address with its settings. each: give every visitor another seed."""
    return f"{st.context.url or ''}{Address(lesson, st.query_params.to_dict()).shared(each=each)}"


@st.dialog("Share this lesson", width="large")
def _show(lesson):
    with st.container(horizontal=True, key="share_row"):
        with st.container(key="share_said"):
            link = _draw_link(lesson)
            drawn = code_of(link)
            if not drawn:
                st.markdown(_TOO_LONG)
        if drawn:
            with st.container(key="share_code"):
                st.image(drawn, alt="A QR code of the link", width="stretch")
    if controls.display() == "screen":  # not on a wall, where nobody builds web pages
        with st.container(key="share_frame"):
            st.markdown("For a page of your own, picture and slider alone:")
            st.code(frame_of(link, lesson.question), language=None, wrap_lines=True)
            if not framed_by_others():
                st.markdown(_OURS_ALONE)


def _draw_link(lesson):
    each = bool(lesson.each) and st.checkbox(lesson.each, key="share_each")
    link = link_to(lesson, each=each)
    with st.container(key="share_each_link" if each else "share_link"):  # the Share button copies share_link
        st.markdown(_EACH if each else _ONE)
        st.code(link, language=None, wrap_lines=True)
    return link


def frame_of(link: str, question: str) -> str:
    """Return the HTML that embeds the stage of a link in another page."""
    source = escape(f"{link}{'&' if '?' in link else '?'}{EMBED}=1")
    return f'<iframe src="{source}" title="{escape(question)}" width="640" height="480" style="border: 0"></iframe>'
