"""Expected softmax: cases by hand, bounds, error messages and oracles."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats

from sattn_core.laws.saturation import (
    critical_score_std,
    expected_attention,
    expected_attention_curve,
    expected_softmax,
    own_share_limit,
)
from sattn_core.layers.softmax import entropy_nats, softmax
from tests.simulations import within_four_errors

FIELDS = ("entropy_nats", "max_weight", "sum_of_squares", "jacobian_trace")


def values(expected):
    return [getattr(expected, name) for name in FIELDS]


@pytest.mark.parametrize("n_keys", [2, 7, 4096])
def test_equal_scores_give_the_uniform_row(n_keys):
    uniform = [math.log(n_keys), 1 / n_keys, 1 / n_keys, 1 - 1 / n_keys]
    np.testing.assert_allclose(values(expected_softmax(n_keys, 0.0)), uniform, rtol=1e-6)
    np.testing.assert_allclose(values(expected_attention(n_keys, 64, 0.0)), uniform, rtol=1e-5)


def test_single_key_has_all_the_weight():
    assert list(values(expected_softmax(1, 3.0))) == [0.0, 1.0, 1.0, 0.0]


def test_a_huge_spread_leaves_one_key():
    frozen = expected_softmax(64, 1e6)
    # E tr J -> E[max of 64 normals] / score_std, 2.343733e-6
    assert frozen.jacobian_trace == pytest.approx(2.343733e-6, rel=1e-4, abs=0)
    assert frozen.max_weight > 1 - 3e-6


def test_results_are_plain_floats():
    for expected in (expected_softmax(8, 1.0), expected_attention(8, 4, 0.5)):
        assert [type(value) for value in values(expected)] == [float] * 4


def test_critical_spread_by_hand():
    assert critical_score_std(1) == 0.0
    assert critical_score_std(8) == pytest.approx(math.sqrt(2 * math.log(8)), rel=1e-15)


def test_curve_broadcasts_and_agrees_with_single_calls():
    dims, scales = np.array([1, 3, 64]), np.array([[1.0], [0.125]])
    curve = expected_attention_curve(16, dims, scales)
    assert curve.entropy_nats.shape == (2, 3)
    for i, j in np.ndindex(2, 3):
        single = expected_attention(16, int(dims[j]), float(scales[i, 0]))
        np.testing.assert_allclose([value[i, j] for value in values(curve)], values(single), rtol=1e-13)


def test_curve_without_points_is_empty():
    assert expected_attention_curve(16, np.zeros((2, 0), dtype=int), 1.0).max_weight.shape == (2, 0)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: critical_score_std(0), ValueError, "n_keys must be at least 1, but got 0"),
        (lambda: critical_score_std(8.0), TypeError, "n_keys must be an integer, but got 8.0"),
        (lambda: expected_softmax(0, 1.0), ValueError, "n_keys must be between 1 and 1000000, but got 0"),
        (lambda: expected_softmax(10**7, 1.0), ValueError, "n_keys must be between 1 and 1000000"),
        (lambda: expected_softmax(2, -0.1), ValueError, "score_std must be a finite number in .* got -0.1"),
        (lambda: expected_softmax(2, math.nan), ValueError, "score_std must be a finite number"),
        (lambda: expected_softmax(2, math.inf), ValueError, "score_std must be a finite number"),
        (lambda: expected_softmax(2, "1"), TypeError, "score_std must be a real number, but got '1'"),
        (lambda: expected_attention(2, 0, 1.0), ValueError, "d_k must be at least 1, but got 0"),
        (lambda: expected_attention(2, 4, -1.0), ValueError, "scale must be a finite number of at least 0"),
        (lambda: expected_attention(2, 4, 1e9), ValueError, r"scale \* \|q\| must be at most 1e\+06"),
        (lambda: expected_attention_curve(0, 4, 1.0), ValueError, "n_keys must be between 1"),
        (lambda: expected_attention_curve(2, 4.0, 1.0), TypeError, "dims must hold integers, but got dtype"),
        (lambda: expected_attention_curve(2, [4, 0], 1.0), ValueError, "dims must be at least 1, but got 0"),
        (lambda: expected_attention_curve(2, 4, -1.0), ValueError, "scales must be at least 0, but got -1.0"),
        (lambda: expected_attention_curve(2, 4, np.nan), ValueError, "scales must hold finite numbers only"),
        (
            lambda: expected_attention_curve(2, [1, 2], [1.0, 1.0, 1.0]),
            ValueError,
            r"must broadcast against each other, but got shapes \(2,\) and \(3,\)",
        ),
    ],
)
def test_bad_arguments_are_refused_by_name(call, error, message):
    with pytest.raises(error, match=message):
        call()


# --- properties --------------------------------------------------------------------------------------


KEYS = st.integers(2, 4096)
SPREADS = st.floats(0.0, 64.0)


@settings(max_examples=40)
@given(KEYS, SPREADS)
def test_averages_obey_the_bounds_of_every_row(n_keys, score_std):
    e = expected_softmax(n_keys, score_std)
    assert 0.0 <= e.entropy_nats <= math.log(n_keys)
    assert 1 / n_keys <= e.sum_of_squares <= e.max_weight + 1e-9 <= 1.0 + 1e-9
    assert e.sum_of_squares >= e.max_weight**2 - 1e-9  # E sum p² >= E (max p)² >= (E max p)²
    assert e.sum_of_squares + e.jacobian_trace == 1.0
    # H >= -ln(sum p²) for a row, and -ln is convex
    assert e.entropy_nats >= -math.log(e.sum_of_squares) - 1e-8


# --- oracles -----------------------------------------------------------------------------------------


# score_std, E H, E max p, E sum p² for 2 keys, by mpmath with 30 digits: the gap D of two scores is
# N(0, 2 σ²), so 2 quad(npdf(D, 0, σ√2) f(D), [0, 10 σ√2]) with p = 1/(1 + exp(-D)),
# f = -p ln p - (1-p) ln(1-p), p, and 1 - 2 p (1-p)
TWO_KEYS = [
    (0.01, 0.693122182434737, 0.502820853893663, 0.500024997500354),
    (0.125, 0.689285930146874, 0.535080446714446, 0.503846528675717),
    (1.0, 0.539500061688396, 0.725213454421845, 0.636838153968369),
    (8.0, 0.113992294601044, 0.951601339015632, 0.930359089732903),
    (64.0, 0.0144967800551134, 0.993890556973814, 0.991186307134922),
]

TABLE_SPREADS = (0.125, 0.5, 1.0, 2.0, 4.0, 8.0, math.sqrt(128), math.sqrt(512))
# n_keys: E H / E max p / E tr J at each of TABLE_SPREADS, truncated to 4 places
TABLE = {
    8: "2.0726/.1486/.8733 1.9753/.2335/.8472 1.7218/.3612/.7677 1.1919/.5663/.5703 "
    ".6437/.7582/.3355 .3143/.8763/.1754 .2186/.9124/.1250 .1066/.9562/.0628",
    64: "4.1512/.0208/.9841 4.0367/.0456/.9801 3.6847/.1073/.9612 2.6425/.3028/.8393 "
    "1.3081/.5935/.5418 .5756/.7934/.2882 .3873/.8542/.2056 .1818/.9276/.1034",
    512: "6.2305/.0028/.9980 6.1137/.0080/.9975 5.7419/.0266/.9948 4.3901/.1420/.9536 "
    "2.0651/.4636/.6877 .8186/.7284/.3735 .5342/.8091/.2668 .2426/.9055/.1343",
    4096: "8.3100/.0004/.9998 8.1928/.0013/.9997 7.8182/.0059/.9993 6.3509/.0564/.9903 "
    "2.9747/.3539/.7963 1.0603/.6729/.4440 .6712/.7709/.3177 .2957/.8871/.1600",
}


def mean_log_sum(n_keys, score_std):
    """Return E ln Z = int [exp(-e^-x) - G(x)^n] dx by the trapezoid rule in s and in x."""
    z = np.arange(-380, 381) / 40.0
    s, density = score_std * z, stats.norm.pdf(z) / 40.0
    x = np.arange(-9.5 * score_std - 5.0, 9.5 * score_std + math.log(n_keys) + 38.0, 0.2)
    g = np.exp(-np.exp(np.clip(s - x[:, None], None, 700.0))) @ density
    return float(np.sum(np.exp(-np.exp(-x)) - g**n_keys) * 0.2)


@pytest.mark.parametrize(("score_std", "entropy", "max_weight", "squares"), TWO_KEYS)
def test_two_keys_agree_with_mpmath(score_std, entropy, max_weight, squares):
    # The quadrature converges geometrically; 1e-11 is its discretisation error, far above rounding.
    e = expected_softmax(2, score_std)
    assert e.entropy_nats == pytest.approx(entropy, abs=1e-11)
    assert e.max_weight == pytest.approx(max_weight, abs=1e-11)
    assert e.sum_of_squares == pytest.approx(squares, abs=1e-11)


@pytest.mark.parametrize("n_keys", TABLE)
def test_averages_agree_with_the_table(n_keys):
    table = [[float(entry) for entry in cell.split("/")] for cell in TABLE[n_keys].split()]
    averages = [expected_softmax(n_keys, score_std) for score_std in TABLE_SPREADS]
    found = [[e.entropy_nats, e.max_weight, e.jacobian_trace] for e in averages]
    # The table is truncated, not rounded, and its largest weights are up to 1.3e-4 too low; see the next test.
    np.testing.assert_allclose(found, table, atol=1.4e-4)


def mean_largest_weight(n_keys, score_std):
    """Return E max p given the largest score m: n int phi(m) int e^-t [int_(u<m) phi(u) e^(-t e^(σ(u-m))) du]^(n-1).

    The inner integral runs down from m over panels of growing width.
    """
    node, weight = special.roots_legendre(32)
    edges = np.concatenate([[0.0], np.geomspace(0.02, 16.0, 24)])
    half = np.diff(edges)[:, None] / 2
    below = (edges[:-1, None] + half * (node + 1)).ravel()
    weight = (half * weight).ravel()
    ln_t = np.arange(-45.0, 4.0, 0.2)[:, None]
    kernel = np.exp(-np.exp(ln_t - score_std * below)) * weight
    largest = np.arange(-1.0, 7.0, 0.05)
    inner = np.array([kernel @ stats.norm.pdf(m - below) for m in largest])
    given = np.exp(ln_t - np.exp(ln_t)).T * inner ** (n_keys - 1)
    return float(n_keys * 0.2 * 0.05 * stats.norm.pdf(largest) @ given.sum(axis=1))


@pytest.mark.parametrize(("n_keys", "score_std"), [(64, 4.0), (512, 4.0), (512, 8.0), (4096, 8.0)])
def test_largest_weight_agrees_with_the_integral_over_the_largest_score(n_keys, score_std):
    # The reference integrates over m > -1 only, which leaves out less than 1e-50; it is accurate to 1e-7.
    expected = mean_largest_weight(n_keys, score_std)
    assert expected_softmax(n_keys, score_std).max_weight == pytest.approx(expected, abs=2e-7)


@pytest.mark.parametrize("n_keys", [2, 64, 4096])
@pytest.mark.parametrize("score_std", [0.5, 1.0, 3.0, 16.0])
def test_entropy_is_log_sum_minus_mean_score(n_keys, score_std):
    # Stein's lemma: E sum p s = σ² (1 - E sum p²). The reference is accurate to 1e-9.
    e = expected_softmax(n_keys, score_std)
    expected = mean_log_sum(n_keys, score_std) - score_std**2 * e.jacobian_trace
    assert e.entropy_nats == pytest.approx(expected, abs=2e-8)


@pytest.mark.parametrize(("d_k", "scale"), [(1, 1.0), (3, 1.0), (64, 1.0), (64, 0.125), (5, 2.0)])
def test_attention_agrees_with_monte_carlo_of_real_dot_products(d_k, scale):
    rng = np.random.default_rng(12)
    q, k = rng.standard_normal((20_000, 1, d_k)), rng.standard_normal((20_000, 8, d_k))
    scores = scale * (q * k).sum(axis=-1)
    p, e = softmax(scores), expected_attention(8, d_k, scale)
    assert within_four_errors(entropy_nats(scores), e.entropy_nats)
    assert within_four_errors(p.max(axis=-1), e.max_weight)
    assert within_four_errors((p**2).sum(axis=-1), e.sum_of_squares)


@pytest.mark.parametrize("d_k", [1, 5, 300])
@pytest.mark.parametrize("scale", [1e-3, 1.0, 5.0])
def test_attention_is_the_mixture_over_the_query_norm(d_k, scale):
    low, high = (0.0 if d_k == 1 else stats.chi.ppf(1e-16, d_k)), stats.chi.isf(1e-16, d_k)
    node, weight = special.roots_legendre(40)
    norm = low + (high - low) * (node + 1) / 2
    weight = weight * stats.chi.pdf(norm, d_k)
    rows = [expected_softmax(64, scale * r) for r in norm]
    mixed = [[e.entropy_nats, e.max_weight, e.sum_of_squares] for e in rows]
    e = expected_attention(64, d_k, scale)
    # The module's table is accurate to 1e-7; 40 nodes are more accurate.
    found = [e.entropy_nats, e.max_weight, e.sum_of_squares]
    np.testing.assert_allclose(found, weight @ mixed / weight.sum(), atol=1e-7)


@pytest.mark.parametrize("n_keys", [2, 512, 4096])
def test_table_agrees_with_the_quadrature(n_keys):
    # At d_k = 10^9 the norm is √d_k to 2e-5, so the mixture reads the table at a single spread.
    d_k = 10**9
    for score_std in (0.3, 1.0, 2.5, 3.6, 9.0, 60.0, 500.0):
        read = expected_attention(n_keys, d_k, score_std / math.sqrt(d_k))
        exact = expected_softmax(n_keys, score_std)
        assert read.entropy_nats == pytest.approx(exact.entropy_nats, abs=1e-7)
        assert read.max_weight == pytest.approx(exact.max_weight, abs=1e-7)
        assert read.jacobian_trace == pytest.approx(exact.jacobian_trace, abs=1e-7)


# --- limit of the own share ------------------------------------------------------------------------------


def test_own_share_limit_by_hand():
    # 1 - exp(-x) at x = 1, 1/64 and 1/1024, by Python's decimal with 30 digits
    found = [own_share_limit(spread) for spread in (0.0, 1.0, 1 / 8, 1 / 32, 8.0)]
    np.testing.assert_allclose(found, [0, 0.632120558828558, 0.015503562994591, 0.000976085818024, 1.0], rtol=1e-12)
    assert own_share_limit(1e-9) == pytest.approx(1e-18, rel=1e-12)


@pytest.mark.parametrize("score_std", [0.25, 0.5, 1.0])
def test_own_share_of_many_keys_is_near_its_limit(score_std):
    # 8,192 keys and as many tokens. V is the identity, so the outputs are the weights.
    rng = np.random.default_rng(7)
    shares, n = [], 8192
    for _ in range(30):
        weights = softmax(score_std * rng.standard_normal((64, n)))
        squares = (weights**2).sum(axis=-1).mean()
        shares.append(1 - 1 / (n * squares))  # each key's weight, averaged over many tokens, is 1/n
    assert abs(np.mean(shares) - own_share_limit(score_std)) <= 4 * np.std(shares, ddof=1) / math.sqrt(30) + 2e-3


@pytest.mark.parametrize(
    ("score_std", "error", "message"),
    [(-1, ValueError, r"score_std must be a finite number in \[0, 1e\+06\]"), ("a", TypeError, "score_std must be")],
)
def test_own_share_limit_refuses_a_bad_spread(score_std, error, message):
    with pytest.raises(error, match=message):
        own_share_limit(score_std)
