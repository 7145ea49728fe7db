import math

import numpy as np
import pytest

from sattn_core.components import PairLaw
from sattn_core.law import dot_product_pdf
from sattn_core.score_density import has_exact_density, score_density

S = np.linspace(-9.0, 9.0, 7)


def test_the_density_of_centred_normal_components_is_exact():
    assert has_exact_density(PairLaw())
    np.testing.assert_array_equal(score_density(S, 16, PairLaw()), dot_product_pdf(S, 16))


@pytest.mark.parametrize(
    ("pair_law", "mean", "variance"),
    [
        (PairLaw("uniform"), 0, 16),
        (PairLaw(mean_q=0.5, mean_k=2.0), 16, 16 * (1 + 0.25 + 4)),
        (PairLaw(correlation=0.5), 8, 20),
    ],
)
def test_the_density_of_others_is_the_normal_one_with_their_moments(pair_law, mean, variance):
    assert not has_exact_density(pair_law)
    wanted = np.exp(-((S - mean) ** 2) / (2 * variance)) / math.sqrt(2 * math.pi * variance)
    np.testing.assert_allclose(score_density(S, 16, pair_law), wanted, rtol=1e-12)


def test_constant_scores_have_no_density():
    assert np.isnan(score_density(S, 4, PairLaw("rademacher", correlation=1.0))).all()
