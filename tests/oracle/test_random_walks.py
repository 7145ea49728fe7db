import math

import numpy as np

from sattn_core.components import COMPONENT_LAWS
from sattn_core.moments import paired_score_moments
from sattn_core.random_walks import random_walks


def test_walks_spread_as_their_envelope():
    walks = random_walks(64, n_walks=4000, mean_q=0.5, mean_k=0.5, seed=2)
    steps = slice(1, None)
    error = walks.std[steps] / math.sqrt(4000)
    assert (np.abs(walks.walks.mean(0)[steps] - walks.mean[steps]) < 4 * error).all()
    ratio = walks.walks.std(0)[steps] / walks.std[steps]
    one = paired_score_moments(1, moments=COMPONENT_LAWS["normal"].moments, mean_q=0.5, mean_k=0.5)
    excess = one.excess_kurtosis / walks.steps[steps]
    assert (np.abs(ratio - 1) < 4 * np.sqrt((excess + 2) / 4000) / 2).all()
