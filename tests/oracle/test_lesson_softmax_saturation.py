"""The measured points of the softmax lesson against exact averages and a draw of another kind."""

import math

import numpy as np
import pytest

from sattn_core.components import COMPONENT_LAWS
from sattn_core.lessons.softmax_saturation import SaturationParams, measure_saturation
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
