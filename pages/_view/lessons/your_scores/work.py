"""What the your_scores page asks of the core. A visitor's own files stay in that visitor's session."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from pages._view import compute, turns
from sattn_core.lessons import your_scores as core
from sattn_core.lessons.your_scores import sample_file as make_sample_file

SAMPLE_ROWS = 128  # queries and keys of a sample: few enough to be measured at every move
UPLOAD_NOTES = (core.LIMITS, core.PRIVACY)
HOOK = f"```python\n{core.HOOK_SNIPPET}```"  # as Markdown


def sample_params(sample: str, d_k: int, seed: int) -> core.YourScoresParams:
    """The sample at the slider's d_k, as far as samples go; what was trained has a d_k of its own."""
    if sample in core.TRAINED:
        Q, _ = core.trained_layer(sample)
        return core.YourScoresParams(sample, *Q.shape[1:])
    return core.YourScoresParams(sample, SAMPLE_ROWS, min(max(d_k, 2), 256), seed)


def measure_sample(params: core.YourScoresParams, head: int) -> core.YourScoresResult:
    """The report on a sample; the last head, if there are fewer."""
    Q, K = core.sample_scores(params)
    return core.measure_your_scores(Q, K, head=min(head, len(Q)) - 1 if Q.ndim == 3 else 0)


def sample_file(params: core.YourScoresParams) -> bytes:
    """The sample as the bytes of a .npz file."""
    return make_sample_file(params)[1]


def measure(
    params: core.YourScoresParams, q_file: Any, k_file: Any, head: int
) -> tuple[core.YourScoresResult, Sequence[str], list[str]]:
    """The report on the visitor's files, or on the sample while there is none: (result, file names, problems)."""
    report, problem = _uploaded(q_file, k_file, head)
    names = tuple(each.name for each in (q_file, k_file) if each is not None) if report else ()
    result = report or compute.result(measure_sample, params, head)
    return result, names, [problem] if problem else []


def _uploaded(q_file, k_file, head):
    """The report on files, kept for this visitor until others are chosen; never where visitors share."""
    if q_file is None:
        st.session_state.pop("your_report", None)
        return None, "A file for K needs a file for Q beside it; choose that one too." if k_file else None
    files = [each for each in (q_file, k_file) if each is not None]
    key = (*(each.file_id for each in files), head)
    if st.session_state.get("your_report", (None,))[0] != key:
        contents = [(each.name, each.getvalue()) for each in files]
        with turns.turn(long=True), st.spinner("Measuring your scores: many heads of many rows take some seconds"):
            report = core.read_your_scores(*contents, head=head - 1, check=turns.look)
        st.session_state["your_report"] = key, report
    return st.session_state["your_report"][1]
