"""The core against the bare NumPy and SciPy calls that its work cannot do without."""

import statistics
import time

import numpy as np
from ratios import Row, interleaved, ratio_row, seconds
from scipy.special import gammaln, kve

SWEEP_SAMPLES = 20_000
SWEEP_BUDGET = 0.5
NEW_SEEDS = 15
HERO_BUDGET, MOVE_BUDGET = 0.06, 0.02  # CPU seconds
SCORES_SHAPE = (1_000, 1_000, 512)  # n_queries, n_keys, d_k
SCORES_BUDGET = 1.3
DENSITY_POINTS = 2_000
DENSITY_DIMS = (64, 512)
DENSITY_BUDGET = 3.0
ATTENTION_SHAPE = (512, 512, 64)  # n_queries, n_keys, d_k = d_v
ATTENTION_BUDGET = 1.3
GRADIENT_ROWS = 2_000
GRADIENT_KEYS = (16, 64)  # the page's default and the size that the lesson speaks of
GRADIENT_BUDGET = 1.5  # seconds
TRAINING_DIMS = (64, 512)
TRAINING_STEPS = 300
TRAINING_BUDGETS = {"sgd": 1.8, "adam": None}  # Adam's own passes over the weights come on top of any product


def sweep():
    """dimension_sweep at the stops of the slider against drawing every component with the same bit generator."""
    from pages._view.shared import DIMENSIONS
    from sattn_core.sweep import dimension_sweep

    def ours():
        dimension_sweep(DIMENSIONS, n_samples=SWEEP_SAMPLES, n_keys=16, seed=0)

    def bare():
        # One buffer for all components: no time is lost to fresh memory.
        rng = np.random.Generator(np.random.SFC64(0))
        buffer = np.empty((2, SWEEP_SAMPLES))
        for _ in range(DIMENSIONS[-1]):
            rng.standard_normal(out=buffer)

    pairs = interleaved(ours, bare, repeats=5)
    name = f"dimension_sweep, {SWEEP_SAMPLES:,} pairs × {DIMENSIONS[-1]:,} dimensions / bare draws"
    return [ratio_row(name, SWEEP_BUDGET, pairs)]


def new_seed():
    """CPU time of what no other visitor has asked for: the hero's draw, and a move of score_variance."""
    from pages._view.lessons.start.work import SAMPLES
    from pages._view.server import moving
    from pages._view.shared import DIMENSIONS
    from sattn_core.lessons.start import StartParams, measure_start

    def hero(seed):
        measure_start(StartParams(DIMENSIONS, SAMPLES["normal"], seed=seed))

    def move(seed):
        moving._drawn("score_variance", {"seed": str(seed), "d_k": str(DIMENSIONS[-1 - seed])})

    def open_page(seed):
        moving._drawn("score_variance", {"seed": str(seed)})

    return [
        _cpu_row("hero of the start page, a seed of one's own", HERO_BUDGET, hero),
        _cpu_row("move of score_variance, a seed of one's own", MOVE_BUDGET, move, before=open_page),
    ]


def _cpu_row(name, budget, compute, *, before=lambda seed: None):
    taken = []
    for seed in range(NEW_SEEDS):
        before(seed)
        begin = time.process_time()
        compute(seed)
        taken.append(time.process_time() - begin)
    slowest = f"median of {NEW_SEEDS}; slowest {max(taken[1:]):.3g} s"
    return Row(name, statistics.median(taken), budget, "CPU s", slowest)


def scores():
    """draw_queries_and_keys and raw_scores against the bare draws and the bare matrix product."""
    from sattn_core.components import draw_queries_and_keys
    from sattn_core.scores import raw_scores

    n_queries, n_keys, d_k = SCORES_SHAPE

    def ours():
        raw_scores(*draw_queries_and_keys(n_queries, n_keys, d_k, seed=0))

    def bare():
        rng = np.random.default_rng(0)
        rng.standard_normal((n_queries, d_k)) @ rng.standard_normal((n_keys, d_k)).T

    pairs = interleaved(ours, bare, repeats=15)
    name = f"draw_queries_and_keys + raw_scores, {n_queries:,} × {n_keys:,}, d_k = {d_k}"
    return [ratio_row(f"{name} / bare draws and product", SCORES_BUDGET, pairs)]


def density():
    """dot_product_pdf against one call of the special function inside it."""
    from sattn_core.law import dot_product_pdf

    return [_density(dot_product_pdf, d_k) for d_k in DENSITY_DIMS]


