"""wrong_choice: a hundred wrong winners, and how many gradient descent puts right, with and without the scale."""

from functools import partial

import streamlit as st

from pages._view.lessons.wrong_choice import figures, work
from pages._view.lessons.wrong_choice.declaration import LESSON
from pages._view.page import controls, frame, jobs, show
from pages._view.page.components import watch_cells

profile = frame.profile()


@st.fragment(key=frame.LIVE)
def live():
    shown = show.main()
    watch_cells(key="cells", find=figures.clicked, choose=controls.fill)
    if not frame.more():
        return
    show.tries(LESSON)
    show.behind(shown)
    if not shown:
        return
    values = controls.address().values
    with st.container(horizontal=True, vertical_alignment="bottom"):
        controls.draw("row", width=130)
        st.markdown("Choose a row here, or click a cell of the picture.")
    show.picture(figures.weights(work.row(values), values["steps"], profile))
    asked = work.dimensions(values)
    if show.is_computed(asked, partial(work.curves, values), jobs.BESIDE, work.WITHOUT_BUTTON):
        curves = work.curves(values)
        show.picture(figures.rates(*work.here(curves, values), profile))
        show.picture(figures.dimensions(curves, values["steps"], profile))


live()
if frame.more():
    show.folds(LESSON)
