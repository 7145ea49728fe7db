import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from sattn_core.laws.components import COMPONENT_LAWS, PairLaw, append_components, draw_queries_and_keys
from sattn_core.laws.dot_product import dot_product_cdf


def test_six_laws_have_their_kurtosis():
    kurtosis = {name: law.kurtosis for name, law in COMPONENT_LAWS.items()}
    assert kurtosis == {
        "normal": 3, "uniform": 1.8, "rademacher": 1, "laplace": 6, "student_t": 9, "sparse": 30,
    }  # fmt: skip


def test_only_student_t_has_infinite_moments():
    infinite = {name for name, law in COMPONENT_LAWS.items() if not np.isfinite(law.moments).all()}
    assert infinite == {"student_t"}
    assert COMPONENT_LAWS["student_t"].moments[2:] == (math.inf, math.inf)


def test_laws_cannot_be_changed():
    with pytest.raises(TypeError):
        COMPONENT_LAWS["normal"] = COMPONENT_LAWS["uniform"]
    with pytest.raises(AttributeError):
        COMPONENT_LAWS["normal"].name = "other"


def test_draws_stay_on_the_support_of_their_law():
    rng = np.random.default_rng(0)
    assert set(COMPONENT_LAWS["rademacher"].draw(rng, 200)) == {-1.0, 1.0}
    assert np.abs(COMPONENT_LAWS["uniform"].draw(rng, 1000)).max() <= math.sqrt(3)
    assert 850 < np.count_nonzero(COMPONENT_LAWS["sparse"].draw(rng, 1000) == 0) < 950


def test_queries_and_keys_have_their_shapes_and_no_common_entries():
    Q, K = draw_queries_and_keys(3, 5, 4, seed=0)
    assert Q.shape == (3, 4)
    assert K.shape == (5, 4)
    assert not np.intersect1d(Q, K).size


def test_means_shift_every_component():
    Q, K = draw_queries_and_keys(3, 5, 4, seed=0)
    shifted_Q, shifted_K = draw_queries_and_keys(3, 5, 4, mean_q=2.0, mean_k=-1.0, seed=0)
    np.testing.assert_allclose(shifted_Q, Q + 2, rtol=0, atol=1e-13)
    np.testing.assert_allclose(shifted_K, K - 1, rtol=0, atol=1e-13)


def test_correlation_mixes_paired_rows_and_leaves_the_others_alone():
    Q, B = draw_queries_and_keys(2, 5, 4, seed=3)
    same_Q, K = draw_queries_and_keys(2, 5, 4, correlation=0.6, seed=3)
    np.testing.assert_array_equal(same_Q, Q)
    np.testing.assert_allclose(K[:2], 0.6 * Q + 0.8 * B[:2], rtol=0, atol=1e-13)
    np.testing.assert_array_equal(K[2:], B[2:])


def test_correlation_is_applied_before_the_means():
    Q, K = draw_queries_and_keys(2, 2, 4, mean_q=5.0, mean_k=1.0, correlation=1.0, seed=3)
    np.testing.assert_allclose(K - 1, Q - 5, rtol=0, atol=1e-13)


def test_only_as_many_queries_are_paired_as_there_are_keys():
    Q, K = draw_queries_and_keys(5, 2, 4, correlation=-1.0, seed=3)
    np.testing.assert_array_equal(K, -Q[:2])


def test_pair_law_product_is_the_product_of_query_and_key():
    pair = PairLaw(mean_q=1.0, mean_k=2.0, correlation=0.6)
    assert pair.product(np.array([3.0]), np.array([5.0])) == pytest.approx((1 + 3) * (2 + 0.6 * 3 + 0.8 * 5))


def test_appended_components_add_to_the_given_scores():
    # k = q with components ±1: each component adds 1
    scores = append_components([10.0, 20.0], 3, 6, PairLaw("rademacher", correlation=1.0), seed=0)
    np.testing.assert_array_equal(scores, [13.0, 23.0])


def test_components_differ_from_one_another_and_between_seeds():
    single = [append_components(np.zeros(5), i, i + 1, seed=0) for i in range(12)]
    single.append(append_components(np.zeros(5), 0, 1, seed=1))
    assert np.unique(single).size == 13 * 5


def test_appending_returns_a_new_array():
    scores = np.zeros(4)
    for stop in (0, 3):
        result = append_components(scores, 0, stop, seed=0)
        assert not np.shares_memory(result, scores)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"n_queries": 0}, ValueError, "n_queries must be at least 1, but got 0"),
        ({"n_keys": 0}, ValueError, "n_keys must be at least 1, but got 0"),
        ({"d_k": 0}, ValueError, "d_k must be at least 1, but got 0"),
        ({"d_k": 2.5}, TypeError, "d_k must be an integer, but got 2.5"),
        ({"law": "cauchy"}, ValueError, "law must be one of normal, uniform"),
        ({"mean_q": math.nan}, ValueError, "mean_q must be a finite number"),
        ({"mean_k": "1"}, TypeError, "mean_k must be a real number"),
        ({"correlation": 1.01}, ValueError, "correlation must be a finite number in [-1, 1], but got 1.01"),
        ({"seed": -1}, ValueError, "seed must be at least 0, but got -1"),
    ],
)
def test_draws_refuse_bad_arguments(change, error, message):
    arguments = {"n_queries": 2, "n_keys": 2, "d_k": 2, "seed": 0} | change
    with pytest.raises(error) as caught:
        draw_queries_and_keys(**arguments)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"scores": [[0.0]]}, ValueError, "scores must have 1 dimension(s)"),
        ({"scores": []}, ValueError, "scores must have at least 1 entries"),
        ({"start": -1}, ValueError, "start must be at least 0, but got -1"),
        ({"start": 3, "stop": 2}, ValueError, "stop must be at least 3, but got 2"),
        ({"pair_law": "normal"}, TypeError, "pair_law must be a PairLaw, but got 'normal'"),
        ({"seed": True}, TypeError, "seed must be an integer, but got True"),
    ],
)
def test_appending_refuses_bad_arguments(change, error, message):
    arguments = {"scores": [0.0], "start": 0, "stop": 1, "seed": 0} | change
    with pytest.raises(error) as caught:
        append_components(**arguments)
    assert message in str(caught.value)


