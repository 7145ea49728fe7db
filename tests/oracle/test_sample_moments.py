import numpy as np
import pytest
from scipy import stats

from sattn_core.sample_moments import SampleMoments


def test_kurtosis_influence_is_the_derivative_of_the_kurtosis():
    scores = np.random.default_rng(0).gamma(2.0, size=50)
    influence = SampleMoments.of(scores).kurtosis_influence()
    # put weight eps more on one score: the kurtosis moves by eps * influence, up to eps²
    eps = 1e-6
    for i in (0, 17):
        weights = np.full(50, (1 - eps) / 50)
        weights[i] += eps
        centred = scores - weights @ scores
        moved = (weights @ centred**4) / (weights @ centred**2) ** 2
        assert (moved - stats.kurtosis(scores, fisher=False)) / eps == pytest.approx(influence[i], rel=1e-3)
