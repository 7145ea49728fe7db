"""The exact law of q . k on cases checked by hand."""

import numpy as np
import pytest

from sattn_core.law import dot_product_cdf, dot_product_pdf, dot_product_ppf

S = np.linspace(-12, 12, 49)


def test_two_components_are_the_laplace_law():
    np.testing.assert_allclose(dot_product_pdf(S, 2), np.exp(-abs(S)) / 2, rtol=1e-14)
    np.testing.assert_allclose(dot_product_cdf(-abs(S), 2), np.exp(-abs(S)) / 2, rtol=1e-13)
    assert dot_product_ppf(0.95, 2) == pytest.approx(np.log(10), rel=1e-13)


def test_four_components_by_hand():
    np.testing.assert_allclose(dot_product_pdf(S, 4), (1 + abs(S)) * np.exp(-abs(S)) / 4, rtol=1e-14)
    np.testing.assert_allclose(dot_product_cdf(-abs(S), 4), (2 + abs(S)) * np.exp(-abs(S)) / 4, rtol=1e-13)


def test_the_density_at_zero():
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
def test_probabilities_at_the_ends(d_k):
    np.testing.assert_array_equal(dot_product_ppf([0, 0.5, 1], d_k), [-np.inf, 0, np.inf])
    assert dot_product_cdf(0.0, d_k) == 0.5
    np.testing.assert_array_equal(dot_product_cdf([-1e308, 1e308], d_k), [0, 1])
    np.testing.assert_array_equal(dot_product_pdf([-1e308, np.finfo(float).max], d_k), [0, 0])
    assert 0 <= dot_product_cdf(-1e-320, d_k) <= 0.5


@pytest.mark.parametrize("d_k", [1, 2, 10, 64, 4096])
def test_quantiles_of_the_smallest_probabilities_are_finite(d_k):
    # below 2e-308 a probability is subnormal and the tail underflows on the way
    s = dot_product_ppf([5e-324, 1e-310, 1e-300, 1e-290], d_k)
    assert np.isfinite(s).all()
    assert (np.diff(s) > 0).all()


@pytest.mark.parametrize("function", [dot_product_pdf, dot_product_cdf, dot_product_ppf])
def test_shapes_and_types(function):
    assert isinstance(function(0.25, 3), np.float64)
    assert function([[0.1, 0.2, 0.3]], 3).shape == (1, 3)
    assert function(np.zeros((2, 0)), 40).shape == (2, 0)
    assert function([1, 0], 3).dtype == np.float64


@pytest.mark.parametrize("function", [dot_product_pdf, dot_product_cdf, dot_product_ppf])
def test_messages(function):
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
