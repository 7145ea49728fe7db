"""small_samples: a variance of four dependent entries scatters widely; its mean at 2 × 2 is 1.5, not 2."""

import streamlit as st

from pages._view import compute, controls, falling, frame, show
from pages._view.figures import small_samples as figures

profile = frame.profile()
show.heading(
    frame.lesson("small_samples"),
    "By chance, and by few entries: the variance of four dependent numbers scatters from near 0 to above 5. "
    "With ddof = 0 its mean is 1.5, not 2.",
)
with st.container(horizontal=True, vertical_alignment="bottom"):
    matrices = {"size": controls.draw("size", width=300), "inner": controls.draw("inner")}
    ddof = int(controls.draw("ddof"))
options = {"ddof": ddof, "seed": controls.value_of("seed")}


@st.fragment(key=frame.LIVE, run_every=falling.pace())
def live():
    sizes = matrices | {"d_k": controls.value_of("d_k")}
    params = compute.small_samples_params(**sizes, n_draws=falling.draw(), **options)
    result = compute.small_samples(params)
    show.figure(
        figures.histogram(result, profile),
        key="small_samples",
        sentence=figures.histogram_sentence(result),
        table=figures.histogram_table(result),
        code=figures.code(params),
    )
    show.tries("small_samples")
    st.header("Predicted and measured", anchor=False)
    left, right = show.pair("small_samples")
    with left:
        st.table(figures.check_table(result))
        show.formulas(figures.first_draw(result))
    with right:
        drawn = options | {"d_k": sizes["d_k"]}
        curve = compute.sample_band(**drawn)
        show.figure(
            figures.band(curve, profile),
            key="sample_band",
            sentence=figures.band_sentence(curve),
            table=figures.band_table(curve),
            code=figures.band_code(drawn | {"n_draws": compute.BAND_DRAWS}),
        )


live()
st.header("The large experiment, run now", anchor=False)
st.button("Run it again with the next seed", on_click=controls.next_seed, icon=":material/replay:")
experiment = compute.large_experiment(controls.value_of("seed"))
show.figure(
    figures.large(experiment, profile),
    key="large_experiment",
    sentence=figures.large_sentence(experiment),
    table=figures.large_table(experiment),
    code=figures.large_code(experiment),
)
st.table(figures.large_rows(experiment))
show.lines(figures.large_lines(experiment))
show.prose("small_samples")
