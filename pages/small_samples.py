"""small_samples: a variance of four dependent entries scatters widely; its mean at 2 × 2 is 1.5, not 2."""

import streamlit as st

from pages._view import compute, controls, frame, show
from pages._view.lessons.small_samples import falling, figures, work
from pages._view.lessons.small_samples.declaration import LESSON
from sattn_core.lessons.small_samples import band_curve, measure_large_experiment, measure_small_samples

profile = frame.profile()
with st.container(horizontal=True, vertical_alignment="bottom"):
    matrices = {"size": controls.draw("size", width=300), "inner": controls.draw("inner")}
    ddof = int(controls.draw("ddof"))
options = {"ddof": ddof, "seed": controls.value_of("seed")}


@st.fragment(key=frame.LIVE, run_every=falling.pace())
def live():
    sizes = matrices | {"d_k": controls.value_of("d_k")}
    params = work.small_samples_params(**sizes, n_draws=falling.draw(), **options)
    result = compute.result(measure_small_samples, params)
    show.picture(figures.histogram(result, profile))
    show.tries(LESSON)
    st.header("Predicted and measured", anchor=False)
    left, right = show.pair("small_samples")
    with left:
        st.table(figures.check_table(result))
        show.formulas(figures.first_draw(result))
    with right:
        drawn = options | {"d_k": sizes["d_k"], "n_draws": work.BAND_DRAWS}
        curve = compute.result(band_curve, **drawn)
        show.picture(figures.band(curve, drawn, profile))


live()
st.header("The large experiment, run now", anchor=False)
st.button("Run it again with the next seed", on_click=controls.next_seed, icon=":material/replay:")
experiment = compute.result(measure_large_experiment, seed=controls.value_of("seed"))
show.picture(figures.large_experiment(experiment, profile))
st.table(figures.large_rows(experiment))
show.lines(figures.large_lines(experiment))
show.folds(LESSON)
