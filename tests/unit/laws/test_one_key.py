"""The expected weight of one key among many, compared with SciPy's quadrature, random draws and identities."""

import math
import re

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from sattn_core.laws.one_key import MOST_KEYS, _lost, expected_key_weight
from tests.simulations import within_four_errors


def nested(n, score, std, start=1.0):
    """Return the expected weight as a double integral by SciPy's adaptive quadrature."""

    def lost(v):
        points = [p for p in (-v / std + k / std for k in (-6, -2, 0, 2, 4)) if abs(p) < 9.5]
        each = lambda x: math.exp(-0.5 * x * x) * -math.expm1(-math.exp(min(v + std * x, 700)))  # noqa: E731
        area = quad(each, -9.5, 9.5, points=[*points, 0.0], limit=400, epsabs=1e-17, epsrel=1e-12)[0]
        return min(area / math.sqrt(2 * math.pi), 1 - 1e-16)

    whole = lambda u: math.exp(u - start * math.exp(u) + (n - 1) * math.log1p(-lost(u - score)))  # noqa: E731
    return quad(whole, -36, 4, points=[-25, -15, -10, -5, -2, 0, 2], limit=400, epsabs=1e-13, epsrel=1e-10)[0]


@pytest.mark.parametrize(
    ("n", "score", "std"),
    [(2, 8, 1), (50, 3, 0.3), (1809, 8, 1), (MOST_KEYS, 8, 1), (MOST_KEYS, 17.6, 2.2), (4096, 24, 8), (512, 64, 32)],
)
def test_weight_agrees_with_the_double_integral(n, score, std):
    assert expected_key_weight(n, score, std) == pytest.approx(nested(n, score, std), abs=1e-11)


def test_sink_adds_exp_of_minus_the_score_to_the_denominator():
    assert expected_key_weight(16, 1.0, sink=True) == pytest.approx(nested(16, 1.0, 1.0, 1 + math.exp(-1)), abs=1e-11)
    assert expected_key_weight(1, 1.0, sink=True) == pytest.approx(1 / (1 + math.exp(-1)), abs=1e-12)


@pytest.mark.parametrize("score", [-2.0, 0.0, 3.0])
def test_weight_among_two_keys_is_the_mean_of_a_sigmoid(score):
    mean = mpmath.quad(lambda x: mpmath.npdf(x) / (1 + mpmath.exp(x - score)), [-12, -4, 0, 4, 12])
    assert expected_key_weight(2, score) == pytest.approx(float(mean), abs=1e-12)


@pytest.mark.parametrize(("n", "std"), [(2, 1.0), (64, 1.0), (64, 3.0), (4096, 1.0)])
def test_weight_averaged_over_a_random_score_is_1_over_n(n, std):
    node, weight = np.polynomial.hermite_e.hermegauss(120)
    means = [float(expected_key_weight(n, std * z, std)) for z in node]
    assert np.dot(weight, means) / weight.sum() == pytest.approx(1 / n, abs=1e-9)


@pytest.mark.parametrize(
    ("n", "score", "std", "sink"), [(16, 2.0, 1.0, False), (16, 0.0, 1.0, True), (512, 9.0, 3.0, False)]
)
def test_weight_agrees_with_drawn_rows(n, score, std, sink):
    others = std * np.random.default_rng(5).standard_normal((4_000, n - 1))
    weights = 1 / (1 + np.exp(others - score).sum(axis=1) + (math.exp(-score) if sink else 0))
    assert within_four_errors(weights, expected_key_weight(n, score, std, sink=sink))


@given(st.floats(-5, 20), st.floats(0, 8), st.booleans())
def test_weight_falls_with_the_number_of_keys_and_stays_between_0_and_1(score, std, sink):
    weights = expected_key_weight([1, 2, 16, 1000, MOST_KEYS], score, std, sink=sink)
    assert (np.diff(weights) <= 1e-12).all()
    assert 0 <= weights[-1] <= weights[0] <= 1


def test_weight_without_a_spread_is_softmax():
    assert expected_key_weight([1, 3, 1001], 2.0, 0.0) == pytest.approx(
        [1 / (1 + n * math.exp(-2)) for n in (0, 2, 1000)], abs=1e-11
    )


def test_lost_weight_rises_from_0_to_1():
    lost = _lost(np.array([-700.0, -20.0, 0.0, 700.0]), 1.0)
    assert lost[0] == pytest.approx(0, abs=1e-300)
    assert lost[1] == pytest.approx(math.exp(-20 + 0.5), rel=1e-6)
    assert lost[3] == pytest.approx(1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 8.0), "n_keys must hold whole numbers between 1 and 1048576, but got 0"),
        ((1.5, 8.0), "n_keys must hold whole numbers"),
        ((MOST_KEYS + 1, 8.0), "n_keys must hold whole numbers"),
        ((2, 1e4), "score must be a finite number"),
        ((2, 8.0, 33.0), "score_std must be a finite number in [0, 32], but got 33"),
    ],
)
def test_out_of_range_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        expected_key_weight(*arguments)
