"""training_race: on a fixed memory training without the scale freezes, and the controls show on what that depends."""

import streamlit as st

from pages._view import compute, controls, frame, show, training
from pages._view.figures import training_race as figures

frame.ensure_frame()
profile = frame.profile()
show.heading(
    frame.lesson("training_race"),
    "It depends. On a fixed set of keys and with d_k of 32 or more, yes: without the scale attention commits to wrong "
    "keys and stays there. The presets show when it does not.",
)

training.draw_settings()


@st.fragment(key=frame.LIVE)
def live():
    run = training.open_run()
    training.advance(run)
    with st.container(horizontal=True, vertical_alignment="center", key="race_progress"):
        st.button("Train", icon=":material/play_arrow:", on_click=training.start)
        if run.playing:
            st.button("Stop", icon=":material/stop:", on_click=training.stop)
        training.draw_progress(run)
    pictures = figures.pictures(run.result, run.sweep, profile)
    if run.playing:
        training.draw_passing(*pictures)
        training.go_on(training.stop)
    training.draw(*pictures)


live()

st.header("The scale only changes where training starts", anchor=False)
found = compute.training_equivalence()
show.figure(
    figures.equivalence(found, profile),
    key="race_equivalence",
    sentence=figures.equivalence_sentence(found),
    table=figures.equivalence_table(found),
    code=figures.equivalence_code(found),
)


@st.fragment
def dose_response():
    st.header("The larger d_k, the greater the harm", anchor=False)
    record = compute.dose_record(controls.value_of("optimizer"))
    training.advance_dose(record)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button("Compute the table", icon=":material/table:", on_click=training.want_dose, args=(record,))
        if training.dose_wanted():
            st.button("Stop", key="leave_dose", icon=":material/stop:", on_click=training.leave_dose)
            st.progress(record.table.progress, training.dose_progress(record))
    if record.table.rows:
        st.table(figures.dose_table(record.table))
    show.lines(figures.dose_lines(record.table, training.dose_origin(record)))
    if training.dose_wanted():
        training.go_on(training.leave_dose)


dose_response()
show.prose("training_race")
