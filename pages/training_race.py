"""training_race: training with and without the scale, and on what it depends whether leaving it out does harm."""

import streamlit as st

from pages._view import compute, controls, frame, show
from pages._view.lessons.training_race import dose, figures, race, work
from pages._view.lessons.training_race.declaration import LESSON

profile = frame.profile()

race.draw_settings()


@st.fragment(key=frame.LIVE)
def live():
    run = race.open_run()
    race.advance(run)
    with st.container(horizontal=True, vertical_alignment="center", key="race_progress"):
        st.button("Train", icon=":material/play_arrow:", on_click=race.start)
        if run.playing:
            st.button("Stop", icon=":material/stop:", on_click=race.stop)
        label = race.map_label()
        st.button(label, key="map_rates", icon=":material/grid_on:", on_click=race.start_map, disabled=run.playing)
        race.draw_progress(run)
    race.draw(figures.pictures(run.result, run.sweep, profile), resting=not run.playing)
    if run.playing:
        race.go_on(race.stop)

    show.tries(LESSON)

    st.header("The scale sets where training starts and how large its steps are", anchor=False)
    found = compute.result(work.train_equal_pairs, controls.value_of("d_k"))
    show.picture(figures.equivalence(found, profile))


live()


@st.fragment
def dose_response():
    st.header("How many learning rates work at which d_k?", anchor=False)
    record = dose.RECORDS[controls.value_of("optimizer")]
    race.advance_dose(record)
    with st.container(horizontal=True, vertical_alignment="center"):
        label = race.dose_label(record)
        st.button(label, key="dose", icon=":material/table:", on_click=race.want_dose, args=(record,))
        if race.dose_wanted():
            st.button("Stop", key="leave_dose", icon=":material/stop:", on_click=race.leave_dose)
            st.progress(record.table.progress, race.dose_progress(record))
    if record.table.rows:
        st.table(figures.dose_table(record.table))
    show.lines(figures.dose_lines(record.table, race.dose_origin(record)))
    if race.dose_wanted():
        race.go_on(race.leave_dose)


dose_response()
show.folds(LESSON)
