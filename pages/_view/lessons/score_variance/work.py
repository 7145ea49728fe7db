"""What the score_variance page asks of the core."""

import streamlit as st

from pages._view import controls
from pages._view.kinds import Value
from sattn_core import typed
from sattn_core.lessons import score_variance
from sattn_core.lessons.score_variance import ExampleDots

CURVE_DIMS = tuple(2**j for j in range(11))
CURVE_SAMPLES = 4_000
N_WALKS = 6


def hand_made_example(q_text: str, k_text: str) -> tuple[ExampleDots | None, list[str]]:
    """The typed vectors' dot products, or None and the sentence that says what cannot be read."""
    rows = {}
    for name, text in (("q", q_text), ("k", k_text)):
        try:
            rows[name] = typed.parse_vector_rows(text)
        except ValueError as problem:
            return None, [f"{name}: {problem}"]
    try:
        return score_variance.hand_made_example(rows["q"], rows["k"]), []
    except ValueError as problem:
        return None, [str(problem)]


def draw_components(*, correlated: bool) -> dict[str, Value]:
    """Means of q and k and their correlation; a correlation pairs q with k, so a matrix has none."""
    drawn = {name: controls.draw(name) for name in ("mean_q", "mean_k", "correlation")}
    if not correlated:
        st.markdown("The correlation pairs each q with its own k: it counts for pairs, not for a matrix.")
    return drawn if correlated else drawn | {"correlation": 0.0}
