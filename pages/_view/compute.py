"""Cached doors to the core: the only caching there is, and all of it bounded."""

from dataclasses import replace

import streamlit as st

from pages._view.dose import DoseRecord
from sattn_core import typed
from sattn_core.components import COMPONENT_LAWS
from sattn_core.cost import Price
from sattn_core.lessons import attention_steps as lesson_attention_steps
from sattn_core.lessons import backprop as lesson_backprop
from sattn_core.lessons import derivation as lesson_derivation
from sattn_core.lessons import gradient_flow as lesson_gradient_flow
from sattn_core.lessons import scaling_rules as lesson_scaling_rules
from sattn_core.lessons import score_variance as lesson_score_variance
from sattn_core.lessons import small_samples as lesson_small_samples
from sattn_core.lessons import softmax_saturation as lesson_softmax
from sattn_core.lessons import training_race as lesson_training_race
from sattn_core.lessons import unit_variance as lesson_unit_variance
from sattn_core.lessons import your_scores as lesson_your_scores
from sattn_core.lessons.start import measure_start

UNASKED = Price(1.0, 100_000_000)  # the most that a page computes without being asked
AT_ONCE = Price(0.65, 100_000_000)  # the most of one computation that can wait for a button: others stand beside it
CURVE_DIMS = tuple(2**j for j in range(11))
CURVE_SAMPLES = 4_000
START_SAMPLES = {law: 20_000 for law in COMPONENT_LAWS} | {"student_t": 10_000}  # its draws take three times as long
N_WALKS = 6
PAIRS = {"independent": 0.0, "aligned": 0.5}  # correlation of query i with key i, at the start and after training
RULE_CURVE_DIMS = tuple(2**j for j in range(2, 9))
RULE_CURVE_KEYS = tuple(2**j for j in range(2, 11))
SHARED_TOKENS = 16
SWEEP_SEEDS = 2
EQUAL_STEPS = 30
EQUAL_PAIRS = (
    {"optimizer": "sgd"},
    {"optimizer": "sgd", "learning_rate": 1.0},
    {"optimizer": "adam"},
    {"optimizer": "adam", "power": 0.5},
)
BAND_DRAWS = 20  # measured points at each size of the matrix
SAMPLE_ROWS = 128  # queries and keys of a sample: measured in less than a blink
SUFFIXES = list(lesson_your_scores.SUFFIXES)
UPLOAD_NOTES = (lesson_your_scores.LIMITS, lesson_your_scores.PRIVACY)
HOOK_SNIPPET = f"```python\n{lesson_your_scores.HOOK_SNIPPET}```"  # as Markdown
DERIVATION_SAMPLES = 2_000  # pairs that check the derivation: at d_k = 1,024 more would be felt


def check():
    """Called between the blocks of a long computation: Streamlit ends the run here once nobody waits for it.

    Any look at the session lets it: the visitor has left, or has asked for something else.
    """
    st.session_state.get("asked")


def ready(params):
    """Whether a page may compute these params: they cost little, or the visitor has asked for exactly these."""
    price = params.price
    cheap = price.seconds <= AT_ONCE.seconds and price.bytes <= AT_ONCE.bytes
    return cheap or params in st.session_state.get("asked", ())


def ask_for(params):
    """The visitor wants these params computed, however long it takes."""
    st.session_state.setdefault("asked", set()).add(params)


@st.cache_data(max_entries=32, show_spinner=False)
def start(params):
    return measure_start(params)


@st.cache_data(max_entries=128, show_spinner=False)
def score_variance(params):
    return lesson_score_variance.measure_score_variance(params, check=check)


@st.cache_data(max_entries=32, show_spinner=False)
def variance_curve(**draw):
    return lesson_score_variance.variance_curve(CURVE_DIMS, n_samples=CURVE_SAMPLES, **draw)


@st.cache_data(max_entries=32, show_spinner=False)
def random_walks(**draw):
    return lesson_score_variance.random_walks(CURVE_DIMS[-1], n_walks=N_WALKS, **draw)


def hand_made_example(q_text, k_text):
    """The typed vectors' dot products, or None and the sentence that says what cannot be read."""
    rows = {}
    for name, text in (("q", q_text), ("k", k_text)):
        try:
            rows[name] = typed.parse_vector_rows(text)
        except ValueError as problem:
            return None, f"{name}: {problem}"
    try:
        return lesson_score_variance.hand_made_example(rows["q"], rows["k"]), None
    except ValueError as problem:
        return None, str(problem)


