"""The measured points of the softmax lesson against exact averages and a draw of another kind."""

import math

import numpy as np
import pytest
from scipy import special

from sattn_core.components import COMPONENT_LAWS, block_generator
from sattn_core.lessons.softmax_saturation import (
    RowParams,
    SaturationParams,
    measure_row,
    measure_saturation,
    sharper,
)
from sattn_core.softmax import entropy_nats

QUANTITIES = ("entropy_nats", "effective_keys", "max_weight", "jacobian_trace")


@pytest.mark.parametrize("n_keys", [2, 64])
@pytest.mark.parametrize("seed", [1, 2])
def test_measured_means_lie_within_four_errors_of_the_exact_ones(n_keys, seed):
    result = measure_saturation(SaturationParams(n_keys, (1024,), seed=seed))
    for measured in (result.raw_measured, result.scaled_measured):
        for name in QUANTITIES:
            mean = getattr(measured, name)
            assert (np.abs(mean.measured - mean.predicted) <= 4 * mean.standard_error).all(), name


def test_the_band_covers_what_it_says():
    # 200 seeds: 95 % means 0.95 ± 4 √(0.95 · 0.05 / 200) = 0.95 ± 0.06 for one dimension and quantity.
    inside = []
    for seed in range(200):
        result = measure_saturation(SaturationParams(8, (16,), n_rows=100, seed=seed))
        curves = (result.raw_measured, result.scaled_measured)
        inside.append([[curve.entropy_nats.inside, curve.jacobian_trace.inside] for curve in curves])
    coverage = np.mean(inside, axis=0)
    assert np.abs(coverage - 0.95).max() <= 4 * math.sqrt(0.95 * 0.05 / 200)


def test_rows_that_share_keys_need_the_error_of_batches():
    # With 2 keys all queries of a batch see the same two keys, and treating rows as independent
    # (spread of rows / √rows) would understate the error; here by about 2.
    rows, batches = [], []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        scores = rng.standard_normal((32, 4)) @ rng.standard_normal((2, 4)).T
        entropy = entropy_nats(scores)
        rows.append(entropy.std(ddof=1) / math.sqrt(32))
        batches.append(entropy.mean())
    true_error = np.std(batches, ddof=1) / math.sqrt(20)
    assert true_error > 1.5 * np.mean(rows) / math.sqrt(20)
    errors = [
        measure_saturation(SaturationParams(2, (4,), seed=seed)).raw_measured.entropy_nats.standard_error[2]
        for seed in range(20)
    ]
    # The mean of 20 estimates with 19 degrees of freedom is good to 4 %, the reference to 9 %.
    assert np.mean(errors) == pytest.approx(true_error, rel=0.4)


@pytest.mark.parametrize("law", sorted(COMPONENT_LAWS))
def test_every_law_is_measured_as_drawn(law):
    # Independent rows, each with keys of its own, at d_k = 4.
    rng = np.random.default_rng(21)
    draw = COMPONENT_LAWS[law].draw
    scores = (draw(rng, (4000, 1, 4)) * draw(rng, (4000, 6, 4))).sum(axis=-1)
    entropy = entropy_nats(scores)
    mean = measure_saturation(SaturationParams(6, (4,), law, seed=4)).raw_measured.entropy_nats
    error = math.hypot(mean.standard_error[2], entropy.std(ddof=1) / math.sqrt(4000))
    assert abs(mean.measured[2] - entropy.mean()) <= 4 * error


def test_other_laws_approach_the_prediction():
    for law in ("uniform", "rademacher", "laplace"):
        result = measure_saturation(SaturationParams(16, (1024,), law, seed=6))
        mean = result.raw_measured.entropy_nats
        assert abs(mean.measured[-1] - mean.predicted[-1]) <= 4 * mean.standard_error[-1]


@pytest.mark.parametrize("law", sorted(COMPONENT_LAWS))
@pytest.mark.parametrize("n_keys", [2, 16, 512])
def test_a_row_is_scipy_s_softmax_of_one_query_and_its_keys(law, n_keys):
    # The draw as `dimension_sweep` describes it: blocks of 64 components of stream 1, the query first, then the keys.
    dims = (1, 2, 63, 64, 65, 512, 1024)
    row = measure_row(RowParams(n_keys, dims, law, 12))
    blocks = [COMPONENT_LAWS[law].draw(block_generator(12, 1, block), (64, 1 + n_keys)) for block in range(16)]
    q, keys = np.split(np.concatenate(blocks).T, [1])  # (1, 1024), (n_keys, 1024)
    for i, d_k in enumerate(dims):
        scores = (q[:, :d_k] @ keys[:, :d_k].T)[0]
        # 1e-11: a score adds up to 1,024 products, in another order, and exp takes its error as a relative one.
        for side, divided in (("raw", scores), ("scaled", scores / math.sqrt(d_k))):
            weights = special.softmax(divided)
            np.testing.assert_allclose(getattr(row, f"{side}_weights")[i], weights, rtol=1e-11, atol=1e-300)
            np.testing.assert_allclose(getattr(row, f"{side}_max_weight")[i], weights.max(), rtol=1e-11)
            entropy = special.entr(weights).sum()
            np.testing.assert_allclose(getattr(row, f"{side}_effective_keys")[i], math.exp(entropy), rtol=1e-10)


def test_the_sharper_of_two_lists_has_less_entropy_in_scipy():
    rng = np.random.default_rng(8)
    for _ in range(200):
        lists = [rng.normal(0, 3, rng.integers(2, 9)) for _ in range(2)]
        one, other = (special.entr(special.softmax(each)).sum() for each in lists)
        assert sharper(*lists) == ("first" if one < other else "second")
