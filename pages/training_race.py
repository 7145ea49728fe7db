"""training_race: training with and without the scale, and the settings that decide if leaving it out does harm."""

import streamlit as st

from pages._view.lessons.training_race import figures
from pages._view.lessons.training_race.declaration import LESSON
from pages._view.page import controls, frame, jobs, screen, show
from pages._view.page.fragments.training_race import dose, race


@st.fragment
def dose_response():
    optimizer = controls.address().values["optimizer"]
    job, table, waits = dose.open_table(optimizer)
    st.markdown(f"**{figures.dose_claim(table)}**")
    with st.container(horizontal=True, vertical_alignment="center"):
        label = dose.label(optimizer)
        st.button(label, key="dose", icon=":material/table:", on_click=dose.want, args=(optimizer,))
        if waits:
            st.button("Stop", key="leave_dose", icon=":material/stop:", on_click=jobs.end_job)
            st.progress(table.progress, dose.progress(table))
    if table.rows:
        show.table(figures.dose_table(table), key="dose")
    show.lines(figures.dose_lines(table, dose.origin(job, table)))
    if waits:
        race.go_on(jobs.end_job)


OTHER_RACES = (LESSON.fold("race"), race.draw_others)


@st.fragment(key=frame.LIVE)
def live():
    step = controls.address().step.name
    if step == "race":
        race.draw(OTHER_RACES)
    else:
        race.stop()
        fold = LESSON.fold(step)
        screen.draw(LESSON, (fold, dose_response) if fold else None)


live()