def read_lists(texts):
    """The typed score lists, the optional ones only if anything is typed, and what cannot be read."""
    lists, problems = [], []
    for place, text in zip(("First", "Second", "Third", "Fourth"), texts, strict=True):
        if place in ("Third", "Fourth") and not text.strip():
            continue
        try:
            lists.append(typed.parse_score_list(text))
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


def curve_options(n_keys, seed):
    """What the curves are of: fewer rows where there are many keys, each of which costs as much as a row."""
    return {"n_keys": n_keys, "n_rows": 2_000 if n_keys <= 128 else 1_000, "seed": seed}


@st.cache_data(max_entries=32, show_spinner=False)
def gradient_curve(**options):
    return lesson_gradient_flow.gradient_curve(**options)


@st.cache_data(max_entries=32, show_spinner=False)
def crossover_curve(n_keys):
    return lesson_gradient_flow.crossover_curve(n_keys)


def row_jacobian(result, chosen, number):
    """The Jacobian of a drawn row, or of a typed list of scores, and what it is called."""
    if chosen == "row":
        scores, name = result.shown_scores[(number - 1) % len(result.shown_scores)], f"Row {number}"
    else:
        scores, name = typed.parse_score_list(chosen), f"The scores [{chosen}]"
    return lesson_gradient_flow.measure_row_jacobian(scores, result.params.d_k), name


@st.cache_data(max_entries=128, show_spinner=False)
def derivation(params):
    return lesson_derivation.measure_derivation(params)


def attention_matrices(preset, texts, d_k, seed):
    """The preset with the typed matrices in their place, or None and the sentence that says what is wrong."""
    size = min(d_k, typed.MAX_COLUMNS)
    try:
        return lesson_attention_steps.typed_params(preset, **texts, d_k=size, seed=seed), []
    except (ValueError, TypeError) as problem:
        return None, [str(problem)]


def matrix_texts(preset, d_k, seed):
    """The preset's matrices as texts for their fields, one row a line."""
    params, _ = attention_matrices(preset, {}, d_k, seed)
    texts = {name: typed.format_matrix(getattr(params, name)) for name in ("Q", "K", "V")}
    everything = [[True] * len(params.K)] * len(params.Q)
    texts["mask"] = typed.format_mask(params.mask or everything)
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


def race_seconds(params, best):
    """CPU seconds of the race, with the sweep before it where one is asked for."""
    return params.price.seconds + (map_seconds(params) if best else 0.0)


def map_seconds(params):
    """CPU seconds of the map of the learning rates."""
    return lesson_training_race.sweep_price(sweep_params(params)).seconds


def sweep_params(params):
    """The race of the sweep: a sweep trains every rate, so of fewer seeds."""
    return replace(params, n_seeds=min(params.n_seeds, SWEEP_SEEDS))


@st.cache_data(max_entries=32, show_spinner=False)
def training_race(params, best):
    """The finished race, and the sweep before it or None."""
    sweep = lesson_training_race.sweep_learning_rates(sweep_params(params)) if best else None
    own = replace(params, learning_rates=sweep.best_rates) if best else params
    return lesson_training_race.measure_training_race(own), sweep


@st.cache_resource(max_entries=64, show_spinner=False)
def _kept_race(params, best):
    """Room for one race that a visitor has watched to its end."""
    return []


def keep_race(params, best, result, sweep):
    """Keep a finished race for whoever opens its address again."""
    _kept_race(params, best)[:] = [(result, sweep)]


def kept_race(params, best):
    """The race and its sweep if this server has run them, or None."""
    return next(iter(_kept_race(params, best)), None)


def training_frames(params):
    """The race step by step; it stops when nobody asks for the next."""
    return lesson_training_race.race_frames(params, pauses=True)


def sweep_frames(params):
    """The sweep step by step; it stops when nobody asks for the next."""
    return lesson_training_race.sweep_frames(params, pauses=True)


@st.cache_data(max_entries=32, show_spinner=False)
def training_equivalence(d_k):
    """Pairs of trainings at this d_k: two that are equal, one at a large rate, and one with the wrong power of d_k."""
    return tuple(
        lesson_training_race.measure_equivalence(d_k, n_steps=EQUAL_STEPS, n_seeds=1, **pair) for pair in EQUAL_PAIRS
    )


def equivalence_seconds(d_k):
    """CPU seconds of these pairs."""
    return sum(
        lesson_training_race.equivalence_price(d_k, n_steps=EQUAL_STEPS, n_seeds=1, **pair).seconds
        for pair in EQUAL_PAIRS
    )


@st.cache_resource(max_entries=2, show_spinner=False)
def dose_record(optimizer):
    """The dose-response table that all visitors of this server share."""
    return DoseRecord(optimizer)


def link_remarks(linked):
    """What a link does not carry."""
    return [] if linked else ["These matrices are too large for a link: it carries the other settings only."]


