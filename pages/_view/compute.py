"""Cached doors to the core: the only caching there is, and all of it bounded."""

import numpy as np
import streamlit as st

from sattn_core.components import append_coordinates
from sattn_core.lessons import attention_steps as lesson_attention_steps
from sattn_core.lessons import backprop as lesson_backprop
from sattn_core.lessons import derivation as lesson_derivation
from sattn_core.lessons import gradient_flow as lesson_gradient_flow
from sattn_core.lessons import score_variance as lesson_score_variance
from sattn_core.lessons import softmax_saturation as lesson_softmax
from sattn_core.lessons.start import measure_start

CURVE_DIMS = tuple(2**j for j in range(11))
CURVE_SAMPLES = 4_000
KEPT_SAMPLES = 100_000  # draws up to this size are kept, so that the next d_k only appends coordinates
N_WALKS = 6
DERIVATION_SAMPLES = 2_000  # pairs that check the derivation: at d_k = 1,024 more would be felt


@st.cache_data(max_entries=32, show_spinner=False)
def start(params):
    return measure_start(params)


@st.cache_data(max_entries=128, show_spinner=False)
def score_variance(params):
    if params.sampling == "matrix" or params.n_samples > KEPT_SAMPLES:
        return lesson_score_variance.measure_score_variance(params)
    draw = (params.n_samples, params.law, params.mean_q, params.mean_k, params.correlation, params.seed)
    return lesson_score_variance.measure_score_variance(params, scores=_scores(params.d_k, *draw))


@st.cache_data(max_entries=96, show_spinner=False)
def _scores(d_k, *draw):
    """Raw scores at d_k, appended to those of a smaller dimension that is kept too."""
    n_samples, law, mean_q, mean_k, correlation, seed = draw
    step = max(1, 2 ** (d_k.bit_length() - 3))
    kept = (d_k - 1) // step * step
    before = _scores(kept, *draw) if kept else np.zeros(n_samples)
    return append_coordinates(
        before, kept, d_k, law=law, mean_q=mean_q, mean_k=mean_k, correlation=correlation, seed=seed
    )


@st.cache_data(max_entries=32, show_spinner=False)
def variance_curve(**draw):
    return lesson_score_variance.variance_curve(CURVE_DIMS, n_samples=CURVE_SAMPLES, **draw)


@st.cache_data(max_entries=32, show_spinner=False)
def random_walks(**draw):
    return lesson_score_variance.random_walks(CURVE_DIMS[-1], n_walks=N_WALKS, **draw)


def hand_made_example(q_text, k_text):
    """The typed vectors' dot products, or None and the sentence that says what cannot be read."""
    try:
        q_rows, k_rows = (lesson_score_variance.parse_vector_rows(text) for text in (q_text, k_text))
        return lesson_score_variance.hand_made_example(q_rows, k_rows), None
    except ValueError as problem:
        return None, str(problem)


def read_lists(texts):
    """The typed score lists, the optional ones only if anything is typed, and what cannot be read."""
    lists, problems = [], []
    for place, text in zip(("First", "Second", "Third", "Fourth"), texts, strict=True):
        if place in ("Third", "Fourth") and not text.strip():
            continue
        try:
            lists.append(lesson_softmax.parse_score_list(text))
        except ValueError as problem:
            problems.append(f"{place} list: {problem}")
    return tuple(lists), problems


@st.cache_data(max_entries=128, show_spinner=False)
def compare_lists(lists, multiplier, shift):
    return lesson_softmax.compare_lists(lists, multiplier=multiplier, shift=shift)


@st.cache_data(max_entries=64, show_spinner=False)
def saturation(params):
    return lesson_softmax.measure_saturation(params)


@st.cache_data(max_entries=1, show_spinner=False)
def overflow_study():
    return lesson_softmax.overflow_study()


@st.cache_data(max_entries=64, show_spinner=False)
def gradient_flow(params):
    return lesson_gradient_flow.measure_gradient_flow(params)


@st.cache_data(max_entries=32, show_spinner=False)
def gradient_curve(**options):
    return lesson_gradient_flow.gradient_curve(**options)


def row_jacobian(result, chosen, number):
    """The Jacobian of a drawn row, or of a typed list of scores, and what it is called."""
    if chosen == "row":
        scores, name = result.shown_scores[(number - 1) % len(result.shown_scores)], f"Row {number}"
    else:
        scores, name = lesson_softmax.parse_score_list(chosen), f"The scores [{chosen}]"
    return lesson_gradient_flow.measure_row_jacobian(scores, result.params.d_k), name


@st.cache_data(max_entries=128, show_spinner=False)
def derivation(params):
    return lesson_derivation.measure_derivation(params)


def attention_matrices(preset, texts, d_k, seed):
    """The preset with the typed matrices in their place, or None and the sentence that says what is wrong."""
    size = min(d_k, lesson_attention_steps.MAX_COLUMNS)
    try:
        return lesson_attention_steps.typed_params(preset, **texts, d_k=size, seed=seed), []
    except (ValueError, TypeError) as problem:
        return None, [str(problem)]


def matrix_texts(preset, d_k, seed):
    """The preset's matrices as texts for their fields, one row a line."""
    params, _ = attention_matrices(preset, {}, d_k, seed)
    texts = {name: lesson_attention_steps.format_matrix(getattr(params, name)) for name in ("Q", "K", "V")}
    everything = [[True] * len(params.K)] * len(params.Q)
    texts["mask"] = lesson_attention_steps.format_mask(params.mask or everything)
    return {name: text.replace(";", "\n").replace(",", ", ") for name, text in texts.items()}


@st.cache_data(max_entries=64, show_spinner=False)
def attention_steps(params):
    return lesson_attention_steps.measure_attention_steps(params)


def cell_of(params, query, key, column):
    """The chosen places, counted from 0 and inside the matrices."""
    shape = len(params.Q), len(params.K), len(params.V[0])
    return tuple(min(place, size) - 1 for place, size in zip((query, key, column), shape, strict=True))


@st.cache_data(max_entries=64, show_spinner=False)
def attention_cell(params, at):
    query, key, column = at
    return (
        lesson_attention_steps.expand_cell(params, query, key),
        lesson_attention_steps.expand_output(params, query, column),
    )


def link_remarks(linked):
    """What a link does not carry."""
    return [] if linked else ["These matrices are too large for a link: it carries the other settings only."]


def products(A, B):
    """The three products of the typed matrices, or None and the sentence that says what is wrong."""
    try:
        matrices = {name: lesson_attention_steps.parse_matrix(name, text) for name, text in (("A", A), ("B", B))}
        return measure_products(lesson_backprop.ProductsParams(**matrices)), []
    except (ValueError, TypeError) as problem:
        return None, [str(problem)]


@st.cache_data(max_entries=64, show_spinner=False)
def measure_products(params):
    return lesson_backprop.measure_products(params)


def layer_size(d_k):
    """The d_k of the small layer: the slider's, up to the largest it takes."""
    return min(d_k, lesson_backprop.MAX_SIZE)


@st.cache_data(max_entries=64, show_spinner=False)
def backprop(params):
    return lesson_backprop.measure_backprop(params)


@st.cache_data(max_entries=64, show_spinner=False)
def first_order_change(params, weight):
    return lesson_backprop.first_order_change(params, weight)


@st.cache_data(max_entries=64, show_spinner=False)
def central_difference_error(params, weight):
    return lesson_backprop.central_difference_error(params, weight)
