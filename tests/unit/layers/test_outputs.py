"""Own share of outputs: cases by hand, error messages and properties."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial import distance

from sattn_core.layers.outputs import own_share


@pytest.mark.parametrize(
    ("output", "share"),
    [
        ([[3.0, 4.0], [3.0, 4.0]], 0.0),
        ([[1.0, 0.0], [0.0, 1.0]], 0.5),
        ([[1.0], [-1.0]], 1.0),  # the tokens cancel: their mean is 0
        (np.eye(4), 0.75),
        ([[2.0, 1.0], [2.0, -1.0]], 0.2),  # the mean (2, 0) holds 4 of each squared length 5
        ([[5.0]], 0.0),  # a single token equals the mean
    ],
)
def test_own_share_by_hand(output, share):
    assert own_share(output) == pytest.approx(share, abs=1e-15)


def test_own_share_is_computed_for_each_entry_of_a_batch():
    output = np.stack([np.eye(2), np.ones((2, 2))])
    np.testing.assert_allclose(own_share(output), [0.5, 0.0], atol=1e-15)
    assert own_share(np.ones((3, 1, 4, 2))).shape == (3, 1)


def test_nearly_equal_outputs_lose_no_digits():
    apart = 1e-9
    found = own_share([[1.0, apart], [1.0, -apart]])
    assert found == pytest.approx(apart**2 / (1 + apart**2), rel=1e-12)


@pytest.mark.parametrize("size", [1e-200, 1e200])
def test_size_of_the_outputs_does_not_matter(size):
    assert own_share(size * np.array([[1.0, 0.0], [0.0, 1.0]])) == pytest.approx(0.5, rel=1e-15)


@pytest.mark.parametrize(
    ("output", "error", "message"),
    [
        ([1.0, 2.0], ValueError, "output must have at least 2 dimension"),
        ([[0.0, 0.0]], ValueError, "output must hold a number other than 0"),
        ([[[1.0]], [[0.0]]], ValueError, "output must hold a number other than 0"),
        (np.ones((0, 3)), ValueError, r"output must hold at least one token and one dimension, but got shape \(0, 3\)"),
        (np.ones((3, 0)), ValueError, r"but got shape \(3, 0\)"),
        ([[1.0, math.nan]], ValueError, "output must hold finite numbers only, but got nan"),
        ([[1j]], TypeError, "output must hold real numbers"),
    ],
)
def test_bad_outputs_are_refused(output, error, message):
    with pytest.raises(error, match=message):
        own_share(output)


def test_argument_is_not_changed():
    output = np.array([[1.0, 2.0], [3.0, 4.0]])
    own_share(output)
    np.testing.assert_array_equal(output, [[1.0, 2.0], [3.0, 4.0]])


OUTPUTS = arrays(np.float64, (5, 3), elements=st.integers(-100, 100)).filter(lambda each: each.any())


@given(OUTPUTS, st.floats(0.1, 10))
def test_own_share_is_between_0_and_1_and_ignores_size_and_order(output, size):
    share = own_share(output)
    assert 0 <= share <= 1 + 1e-12
    assert own_share(size * output) == pytest.approx(share, abs=1e-12)
    assert own_share(output[::-1]) == pytest.approx(share, abs=1e-12)


@given(OUTPUTS)
def test_own_share_agrees_with_scipys_distances_between_tokens(output):
    # Σ_{i<j} |o_i − o_j|² = n Σ_i |o_i − ō|²
    apart = distance.pdist(output, "sqeuclidean").sum() / len(output)
    assert own_share(output) == pytest.approx(apart / (output**2).sum(), abs=1e-12)
