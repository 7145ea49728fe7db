"""derivation: Var(q·k) = d_k line by line, each line checked on simulated pairs, each assumption breakable."""

import streamlit as st

from pages._view import compute, controls, frame, show
from pages._view.figures import derivation as figures
from sattn_core.lessons.derivation import DerivationParams

profile = frame.profile()
show.heading(
    frame.lesson("derivation"),
    "From the sum: $d_k$ uncorrelated products of variance 1 have variance $d_k$, so $c = 1/\\sqrt{d_k}$ makes it 1.",
)

with st.container(horizontal=True, vertical_alignment="bottom"):
    broken = controls.draw_broken(width=220)
seed = controls.value_of("seed")


@st.fragment(key=frame.LIVE)
def live():
    params = DerivationParams(controls.value_of("d_k"), compute.DERIVATION_SAMPLES, seed=seed, **broken)
    result = compute.derivation(params)
    show.checked_lines(
        figures.line_rows(result),
        key="derivation",
        sentence=figures.sentence(result),
        table=figures.line_table(result),
        code=figures.code(params),
    )
    show.tries("derivation")
    st.header("Predicted and measured", anchor=False)
    left, right = show.pair("derivation")
    with left:
        st.table(figures.moment_table(result))
        show.prose("derivation_scale")
    with right:
        show.figure(
            figures.growth(result, profile),
            key="score_growth",
            sentence=figures.growth_sentence(result),
            table=figures.growth_table(result),
            code=figures.growth_code(params),
        )


live()
show.prose("derivation")
st.header("In the sources", anchor=False)
show.prose("derivation_sources")
