"""Sums of random signs, and `chance_on_top` compared with enumeration, SciPy and the normal limit."""

import itertools

import numpy as np
import pytest
from scipy import integrate, stats

from sattn_core.draws.signs import MOST_SIGNS, chance_on_top, sign_sums, signs

STARTS = (1.0, 2.0, -2.0, 0.0)


@pytest.mark.parametrize("n_signs", [1, 60, 63, 64, 65, 128, 1020, 1024])
def test_a_longer_sum_appends_signs_to_a_shorter_one(n_signs):
    which = (0, 3, 11)
    some = signs(n_signs, 12, which, seed=5)
    assert set(np.unique(some)) <= {-1.0, 1.0}
    np.testing.assert_array_equal(sign_sums(n_signs, 12, seed=5)[[*which]], some.sum(axis=1))
    np.testing.assert_array_equal(some, signs(MOST_SIGNS, 12, which, seed=5)[:, :n_signs])


def test_sum_of_no_signs_is_0():
    assert sign_sums(0, 3, seed=0).tolist() == [0, 0, 0]
    assert signs(0, 3, [1], seed=0).shape == (1, 0)


def test_out_of_range_arguments_are_refused():
    for refused in (-1, MOST_SIGNS + 1):
        with pytest.raises(ValueError, match="n_signs must be between 0 and 1024"):
            sign_sums(refused, 2, seed=0)
    with pytest.raises(ValueError, match="seed must be at least 0"):
        signs(2, 2, [0], seed=-1)


@pytest.mark.parametrize("n_signs", [60, 1000])
def test_sums_have_the_moments_of_independent_signs(n_signs):
    n = 20_000
    sums = sign_sums(n_signs, n, seed=1).astype(float)
    fourth = 3 * n_signs**2 - 2 * n_signs
    assert abs(sums.mean()) < 4 * np.sqrt(n_signs / n)
    assert abs(np.mean(sums**2) - n_signs) < 4 * np.sqrt((fourth - n_signs**2) / n)
    assert abs(np.mean(sums[1:] * sums[:-1])) < 4 * n_signs / np.sqrt(n)  # neighbouring sums are independent


# --- oracles -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("starts", [STARTS, (1.5, 1.5, -2.0), (16.0, 32.0)])
@pytest.mark.parametrize("n_signs", [1, 2, 3])
def test_chance_on_top_agrees_with_complete_enumeration(starts, n_signs):
    every = np.array(list(itertools.product((-1, 1), repeat=n_signs * len(starts))), dtype=float)
    sums = starts + every.reshape(-1, len(starts), n_signs).sum(axis=2)
    share = (sums == sums.max(axis=1, keepdims=True)).mean(axis=0)
    np.testing.assert_allclose(chance_on_top(starts, n_signs), share, rtol=0, atol=1e-15)


@pytest.mark.parametrize("n_signs", [60, 252, 1020])
def test_chance_on_top_agrees_with_binomial_distributions(n_signs):
    law, ups = stats.binom(n_signs, 0.5), np.arange(n_signs + 1)
    for j, chance in enumerate(chance_on_top(STARTS, n_signs)):
        end = STARTS[j] + 2 * ups - n_signs
        others = [law.cdf((end - start + n_signs) / 2) for i, start in enumerate(STARTS) if i != j]
        assert chance == pytest.approx(law.pmf(ups) @ np.prod(others, axis=0), abs=1e-10)  # rounding of C(1020, 510)


def test_chance_on_top_with_many_signs_agrees_with_the_normal_limit():
    n_signs, sigma = 1020, np.sqrt(1020)
    # Continuity correction: sums that start at 2, −2 or 0 lie 2 apart and can tie, so two limits move by 1, half that
    # distance. A sum that starts at 1 cannot tie with them.
    more = {1.0: 0.0, -2.0: 1.0, 0.0: 1.0}

    def at(x):
        others = [stats.norm.cdf(x + (2.0 - start + room) / sigma) for start, room in more.items()]
        return stats.norm.pdf(x) * np.prod(others)

    assert chance_on_top(STARTS, n_signs)[1] == pytest.approx(integrate.quad(at, -9, 9)[0], abs=1e-3)
