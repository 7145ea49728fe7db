import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sattn_core.draws.pair_scores import growing_rows
from sattn_core.laws.dot_product import dot_product_cdf
from sattn_core.layers.attention import attention_backward
from sattn_core.layers.softmax import softmax_jacobian
from sattn_core.lessons import gradient_flow

PARAMS = gradient_flow.GradientFlowParams(d_k=512, n_keys=64)


@pytest.fixture(scope="module")
def result():
    return gradient_flow.measure_gradient_flow(PARAMS)


def passed_by_each(params):
    """Return tr J and ‖∂L/∂q‖ of each row of a draw, shape (2 places, 2 scales, n_rows)."""
    return gradient_flow._sensitivity(gradient_flow._draw_rows(params.n_keys, params.n_rows, params.seed), params.d_k)


def test_known_statistics_at_64_keys_and_d_k_512(result):
    statistics = result.statistics
    assert abs(statistics.exact_mean[0, 0] - 0.104) < 1e-3
    assert abs(statistics.exact_mean[0, 1] - 0.961) < 1e-3
    assert statistics.median_low[0, 0] < 0.00395 < statistics.median_high[0, 0]
    assert abs(result.frozen_share[0] - 0.56) < 2 * result.frozen_error[0]
    assert result.frozen_share[1] == 0
    raw, scaled = statistics.mean[gradient_flow.PLACES.index("q")]
    assert raw > 2 * scaled


def test_statistics_agree_with_the_rows(result):
    rows, statistics = passed_by_each(result.params)[1, 0], result.statistics
    assert abs(statistics.mean[1, 0] - rows.mean()) < 1e-13
    assert abs(statistics.standard_error[1, 0] - rows.std(ddof=1) / np.sqrt(2000)) < 1e-13
    assert statistics.median[1, 0] == np.median(rows)
    assert np.isnan(statistics.exact_mean[1]).all()
    assert np.isnan(statistics.z[1]).all()


def test_rows_are_frozen_by_tr_j_and_not_by_scale_times_tr_j(result):
    trace = passed_by_each(result.params)[gradient_flow.PLACES.index("softmax")]
    share = [np.mean(row < gradient_flow.FROZEN_BELOW) for row in trace]
    assert result.frozen_share.tolist() == share
    assert np.allclose(result.frozen_error, [np.sqrt(p * (1 - p) / 2000) for p in share], rtol=1e-13, atol=0)
    # Multiplied by the scale, all traces at d_k = 4,096 would be below twice the threshold; yet no row is frozen.
    wide = gradient_flow.GradientFlowParams(4096, 512)
    assert (wide.d_k**-0.5 * passed_by_each(wide)[0, 1] < 2 * gradient_flow.FROZEN_BELOW).all()
    assert gradient_flow.measure_gradient_flow(wide).frozen_share[1] == 0


def test_mean_gradient_at_q_rises_only_without_the_scale():
    statistics = gradient_flow.gradient_curve((4, 16, 64, 256), n_keys=16, n_rows=20_000).statistics
    raw, scaled = statistics.mean[gradient_flow.PLACES.index("q")]
    assert (np.diff(raw) > 0.05).all()
    assert raw[-1] > 2 * raw[0]
    assert scaled.min() > 0.25
    assert scaled.max() < 0.30


def test_curve_agrees_with_the_measurement_at_one_dimension(result):
    curve = gradient_flow.gradient_curve((3, 512), n_keys=64)
    for field in dataclasses.fields(curve.statistics):
        here, there = getattr(result.statistics, field.name), getattr(curve.statistics, field.name)
        assert np.array_equal(here, there[..., 1], equal_nan=True), field.name
    assert np.array_equal(curve.frozen_share[:, 1], result.frozen_share)
    assert np.array_equal(curve.frozen_error[:, 1], result.frozen_error)


def test_scores_of_rows_agrees_with_freezing_rows():
    scores = gradient_flow.scores_of_rows(512, n_keys=16, seed=3)
    rows = [gradient_flow.measure_row_jacobian(each, 512) for each in scores]
    raw, scaled = gradient_flow.freezing_rows((64, 512), n_keys=16, seed=3).passed[0, :, 1]
    assert np.allclose([row.raw_trace for row in rows], raw, rtol=1e-9, atol=0)
    assert np.allclose([row.scaled_trace for row in rows], scaled, rtol=1e-12, atol=0)


