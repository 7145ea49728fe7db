import numpy as np
import pytest

from sattn_core.initialisation import INIT_SCHEMES, init_scheme, projection_variance

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
def test_variances_by_hand(scheme):
    component, scaled_std, raw = BY_HAND[scheme]
    law = projection_variance(scheme, 512, 8)
    assert np.allclose(law, (component, component, raw, scaled_std**2), rtol=1e-13, atol=0)


def test_all_schemes_are_there():
    assert set(INIT_SCHEMES) == set(BY_HAND)


def test_bias_of_nn_linear_adds_a_weight_and_no_other_scheme_has_one():
    assert abs(projection_variance("torch_linear", 512, 8, bias=True).scaled_score - 0.111546) < 1e-6
    for scheme in set(INIT_SCHEMES) - {"torch_linear"}:
        assert projection_variance(scheme, 64, 4, bias=True) == projection_variance(scheme, 64, 4)


def test_kurtosis_of_the_weights():
    assert init_scheme("torch_linear").kurtosis == 1.8
    assert init_scheme("he_normal").kurtosis == 3.0


def test_uniform_weights_stay_inside_their_bounds():
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
def test_bad_arguments(arguments, error, message):
    with pytest.raises(error, match=message):
        projection_variance(*arguments)


def test_bias_must_be_a_bool():
    with pytest.raises(TypeError, match="bias must be True or False, but got 1"):
        projection_variance("he_normal", 64, 4, bias=1)
