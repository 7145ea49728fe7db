import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from sattn_core._checks import check_dims
from sattn_core.draws.pair_scores import draw_pair_scores
from sattn_core.draws.sweep import dimension_sweep
from sattn_core.laws.components import COMPONENT_LAWS

DIMS = (1, 3, 4, 64, 200)


@pytest.fixture(scope="module")
def sweep():
    return dimension_sweep(DIMS, n_samples=500, n_keys=4, seed=9)


def scores_at(d_k):
    return draw_pair_scores(500, d_k, seed=9)


def test_first_axis_of_arrays_is_the_dimension(sweep):
    shapes = {name: value.shape for name, value in vars(sweep).items() if isinstance(value, np.ndarray)}
    assert shapes == {
        "raw_edges": (130,), "raw_counts": (5, 129), "raw_below": (5,), "raw_above": (5,),
        "scaled_edges": (97,), "scaled_counts": (5, 96), "scaled_below": (5,), "scaled_above": (5,),
        "raw_mean": (5,), "raw_variance": (5,), "raw_excess_kurtosis": (5,),
        "scaled_mean": (5,), "scaled_variance": (5,), "row_scores": (5, 4),
    }  # fmt: skip
    assert (sweep.dims, sweep.n_samples, sweep.n_keys, sweep.law, sweep.seed) == (DIMS, 500, 4, "normal", 9)


def test_edges_are_fixed_and_equally_spaced(sweep):
    np.testing.assert_array_equal(sweep.raw_edges, np.arange(-64.5, 65.0))
    np.testing.assert_array_equal(sweep.scaled_edges, np.arange(-48, 49) / 8)


@pytest.mark.parametrize("row", range(len(DIMS)))
def test_counts_and_moments_agree_with_draw_pair_scores(sweep, row):
    scores = scores_at(DIMS[row])
    np.testing.assert_array_equal(sweep.raw_counts[row], np.histogram(scores, sweep.raw_edges)[0])
    scaled = scores / np.sqrt(DIMS[row])
    np.testing.assert_array_equal(sweep.scaled_counts[row], np.histogram(scaled, sweep.scaled_edges)[0])
    np.testing.assert_allclose(sweep.raw_mean[row], scores.mean(), rtol=1e-13)
    np.testing.assert_allclose(sweep.raw_variance[row], scores.var(ddof=1), rtol=1e-13)
    np.testing.assert_allclose(sweep.scaled_mean[row], scaled.mean(), rtol=1e-13)
    np.testing.assert_allclose(sweep.scaled_variance[row], scaled.var(ddof=1), rtol=1e-13)


def test_counts_below_and_above_the_bins_are_not_swapped():
    wide = dimension_sweep((4096,), n_samples=300, n_keys=1, seed=0)
    scores = draw_pair_scores(300, 4096, seed=0)
    assert wide.raw_below[0] == np.count_nonzero(scores < -64.5)
    assert wide.raw_above[0] == np.count_nonzero(scores >= 64.5)


@pytest.mark.parametrize("row", range(len(DIMS)))
def test_one_dimension_does_not_depend_on_the_others(sweep, row):
    alone = dimension_sweep(DIMS[row : row + 1], n_samples=500, n_keys=4, seed=9)
    for name in ("raw_counts", "scaled_counts", "raw_variance", "raw_excess_kurtosis", "row_scores"):
        np.testing.assert_array_equal(getattr(alone, name)[0], getattr(sweep, name)[row])


def test_row_scores_grow_component_by_component():
    signs = dimension_sweep(tuple(range(1, 140)), n_samples=2, n_keys=5, law="rademacher", seed=0)
    assert set(np.abs(signs.row_scores[0])) == {1.0}
    steps = np.diff(signs.row_scores, axis=0)
    assert not np.array_equal(steps[:63], steps[64:127])  # the second block of 64 components does not repeat the first
    assert set(np.unique(steps)) == {-1.0, 1.0}
    assert np.unique(steps.T, axis=0).shape[0] == 5  # the keys differ