def test_gradient_at_q_hardly_changes_when_one_component_is_appended():
    """Append one component to a thousand, with all other random numbers unchanged."""
    passed = gradient_flow.freezing_rows((1000, 1001), n_keys=16, seed=3).passed[1]
    assert np.median(np.abs(np.log(passed[1, 1] / passed[1, 0]))) < 0.1
    assert np.corrcoef(passed[1])[0, 1] > 0.95


def test_jacobians_of_the_lists_in_the_notes():
    near, far = gradient_flow.measure_row_jacobian([4, 5], 1), gradient_flow.measure_row_jacobian([1, 10], 1)
    assert abs(near.raw_norm - 0.393224) < 5e-7
    assert abs(far.raw_norm - 2.46759e-4) < 5e-10
    assert np.allclose(near.raw_jacobian, 0.196612 * np.array([[1, -1], [-1, 1]]), rtol=0, atol=5e-7)


def test_scaled_row_is_divided_by_the_square_root():
    row = gradient_flow.measure_row_jacobian([1.0, 10.0, 4.0], 9)
    assert np.allclose(row.scaled_scores, [1 / 3, 10 / 3, 4 / 3], rtol=1e-15, atol=0)
    assert abs(row.norm_ratio - row.scaled_norm / row.raw_norm) < 1e-13
    assert np.abs(row.scaled_jacobian).max() <= row.colour_limit
    assert gradient_flow.measure_row_jacobian([0.0, 1e6], 1).norm_ratio == np.inf


def test_rate_of_two_keys_is_one_over_the_root_of_pi_d_k():
    rate = gradient_flow.gradient_curve((16,), n_keys=2, n_rows=10).rate
    assert np.allclose(rate, 1 / np.sqrt(np.pi * 16), rtol=1e-13, atol=0)


def test_bad_arguments_are_refused():
    with pytest.raises(TypeError, match="d_k must be an integer"):
        gradient_flow.gradient_curve((2.5,))
    with pytest.raises(ValueError, match="raw_scores must have at least 2 entries"):
        gradient_flow.measure_row_jacobian([1.0], 4)


# --- single rows -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def rows():
    return gradient_flow.freezing_rows((1, 64, 512, 4096), n_keys=16, seed=3)


def test_frozen_rows_are_counted_and_all_rows_averaged(rows):
    assert rows.passed.shape == (2, 2, 4, gradient_flow.DOTS)
    assert rows.frozen.tolist() == [
        [np.sum(each < gradient_flow.FROZEN_BELOW) for each in side] for side in rows.passed[0]
    ]
    assert np.allclose(rows.mean, rows.passed.mean(axis=-1), rtol=1e-13, atol=0)


def test_traces_far_below_rounding_keep_their_digits():
    passed = gradient_flow.freezing_rows((4096,), n_keys=2, seed=1).passed[0, 0, 0]
    assert (passed > 0).all()
    assert passed.min() < 1e-20


def test_rows_at_one_dimension_do_not_depend_on_the_others(rows):
    alone = gradient_flow.freezing_rows((512,), n_keys=16, seed=3)
    assert np.array_equal(alone.passed[:, :, 0], rows.passed[:, :, 2])
    with pytest.raises(ValueError, match="dims must hold at least one"):
        gradient_flow.freezing_rows(())
    with pytest.raises(ValueError, match="dims must be strictly increasing"):
        gradient_flow.freezing_rows((64, 4))
    with pytest.raises(ValueError, match="d_k must be between 1 and 4096, but got 5000"):
        gradient_flow.freezing_rows((5000,))


# --- properties --------------------------------------------------------------------------------------


ANY_PARAMS = st.builds(
    gradient_flow.GradientFlowParams,
    d_k=st.integers(1, 1024),
    n_keys=st.sampled_from([2, 3, 12]),  # few values: each needs its own table of exact means
    n_rows=st.just(40),
    seed=st.integers(0, 2**32 - 1),
)


@settings(max_examples=30)
@given(ANY_PARAMS)
def test_sensitivities_stay_inside_their_bounds(params):
    found = gradient_flow.measure_gradient_flow(params).statistics
    for each in (found.median, found.mean):
        assert (each >= 0).all()
        assert (each[0] <= 1 - 1 / params.n_keys + 1e-12).all()
        # A smaller scale makes every row flatter, so the trace of its Jacobian can only grow.
        assert (np.diff(each[0]) >= -1e-12).all()