def _density(dot_product_pdf, d_k):
    points = np.linspace(-8, 8, DENSITY_POINTS) * np.sqrt(d_k)
    order, distance = (d_k - 1) / 2, np.abs(points)

    def ours():
        return dot_product_pdf(points, d_k)

    def bare():
        return kve(order, distance)

    bessel = bare()
    usable = np.isfinite(bessel)  # near 0 the bare call overflows and the density must not
    log_density = order * np.log(distance / 2) - distance + np.log(bessel) - gammaln(d_k / 2)
    expected = np.exp(log_density) / np.sqrt(np.pi)
    # Both must have done the same work, or the ratio means nothing.
    np.testing.assert_allclose(ours()[usable], expected[usable], rtol=1e-9)
    name = f"dot_product_pdf, {DENSITY_POINTS:,} points, d_k = {d_k} / bare scipy.special.kve"
    return ratio_row(name, DENSITY_BUDGET, interleaved(ours, bare, repeats=41, loops=5))


def attention():
    """attention, which checks its inputs and keeps every step, against the bare NumPy expression."""
    from sattn_core.attention import attention

    n_queries, n_keys, d_k = ATTENTION_SHAPE
    rng = np.random.default_rng(0)
    Q, K, V = (rng.standard_normal((rows, d_k)) for rows in (n_queries, n_keys, n_keys))

    def ours():
        return attention(Q, K, V).output

    def bare():
        scores = Q @ K.T / np.sqrt(d_k)
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        return weights / weights.sum(axis=-1, keepdims=True) @ V

    np.testing.assert_allclose(ours(), bare(), rtol=1e-12, atol=1e-14)
    name = f"attention, {n_queries} × {n_keys}, d_k = {d_k} / bare NumPy"
    return [ratio_row(name, ATTENTION_BUDGET, interleaved(ours, bare, repeats=41, loops=3))]


def gradient_curve():
    """The whole curve of gradient_flow, uncached."""
    from sattn_core.lessons.gradient_flow import gradient_curve

    return [_gradient_curve(gradient_curve, n_keys) for n_keys in GRADIENT_KEYS]


def _gradient_curve(curve, n_keys):
    taken = [seconds(lambda: curve(n_keys=n_keys, n_rows=GRADIENT_ROWS)) for _ in range(3)]
    name = f"gradient_curve, {GRADIENT_ROWS:,} rows a point, n_keys = {n_keys}, first time"
    return Row(name, min(taken), GRADIENT_BUDGET, "s", f"best of {len(taken)}; slowest {max(taken):.3g} s")


def training_step():
    """One step of the training race against its bare matrix products."""
    # A large array given back, as in a server that has run for a while: from then on the arrays of a step come
    # from memory that is there. Before that both sides wait for the system at every product, and the ratio is nearly 1.
    np.ones(4_000_000)
    return [_training_step(d_k, *each) for each in TRAINING_BUDGETS.items() for d_k in TRAINING_DIMS]


def _training_step(d_k, optimizer, budget):
    from sattn_core.key_value_memory import KeyValueMemoryParams, train_key_value_memory

    steps = {"n_steps": TRAINING_STEPS, "checkpoint_every": TRAINING_STEPS}
    params = KeyValueMemoryParams(d_k=d_k, optimizer=optimizer, learning_rates=1e-3, **steps)
    bare = _bare_products(params)

    def ours():
        for _ in train_key_value_memory(params):
            pass

    def products():
        for _ in range(TRAINING_STEPS + 1):
            bare()

    name = f"training step, {optimizer}, d_k = {d_k}, 3 scales × {params.n_seeds} seeds / bare matrix products"
    pairs = interleaved(ours, products, repeats=7)
    return ratio_row(name, budget, pairs, note=f"times of {TRAINING_STEPS + 1} steps")


def _bare_products(params):
    """The nine products of a step whose V is not trained, in the shapes of the race, with nothing between them."""
    rng = np.random.default_rng(0)
    n, n_seeds, runs = params.n_keys, params.n_seeds, (len(params.exponents), params.n_seeds)
    X_q, X_k = rng.standard_normal((2, n_seeds, n, params.d_model))
    W_Q, W_K = rng.standard_normal((2, *runs, params.d_model, params.d_k))
    P, dO = rng.standard_normal((2, *runs, n, n))
    V = np.eye(n)

    def products():
        Q, K = X_q @ W_Q, X_k @ W_K
        Q @ K.swapaxes(-1, -2), P @ V, dO @ V.swapaxes(-1, -2)
        X_q.swapaxes(-1, -2) @ (P @ K), X_k.swapaxes(-1, -2) @ (P.swapaxes(-1, -2) @ Q)

    return products
