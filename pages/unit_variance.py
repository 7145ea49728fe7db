"""unit_variance: LayerNorm fixes x, not q and k; their variance is that of a weight times d_model."""

import streamlit as st

from pages._view import compute
from pages._view.lessons.unit_variance import figures, work
from pages._view.lessons.unit_variance.declaration import LESSON
from pages._view.page import controls, frame, show
from sattn_core.lessons.unit_variance import measure_shared_input, measure_unit_variance

profile = frame.profile()


@st.fragment(key=frame.LIVE)
def live():
    shown = show.main()
    if not frame.more():
        return
    show.tries(LESSON)
    show.behind(shown)
    values = controls.address().values
    few = work.params(values, n_tokens=work.SHARED_TOKENS)
    show.picture(figures.shared(compute.result(measure_shared_input, few), few, profile))
    result = compute.result(measure_unit_variance, work.params(values))
    show.picture(figures.schemes(result, profile))
    show.picture(figures.pipeline(result, profile))


live()
if frame.more():
    show.folds(LESSON)
