import numpy as np
import pytest

from sattn_core.attention import attention_backward
from sattn_core.law import dot_product_cdf
from sattn_core.lessons.gradient_flow import (
    FROZEN_BELOW,
    GradientFlowParams,
    _draw_rows,
    _Rows,
    _sensitivity,
    _softmax_response,
    freezing_rows,
    gradient_curve,
    measure_gradient_flow,
)
from sattn_core.pair_scores import growing_rows
from sattn_core.softmax import softmax_jacobian


def test_measured_means_lie_within_four_standard_errors_of_the_exact_ones():
    statistics = gradient_curve((1, 4, 16, 64, 256, 1024), n_keys=32, seed=3).statistics
    assert np.abs(statistics.z[:2]).max() < 4


# Median of tr J at n_keys = 64 and share of rows with tr J below 0.01: an independent simulation of full Q and K.
@pytest.mark.parametrize(("d_k", "median", "share"), [(64, 0.2485, 0.15), (512, 3.95e-3, 0.56)])
def test_median_row_and_share_of_frozen_rows(d_k, median, share):
    result = measure_gradient_flow(GradientFlowParams(d_k=d_k, n_rows=20_000, seed=5))
    statistics = result.statistics
    assert statistics.median_low[0, 0] <= median <= statistics.median_high[0, 0]
    # The value above is rounded to 0.01, hence 0.005 beside the four standard errors.
    assert abs(result.frozen_share[0] - share) < 0.005 + 4 * result.frozen_error[0]


def test_responses_are_those_of_the_jacobian():
    rows = _draw_rows(n_keys=5, n_rows=40, seed=1)
    stretch = np.linspace(0.1, 6.0, 40)
    trace, along_q, size = _softmax_response(rows, stretch)
    push = np.zeros_like(rows.z)  # the gradients relative to the best key, put back in their places
    push[np.arange(5) != rows.z.argmax(axis=1)[:, None]] = rows.pushes.ravel()
    jacobians = softmax_jacobian(stretch[:, None] * rows.z)
    d_scores = np.einsum("rij,rj->ri", jacobians, push)
    assert np.allclose(trace, np.trace(jacobians, axis1=1, axis2=2), rtol=1e-12, atol=0)
    assert np.allclose(size, np.linalg.norm(d_scores, axis=1), rtol=1e-12, atol=0)
    assert np.allclose(along_q, np.abs(np.sum(rows.z * d_scores, axis=1)), rtol=1e-10, atol=0)


def test_two_keys_far_apart_keep_their_relative_accuracy():
    z, one = np.array([[0.0, 1.0]]), np.array([0.5])
    rows = _Rows(z, np.array([[1.0]]), np.array([[-1.0]]), one, one)
    trace, along_q, size = _softmax_response(rows, np.array([40.0]))[:, 0]
    # mpmath, 40 digits: p = exp(-40)/(1 + exp(-40)); 2*p*(1-p) = 8.4967085089...e-18
    #   mpmath.mp.dps = 40; p = 1/(1 + mpmath.exp(40)); print(2*p*(1 - p))
    product = 8.496708510583498e-18
    assert abs(trace / product - 1) < 1e-12
    # One unit of downstream gradient on one of two keys: dS = p (1 − p) (1, −1).
    assert abs(size / (product / np.sqrt(2)) - 1) < 1e-12
    assert abs(along_q / (product / 2) - 1) < 1e-12


