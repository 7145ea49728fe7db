import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from sattn_core.draws.sweep import dimension_sweep
from sattn_core.laws.components import COMPONENT_LAWS, ComponentLaw
from sattn_core.laws.dot_product import dot_product_pdf
from sattn_core.layers.softmax import effective_keys, softmax
from sattn_core.lessons import start
from sattn_core.lessons.start import StartParams, mean_largest_weight, measure_start

DIMS = (1, 4, 64, 100)


@pytest.fixture(scope="module")
def result():
    return measure_start(StartParams(DIMS, n_samples=500, n_keys=5, seed=2))


def test_start_has_the_dimension_sweep_of_its_params(result):
    sweep = dimension_sweep(DIMS, n_samples=500, n_keys=5, seed=2)
    np.testing.assert_array_equal(result.sweep.scaled_counts, sweep.scaled_counts)
    np.testing.assert_array_equal(result.sweep.row_scores, sweep.row_scores)


def test_defaults_are_the_settings_of_the_lesson():
    assert dataclasses.astuple(StartParams((2,))) == ((2,), 20_000, 16, "normal", 0)


def test_theoretical_spreads_are_root_d_k_and_1(result):
    np.testing.assert_array_equal(result.raw_std_theory, [1, 2, 8, 10])
    np.testing.assert_array_equal(result.scaled_std_theory, np.ones(4))


def test_measured_standard_deviations_are_roots_of_the_variances(result):
    np.testing.assert_allclose(result.raw_std_measured**2, result.sweep.raw_variance, rtol=1e-13)
    scaled = result.raw_std_measured / [1, 2, 8, 10]
    np.testing.assert_allclose(result.scaled_std_measured, scaled, rtol=1e-13)


def test_standard_error_of_the_standard_deviation_by_hand(result):
    # at d_k = 64 the excess kurtosis is 6/64; the standard error is the variance's, divided by 2 · 8
    by_hand = 64 * math.sqrt((6 / 64 + 3 - 497 / 499) / 500) / 16
    assert result.raw_std_error[2] == pytest.approx(by_hand, rel=1e-13)
    assert result.scaled_std_error[2] == pytest.approx(by_hand / 8, rel=1e-13)
    assert result.std_error_source == "exact"


def test_standard_error_without_a_fourth_moment_is_marked_as_estimated(monkeypatch):
    wild = ComponentLaw("wild", lambda r: 1 if r == 1 else math.inf, COMPONENT_LAWS["normal"].sampler)
    monkeypatch.setattr(start, "COMPONENT_LAWS", {"normal": wild})
    result = measure_start(StartParams((4,), n_samples=500, seed=2))
    assert result.std_error_source == "estimated from the draws"
    by_hand = math.sqrt((result.sweep.raw_excess_kurtosis[0] + 3 - 497 / 499) / 500) / 2
    assert result.scaled_std_error[0] == pytest.approx(by_hand, rel=1e-13)


def test_weights_are_the_softmax_of_the_row(result):
    rows = result.sweep.row_scores
    np.testing.assert_allclose(result.raw_weights, softmax(rows), rtol=1e-13)
    np.testing.assert_allclose(result.scaled_weights[2], softmax(rows[2] / 8), rtol=1e-13)
    np.testing.assert_allclose(result.scaled_effective_keys[2], effective_keys(rows[2] / 8), rtol=1e-13)
    np.testing.assert_allclose(result.raw_effective_keys, effective_keys(rows), rtol=1e-13)
    np.testing.assert_array_equal(result.raw_max_weight, result.raw_weights.max(axis=1))
    np.testing.assert_array_equal(result.scaled_max_weight, result.scaled_weights.max(axis=1))


def test_density_is_finite_even_at_d_k_1(result):
    assert result.law_is_exact
    assert np.isfinite(result.scaled_law).all()
    assert result.scaled_law[0].argmax() in (47, 48)  # the bins beside 0


def test_density_is_normal_if_components_are_uniform():
    result = measure_start(StartParams((64,), n_samples=10, law="uniform"))
    assert not result.law_is_exact
    # the density of N(0, 1), averaged over the bin (0, 1/8)
    assert result.scaled_law[0, 48] == pytest.approx(8 * math.erf(1 / 8 / math.sqrt(2)) / 2, rel=1e-12)


def test_bad_params_are_refused_by_name():
    with pytest.raises(ValueError, match="n_keys must be at least 1"):
        measure_start(StartParams((2,), n_keys=0))
    with pytest.raises(ValueError, match="n_keys must be at least 1"):
        mean_largest_weight((2,), 0, "normal")
    with pytest.raises(ValueError, match="law must be one of"):
        mean_largest_weight((2,), 2, "flat")


def test_inside_means_within_1_96_standard_errors_of_the_theory(result):
    z = (result.raw_std_measured - result.raw_std_theory) / result.raw_std_error
    np.testing.assert_allclose(result.std_z, z, rtol=1e-9)  # 1 is subtracted from a number near 1
    assert result.raw_std_inside.tolist() == (np.abs(z) <= 1.959964).tolist()
    assert result.scaled_std_inside.tolist() == result.raw_std_inside.tolist()
    seeds = [measure_start(StartParams((16,), n_samples=200, seed=seed)).raw_std_inside[0] for seed in range(200)]
    assert 0.90 <= np.mean(seeds) <= 0.99  # 95 % of 200 draws ± 3.2 standard errors


