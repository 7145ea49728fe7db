import dataclasses

import numpy as np
import pytest

from sattn_core.crossover import _nearest_gaps, _traces, median_crossover
from sattn_core.saturation import critical_score_std
from sattn_core.softmax import softmax_jacobian


@pytest.mark.parametrize(("n_keys", "below", "above"), [(16, 64, 128), (64, 128, 512), (512, 128, 512)])
def test_the_crossover_lies_between_dimensions_of_known_ratios(n_keys, below, above):
    # Median without over with the scale: above 1 at the first d_k, below 1 at the second (1.2 and 0.5 for 16 keys).
    crossover = median_crossover(n_keys)
    assert below < crossover.low < crossover.d_k < crossover.high < above
    assert crossover.high / crossover.low < 1.13


def test_the_ratio_is_that_to_the_threshold_of_freezing():
    crossover = median_crossover(16)
    assert crossover.critical_ratio == pytest.approx(np.sqrt(crossover.d_k) / critical_score_std(16), rel=1e-14)
    assert 3.5 < crossover.critical_ratio < 4


def test_every_call_gives_the_same():
    assert median_crossover(5) == median_crossover(5)
    assert {field.name for field in dataclasses.fields(median_crossover(5))} >= {"n_keys", "d_k", "low", "high"}


def test_traces_are_those_of_the_jacobian():
    gaps = np.array([[0.0, 0.5, 2.0], [0.0, 0.1, 0.2], [0.0, 3.0, 3.0]])
    found = _traces(np.array([1.0, 4.0]), gaps)  # the third row takes the first stretch again
    rows = [softmax_jacobian(-stretch * row) for stretch, row in zip((1.0, 4.0, 1.0), gaps, strict=True)]
    assert np.allclose(found, np.trace(rows, axis1=1, axis2=2), rtol=1e-13, atol=0)


def test_gaps_begin_with_the_best_key_and_grow():
    gaps = _nearest_gaps(np.random.default_rng(0), 100)
    assert gaps.shape == (500, 32)
    assert (gaps[:, 0] == 0).all()
    assert (np.diff(gaps, axis=1) > 0).all()
    assert _nearest_gaps(np.random.default_rng(0), 3).shape == (500, 3)


@pytest.mark.parametrize(
    ("n_keys", "error", "message"),
    [
        (1, ValueError, "n_keys must be between 2 and 1024, but got 1"),
        (1025, ValueError, "n_keys must be between 2 and 1024, but got 1025"),
        (16.5, TypeError, "n_keys must be an integer"),
    ],
)
def test_other_numbers_of_keys_are_refused(n_keys, error, message):
    with pytest.raises(error, match=message):
        median_crossover(n_keys)
