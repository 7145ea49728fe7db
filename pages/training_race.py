"""training_race: training with and without the scale, and on what it depends whether leaving it out does harm."""

import streamlit as st

from pages._view import compute
from pages._view.lessons.training_race import figures, transformer, work
from pages._view.lessons.training_race.declaration import LESSON
from pages._view.page import controls, frame, jobs, show
from pages._view.page.fragments.training_race import dose, race
from sattn_core.lessons.training_race import compare_transformers

profile = frame.profile()


@st.fragment(key=frame.LIVE)
def live():
    race.draw_task()
    if controls.address().bet_waits:  # nothing is trained that could tell
        race.stop()
        show.main(race_d_k=0)
        return
    run = race.open_run()
    race.advance(run)
    race.draw_buttons(run)
    shown = show.main(race.main_picture(run, profile), race_d_k=race.raced_at(run))
    if frame.more():
        if not run.playing:
            show.behind(shown)
        show.tries(LESSON)
        race.draw(race.curves(run, profile), resting=not run.playing)
        race.draw_map(run, profile)
    if run.playing:
        race.go_on(race.stop)
    if frame.more():
        found = compute.result(work.train_equal_pairs, work.equal_d_k(controls.address().values["d_k"]))
        show.picture(figures.equivalence(found, profile))


live()


@st.fragment
def dose_response():
    optimizer = controls.address().values["optimizer"]
    job, table, waits = dose.open_table(optimizer)
    st.header(figures.dose_claim(table), anchor=False)
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


@st.fragment
def whole_transformer():
    found = compute.result(compare_transformers, work.transformer_params(controls.address().values))
    show.claim(transformer.question(found))
    st.markdown(transformer.task(found))
    controls.draw("model_rate")
    race.draw((transformer.rates(found, profile), transformer.learning(found, profile)), resting=True)
    controls.draw("model_way")
    show.picture(transformer.heads(found, profile))


if frame.more():
    dose_response()
    whole_transformer()
    show.folds(LESSON)
