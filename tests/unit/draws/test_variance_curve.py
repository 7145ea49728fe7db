import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from sattn_core.draws.variance_curve import variance_curve
from sattn_core.laws.components import COMPONENT_LAWS, PairLaw, append_components


def test_variance_curve_measures_appended_scores():
    curve = variance_curve((2, 9), n_samples=300, law="uniform", mean_q=0.5, correlation=0.2, seed=8)
    for column, d_k in enumerate((2, 9)):
        scores = append_components(np.zeros(300), 0, d_k, PairLaw("uniform", mean_q=0.5, correlation=0.2), seed=8)
        measured = scores.var(ddof=1) / np.array([1, d_k, d_k**2])
        np.testing.assert_allclose(curve.measured[:, column], measured, rtol=1e-12)
    assert (curve.dims, curve.exponents) == ((2, 9), (0.0, 0.5, 1.0))
    assert (curve.error_source, curve.is_rough) == ("exact, gamma approximation", False)


def test_smaller_components_make_smaller_scores():
    d_k, size, n = 16, 0.35, 200_000
    curve = variance_curve((4, d_k), n_samples=300, seed=8)
    smaller = curve.of_smaller(size)
    rng = np.random.default_rng(3)
    scores = np.einsum("ni,ni->n", *size * rng.standard_normal((2, n, d_k)))
    # Four standard errors of the variance of near-normal scores.
    np.testing.assert_allclose(smaller.theory[0, -1], scores.var(), rtol=4 * np.sqrt(2.4 / n))
    for name in ("measured", "theory", "low", "high"):
        np.testing.assert_allclose(getattr(smaller, name), size**4 * getattr(curve, name), rtol=1e-14)
    assert (smaller.dims, smaller.is_rough) == (curve.dims, curve.is_rough)
    with pytest.raises(ValueError, match=r"size must be a finite number in \(0, 1\], but got 0"):
        curve.of_smaller(0)


def test_variance_curve_theory_and_band_by_hand():
    curve = variance_curve((4, 16), n_samples=100, seed=0)
    np.testing.assert_allclose(curve.theory, [[4, 16], [1, 1], [1 / 4, 1 / 16]], rtol=1e-13)
    error = 16 * math.sqrt((6 / 16 + 3 - 97 / 99) / 100)
    low, high = stats.gamma((16 / error) ** 2, scale=error**2 / 16).interval(0.95)
    np.testing.assert_allclose(curve.high[:, 1], [high, high / 16, high / 256], rtol=1e-10)
    np.testing.assert_allclose(curve.low[:, 1], [low, low / 16, low / 256], rtol=1e-10)


def test_variance_curve_is_rough_if_any_of_its_bands_is_rough():
    curve = variance_curve((1, 1024), n_samples=4_000, law="student_t", seed=0)
    assert (curve.error_source, curve.is_rough) == ("exact, rough gamma approximation", True)


def test_variance_curve_says_when_its_band_is_estimated():
    curve = variance_curve((4,), n_samples=100, law="student_t", correlation=0.5, seed=0)
    assert (curve.error_source, curve.is_rough) == ("rough estimate from the draws", True)
    assert np.isfinite(curve.high).all()


def test_band_of_constant_scores_has_no_width():
    curve = variance_curve((4,), n_samples=100, law="rademacher", correlation=1.0, seed=0)
    np.testing.assert_array_equal([curve.measured, curve.low, curve.high], np.zeros((3, 3, 1)))


# --- properties ----------------------------------------------------------------------------------------


laws = st.sampled_from(tuple(COMPONENT_LAWS))
seeds = st.integers(0, 2**40)
means = st.sampled_from([0.0, 0.5, -2.0])
correlations = st.sampled_from([0.0, 0.3, -1.0, 1.0])


@settings(max_examples=30)
@given(st.sets(st.integers(1, 60), min_size=1, max_size=4), laws, means, correlations, seeds)
def test_band_of_a_variance_curve_contains_the_theory(dims, law, mean_q, correlation, seed):
    options = {"n_samples": 20, "law": law, "mean_q": mean_q, "correlation": correlation, "seed": seed}
    curve = variance_curve(sorted(dims), **options)
    assert ((curve.low <= curve.theory) & (curve.theory <= curve.high)).all()
    np.testing.assert_array_equal(curve.measured, variance_curve(sorted(dims), **options).measured)


def test_spreads_are_the_roots_of_the_variances():
    curve = variance_curve((1, 4, 16), n_samples=200, seed=0)
    assert curve.spread("theory").tolist() == [[1, 2, 4], [1, 1, 1], [1, 0.5, 0.25]]
    for what in ("measured", "low", "high"):
        np.testing.assert_allclose(curve.spread(what) ** 2, np.maximum(getattr(curve, what), 0), rtol=1e-14)
    with pytest.raises(ValueError, match="what must be one of measured, theory, low, high, but got 'dims'"):
        curve.spread("dims")
