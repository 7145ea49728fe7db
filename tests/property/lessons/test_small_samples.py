import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sattn_core.bands import matrix_variance
from sattn_core.draws import matrix_products
from sattn_core.lessons.small_samples import SmallSamplesParams, band_curve, draw_sweep, measure_small_samples
from tests.simulations import fewer


@pytest.fixture(autouse=True, scope="module")
def _few_reference_draws():
    """Use few reference draws: these properties hold for any number."""
    sizes = [(matrix_products, "_REFERENCE_DRAWS", 5_000), (matrix_variance, "_SIMULATED_MATRICES", 10_000)]
    with fewer(sizes, forgotten=(matrix_products.reference_distribution, matrix_variance._simulated_quantiles)):
        yield


@settings(max_examples=25)
@given(st.integers(2, 6), st.integers(1, 6), st.integers(0, 1), st.integers(1, 50), st.integers(0, 2**32))
def test_every_draw_is_counted_and_quantiles_are_in_order(size, d_k, ddof, n_draws, seed):
    result = measure_small_samples(SmallSamplesParams(size, d_k, ddof, n_draws, seed))
    assert result.counts.sum() + result.above == n_draws
    assert (result.variances >= 0).all()
    assert 0 <= result.band[0] <= result.band[1]
    assert result.low <= result.median <= result.high
    assert result.first_A.shape == (size, d_k)


@settings(max_examples=20)
@given(st.lists(st.integers(2, 64), min_size=1, max_size=4, unique=True), st.integers(1, 16))
def test_band_at_one_size_does_not_depend_on_the_other_sizes(sizes, d_k):
    curve = band_curve(sizes, d_k=d_k, n_draws=2)
    for i, size in enumerate(sizes):
        alone = band_curve((size,), d_k=d_k, n_draws=2)
        for name in ("mean", "std", "low", "high", "naive_low", "naive_high", "measured"):
            assert np.array_equal(getattr(curve, name)[i], getattr(alone, name)[0]), name


@settings(max_examples=25)
@given(
    st.sets(st.integers(1, 1024), min_size=1, max_size=4),
    st.integers(2, 64),
    st.integers(0, 1),
    st.integers(1, 30),
    st.integers(0, 2**32),
)
def test_every_draw_of_a_sweep_is_counted(dims, size, ddof, n_draws, seed):
    options = {"size": size, "ddof": ddof, "seed": seed}
    sweep = draw_sweep(tuple(sorted(dims)), n_draws=n_draws, **options)
    first = sweep.first(n_draws)
    assert (sweep.ratios >= 0).all()
    assert (first.counts.sum(axis=1) + first.above == n_draws).all()
    longer = draw_sweep(tuple(sorted(dims)), n_draws=n_draws + 3, **options)
    assert np.array_equal(longer.ratios[:, :n_draws], sweep.ratios)
