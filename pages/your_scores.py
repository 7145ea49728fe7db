"""your_scores: whether √d_k suits a model is measured on its own q and k: the scores of a row should have spread 1."""

from functools import partial

import streamlit as st

from pages._view import controls, frame, show
from pages._view.lessons.your_scores import figures, uploads, work
from pages._view.lessons.your_scores.declaration import LESSON

profile = frame.profile()
seed = controls.value_of("seed")


@st.fragment(key=frame.LIVE)
def live():
    left, right = st.columns([2, 5])
    with left:
        sample = controls.draw("sample")
        head = controls.draw("head")
        st.markdown("**Your own files**")
        q_file = uploads.draw("q_file", "Q, or one file with Q and K")
        k_file = uploads.draw("k_file", "K, if Q is a file of its own")
    d_k = controls.value_of("d_k")
    params = work.sample_params(sample, d_k, seed)
    with right:
        result, own, problems = work.measure(params, q_file, k_file, head)
        show.remarks(uploads.remarks("q_file", "k_file"))
        show.problems(problems)
        show.picture(figures.histogram(result, params, d_k, own, profile))
    show.tries(LESSON)
    show.plain_lines(work.UPLOAD_NOTES)

    st.header("What softmax does with them", anchor=False)
    st.table(figures.saturation_table(result))
    left, right = st.columns(2)
    with left:
        show.picture(figures.growth(result, params, own, profile))
    with right:
        st.table(figures.moment_table(result))
    if figures.has_heads(result):
        st.header("Head by head", anchor=False)
        st.table(figures.head_table(result))
    st.header("Take q and k out of a model", anchor=False)
    show.prose(LESSON, "hook")
    st.markdown(work.HOOK)
    make, name = partial(work.sample_file, params), f"{sample}.npz"
    show.download("Download this sample (.npz)", make, name, "application/octet-stream", key="sample_npz")


live()
show.folds(LESSON)
