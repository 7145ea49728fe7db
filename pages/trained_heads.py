"""trained_heads: training moves q and k away from variance 1, and the scale is part of what it has adapted to."""

import streamlit as st

from pages._view.lessons.trained_heads import figures, work
from pages._view.lessons.trained_heads.declaration import LESSON
from pages._view.page import controls, frame, show
from pages._view.page.fragments import trained_heads as taking

profile = frame.profile()


@st.fragment(key=frame.LIVE)
def live():
    shown = show.main()
    values = controls.address().values
    show.remarks(work.remarks(values))
    if not frame.more():
        return
    show.tries(LESSON)
    show.behind(shown)
    show.claim(figures.ONE_HEAD)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for name in ("layer", "head_of_layer", "word"):
            controls.draw(name, width=160)
    show.picture(figures.attention(work.heads(values), work.place(values), values["exponent"], profile))
    head = work.head(values)
    show.table(figures.head_table(head), key="head")
    show.plain_lines(figures.head_verdict(head))
    taking.draw(values)
    show.picture(figures.downstream(work.whole(values), values["exponent"], profile))


live()
if frame.more():
    show.folds(LESSON)
