"""No silent wrong number: what float64 cannot hold and what is masked is refused wherever arrays come in."""

import warnings

import numpy as np
import pytest

import sattn_core
from sattn_core._checks import check_array, check_scores
from sattn_core.lessons.attention_steps import AttentionStepsParams
from sattn_core.lessons.backprop import ProductsParams
from sattn_core.lessons.score_variance import hand_made_example
from sattn_core.lessons.softmax_saturation import compare_lists

MOST = 2**53
PLAIN = [[1.0, 2.0], [3.0, 5.0]]
EYE = np.eye(2)
RAW = np.array(PLAIN) @ np.array(PLAIN).T

# Every place where a caller's array enters, as a function of that array (two rows of two numbers).
DOORS = {
    "raw_scores Q": lambda x: sattn_core.raw_scores(x, EYE),
    "raw_scores K": lambda x: sattn_core.raw_scores(EYE, x),
    "attention Q": lambda x: sattn_core.attention(x, EYE, EYE),
    "attention K": lambda x: sattn_core.attention(EYE, x, EYE),
    "attention V": lambda x: sattn_core.attention(EYE, EYE, x),
    "attention_backward d_output": lambda x: sattn_core.attention_backward(EYE, EYE, EYE, x),
    "softmax": sattn_core.softmax,
    "log_softmax": sattn_core.log_softmax,
    "softmax_jacobian": sattn_core.softmax_jacobian,
    "softmax_jacobian_norm": sattn_core.softmax_jacobian_norm,
    "entropy_nats": sattn_core.entropy_nats,
    "effective_keys": sattn_core.effective_keys,
    "hadamard": lambda x: sattn_core.hadamard(EYE, x),
    "row_wise_dot": lambda x: sattn_core.row_wise_dot(x, EYE),
    "frobenius": lambda x: sattn_core.frobenius(x, EYE),
    "layer_norm": sattn_core.layer_norm,
    "measure_scores": lambda x: sattn_core.measure_scores(x, EYE),
    "dot_product_pdf": lambda x: sattn_core.dot_product_pdf(x, 4),
    "append_coordinates": lambda x: sattn_core.append_coordinates(
        x if isinstance(x, (list, tuple)) else x.ravel(), 4, 8, seed=0
    ),
    "rule raw_scores": lambda x: sattn_core.SCALING_RULES["vaswani"].apply(x, d_k=2),
    "rule Q": lambda x: sattn_core.SCALING_RULES["vit_22b"].apply(RAW, Q=x, K=PLAIN),
    "rule K": lambda x: sattn_core.SCALING_RULES["key_length_sum"].apply(RAW, K=x),
    "rule position_bias": lambda x: sattn_core.SCALING_RULES["swin_v1"].apply(RAW, d_k=2, position_bias=x),
    "hand_made_example": lambda x: hand_made_example(x, PLAIN),
    "compare_lists": lambda x: compare_lists(x),
    "AttentionStepsParams": lambda x: AttentionStepsParams(x, PLAIN, PLAIN),
    "ProductsParams": lambda x: ProductsParams(x, PLAIN),
}
LARGE = {
    "int64": np.array([[1, 2], [3, MOST + 1]]),
    "most negative": np.array([[1, 2], [3, -(2**63)]]),
    "uint64": np.array([[1, 2], [3, 2**63]], dtype=np.uint64),
    "object": np.array([[1, 2], [3, 2**64]], dtype=object),
    "Python ints": [[1, 2], [3, MOST + 1]],
    "beside a float": [[1, 0.5], [3, MOST + 1]],
    "NumPy ints in a list": [[1, 0.5], (3, np.int64(MOST + 1))],
    "arrays in a list": [np.array([1.0, 0.5]), np.array([3, MOST + 1])],
    "beyond 64 bits": [[1, 2], [3, 2**70]],
    "mixed signs": [[1, -2], [3, 2**63]],
}
MASKED = {
    "array": np.ma.array(PLAIN, mask=[[False, True], [False, False]]),
    "integers": np.ma.array([[1, 2], [3, 4]], mask=[[False, True], [False, False]]),
    "rows in a list": [np.ma.array([1.0, 2.0], mask=[False, True]), np.ma.array([3.0, 4.0])],
    "constant": [[1.0, 2.0], [3.0, np.ma.masked]],
}


@pytest.fixture(autouse=True)
def no_warning_instead():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.mark.parametrize("door", DOORS.values(), ids=list(DOORS))
def test_masked_numbers_come_in_nowhere(door):
    for value in MASKED.values():
        with pytest.raises(ValueError, match="must have nothing masked, but got 1 masked"):
            door(value)


@pytest.mark.parametrize("door", DOORS.values(), ids=list(DOORS))
def test_integers_that_float64_cannot_hold_come_in_nowhere(door):
    for value in LARGE.values():
        with pytest.raises((ValueError, TypeError), match=r"2⁵³|dtype object|1,000,000|[mM]illion|1e\+06|size"):
            door(value)


class Column:
    """Something that is no list and becomes an array, as a table's column does."""

    def __array__(self, dtype=None, copy=None):
        return np.array([1, MOST + 1])


@pytest.mark.parametrize("value", [Column(), *(each for name, each in LARGE.items() if name != "object")])
def test_the_sentence_names_the_argument_the_rule_and_the_number(value):
    with pytest.raises(ValueError, match=r"^x must hold integers between −2⁵³ and 2⁵³, .*, but got -?[0-9]{16,}$"):
        check_array("x", value)


def test_a_masked_mask_is_refused_too():
    mask = np.ma.array([[True, True], [True, False]], mask=[[False, False], [False, True]])
    with pytest.raises(ValueError, match="mask must have nothing masked, but got 1 masked"):
        sattn_core.attention(EYE, EYE, EYE, mask=mask)
    with pytest.raises(ValueError, match="mask must have nothing masked, but got 1 masked"):
        AttentionStepsParams(PLAIN, PLAIN, PLAIN, mask)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.ma.array([4, 8], mask=[False, True]), "dims must have nothing masked"),
        ([MOST + 1], "dims must hold integers"),
    ],
)
def test_dimensions_are_looked_at_too(value, message):
    with pytest.raises(ValueError, match=message):
        sattn_core.expected_attention_curve(4, value, 1.0)


def test_what_is_exact_and_what_has_nothing_masked_comes_in():
    assert check_array("x", [MOST, -MOST, 0.5]).tolist() == [float(MOST), -float(MOST), 0.5]
    assert check_array("x", np.array([2**62, 2.0])).tolist() == [2.0**62, 2.0]  # a float64 already
    assert check_array("x", np.ma.array([1.0, 2.0])).tolist() == [1.0, 2.0]
    assert check_array("x", np.ma.array([1, 2], mask=[False, False])).tolist() == [1.0, 2.0]
    assert type(check_array("x", np.ma.array([1.0, 2.0]))) is np.ndarray
    assert check_scores("x", [[0, -np.inf]]).tolist() == [[0.0, -np.inf]]
    assert check_array("x", np.zeros((0, 3), dtype=np.int64)).shape == (0, 3)
    for door in DOORS.values():
        door(np.ma.array(PLAIN))
