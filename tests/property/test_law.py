"""What holds for the law of q . k at every dimension."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sattn_core.law import dot_product_cdf, dot_product_pdf, dot_product_ppf

DIMS = st.one_of(st.integers(1, 70), st.sampled_from([111, 512, 1023, 4096]))
SD = st.floats(-8, 8)  # a score in standard deviations


@settings(deadline=None, max_examples=60)
@given(DIMS, SD)
def test_the_law_is_symmetric(d_k, x):
    s = x * np.sqrt(d_k)
    assert dot_product_pdf(s, d_k) == dot_product_pdf(-s, d_k)
    np.testing.assert_allclose(dot_product_cdf(s, d_k) + dot_product_cdf(-s, d_k), 1, rtol=0, atol=1e-15)


@settings(deadline=None, max_examples=60)
@given(DIMS, st.floats(np.log(1e-12), np.log(0.5)))
def test_cdf_undoes_ppf_in_both_tails(d_k, log_p):
    p = np.exp(log_p)
    s = dot_product_ppf([p, 1 - p], d_k)
    lower, upper = dot_product_cdf(s, d_k)
    np.testing.assert_allclose(lower, p, rtol=1e-12)
    np.testing.assert_allclose(upper, 1 - p, rtol=1e-12)


@settings(deadline=None, max_examples=60)
@given(DIMS, st.floats(0.01, 7))
def test_ppf_undoes_cdf(d_k, x):
    s = -x * np.sqrt(d_k)
    np.testing.assert_allclose(dot_product_ppf(dot_product_cdf(s, d_k), d_k), s, rtol=1e-9)


@settings(deadline=None, max_examples=60)
@given(DIMS, st.lists(SD, min_size=2, max_size=6, unique=True))
def test_the_cdf_increases_and_the_density_falls_away_from_zero(d_k, xs):
    s = np.sort(xs) * np.sqrt(d_k)
    cdf, density = dot_product_cdf(s, d_k), dot_product_pdf(np.sort(abs(s)), d_k)
    # neighbours a rounding error apart may swap
    assert (cdf[1:] >= cdf[:-1] * (1 - 1e-13)).all()
    assert (density[1:] <= density[:-1] * (1 + 1e-13)).all()


@settings(deadline=None, max_examples=60)
@given(DIMS, st.floats(0.05, 7))
def test_the_density_is_the_slope_of_the_cdf(d_k, x):
    # 5-point difference of the tail: error h^4 f''''/30, below 1e-7 relative at this h
    s, h = x * np.sqrt(d_k), 2e-3 * x * np.sqrt(d_k) / (1 + x**2)
    f = dot_product_cdf(-s + h * np.array([-2, -1, 1, 2]), d_k)
    slope = (f[0] - 8 * f[1] + 8 * f[2] - f[3]) / (12 * h)
    np.testing.assert_allclose(slope, dot_product_pdf(s, d_k), rtol=1e-7)


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 600), st.floats(0.01, 8))
def test_two_more_components_add_a_known_term_to_the_tail(d_k, x):
    # (1 + t^2) phi_(d+2) = phi_d integrates to P_(d+2)(S > s) = P_d(S > s) + (s/d) f_d(s)
    s = x * np.sqrt(d_k)
    longer = dot_product_cdf(-s, d_k) + s / d_k * dot_product_pdf(s, d_k)
    np.testing.assert_allclose(dot_product_cdf(-s, d_k + 2), longer, rtol=1e-11)