# --- properties --------------------------------------------------------------------------------------


laws = st.sampled_from(tuple(COMPONENT_LAWS))
seeds = st.integers(0, 2**64)
means = st.floats(-2, 2)
correlations = st.floats(-1, 1)


@given(laws, seeds, means, means, correlations, st.lists(st.integers(0, 40), min_size=1, max_size=6))
def test_sum_does_not_depend_on_how_its_components_are_split(law, seed, mean_q, mean_k, correlation, cuts):
    pair_law = PairLaw(law, mean_q, mean_k, correlation)
    cuts = sorted([0, *cuts])
    scores = np.zeros(7)
    for start, stop in pairwise(cuts):
        scores = append_components(scores, start, stop, pair_law, seed=seed)
    np.testing.assert_array_equal(scores, append_components(np.zeros(7), 0, cuts[-1], pair_law, seed=seed))


# --- oracles -----------------------------------------------------------------------------------------


SCIPY_LAWS = {
    "normal": stats.norm(),
    "uniform": stats.uniform(-math.sqrt(3), 2 * math.sqrt(3)),
    "laplace": stats.laplace(scale=math.sqrt(0.5)),
    "student_t": stats.t(5, scale=math.sqrt(3 / 5)),
}
N = 100_000


@pytest.mark.parametrize("name", ["normal", "uniform", "laplace"])
def test_moments_are_the_integrals_of_the_density(name):
    law, low, high = SCIPY_LAWS[name], *SCIPY_LAWS[name].support()
    for order, moment in zip((2, 4, 6, 8), COMPONENT_LAWS[name].moments, strict=True):
        value = 2 * integrate.quad(lambda x, k=order: x**k * law.pdf(x), 0, min(high, 60))[0]
        assert moment == pytest.approx(value, rel=1e-8)  # the tolerance of quad
    assert low == -high


def test_sparse_law_has_the_moments_of_a_rare_wide_normal_law():
    normal, p = (1, 3, 15, 105), 0.1
    expected = [p * m / p**r for r, m in enumerate(normal, 1)]
    np.testing.assert_allclose(COMPONENT_LAWS["sparse"].moments, expected, rtol=1e-13)


@pytest.mark.parametrize("name", SCIPY_LAWS)
def test_draws_follow_their_distribution_function(name):
    draws = COMPONENT_LAWS[name].draw(np.random.default_rng(1), N)
    assert stats.kstest(draws, SCIPY_LAWS[name].cdf).pvalue > 1e-4


@pytest.mark.parametrize("name", COMPONENT_LAWS)
def test_draws_have_the_moments_of_their_law(name):
    law = COMPONENT_LAWS[name]
    draws = law.draw(np.random.default_rng(2), N)
    assert abs(draws.mean()) < 4 / math.sqrt(N)
    # a mean square has standard error √((K − 1)/N), K the kurtosis; for ±1, K = 1 and only rounding is left
    assert abs(np.mean(draws**2) - 1) < 4 * math.sqrt((law.kurtosis - 1) / N) + 1e-12
    if law.has_eight_moments:
        error = math.sqrt((law.moments[3] - law.kurtosis**2) / N)
        assert abs(np.mean(draws**4) - law.kurtosis) < 4 * error + 1e-12


def test_sparse_nonzero_draws_are_normal_with_variance_ten():
    draws = COMPONENT_LAWS["sparse"].draw(np.random.default_rng(4), 10 * N)
    kept = draws[draws != 0]
    assert abs(len(kept) / draws.size - 0.1) < 4 * math.sqrt(0.09 / draws.size)
    assert abs(np.mean(kept**2) / 10 - 1) < 4 * math.sqrt(2 / len(kept))
    assert stats.kstest(kept / math.sqrt(10), "norm").pvalue > 1e-4


@pytest.mark.parametrize("d_k", [1, 5, 32])
def test_appended_scores_follow_the_exact_law(d_k):
    scores = append_components(np.zeros(20_000), 0, d_k, seed=5)
    assert stats.kstest(scores, lambda s: dot_product_cdf(s, d_k)).pvalue > 1e-4


def test_only_paired_rows_have_the_requested_correlation():
    rho, n_queries, d_k = 0.7, 200, 100
    Q, K = draw_queries_and_keys(n_queries, 400, d_k, correlation=rho, seed=7)
    paired = np.mean(Q * K[:n_queries])
    assert abs(paired - rho) < 4 * math.sqrt((1 + rho**2) / (n_queries * d_k))  # Var q k = 1 + ρ²
    assert abs(np.mean(Q * K[n_queries:])) < 4 / math.sqrt(n_queries * d_k)
    assert abs(K.var() - 1) < 4 * math.sqrt(2 / K.size)