@settings(max_examples=10)
@given(st.sampled_from([2, 3, 12]), st.integers(0, 2**32 - 1))
def test_share_of_frozen_rows_without_the_scale_never_falls_with_d_k(n_keys, seed):
    share = gradient_flow.gradient_curve((1, 2, 5, 16, 17, 300, 1024), n_keys=n_keys, n_rows=60, seed=seed).frozen_share
    assert (np.diff(share[0]) >= 0).all()
    assert (share[0] >= share[1]).all()


@settings(max_examples=10)
@given(st.sampled_from([2, 3, 12, 100]), st.integers(0, 2**32 - 1))
def test_scale_never_lowers_the_trace_of_a_row(n_keys, seed):
    passed = gradient_flow.freezing_rows((1, 2, 5, 16, 17, 300, 1024), n_keys=n_keys, seed=seed).passed[0]
    assert (passed[1] >= passed[0] * (1 - 1e-12)).all()
    assert ((passed >= 0) & (passed <= 1 - 1 / n_keys + 1e-12)).all()


# --- oracles -----------------------------------------------------------------------------------------


def test_measured_means_agree_with_the_exact_ones():
    statistics = gradient_flow.gradient_curve((1, 4, 16, 64, 256, 1024), n_keys=32, seed=3).statistics
    assert np.abs(statistics.z[0]).max() < 4


# From an independent simulation with full Q and K, at 64 keys: median of tr J, share of rows with tr J below 0.01.
@pytest.mark.parametrize(("d_k", "median", "share"), [(64, 0.2485, 0.15), (512, 3.95e-3, 0.56)])
def test_median_trace_and_frozen_share_agree_with_a_simulation(d_k, median, share):
    result = gradient_flow.measure_gradient_flow(gradient_flow.GradientFlowParams(d_k=d_k, n_rows=20_000, seed=5))
    statistics = result.statistics
    assert statistics.median_low[0, 0] <= median <= statistics.median_high[0, 0]
    # The share above is rounded to 0.01, hence 0.005 more than the four standard errors.
    assert abs(result.frozen_share[0] - share) < 0.005 + 4 * result.frozen_error[0]


def test_softmax_responses_agree_with_the_jacobian():
    rows = gradient_flow._draw_rows(n_keys=5, n_rows=40, seed=1)
    stretch = np.linspace(0.1, 6.0, 40)
    trace, along_q, size = gradient_flow._softmax_response(rows, stretch)
    push = np.zeros_like(rows.z)  # each weight's gradient minus the best key's, in the order of the keys
    push[np.arange(5) != rows.z.argmax(axis=1)[:, None]] = rows.pushes.ravel()
    jacobians = softmax_jacobian(stretch[:, None] * rows.z)
    d_scores = np.einsum("rij,rj->ri", jacobians, push)
    assert np.allclose(trace, np.trace(jacobians, axis1=1, axis2=2), rtol=1e-12, atol=0)
    assert np.allclose(size, np.linalg.norm(d_scores, axis=1), rtol=1e-12, atol=0)
    assert np.allclose(along_q, np.abs(np.sum(rows.z * d_scores, axis=1)), rtol=1e-10, atol=0)


def test_two_keys_with_scores_far_apart_keep_relative_accuracy():
    z, one = np.array([[0.0, 1.0]]), np.array([0.5])
    rows = gradient_flow._Rows(z, np.array([[1.0]]), np.array([[-1.0]]), one, one)
    trace, along_q, size = gradient_flow._softmax_response(rows, np.array([40.0]))[:, 0]
    # mpmath, 40 digits: p = exp(-40)/(1 + exp(-40)); 2*p*(1-p) = 8.4967085089...e-18
    #   mpmath.mp.dps = 40; p = 1/(1 + mpmath.exp(40)); print(2*p*(1 - p))
    product = 8.496708510583498e-18
    assert abs(trace / product - 1) < 1e-12
    # One unit of downstream gradient on one of two keys: dS = p (1 − p) (1, −1).
    assert abs(size / (product / np.sqrt(2)) - 1) < 1e-12
    assert abs(along_q / (product / 2) - 1) < 1e-12


