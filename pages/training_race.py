"""training_race: training with and without the scale, and on what it depends whether leaving it out does harm."""

import streamlit as st

from pages._view import compute, controls, frame, show, training
from pages._view.figures import training_race as figures

profile = frame.profile()
show.heading(
    frame.lesson("training_race"),
    "It can: on a fixed set of keys, training without the scale is slower and fewer learning rates work. "
    "The presets show where it harms and where not.",
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
        label = training.map_label()
        st.button(label, key="map_rates", icon=":material/grid_on:", on_click=training.start_map, disabled=run.playing)
        training.draw_progress(run)
    pictures = figures.pictures(run.result, run.sweep, profile)
    if run.playing:
        training.draw_passing(pictures)
        training.go_on(training.stop)
    training.draw(pictures)

    show.tries("training_race")

    st.header("The scale sets where training starts and how large its steps are", anchor=False)
    found = compute.training_equivalence(controls.value_of("d_k"))
    show.figure(
        figures.equivalence(found, profile),
        key="race_equivalence",
        sentence=figures.equivalence_sentence(found),
        table=figures.equivalence_table(found),
        code=figures.equivalence_code(found),
    )


live()


@st.fragment
def dose_response():
    st.header("How many learning rates work at which d_k?", anchor=False)
    record = compute.dose_record(controls.value_of("optimizer"))
    training.advance_dose(record)
    with st.container(horizontal=True, vertical_alignment="center"):
        label = training.dose_label(record)
        st.button(label, key="dose", icon=":material/table:", on_click=training.want_dose, args=(record,))
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
