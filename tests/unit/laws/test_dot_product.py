"""The exact law of q . k: cases by hand, properties and oracles."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp
from scipy import special

from sattn_core.laws.components import PairLaw
from sattn_core.laws.dot_product import (
    dot_product_cdf,
    dot_product_pdf,
    dot_product_ppf,
    has_exact_density,
    score_density,
)


def test_density_at_zero_by_hand():
    assert dot_product_pdf(0.0, 1) == np.inf
    assert dot_product_pdf(0.0, 2) == pytest.approx(1 / 2, rel=1e-15)
    assert dot_product_pdf(0.0, 3) == pytest.approx(1 / np.pi, rel=1e-15)
    # f(0) = Gamma((d-1)/2) / (2 sqrt(pi) Gamma(d/2)); at d = 33: 15! 2^16 / (2 pi 31!!)
    odd_factorial = np.prod(np.arange(1.0, 32.0, 2.0))
    assert dot_product_pdf(0.0, 33) == pytest.approx(
        float(np.prod(np.arange(1.0, 16.0))) * 2**16 / (2 * np.pi * odd_factorial), rel=1e-12
    )


@pytest.mark.parametrize("d_k", [2, 3, 30, 31, 4096])
def test_the_density_is_smooth_at_zero(d_k):
    assert dot_product_pdf(1e-12, d_k) == pytest.approx(dot_product_pdf(0.0, d_k), rel=1e-11)


@pytest.mark.parametrize("d_k", [1, 2, 3, 64, 4096])
def test_values_at_the_centre_and_at_both_ends_are_exact(d_k):
    np.testing.assert_array_equal(dot_product_ppf([0, 0.5, 1], d_k), [-np.inf, 0, np.inf])
    assert dot_product_cdf(0.0, d_k) == 0.5
    np.testing.assert_array_equal(dot_product_cdf([-1e308, 1e308], d_k), [0, 1])
    np.testing.assert_array_equal(dot_product_pdf([-1e308, np.finfo(float).max], d_k), [0, 0])
    assert 0 <= dot_product_cdf(-1e-320, d_k) <= 0.5


@pytest.mark.parametrize("d_k", [1, 2, 10, 64, 4096])
def test_quantiles_of_the_smallest_probabilities_are_finite(d_k):
    # below 2e-308 a probability is subnormal, and the computed tail underflows
    s = dot_product_ppf([5e-324, 1e-310, 1e-300, 1e-290], d_k)
    assert np.isfinite(s).all()
    assert (np.diff(s) > 0).all()


@pytest.mark.parametrize("function", [dot_product_pdf, dot_product_cdf, dot_product_ppf])
def test_results_keep_shapes_and_are_float64(function):
    assert isinstance(function(0.25, 3), np.float64)
    assert function([[0.1, 0.2, 0.3]], 3).shape == (1, 3)
    assert function(np.zeros((2, 0)), 40).shape == (2, 0)
    assert function([1, 0], 3).dtype == np.float64


@pytest.mark.parametrize("function", [dot_product_pdf, dot_product_cdf, dot_product_ppf])
def test_bad_arguments_are_refused_by_name(function):
    name = "probability" if function is dot_product_ppf else "s"
    with pytest.raises(ValueError, match=f"{name} must hold finite numbers only, but got nan"):
        function([0.5, np.nan], 4)
    with pytest.raises(TypeError, match=f"{name} must hold real numbers, but got dtype complex128"):
        function(1j, 4)
    with pytest.raises(ValueError, match="d_k must be at least 1, but got 0"):
        function(0.5, 0)
    with pytest.raises(TypeError, match=r"d_k must be an integer, but got 4\.0"):
        function(0.5, 4.0)


@pytest.mark.parametrize("wrong", [-0.1, 1.5])
def test_a_probability_outside_the_unit_interval_is_refused(wrong):
    with pytest.raises(ValueError, match=rf"probability must lie in \[0, 1\], but got {wrong}"):
        dot_product_ppf([0.5, wrong], 4)


# --- properties --------------------------------------------------------------------------------------


DIMS = st.one_of(st.integers(1, 70), st.sampled_from([111, 512, 1023, 4096]))
SD = st.floats(-8, 8)  # a score, in standard deviations


@given(DIMS, SD)
def test_the_law_is_symmetric(d_k, x):
    s = x * np.sqrt(d_k)
    assert dot_product_pdf(s, d_k) == dot_product_pdf(-s, d_k)
    np.testing.assert_allclose(dot_product_cdf(s, d_k) + dot_product_cdf(-s, d_k), 1, rtol=0, atol=1e-15)


@given(DIMS, st.floats(np.log(1e-12), np.log(0.5)))
def test_cdf_undoes_ppf_in_both_tails(d_k, log_p):
    p = np.exp(log_p)
    s = dot_product_ppf([p, 1 - p], d_k)
    lower, upper = dot_product_cdf(s, d_k)
    np.testing.assert_allclose(lower, p, rtol=1e-12)
    np.testing.assert_allclose(upper, 1 - p, rtol=1e-12)


@given(DIMS, st.floats(0.05, 7))
def test_the_density_is_the_slope_of_the_cdf(d_k, x):
    # 5-point difference of the tail: truncation error h^4 f''''/30, below 1e-7 relative at this h
    s, h = x * np.sqrt(d_k), 2e-3 * x * np.sqrt(d_k) / (1 + x**2)
    f = dot_product_cdf(-s + h * np.array([-2, -1, 1, 2]), d_k)
    slope = (f[0] - 8 * f[1] + 8 * f[2] - f[3]) / (12 * h)
    np.testing.assert_allclose(slope, dot_product_pdf(s, d_k), rtol=1e-7)


# --- oracles -----------------------------------------------------------------------------------------


# d_k, s, density, P(S > s), by mpmath with 50 digits:
#   pdf = s**nu besselk(nu, s) / (sqrt(pi) 2**nu gamma(d/2)), nu = (d-1)/2, besselk raised from orders
#   -1/2, 1/2 or -1, 0 by K_(a+1) = K_(a-1) + 2a/s K_a;
#   tail = start + sum of (s/j) pdf_j(s) over j = d-2, d-4, ..., with start exp(-s)/2 at d = 2 and
#   quad(exp(-s cosh u)/cosh u, [0, 16])/pi at d = 1.
LITERALS = [
    (1, 8, 0.0000466230735087339197, 0.0000441946237983296901),
    (2, 10, 0.0000226999648812424258, 0.0000226999648812424258),
    (3, 5, 0.00643720222739653914, 0.0069596635043565525),
    (7, 20, 1.21364627950248488e-7, 1.36255662879424512e-7),
    (31, 40, 7.23948697224330054e-10, 1.01720362001726257e-9),
    (64, 8, 0.0299995100665759712, 0.156787999873901275),
    (64, 64, 8.46873520155378641e-13, 1.33353983635085654e-12),
    (111, 50, 9.70370821653444472e-7, 2.39921661359980821e-6),
    (512, 100, 1.14661174777467729e-6, 5.79464355642794514e-6),
    (4096, 64, 0.0037803307195392005, 0.158625721901852647),
    (4096, 512, 9.85954007138869948e-17, 7.88571862426345928e-16),
    (4095, 128, 0.00084304286354460691, 0.0227435466754570428),
]


@pytest.mark.parametrize(("d_k", "s", "density", "tail"), LITERALS)
def test_law_agrees_with_mpmath_literals(d_k, s, density, tail):
    # rounding of the exponent (at most 32) and of a few dozen terms: below 1e-12
    assert dot_product_pdf(s, d_k) == pytest.approx(density, rel=1e-12)
    assert dot_product_cdf(-s, d_k) == pytest.approx(tail, rel=1e-12)
    assert dot_product_ppf(tail, d_k) == pytest.approx(-s, rel=1e-12)


@pytest.mark.parametrize("d_k", [1, 2, 3, 5, 14, 18, 25, 30, 31, 32, 47, 64, 111, 256])
def test_density_agrees_with_mpmath_within_eight_standard_deviations(d_k):
    s = np.concatenate([[1e-12, 1e-5, 0.01], np.linspace(0.1, 8, 12)]) * math.sqrt(d_k)
    with mp.workdps(30):
        nu = mp.mpf(d_k - 1) / 2
        constant = 1 / (mp.sqrt(mp.pi) * 2**nu * mp.gamma(nu + 0.5))
        exact = [float(constant * mp.mpf(x) ** nu * mp.besselk(nu, mp.mpf(x))) for x in s.tolist()]
    np.testing.assert_allclose(dot_product_pdf(s, d_k), exact, rtol=1e-12)


@pytest.mark.parametrize("d_k", [2, 4, 8, 30, 64, 128])
def test_tail_agrees_with_the_finite_sum_for_even_dimensions(d_k):
    # |S| is a mixture of Erlang laws: P(S > s) = sum_k C(m-1+k, k) 2^-(m+k) Q(m-k, s), m = d/2
    m = d_k // 2
    s = np.linspace(0, 9, 30) * math.sqrt(d_k)
    k = np.arange(m)[:, None]
    tail = (special.comb(m - 1 + k, k) * 0.5 ** (m + k) * special.gammaincc(m - k, s)).sum(axis=0)
    # SciPy's incomplete gamma functions are accurate to 1e-12
    np.testing.assert_allclose(dot_product_cdf(-s, d_k), tail, rtol=1e-11)


def test_tail_of_one_product_agrees_with_struve_functions():
    # P(S <= s) = 1/2 + s/2 [K0(s) L_-1(s) + L0(s) K1(s)]
    s = np.linspace(0.01, 6, 25)
    K0, K1 = special.kv(0, s), special.kv(1, s)
    exact = 0.5 + s / 2 * (K0 * special.modstruve(-1, s) + special.modstruve(0, s) * K1)
    np.testing.assert_allclose(dot_product_cdf(s, 1), exact, rtol=1e-13)


def test_law_of_many_components_is_nearly_normal():
    x = np.linspace(-4, 4, 41)
    # first correction to the normal cdf: excess kurtosis / 24 = 1/(4 d_k) times He_3(x) phi(x), whose size is below 0.6
    d_k = 10**6
    assert abs(dot_product_cdf(x * 1000, d_k) - special.ndtr(x)).max() < 0.2 / d_k


S = np.linspace(-9.0, 9.0, 7)


def test_the_density_of_centred_normal_components_is_exact():
    assert has_exact_density(PairLaw())
    np.testing.assert_array_equal(score_density(S, 16, PairLaw()), dot_product_pdf(S, 16))


@pytest.mark.parametrize(
    ("pair_law", "mean", "variance"),
    [
        (PairLaw("uniform"), 0, 16),
        (PairLaw(mean_q=0.5, mean_k=2.0), 16, 16 * (1 + 0.25 + 4)),
        (PairLaw(correlation=0.5), 8, 20),
    ],
)
def test_density_of_other_laws_is_normal_with_their_moments(pair_law, mean, variance):
    assert not has_exact_density(pair_law)
    wanted = np.exp(-((S - mean) ** 2) / (2 * variance)) / math.sqrt(2 * math.pi * variance)
    np.testing.assert_allclose(score_density(S, 16, pair_law), wanted, rtol=1e-12)


def test_constant_scores_have_no_density():
    assert np.isnan(score_density(S, 4, PairLaw("rademacher", correlation=1.0))).all()