def test_row_scores_are_drawn_separately_from_the_pairs():
    tiny = dimension_sweep((1,), n_samples=2, n_keys=4, seed=0)
    assert not np.intersect1d(tiny.row_scores, draw_pair_scores(2, 1, seed=0)).size


def test_row_scores_depend_on_the_seed_and_not_on_n_samples(sweep):
    other = dimension_sweep(DIMS, n_samples=20, n_keys=4, seed=9)
    np.testing.assert_array_equal(other.row_scores, sweep.row_scores)
    reseeded = dimension_sweep(DIMS, n_samples=20, n_keys=4, seed=8)
    assert not np.array_equal(reseeded.row_scores, other.row_scores)


def test_sweep_needs_little_memory():
    tracemalloc.start()
    dimension_sweep((16, 256), n_samples=20_000, n_keys=16, seed=0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10e6  # the components together would take 82 MB


@pytest.mark.parametrize(
    ("dims", "error", "message"),
    [
        ((), ValueError, "dims must hold at least one dimension"),
        ((4, 4), ValueError, "dims must be strictly increasing, but got 4 after 4"),
        ((4, 2), ValueError, "dims must be strictly increasing, but got 2 after 4"),
        ((0, 2), ValueError, "an entry of dims must be at least 1, but got 0"),
        ((1.5,), TypeError, "an entry of dims must be an integer, but got 1.5"),
        (64, TypeError, "dims must be a sequence of integers, but got 64"),
        ("64", TypeError, "dims must be a sequence of integers, but got '64'"),
    ],
)
def test_bad_dims_are_refused(dims, error, message):
    with pytest.raises(error) as caught:
        dimension_sweep(dims, n_samples=10, n_keys=1, seed=0)
    assert message in str(caught.value)
    assert check_dims(np.array([1, 2])) == (1, 2)  # any sequence of integers


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_samples": 1}, "n_samples must be at least 2"),
        ({"n_keys": 0}, "n_keys must be at least 1"),
        ({"law": "gauss"}, "law must be one of"),
        ({"seed": -3}, "seed must be at least 0"),
    ],
)
def test_sweep_refuses_bad_arguments(change, message):
    with pytest.raises(ValueError, match=message):
        dimension_sweep((2,), **({"n_samples": 10, "n_keys": 1, "seed": 0} | change))


# --- properties ----------------------------------------------------------------------------------------


dims_lists = st.lists(st.integers(1, 40), min_size=1, max_size=5, unique=True).map(sorted)


@settings(max_examples=40)
@given(dims_lists, st.sampled_from(tuple(COMPONENT_LAWS)), st.integers(0, 2**40))
def test_counts_add_up_and_the_same_seed_gives_the_same_sweep(dims, law, seed):
    first, second = (dimension_sweep(dims, n_samples=30, n_keys=3, law=law, seed=seed) for _ in range(2))
    for name, value in vars(first).items():
        np.testing.assert_array_equal(value, getattr(second, name))
    for part in ("raw", "scaled"):
        total = sum(getattr(first, f"{part}_{side}").sum() for side in ("counts", "below", "above"))
        assert total == 30 * len(dims)
    np.testing.assert_allclose(first.scaled_variance * dims, first.raw_variance, rtol=1e-12, atol=1e-12)


# --- oracles -------------------------------------------------------------------------------------------


def test_excess_kurtosis_agrees_with_scipy():
    sweep = dimension_sweep((7,), n_samples=400, n_keys=1, seed=2)
    scores = draw_pair_scores(400, 7, seed=2)
    assert sweep.raw_excess_kurtosis[0] == pytest.approx(stats.kurtosis(scores), rel=1e-12)


def test_keys_of_a_row_share_their_query():
    rows = np.array([dimension_sweep((1,), n_samples=2, n_keys=2, seed=s).row_scores[0] for s in range(2000)])
    # log s² = log q² + log k²: both terms have one law, and two scores share log q², so the correlation is 1/2
    x, y = ((logs - logs.mean()) / logs.std() for logs in np.log(rows**2).T)
    influence = x * y - 0.25 * (x**2 + y**2)  # influence function of the correlation at 1/2
    assert abs(np.mean(x * y) - 0.5) < 4 * influence.std() / math.sqrt(len(rows))
