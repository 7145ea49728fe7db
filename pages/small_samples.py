"""small_samples: a variance of four dependent entries scatters widely; its mean at 2 × 2 is 1.5, not 2."""

import streamlit as st

from pages._view import compute
from pages._view.lessons.small_samples import figures, work
from pages._view.lessons.small_samples.declaration import LESSON
from pages._view.page import controls, frame, show
from pages._view.page.fragments import small_samples as falling
from sattn_core.lessons.small_samples import band_curve, measure_large_experiment

profile = frame.profile()
if frame.more():
    show.plain_lines([figures.story()])


@st.fragment(key=frame.LIVE, run_every=falling.pace())
def live():
    place = st.container()
    n_draws = controls.address().values["n_draws"] if controls.address().bet_waits else falling.draw()
    with place:
        shown = show.main(n_draws=n_draws)
    if not frame.more():
        return
    show.tries(LESSON)
    show.behind(shown)
    values = controls.address().values | {"n_draws": n_draws}
    show.formulas(figures.first_draw(work.asked(values)))
    options = work.band_options(values)
    show.picture(figures.band(compute.result(band_curve, **options), options, profile))


live()
if frame.more():
    experiment = compute.result(measure_large_experiment, seed=controls.address().values["seed"])
    show.picture(figures.large_experiment(experiment, profile))
    st.button("Run it again with the next seed", on_click=controls.next_seed, icon=":material/replay:")
    st.markdown("For a class: a link from **Share** can give each of you another experiment.")
    show.folds(LESSON)