@pytest.mark.parametrize(("d_k", "scale_index"), [(1, 0), (2, 1), (16, 0), (16, 1)])
def test_gradient_at_q_has_the_law_of_real_queries_and_keys(d_k, scale_index):
    n_rows, n_keys = 4_000, 6
    rows = gradient_flow._draw_rows(n_keys, n_rows, seed=2)
    followed = [
        gradient_flow.freezing_rows((d_k,), n_keys=n_keys, seed=seed).passed[1, scale_index, 0] for seed in range(40)
    ]
    short = gradient_flow._sensitivity(rows, d_k)[1, scale_index], np.concatenate(followed)
    rng = np.random.default_rng(3)
    q, k = rng.standard_normal((n_rows, 1, d_k)), rng.standard_normal((n_rows, n_keys, d_k))
    # With the identity as V, outputs are weights, and d_output is the gradient at the weights.
    V, d_P = np.eye(n_keys), rng.standard_normal((n_rows, 1, n_keys))
    scale = d_k ** -(0.0, 0.5)[scale_index]
    long = np.linalg.norm(attention_backward(q, k, V, d_P, scale=scale).d_Q[:, 0], axis=1)
    for ours in short:
        assert len(ours) == n_rows
        for function in (np.asarray, np.square, lambda x: x < np.median(long)):
            a, b = function(ours).astype(float), function(long).astype(float)
            assert abs(a.mean() - b.mean()) < 4 * np.sqrt((a.var() + b.var()) / n_rows)


def test_mean_trace_without_the_scale_approaches_its_rate():
    curve = gradient_flow.gradient_curve((256, 1024), n_keys=8, n_rows=10)
    relative = curve.statistics.exact_mean[0, 0] / curve.rate - 1
    assert abs(relative[1]) < 0.01
    assert abs(relative[1]) < abs(relative[0])


def test_single_rows_agree_with_full_softmax_jacobians():
    dims = (1, 8, 64)
    rows, drawn = gradient_flow.freezing_rows(dims, n_keys=16, seed=4), growing_rows(dims, 100, 16, 4)
    for i, (d_k, (scores, _)) in enumerate(zip(dims, drawn, strict=True)):
        for j, scale in enumerate((1.0, d_k**-0.5)):
            trace = np.trace(softmax_jacobian(scale * scores), axis1=1, axis2=2)
            # 1e-14 is the rounding of 1 − p, which the lesson avoids but this trace does not.
            assert np.allclose(rows.passed[0, j, i], trace, rtol=1e-10, atol=1e-14)


def _frozen_of_full_rows(n_rows, n_keys, rng):
    """Draw every component, and return masks of the rows that are frozen at d_k = 64 and at 128."""
    q, k = rng.standard_normal((n_rows, 1, 128)), rng.standard_normal((n_rows, n_keys, 128))
    scores = np.cumsum(q * k, axis=-1)[..., [63, 127]]
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    return ((1 - np.square(weights).sum(axis=1)) < gradient_flow.FROZEN_BELOW).T


@pytest.mark.parametrize(("n_keys", "thawed"), [(16, 0.54), (64, 0.63)])
def test_share_of_thawing_rows_agrees_with_full_draws(n_keys, thawed):
    full = _frozen_of_full_rows(1_500, n_keys, np.random.default_rng(1))
    ours = np.concatenate(
        [
            gradient_flow.freezing_rows((64, 128), n_keys=n_keys, seed=s).passed[0, 0] < gradient_flow.FROZEN_BELOW
            for s in range(60)
        ],
        axis=-1,
    )
    shares = [np.mean(~after[before]) for before, after in (full, ours)]
    errors = [np.sqrt(thawed * (1 - thawed) / before.sum()) for before, _ in (full, ours)]
    assert abs(shares[0] - shares[1]) < 4 * np.hypot(*errors)
    assert abs(shares[1] - thawed) < 4 * errors[1]


@pytest.mark.parametrize("d_k", [1, 4, 64, 512])
def test_frozen_share_of_two_keys_agrees_with_the_exact_law(d_k):
    p = (1 - np.sqrt(1 - 2 * gradient_flow.FROZEN_BELOW)) / 2
    gap = np.log((1 - p) / p)
    result = gradient_flow.measure_gradient_flow(gradient_flow.GradientFlowParams(d_k, n_keys=2, n_rows=20_000, seed=8))
    # The difference of the two scores, q · (k₁ − k₂), has the law of √2 times one score.
    for scale, share, error in zip((1, d_k**-0.5), result.frozen_share, result.frozen_error, strict=True):
        exact = 2 * dot_product_cdf(-gap / scale / np.sqrt(2), d_k)
        assert abs(share - exact) <= 4 * max(error, np.sqrt(exact / 20_000))
    low, high = result.frozen_low, result.frozen_high
    assert ((low <= result.frozen_share) & (result.frozen_share <= high)).all()