# --- properties ----------------------------------------------------------------------------------------


dims_lists = st.sets(st.integers(1, 200), min_size=1, max_size=3).map(lambda d: tuple(sorted(d)))


@settings(max_examples=30)
@given(dims_lists, st.sampled_from(tuple(COMPONENT_LAWS)), st.integers(1, 9), st.integers(0, 2**40))
def test_weights_sum_to_1_and_the_density_to_at_most_1(dims, law, n_keys, seed):
    result = measure_start(StartParams(dims, n_samples=20, n_keys=n_keys, law=law, seed=seed))
    for weights, largest, keys in (
        (result.raw_weights, result.raw_max_weight, result.raw_effective_keys),
        (result.scaled_weights, result.scaled_max_weight, result.scaled_effective_keys),
    ):
        np.testing.assert_allclose(weights.sum(axis=1), 1, rtol=0, atol=1e-12)
        assert (largest >= 1 / n_keys - 1e-12).all()
        assert ((keys >= 1 - 1e-12) & (keys <= n_keys + 1e-12 * n_keys)).all()
    density, edges = result.scaled_law, result.sweep.scaled_edges
    assert (density >= 0).all()
    assert (density @ np.diff(edges) <= 1 + 1e-12).all()
    np.testing.assert_allclose(density, density[:, ::-1], rtol=1e-6, atol=1e-12)


# --- oracles -------------------------------------------------------------------------------------------


DIMS_OF_ORACLES = (1, 2, 3, 8, 64)


def test_standard_error_of_the_standard_deviation_agrees_with_400_seeds():
    results = [measure_start(StartParams((8,), n_samples=400, n_keys=1, seed=s)) for s in range(400)]
    spread = np.std([r.raw_std_measured[0] for r in results])
    # a standard deviation of 400 nearly normal values has relative standard error 1/√800
    assert abs(spread / results[0].raw_std_error[0] - 1) < 4 / np.sqrt(800)


@pytest.mark.parametrize(("row", "d_k"), tuple(enumerate(DIMS_OF_ORACLES)))
def test_exact_density_is_averaged_over_each_bin(row, d_k):
    result = measure_start(StartParams(DIMS_OF_ORACLES, n_samples=2))
    edges = result.sweep.scaled_edges * np.sqrt(d_k)
    for b in (len(edges) // 2 + 1, len(edges) // 2 + 6):
        mass = integrate.quad(dot_product_pdf, edges[b], edges[b + 1], args=(d_k,))[0]
        assert result.scaled_law[row, b] == pytest.approx(mass / 0.125, rel=1e-7)  # quad's tolerance is 1.5e-8


@pytest.mark.parametrize("law", COMPONENT_LAWS)
@pytest.mark.parametrize(("d_k", "n_keys"), [(1, 2), (1, 512), (16, 16), (16, 512), (64, 16)])
def test_mean_largest_weight_agrees_with_rows_of_many_seeds(law, d_k, n_keys):
    # The page shows one row of a seed and states the mean over all rows.
    rows = [measure_start(StartParams((d_k,), n_samples=2, n_keys=n_keys, law=law, seed=s)) for s in range(200)]
    mean = mean_largest_weight((d_k,), n_keys, law)
    for side in ("raw", "scaled"):
        shown = np.array([getattr(each, f"{side}_max_weight")[0] for each in rows])
        error = np.hypot(shown.std(ddof=1) / np.sqrt(len(shown)), getattr(mean, f"{side}_error")[0])
        assert abs(shown.mean() - getattr(mean, side)[0]) < 4 * error + 1e-12
        assert getattr(mean, f"{side}_error")[0] <= 0.02


def test_largest_weight_of_scores_1_and_minus_1_agrees_with_binomial():
    # If N of 512 scores are +1, N binomial, the largest weight is e/(N e + (512 − N)/e).
    n = np.arange(1, 513)
    largest = np.e / (n * np.e + (512 - n) / np.e)
    exact = stats.binom(512, 0.5).pmf(n) @ largest + 0.5**512 / 512
    mean = mean_largest_weight((1,), 512, "rademacher")
    assert abs(mean.raw[0] - exact) < 4 * mean.raw_error[0]
    assert mean.raw == mean.scaled


@pytest.mark.parametrize("law", ["normal", "uniform"])
def test_means_at_several_d_k_agree_with_separate_simulations(law):
    dims = (1, 4, 64, 100)
    many = mean_largest_weight(dims, 16, law)
    each = [mean_largest_weight((d_k,), 16, law) for d_k in dims]
    for side in ("raw", "scaled"):
        alone, error = (np.array([getattr(one, name)[0] for one in each]) for name in (side, f"{side}_error"))
        both = np.hypot(error, getattr(many, f"{side}_error"))
        assert (np.abs(getattr(many, side) - alone) <= 4 * both).all()
