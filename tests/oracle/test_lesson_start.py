import numpy as np
import pytest
from scipy import integrate, stats

from sattn_core.components import COMPONENT_LAWS
from sattn_core.law import dot_product_pdf
from sattn_core.lessons.start import StartParams, mean_largest_weight, measure_start

DIMS = (1, 2, 3, 8, 64)


@pytest.mark.parametrize("law", COMPONENT_LAWS)
def test_measured_standard_deviations_lie_within_four_standard_errors(law):
    result = measure_start(StartParams(DIMS, n_samples=20_000, law=law, seed=5))
    assert (np.abs(result.raw_std_measured - result.raw_std_theory) < 4 * result.raw_std_error).all()
    assert (np.abs(result.scaled_std_measured - 1) < 4 * result.scaled_std_error).all()


def test_standard_error_is_the_spread_of_the_measured_standard_deviation():
    results = [measure_start(StartParams((8,), n_samples=400, n_keys=1, seed=s)) for s in range(400)]
    spread = np.std([r.raw_std_measured[0] for r in results])
    # a standard deviation of 400 nearly normal values has relative standard error 1/√800
    assert abs(spread / results[0].raw_std_error[0] - 1) < 4 / np.sqrt(800)


@pytest.mark.parametrize(("row", "d_k"), tuple(enumerate(DIMS)))
def test_exact_law_is_the_bin_average_of_the_density(row, d_k):
    result = measure_start(StartParams(DIMS, n_samples=2))
    edges = result.sweep.scaled_edges * np.sqrt(d_k)
    for b in (len(edges) // 2 + 1, len(edges) // 2 + 6):
        mass = integrate.quad(dot_product_pdf, edges[b], edges[b + 1], args=(d_k,))[0]
        assert result.scaled_law[row, b] == pytest.approx(mass / 0.125, rel=1e-7)  # quad asks for 1.5e-8


@pytest.mark.parametrize("law", COMPONENT_LAWS)
@pytest.mark.parametrize(("d_k", "n_keys"), [(1, 2), (1, 512), (16, 16), (16, 512), (64, 16)])
def test_the_mean_over_all_queries_is_that_of_the_rows_that_other_seeds_show(law, d_k, n_keys):
    # The page shows one row of a seed; what it says of all of them is their mean, for this distribution.
    rows = [measure_start(StartParams((d_k,), n_samples=2, n_keys=n_keys, law=law, seed=s)) for s in range(200)]
    mean = mean_largest_weight(d_k, n_keys, law)
    for side in ("raw", "scaled"):
        shown = np.array([getattr(each, f"{side}_max_weight")[0] for each in rows])
        error = np.hypot(shown.std(ddof=1) / np.sqrt(len(shown)), getattr(mean, f"{side}_error"))
        assert abs(shown.mean() - getattr(mean, side)) < 4 * error + 1e-12
        assert getattr(mean, f"{side}_error") <= 0.02


def test_one_key_of_many_that_score_1_or_minus_1_has_next_to_no_weight():
    # 512 keys, half of them near +1: the largest weight is e/(N e + (512 − N)/e), N binomial.
    n = np.arange(1, 513)
    largest = np.e / (n * np.e + (512 - n) / np.e)
    exact = stats.binom(512, 0.5).pmf(n) @ largest + 0.5**512 / 512
    mean = mean_largest_weight(1, 512, "rademacher")
    assert abs(mean.raw - exact) < 4 * mean.raw_error
    assert mean.raw == mean.scaled
