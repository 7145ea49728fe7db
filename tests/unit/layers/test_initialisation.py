import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sattn_core.layers.initialisation import INIT_SCHEMES, init_scheme, projection_variance
from sattn_core.layers.layer_norm import layer_norm
from tests.simulations import within_four_errors

# (component variance, scaled standard deviation, raw variance) at d_model = 512 and 8 heads, by hand.
BY_HAND = {
    "xavier_square": (1, 1, 64),
    "xavier_per_head": (16 / 9, 16 / 9, 64 * (16 / 9) ** 2),
    "torch_multihead_attention": (1 / 2, 1 / 2, 16),
    "torch_linear": (1 / 3, 1 / 3, 64 / 9),
    "he_normal": (2, 2, 256),
    "lecun_normal": (1, 1, 64),
    "normal_0_02": (0.2048, 0.2048, 64 * 0.2048**2),
    "keras_multihead_attention": (1 / 36, 1 / 36, 64 / 36**2),
}


@pytest.mark.parametrize("scheme", BY_HAND)
def test_projection_variances_by_hand(scheme):
    component, scaled_std, raw = BY_HAND[scheme]
    law = projection_variance(scheme, 512, 8)
    assert np.allclose(law, (component, component, raw, scaled_std**2), rtol=1e-13, atol=0)


def test_every_scheme_is_checked_by_hand():
    assert set(INIT_SCHEMES) == set(BY_HAND)


def test_only_torch_linear_has_a_bias_and_it_counts_as_one_weight():
    assert abs(projection_variance("torch_linear", 512, 8, bias=True).scaled_score - 0.111546) < 1e-6
    for scheme in set(INIT_SCHEMES) - {"torch_linear"}:
        assert projection_variance(scheme, 64, 4, bias=True) == projection_variance(scheme, 64, 4)


def test_weights_have_the_kurtosis_of_their_law():
    assert init_scheme("torch_linear").kurtosis == 1.8
    assert init_scheme("he_normal").kurtosis == 3.0


def test_uniform_weights_fill_their_bounds():
    weights = init_scheme("torch_linear").draw(np.random.default_rng(0), 64, 4, (64, 64))
    assert np.abs(weights).max() <= 1 / 8
    assert np.abs(weights).max() > 0.99 / 8


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("xavier", 64, 4), ValueError, "scheme must be one of xavier_square, .*, but got 'xavier'"),
        (("he_normal", 64, 5), ValueError, "n_heads must divide d_model = 64, but got 5"),
        (("he_normal", 0, 1), ValueError, "d_model must be at least 1"),
        (("he_normal", 64.0, 1), TypeError, "d_model must be an integer"),
    ],
)
def test_bad_arguments_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        projection_variance(*arguments)


def test_bias_must_be_a_bool():
    with pytest.raises(TypeError, match="bias must be True or False, but got 1"):
        projection_variance("he_normal", 64, 4, bias=1)


# --- properties ----------------------------------------------------------------------------------------


@given(st.sampled_from(INIT_SCHEMES), st.integers(1, 64), st.integers(1, 32), st.booleans())
def test_score_variance_follows_from_the_component_variances(scheme, d_k, n_heads, bias):
    law = projection_variance(scheme, d_k * n_heads, n_heads, bias=bias)
    product = law.query_component * law.key_component
    assert law.query_component > 0
    assert abs(law.scaled_score - product) <= 1e-12 * product
    assert abs(law.raw_score - d_k * product) <= 1e-12 * d_k * product


@settings(max_examples=30)
@given(st.integers(1, 512))
def test_both_xavier_schemes_agree_for_one_head(d_model):
    assert projection_variance("xavier_per_head", d_model, 1) == projection_variance("xavier_square", d_model, 1)


# --- oracles -------------------------------------------------------------------------------------------


D_MODEL, N_HEADS = 48, 4
DRAWS = 60


def inputs():
    """Return heavy-tailed tokens after LayerNorm, which makes the prediction hold for any data."""
    return layer_norm(np.random.default_rng(1).standard_normal((10, D_MODEL)) ** 3 + 5.0)


def squares_of_draw(x, W_q, W_k):
    q, k = ((x @ W).reshape(len(x), N_HEADS, -1).swapaxes(0, 1) for W in (W_q, W_k))
    return np.square(q).mean(), np.square(k).mean(), np.square(q @ k.swapaxes(-1, -2)).mean()


@pytest.mark.parametrize("scheme", INIT_SCHEMES)
def test_prediction_agrees_with_drawn_weights(scheme):
    x, rng, law = inputs(), np.random.default_rng(2), projection_variance(scheme, D_MODEL, N_HEADS)
    shape = (2, D_MODEL, D_MODEL)
    draws = [squares_of_draw(x, *init_scheme(scheme).draw(rng, D_MODEL, N_HEADS, shape)) for _ in range(DRAWS)]
    q, k, raw = np.transpose(draws)
    assert within_four_errors(q, law.query_component)
    assert within_four_errors(k, law.key_component)
    assert within_four_errors(raw, law.raw_score)


def test_prediction_agrees_with_pytorchs_multihead_attention(torch):
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
    # The draws are precise enough to exclude 1, the variance with Xavier on square matrices.
    assert not within_four_errors(q, 1.0)


def test_pytorch_uses_square_xavier_if_keys_have_another_width(torch):
    torch.manual_seed(6)
    squares = []
    for _ in range(DRAWS):
        layer = torch.nn.MultiheadAttention(D_MODEL, N_HEADS, kdim=2 * D_MODEL)
        assert layer.in_proj_weight is None
        squares.append(np.square(layer.q_proj_weight.detach().double().numpy()).mean())
    assert within_four_errors(squares, projection_variance("xavier_square", D_MODEL, N_HEADS).query_component / D_MODEL)


@pytest.mark.parametrize("bias", [False, True])
def test_prediction_agrees_with_pytorchs_linear_layer(bias, torch):
    torch.manual_seed(4)
    x, law = inputs(), projection_variance("torch_linear", D_MODEL, N_HEADS, bias=bias)
    q = []
    for _ in range(DRAWS):
        layer = torch.nn.Linear(D_MODEL, D_MODEL, bias=bias).double()
        q.append(np.square(layer(torch.tensor(x)).detach().numpy()).mean())
    assert within_four_errors(q, law.query_component)


def test_prediction_for_a_narrow_layer_needs_the_bias(torch):
    torch.manual_seed(5)
    ones = torch.ones(1, 1, dtype=torch.float64)
    squares = [torch.nn.Linear(1, 1).double()(ones).detach().item() ** 2 for _ in range(2000)]
    assert within_four_errors(squares, projection_variance("torch_linear", 1, 1, bias=True).query_component)
    assert not within_four_errors(squares, projection_variance("torch_linear", 1, 1).query_component)
