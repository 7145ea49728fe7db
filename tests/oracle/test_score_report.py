import math

import numpy as np

from sattn_core.score_report import measure_scores
from sattn_core.score_variance import score_variance_moments

RNG = np.random.default_rng(21)


def test_the_ideal_density_is_that_of_the_scaled_score():
    # q·k is a Laplace variable at d_k = 2, a difference of two Erlang ones at 4; over √d_k it is √d_k times denser.
    for d_k, law in ((2, lambda s: np.exp(-s) / 2), (4, lambda s: (1 + s) * np.exp(-s) / 4)):
        report = measure_scores(*RNG.standard_normal((2, 8, d_k)))
        centres = (report.scaled_edges[1:] + report.scaled_edges[:-1]) / 2
        root = math.sqrt(d_k)
        assert np.allclose(report.ideal_density, root * law(root * np.abs(centres)), rtol=1e-9, atol=0)


def test_correlated_components_have_the_variance_of_theory():
    # Var(q·k) = tr(Σ Σ) = d² / d_eff for q, k ~ N(0, Σ), tr Σ = d.
    d, n = 12, 1500
    sizes = np.linspace(0.2, 1.8, d)
    turn = np.linalg.qr(RNG.standard_normal((d, d)))[0]
    Q, K = (RNG.standard_normal((n, d)) * np.sqrt(sizes) @ turn for _ in range(2))
    head = measure_scores(Q, K).heads[0]
    expected = np.sum(sizes**2) / d
    # At most the relative error of iid scores with d_eff dimensions, twice for unequal directions.
    mean, variance = score_variance_moments(n, n, int(d / expected))
    assert abs(head.scaled_std**2 / expected - 1) < 4 * 2 * math.sqrt(variance) / mean
    assert abs(head.query.effective_dimension / (sizes.sum() ** 2 / np.sum(sizes**2)) - 1) < 4 * math.sqrt(2 / n)


def test_paired_correlation_and_growth_of_aligned_scores():
    rho, n, d = 0.5, 2000, 32
    A, B = RNG.standard_normal((2, n, d))
    head = measure_scores(A, rho * A + math.sqrt(1 - rho**2) * B).heads[0]
    assert abs(head.paired_correlation - rho) < 4 * math.sqrt((1 + rho**2) / (n * d))
    # E s² over m components is m (1 + 2 ρ²) + m (m − 1) ρ².
    m = np.array(head.paired_exponent.dims, dtype=float)
    assert np.allclose(head.paired_exponent.sizes, np.sqrt(m * (1 + 2 * rho**2) + m * (m - 1) * rho**2), rtol=0.03)
    assert abs(head.paired_lift - rho * d / head.within_row_std) < 0.1
