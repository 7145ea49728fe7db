import numpy as np
import pytest
from scipy import integrate

from sattn_core.components import COMPONENT_LAWS
from sattn_core.law import dot_product_pdf
from sattn_core.lessons.start import StartParams, measure_start

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
    for density, edges, width in (
        (result.raw_law, result.sweep.raw_edges, 1.0),
        (result.scaled_law, result.sweep.scaled_edges * np.sqrt(d_k), 0.125),
    ):
        for b in (len(edges) // 2 + 1, len(edges) // 2 + 6):
            mass = integrate.quad(dot_product_pdf, edges[b], edges[b + 1], args=(d_k,))[0]
            assert density[row, b] == pytest.approx(mass / width, rel=1e-7)  # quad asks for 1.5e-8
