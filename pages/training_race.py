"""training_race: training with and without the scale, and on what it depends whether leaving it out does harm."""

import streamlit as st

from pages._view import bets, compute, controls, frame, show
from pages._view.lessons.training_race import dose, figures, race, work
from pages._view.lessons.training_race.declaration import LESSON

profile = frame.profile()


@st.fragment(key=frame.LIVE)
def live():
    if bets.is_open():  # nothing is trained that could tell
        race.stop()
        show.main(work.MAIN)
        return
    run = race.open_run()
    race.advance(run)
    race.draw_buttons(run)
    shown = show.main(work.MAIN, at_rest=race.main_picture(run, profile))
    if frame.more():
        if not run.playing:
            show.behind(shown)
        show.tries(LESSON)
        race.draw(race.curves(run, profile), resting=not run.playing)
        race.draw_map(run, profile)
    if run.playing:
        race.go_on(race.stop)
    if frame.more():
        found = compute.result(work.train_equal_pairs, work.equal_d_k(controls.value_of("d_k")))
        show.picture(figures.equivalence(found, profile))
    bets.settle(frame.redraw_bet)


live()


@st.fragment
def dose_response():
    record = dose.RECORDS[controls.value_of("optimizer")]
    race.advance_dose(record)
    st.header(figures.dose_claim(record.table), anchor=False)
    with st.container(horizontal=True, vertical_alignment="center"):
        label = race.dose_label(record)
        st.button(label, key="dose", icon=":material/table:", on_click=race.want_dose, args=(record,))
        if race.dose_wanted():
            st.button("Stop", key="leave_dose", icon=":material/stop:", on_click=race.leave_dose)
            st.progress(record.table.progress, race.dose_progress(record))
    if record.table.rows:
        show.table(figures.dose_table(record.table), key="dose")
    show.lines(figures.dose_lines(record.table, race.dose_origin(record)))
    if race.dose_wanted():
        race.go_on(race.leave_dose)


if frame.more():
    dose_response()
    show.folds(LESSON)
