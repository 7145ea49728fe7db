import math

import numpy as np
import pytest
from scipy import stats

from sattn_core.bands.matrix_variance import score_variance_moments
from sattn_core.draws.matrix_products import matrix_variances
from sattn_core.draws.phones import MOST_PHONES, phone_draws


def test_first_product_and_its_variance_by_hand():
    drawn = phone_draws(7, size=3, d_k=5, seed=2)
    assert (drawn.first_A.shape, drawn.first_B.shape, drawn.variances.shape) == ((3, 5), (5, 3), (10,))
    by_hand = [[sum(drawn.first_A[i] * drawn.first_B[:, j]) for j in range(3)] for i in range(3)]
    np.testing.assert_allclose(drawn.first_product, by_hand, rtol=1e-13)
    assert drawn.variances[0] == pytest.approx(np.var(by_hand), rel=1e-13)


def test_draws_follow_their_documented_recipe():
    # One random stream for each phone; for each product first all of A, then B column by column.
    rng = np.random.Generator(np.random.SFC64(np.random.SeedSequence(2021, spawn_key=(6, 29))))
    expected = []
    for _ in range(10):
        A = [[rng.standard_normal() for _ in range(2)] for _ in range(2)]
        B = [[rng.standard_normal() for _ in range(2)] for _ in range(2)]
        expected.append(np.var([[sum(a * b for a, b in zip(row, column)) for column in B] for row in A]))  # noqa: B905
    np.testing.assert_allclose(phone_draws(29, seed=2021).variances, expected, rtol=1e-12)


def test_a_draw_depends_on_its_phone_and_seed_and_not_on_later_draws():
    few, many = phone_draws(3, 4, seed=1), phone_draws(3, 100, seed=1)
    np.testing.assert_array_equal(few.variances, many.variances[:4])
    np.testing.assert_array_equal(few.first_product, many.first_product)
    others = [phone_draws(i, seed=seed).variances for seed in (1, 2) for i in range(MOST_PHONES)]
    assert len(np.unique(others)) == 2 * MOST_PHONES * 10


def test_ddof_1_multiplies_variances_by_four_thirds():
    np.testing.assert_allclose(phone_draws(0, ddof=1).variances, phone_draws(0).variances * 4 / 3, rtol=1e-14)


@pytest.mark.parametrize(("size", "d_k"), [(2, 2), (3, 8)])
def test_variances_of_many_phones_have_the_right_distribution(size, d_k):
    drawn = np.array([phone_draws(i, 100, size=size, d_k=d_k, seed=5).variances for i in range(MOST_PHONES)]).ravel()
    exact = matrix_variances(size, d_k, len(drawn), seed=6)
    # Two samples of one law have a larger Kolmogorov distance once in a thousand times.
    assert stats.ks_2samp(drawn, exact).statistic < 1.95 * math.sqrt(2 / len(drawn))
    mean, variance = score_variance_moments(size, size, d_k)
    assert abs(drawn.mean() - mean) < 4 * math.sqrt(variance / len(drawn))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"number": 100}, "number must be between 0 and 99"),
        ({"number": -1}, "number must be between 0 and 99"),
        ({"per_phone": 0}, "per_phone must be between 1 and 100"),
        ({"size": 1}, "size must be between 2 and 64"),
        ({"d_k": 1025}, "d_k must be between 1 and 1024"),
        ({"ddof": 2}, "ddof must be between 0 and 1"),
        ({"seed": -1}, "seed must be at least 0"),
    ],
)
def test_bad_arguments_are_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        phone_draws(**{"number": 0} | wrong)
