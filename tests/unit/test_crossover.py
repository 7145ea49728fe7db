import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, optimize, stats

from sattn_core.crossover import _nearest_gaps, _traces, median_crossover
from sattn_core.saturation import critical_score_std
from sattn_core.softmax import softmax, softmax_jacobian


@pytest.mark.parametrize(("n_keys", "below", "above"), [(16, 64, 128), (64, 128, 512), (512, 128, 512)])
def test_the_crossover_lies_between_dimensions_of_known_ratios(n_keys, below, above):
    # Median without over with the scale: above 1 at the first d_k, below 1 at the second (1.2 and 0.5 for 16 keys).
    crossover = median_crossover(n_keys)
    assert below < crossover.low < crossover.d_k < crossover.high < above
    assert crossover.high / crossover.low < 1.13


def test_the_ratio_is_that_to_the_threshold_of_freezing():
    crossover = median_crossover(16)
    assert crossover.critical_ratio == pytest.approx(np.sqrt(crossover.d_k) / critical_score_std(16), rel=1e-14)
    assert 3.5 < crossover.critical_ratio < 4


def test_traces_are_those_of_the_jacobian():
    gaps = np.array([[0.0, 0.5, 2.0], [0.0, 0.1, 0.2], [0.0, 3.0, 3.0]])
    found = _traces(np.array([1.0, 4.0]), gaps)  # the third row takes the first stretch again
    rows = [softmax_jacobian(-stretch * row) for stretch, row in zip((1.0, 4.0, 1.0), gaps, strict=True)]
    assert np.allclose(found, np.trace(rows, axis1=1, axis2=2), rtol=1e-13, atol=0)


def test_gaps_begin_with_the_best_key_and_grow():
    gaps = _nearest_gaps(np.random.default_rng(0), 100)
    assert gaps.shape == (500, 32)
    assert (gaps[:, 0] == 0).all()
    assert (np.diff(gaps, axis=1) > 0).all()
    assert _nearest_gaps(np.random.default_rng(0), 3).shape == (500, 3)


@pytest.mark.parametrize(
    ("n_keys", "error", "message"),
    [
        (1, ValueError, "n_keys must be between 2 and 1024, but got 1"),
        (1025, ValueError, "n_keys must be between 2 and 1024, but got 1025"),
        (16.5, TypeError, "n_keys must be an integer"),
    ],
)
def test_other_numbers_of_keys_are_refused(n_keys, error, message):
    with pytest.raises(error, match=message):
        median_crossover(n_keys)


# --- properties ----------------------------------------------------------------------------------------


@settings(max_examples=12)
@given(st.integers(2, 1024))
def test_it_lies_well_above_the_threshold_and_inside_its_interval(n_keys):
    crossover = median_crossover(n_keys)
    assert crossover.low < crossover.d_k < crossover.high
    assert np.sqrt(crossover.low) > 2 * critical_score_std(n_keys)


# --- oracles -------------------------------------------------------------------------------------------


def median_gap_of_two_keys(d_k):
    """Median of |q·(k₁ − k₂)|: given |q| it is |q| √2 |N(0, 1)|."""

    def surplus(gap):
        def below(norm):
            return stats.chi.pdf(norm, d_k) * (2 * stats.norm.cdf(gap / (np.sqrt(2) * norm)) - 1)

        return integrate.quad(below, 0, np.inf)[0] - 0.5

    return optimize.brentq(surplus, 1e-6, 60, xtol=1e-5)


def test_two_keys_have_an_exact_crossover():
    def log_ratio(d_k):
        # tr J = 2 p (1 − p) falls with the gap, so its median is that of the median gap.
        raw, scaled = (0.5 / np.cosh(gap / 2) ** 2 for gap in median_gap_of_two_keys(d_k) * np.array([1, d_k**-0.5]))
        return np.log(raw / scaled * np.sqrt(d_k))

    exact = optimize.brentq(log_ratio, 3, 40, xtol=1e-3)  # the interval is a hundred times wider
    crossover = median_crossover(2)
    error = np.log(crossover.high / crossover.low) / (2 * stats.t.ppf(0.975, 19))
    assert abs(np.log(crossover.d_k / exact)) < 4 * error
    assert error < 0.03


def log_ratio_of_medians(n_keys, d_k, n_rows, rng):
    """ln of the median without over that with the scale, from full q and K, and its standard error."""
    scores = np.concatenate([_scores(n_keys, d_k, 500, rng) for _ in range(n_rows // 500)])
    raw, scaled = (np.sort(1 - (softmax(c * scores) ** 2).sum(axis=1)) for c in (1.0, d_k**-0.5))
    middle, reach = n_rows // 2, round(np.sqrt(n_rows) / 2)  # one standard error of the rank of the median
    error = np.log(raw[middle + reach] / raw[middle - reach]) / 2
    return np.log(raw[middle] / scaled[middle] * np.sqrt(d_k)), error


def _scores(n_keys, d_k, n_rows, rng):
    q, K = rng.standard_normal((n_rows, d_k)), rng.standard_normal((n_rows, n_keys, d_k))
    return np.einsum("rd,rnd->rn", q, K)


@pytest.mark.parametrize("n_keys", [4, 16, 64])
def test_real_queries_and_keys_cross_there(n_keys):
    crossover = median_crossover(n_keys)
    rng = np.random.default_rng(17)
    low, high = round(crossover.d_k / 1.3), round(crossover.d_k * 1.3)
    n_rows = 64_000 // n_keys
    (left, left_error), (right, right_error) = (log_ratio_of_medians(n_keys, d, n_rows, rng) for d in (low, high))
    # The line between the two points; its curvature moves the crossing by less than 2 %.
    slope = (right - left) / np.log(high / low)
    crossing = np.log(low) - left / slope
    error = np.hypot(np.hypot(left_error, right_error) / 2 / slope, np.log(crossover.high / crossover.low) / 4)
    assert abs(crossing - np.log(crossover.d_k)) < 0.02 + 4 * error
    assert left > 0 > right


def test_the_gaps_have_the_distribution_of_the_largest_normals():
    rng = np.random.default_rng(3)
    gaps = np.concatenate([_nearest_gaps(rng, 64) for _ in range(8)])
    z = np.sort(rng.standard_normal((4_000, 64)), axis=1)[:, ::-1]
    for rank in (1, 5, 31):
        # 4,000 rows on both sides; a Latin hypercube only narrows the statistic.
        assert stats.ks_2samp(gaps[:, rank], z[:, 0] - z[:, rank]).pvalue > 1e-3
