"""your_scores: whether √d_k suits a model is measured on its own q and k: the scores of a row should have spread 1."""

from functools import partial

import streamlit as st

from pages._view.lessons.your_scores import figures, work
from pages._view.lessons.your_scores.declaration import LESSON
from pages._view.page import controls, frame, show
from pages._view.page.fragments import your_scores as uploads

profile = frame.profile()


@st.fragment(key=frame.LIVE)
def live():
    first = st.container()
    q_file, k_file = uploads.draw_both() if frame.more() else (None, None)
    d_k = controls.address().values["d_k"]
    params = work.sample_params(controls.address().values["sample"], d_k, controls.address().values["seed"])
    with first:
        result, own, problems = uploads.measure(params, q_file, k_file, controls.address().values["head"])
        source = figures.source(result, params, d_k, own)
        show.plain_lines([f"{source}."])
        show.picture(figures.histogram(result, params, source, own, profile), resting=frame.more())
    if not frame.more():
        return
    show.remarks(uploads.remarks("q_file", "k_file"))
    show.problems(problems)
    with st.container(key="aside_files"):
        show.plain_lines(work.UPLOAD_NOTES)
    show.tries(LESSON)

    st.header("What softmax does with them", anchor=False)
    show.table(figures.saturation_table(result), key="saturation")
    show.picture(figures.growth(result, params, own, profile))
    if figures.has_heads(result):
        st.header("Head by head", anchor=False)
        show.table(figures.head_table(result), key="heads")
    with st.container(key="aside_hook"):
        st.header("Take q and k out of a model", anchor=False)
        show.prose(LESSON, "hook")
        st.markdown(work.HOOK)
    make, name = partial(work.sample_file, params), f"{params.sample}.npz"
    show.download("Download this sample (.npz)", make, name, "application/octet-stream", key="sample_npz")


live()
if frame.more():
    show.folds(LESSON)
