import math

import numpy as np
import pytest

from sattn_core.initialisation import INIT_SCHEMES, init_scheme, projection_variance
from sattn_core.layer_norm import layer_norm

D_MODEL, N_HEADS = 48, 4
DRAWS = 60


@pytest.fixture
def torch():
    return pytest.importorskip("torch", reason="PyTorch is not installed; CI compares with it")


def inputs():
    """Very uneven tokens: LayerNorm makes the prediction hold for any data."""
    return layer_norm(np.random.default_rng(1).standard_normal((10, D_MODEL)) ** 3 + 5.0)


def within_four_errors(values, expected):
    """Whether the mean of independent values is within 4 of its standard errors."""
    return abs(np.mean(values) - expected) < 4 * np.std(values, ddof=1) / math.sqrt(len(values))


def squares_of_draw(x, W_q, W_k):
    q, k = ((x @ W).reshape(len(x), N_HEADS, -1).swapaxes(0, 1) for W in (W_q, W_k))
    return np.square(q).mean(), np.square(k).mean(), np.square(q @ k.swapaxes(-1, -2)).mean()


@pytest.mark.parametrize("scheme", INIT_SCHEMES)
def test_monte_carlo_over_the_weights(scheme):
    x, rng, law = inputs(), np.random.default_rng(2), projection_variance(scheme, D_MODEL, N_HEADS)
    shape = (2, D_MODEL, D_MODEL)
    draws = [squares_of_draw(x, *init_scheme(scheme).draw(rng, D_MODEL, N_HEADS, shape)) for _ in range(DRAWS)]
    q, k, raw = np.transpose(draws)
    assert within_four_errors(q, law.query_component)
    assert within_four_errors(k, law.key_component)
    assert within_four_errors(raw, law.raw_score)


def test_a_really_initialised_multihead_attention(torch):
    torch.manual_seed(3)
    x, law = inputs(), projection_variance("torch_multihead_attention", D_MODEL, N_HEADS)
    draws = []
    for _ in range(DRAWS):
        layer = torch.nn.MultiheadAttention(D_MODEL, N_HEADS)
        assert not layer.in_proj_bias.detach().numpy().any()
        packed = layer.in_proj_weight.detach().double().numpy()
        draws.append(squares_of_draw(x, packed[:D_MODEL].T, packed[D_MODEL : 2 * D_MODEL].T))
    q, k, raw = np.transpose(draws)
    assert within_four_errors(q, law.query_component)
    assert within_four_errors(k, law.key_component)
    assert within_four_errors(raw, law.raw_score)
    # Strong enough to tell it from Xavier on square matrices, variance 1.
    assert not within_four_errors(q, 1.0)


def test_with_keys_of_another_width_the_query_weights_are_square_xavier_ones(torch):
    torch.manual_seed(6)
    squares = []
    for _ in range(DRAWS):
        layer = torch.nn.MultiheadAttention(D_MODEL, N_HEADS, kdim=2 * D_MODEL)
        assert layer.in_proj_weight is None
        squares.append(np.square(layer.q_proj_weight.detach().double().numpy()).mean())
    assert within_four_errors(squares, projection_variance("xavier_square", D_MODEL, N_HEADS).query_component / D_MODEL)


@pytest.mark.parametrize("bias", [False, True])
def test_a_really_initialised_linear_layer(bias, torch):
    torch.manual_seed(4)
    x, law = inputs(), projection_variance("torch_linear", D_MODEL, N_HEADS, bias=bias)
    q = []
    for _ in range(DRAWS):
        layer = torch.nn.Linear(D_MODEL, D_MODEL, bias=bias).double()
        q.append(np.square(layer(torch.tensor(x)).detach().numpy()).mean())
    assert within_four_errors(q, law.query_component)


def test_bias_is_seen_in_a_narrow_layer(torch):
    torch.manual_seed(5)
    ones = torch.ones(1, 1, dtype=torch.float64)
    squares = [torch.nn.Linear(1, 1).double()(ones).detach().item() ** 2 for _ in range(2000)]
    assert within_four_errors(squares, projection_variance("torch_linear", 1, 1, bias=True).query_component)
    assert not within_four_errors(squares, projection_variance("torch_linear", 1, 1).query_component)