@pytest.mark.parametrize(("d_k", "scale_index"), [(1, 0), (2, 1), (16, 0), (16, 1), (16, 2)])
def test_gradient_at_q_has_the_law_of_real_queries_and_keys(d_k, scale_index):
    n_rows, n_keys = 4_000, 6
    rows = _draw_rows(n_keys, n_rows, seed=2)
    short = _sensitivity(rows, d_k)[2, scale_index]
    rng = np.random.default_rng(3)
    q, k = rng.standard_normal((n_rows, 1, d_k)), rng.standard_normal((n_rows, n_keys, d_k))
    # V the identity makes the output the weights, so d_output is the gradient at the weights.
    V, d_P = np.eye(n_keys), rng.standard_normal((n_rows, 1, n_keys))
    scale = d_k ** -(0.0, 0.5, 1.0)[scale_index]
    long = np.linalg.norm(attention_backward(q, k, V, d_P, scale=scale).d_Q[:, 0], axis=1)
    for function in (np.asarray, np.square, lambda x: x < np.median(long)):
        a, b = function(short).astype(float), function(long).astype(float)
        assert abs(a.mean() - b.mean()) < 4 * np.sqrt((a.var() + b.var()) / n_rows)


def test_the_unscaled_mean_approaches_its_rate():
    curve = gradient_curve((256, 1024), n_keys=8, n_rows=10)
    relative = curve.statistics.exact_mean[0, 0] / curve.rate - 1
    assert abs(relative[1]) < 0.01
    assert abs(relative[1]) < abs(relative[0])


def test_the_rows_one_by_one_are_those_of_full_softmax_jacobians():
    dims = (1, 8, 64)
    rows, drawn = freezing_rows(dims, n_keys=16, seed=4), growing_rows(dims, 100, 16, 4)
    for i, (d_k, scores) in enumerate(zip(dims, drawn, strict=True)):
        for j, scale in enumerate((1.0, d_k**-0.5)):
            trace = np.trace(softmax_jacobian(scale * scores), axis1=1, axis2=2)
            # 1e-14 is the rounding of 1 − p, which the lesson avoids and this sum does not.
            assert np.allclose(rows.passed[j, i], trace, rtol=1e-10, atol=1e-14)


def _frozen_of_full_rows(n_rows, n_keys, rng):
    """Whether a row is frozen at d_k = 64 and at 128, every component drawn."""
    q, k = rng.standard_normal((n_rows, 1, 128)), rng.standard_normal((n_rows, n_keys, 128))
    scores = np.cumsum(q * k, axis=-1)[..., [63, 127]]
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    return ((1 - np.square(weights).sum(axis=1)) < FROZEN_BELOW).T


@pytest.mark.parametrize(("n_keys", "thawed"), [(16, 0.54), (64, 0.63)])
def test_as_many_frozen_rows_thaw_as_where_every_component_is_drawn(n_keys, thawed):
    full = _frozen_of_full_rows(1_500, n_keys, np.random.default_rng(1))
    ours = np.concatenate(
        [freezing_rows((64, 128), n_keys=n_keys, seed=s).passed[0] < FROZEN_BELOW for s in range(60)], axis=-1
    )
    shares = [np.mean(~after[before]) for before, after in (full, ours)]
    errors = [np.sqrt(thawed * (1 - thawed) / before.sum()) for before, _ in (full, ours)]
    assert abs(shares[0] - shares[1]) < 4 * np.hypot(*errors)
    assert abs(shares[1] - thawed) < 4 * errors[1]


@pytest.mark.parametrize("d_k", [1, 4, 64, 512])
def test_the_share_of_frozen_rows_of_two_keys_is_that_of_the_exact_law(d_k):
    p = (1 - np.sqrt(1 - 2 * FROZEN_BELOW)) / 2
    gap = np.log((1 - p) / p)
    result = measure_gradient_flow(GradientFlowParams(d_k, n_keys=2, n_rows=20_000, seed=8))
    # The difference of the two scores is √2 times one score: q · (k₁ − k₂).
    for scale, share, error in zip(result.scales, result.frozen_share, result.frozen_error, strict=True):
        exact = 2 * dot_product_cdf(-gap / scale / np.sqrt(2), d_k)
        assert abs(share - exact) <= 4 * max(error, np.sqrt(exact / 20_000))
    low, high = result.frozen_low, result.frozen_high
    assert ((low <= result.frozen_share) & (result.frozen_share <= high)).all()
