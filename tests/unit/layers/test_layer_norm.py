import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from sattn_core.layers.layer_norm import layer_norm


def test_rows_of_mean_3_and_variance_4_by_hand():
    assert np.allclose(layer_norm([[1.0, 5.0], [5.0, 1.0]], eps=1e-14), [[-1, 1], [1, -1]], rtol=0, atol=1e-13)


def test_eps_is_added_to_the_variance():
    assert np.allclose(layer_norm([1.0, 5.0], eps=12.0), [-0.5, 0.5], rtol=1e-15, atol=0)


def test_every_row_is_normalised_separately():
    x = np.array([[1.0, 5.0], [100.0, 300.0]])
    assert np.array_equal(layer_norm(x)[1], layer_norm(x[1]))


def test_a_constant_row_gives_zeros():
    assert np.array_equal(layer_norm([[7.0, 7.0, 7.0]]), [[0.0, 0.0, 0.0]])
    assert layer_norm([1e300, 1e300]).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("length", [3, 7, 10, 64, 1000])
def test_rounding_does_not_make_a_constant_row_vary(length):
    for value in (0.1, -1e5 / 3, 1e299 / 7):
        assert not layer_norm(np.full((2, length), value), eps=1e-300).any()


def test_huge_rows_do_not_overflow():
    assert np.allclose(layer_norm([-1e300, 1e300]), [-1.0, 1.0], rtol=1e-15, atol=0)


def test_eps_dominates_the_variance_of_tiny_rows():
    assert np.allclose(layer_norm([-1e-10, 1e-10], eps=1e-5), [-1e-10 / 1e-5**0.5, 1e-10 / 1e-5**0.5], rtol=1e-12)


@pytest.mark.parametrize(
    ("x", "eps", "error", "message"),
    [
        (3.0, 1e-5, ValueError, "x must have at least 1 dimension"),
        ([], 1e-5, ValueError, "x must have at least 1 entries"),
        ([1.0], 0.0, ValueError, r"eps must be a finite number above 0, but got 0\.0"),
    ],
)
def test_bad_arguments_are_refused(x, eps, error, message):
    with pytest.raises(error, match=message):
        layer_norm(x, eps)


# --- properties ----------------------------------------------------------------------------------------


ROWS = arrays(np.float64, array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=6), elements=st.floats(-1e6, 1e6))


@given(ROWS)
def test_rows_have_mean_0_and_the_exact_norm(x):
    y = layer_norm(x)
    v = x.var(axis=-1)
    n = x.shape[-1]
    # The mean of numbers up to 1e6 has a rounding error of 1e-10, which is then divided by at least √eps.
    assert np.allclose(y.mean(axis=-1), 0, rtol=0, atol=1e-7)
    assert np.allclose(np.square(y).sum(axis=-1), n * v / (v + 1e-5), rtol=1e-6, atol=1e-9)


# --- oracles -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("eps", [1e-5, 1e-2])
def test_layer_norm_agrees_with_pytorch(eps, torch):
    x = 3.0 * np.random.default_rng(0).standard_normal((4, 7, 33)) + 100.0
    expected = torch.nn.functional.layer_norm(torch.tensor(x), (33,), eps=eps).numpy()
    # Both subtract a mean of 100 from numbers of size 100, with a relative rounding of 1e-14.
    assert np.allclose(layer_norm(x, eps), expected, rtol=0, atol=1e-12)
