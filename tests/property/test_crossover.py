"""What holds for the crossover of the medians at any number of keys."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sattn_core.crossover import median_crossover
from sattn_core.saturation import critical_score_std


@settings(deadline=None, max_examples=12)
@given(st.integers(2, 1024))
def test_it_lies_well_above_the_threshold_and_inside_its_interval(n_keys):
    crossover = median_crossover(n_keys)
    assert crossover.low < crossover.d_k < crossover.high
    assert np.sqrt(crossover.low) > 2 * critical_score_std(n_keys)


@settings(deadline=None, max_examples=6)
@given(st.integers(2, 256))
def test_many_more_keys_cross_later(n_keys):
    assert median_crossover(n_keys).high < median_crossover(4 * n_keys).low