def products(A, B):
    """The three products of the typed matrices, or None and the sentence that says what is wrong."""
    try:
        matrices = {name: typed.parse_matrix(name, text) for name, text in (("A", A), ("B", B))}
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


@st.cache_data(max_entries=64, show_spinner=False)
def exponents(params):
    return lesson_scaling_rules.measure_exponents(params)


@st.cache_data(max_entries=64, show_spinner=False)
def rules(params):
    return lesson_scaling_rules.compare_rules(params)


@st.cache_data(max_entries=1, show_spinner=False)
def rule_cards():
    """Every rule with the number that its card shows."""
    return lesson_scaling_rules.compare_rules(lesson_scaling_rules.RulesParams())


@st.cache_data(max_entries=32, show_spinner=False)
def rule_curves(**options):
    params = lesson_scaling_rules.RulesParams(**options)
    return lesson_scaling_rules.rule_curves(params, dims=RULE_CURVE_DIMS, n_keys=RULE_CURVE_KEYS)


@st.cache_resource(max_entries=32, show_spinner=False)  # a bug holds a function, which cannot be copied
def museum(seed):
    """Every bug on the same numbers."""
    return lesson_scaling_rules.measure_museum(lesson_scaling_rules.BugParams(seed=seed))


def bug(params):
    return next(each for each in museum(params.seed) if each.params == params)


def small_samples_params(size, inner, d_k, n_draws, **options):
    """Square matrices as in the question, or the slider's d_k inside."""
    d_k = size if inner == "size" else d_k
    return lesson_small_samples.SmallSamplesParams(size, d_k, n_draws=n_draws, **options)


@st.cache_data(max_entries=64, show_spinner=False)
def small_samples(params):
    return lesson_small_samples.measure_small_samples(params)


@st.cache_data(max_entries=32, show_spinner=False)
def sample_band(**options):
    return lesson_small_samples.band_curve(n_draws=BAND_DRAWS, **options)


@st.cache_data(max_entries=16, show_spinner=False)
def large_experiment(seed):
    return lesson_small_samples.measure_large_experiment(seed=seed)


def unit_variance_params(d_k, n_heads, normalise, bias, **options):
    """Heads of the slider's d_k side by side; no more of them, and no fewer, than the lesson takes."""
    n_heads = min(max(n_heads, -(-lesson_unit_variance.NARROWEST // d_k)), lesson_unit_variance.WIDEST // d_k)
    switches = {"normalise": normalise == "on", "bias": bias == "on"}
    return lesson_unit_variance.UnitVarianceParams(d_k * n_heads, n_heads, **switches, **options)


@st.cache_data(max_entries=64, show_spinner=False)
def unit_variance(params):
    return lesson_unit_variance.measure_unit_variance(params)


@st.cache_data(max_entries=64, show_spinner=False)
def shared_input(params):
    return lesson_unit_variance.measure_shared_input(params)


def sample_params(sample, d_k, seed):
    """The sample at the slider's d_k, as far as samples go."""
    return lesson_your_scores.YourScoresParams(sample, SAMPLE_ROWS, min(max(d_k, 2), 256), seed)


@st.cache_data(max_entries=32, show_spinner=False)
def your_sample(params, head):
    Q, K = lesson_your_scores.sample_scores(params)
    return lesson_your_scores.measure_your_scores(Q, K, head=min(head, len(Q)) - 1 if Q.ndim == 3 else 0)


def sample_file(params):
    """The sample as the bytes of a .npz file."""
    return lesson_your_scores.sample_file(params)[1]


def your_scores(params, q_file, k_file, head):
    """The report on the visitor's files, or on the sample while there is none: (result, file names, problems)."""
    report, problem = uploaded(q_file, k_file, head)
    names = tuple(each.name for each in (q_file, k_file) if each is not None) if report else ()
    return (report or your_sample(params, head), names, [problem] if problem else [])


def uploaded(q_file, k_file, head):
    """The report on files, kept for this visitor until others are chosen; never in a cache that visitors share."""
    if q_file is None:
        st.session_state.pop("your_report", None)
        return None, "A file for K needs a file for Q beside it; choose that one too." if k_file else None
    files = [each for each in (q_file, k_file) if each is not None]
    key = (*(each.file_id for each in files), head)
    if st.session_state.get("your_report", (None,))[0] != key:
        contents = [(each.name, each.getvalue()) for each in files]
        with st.spinner("Measuring your scores: many heads of many rows take some seconds"):
            report = lesson_your_scores.read_your_scores(*contents, head=head - 1, check=check)
        st.session_state["your_report"] = key, report
    return st.session_state["your_report"][1]
