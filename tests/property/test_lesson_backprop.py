import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sattn_core.lessons.backprop import (
    MASKS,
    BackpropParams,
    ProductsParams,
    gradient_sweep,
    measure_backprop,
    measure_products,
)

SIZE = st.integers(1, 16)
PARAMS = st.builds(
    BackpropParams,
    n_tokens=st.integers(1, 8),
    d_model=SIZE,
    d_k=SIZE,
    d_v=SIZE,
    exponent=st.floats(0, 1),
    mask=st.sampled_from(MASKS),
    seed=st.integers(0, 2**32 - 1),
)


@settings(deadline=None, max_examples=40)
@given(PARAMS)
def test_every_gradient_agrees_at_every_size(params):
    result = measure_backprop(params)
    agreeing = [check.name for check in result.gradients if check.central_agrees and check.complex_agrees]
    assert len(agreeing) == 10
    assert np.abs(result.score_gradient_row_sums).max() < 1e-12 * (1 + result.loss)


@settings(deadline=None, max_examples=20)
@given(PARAMS, st.lists(st.integers(1, 1024), min_size=1, max_size=3, unique=True))
def test_what_a_sweep_finds_at_one_d_k_does_not_depend_on_the_others(params, dims):
    dims = tuple(sorted(dims))
    together, alone = gradient_sweep(params, dims), gradient_sweep(params, dims[-1:])
    assert together.raw_score_norms[-1] == alone.raw_score_norms[0]
    assert together.without_scale[-1] == alone.without_scale[0]
    assert all(np.array_equal(each, alone.gradients[0][name]) for name, each in together.gradients[-1].items())
    assert (together.raw_score_norms >= 0).all()


@settings(deadline=None, max_examples=20)
@given(PARAMS)
def test_same_seed_same_result(params):
    once, again = measure_backprop(params), measure_backprop(params)
    assert once.loss == again.loss
    for a, b in zip(once.gradients, again.gradients, strict=True):
        assert np.array_equal(a.gradient, b.gradient)


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 8), st.integers(1, 8), st.integers(0, 2**32 - 1), st.floats(1e-3, 1e3))
def test_identities_hold_for_any_two_matrices(n_rows, n_columns, seed, size):
    A, B = np.random.default_rng(seed).standard_normal((2, n_rows, n_columns))
    result = measure_products(ProductsParams(size * A, B / size))
    assert max(check.error for check in result.identities) < 1e-13
    assert np.allclose(result.hadamard.sum(axis=1), result.row_wise_dot, rtol=0, atol=1e-12)
