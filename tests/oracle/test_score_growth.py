"""The intervals of the exponents cover what they say, for the rows they are given for."""

import math

import numpy as np
import pytest

from sattn_core.layer_norm import layer_norm
from sattn_core.score_growth import paired_exponent, row_exponent

LAWS = {
    "normal": lambda rng, shape: rng.standard_normal(shape),
    "t": lambda rng, shape: rng.standard_t(5, shape) * math.sqrt(3 / 5),
    "sparse": lambda rng, shape: np.where(rng.random(shape) < 0.1, rng.standard_normal(shape), 0.0),
}


def row_fit(Q, K):
    k = K - K.mean(axis=0)
    return row_exponent(Q, k, Q.T @ Q / len(Q), k.T @ k / len(k))


def pair_fit(Q, K):
    return paired_exponent(Q - Q.mean(axis=0), K - K.mean(axis=0))


FITS = {"rows": row_fit, "pairs": pair_fit}


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("of", FITS)
@pytest.mark.parametrize(("n", "d_k"), [(5, 16), (5, 64), (64, 64)])
def test_the_interval_of_independent_components_holds_one_half(law, of, n, d_k):
    rng, draws = np.random.default_rng(n), 500
    fits = [FITS[of](*LAWS[law](rng, (2, n, d_k))) for _ in range(draws)]
    covered = np.mean([fit.low <= 0.5 <= fit.high for fit in fits])
    # 94 % is promised; 3 standard errors of 500 draws are 3 points
    assert covered > 0.94 - 3 * math.sqrt(0.94 * 0.06 / draws)
    values = np.array([fit.value for fit in fits])
    # Wide, but not without end: Student's quantile for so few rows, √2 for the noise that is counted twice, and half.
    if n == 64:
        assert abs(values.mean() - 0.5) < 4 * values.std() / math.sqrt(draws) + 0.005  # + the bias of a logarithm
        half = np.mean([fit.high - fit.low for fit in fits]) / 2
        assert half < 1.5 * math.sqrt(2) * 2 * values.std()


@pytest.mark.parametrize(("m", "n"), [(5, 64), (64, 5)])
def test_the_interval_of_a_few_rows_on_one_side_holds_one_half(m, n):
    rng = np.random.default_rng(m)
    fits = [row_fit(rng.standard_normal((m, 16)), rng.standard_normal((n, 16))) for _ in range(300)]
    assert np.mean([fit.low <= 0.5 <= fit.high for fit in fits]) > 0.94


W_Q, W_K = np.random.default_rng(2).standard_normal((2, 64, 16)) / 8


def layer_normed(n, d, rng, *weights):
    x = layer_norm(rng.standard_normal((n, 4 * d)))
    return [x @ W for W in weights]


CASES = {
    "aligned": lambda n, rng: [q := rng.standard_normal((n, 16)), 0.8 * q + 0.6 * rng.standard_normal((n, 16))],
    "the same": lambda n, rng: [rng.standard_normal((n, 16))] * 2,
    "layer-normed": lambda n, rng: layer_normed(n, 16, rng, W_Q, W_K),
    "layer-normed, tied weights": lambda n, rng: layer_normed(n, 16, rng, W_Q, W_Q),
}


@pytest.mark.parametrize("n", [100, 300])
@pytest.mark.parametrize("case", CASES)
def test_the_interval_covers_what_so_many_rows_give_on_average(case, n):
    rng, draws = np.random.default_rng(n), 200
    for fit_of in (row_fit, pair_fit):
        fits = [fit_of(*CASES[case](n, rng)) for _ in range(draws)]
        mean, spread = np.mean([fit.value for fit in fits]), np.std([fit.value for fit in fits])
        assert np.mean([fit.low <= mean <= fit.high for fit in fits]) >= 0.95 - 4 * math.sqrt(0.95 * 0.05 / draws)
        half = np.mean([fit.high - fit.low for fit in fits]) / 2
        # Pairs that share much: the error of independent signs is kept, up to four times as wide.
        assert half < (1.2 * math.sqrt(2) if fit_of is row_fit else 4) * 1.96 * spread
