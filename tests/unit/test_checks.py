"""Array arguments of every function: bad, masked or too large numbers are refused, and no argument is written to."""

import re
import warnings

import ml_dtypes
import numpy as np
import pytest

import sattn_core
from sattn_core._checks import check_array, check_number, check_scores
from sattn_core.layers.softmax import log_softmax_jacobian_norm
from sattn_core.lessons.attention_steps import AttentionStepsParams
from sattn_core.lessons.backprop import ProductsParams
from sattn_core.lessons.small_samples import hand_made_example
from sattn_core.lessons.softmax_saturation import compare_lists

MOST = 2**53
PLAIN = [[1.0, 2.0], [3.0, 5.0]]
EYE = np.eye(2)
EYE.flags.writeable = False
RAW = np.array(PLAIN) @ np.array(PLAIN).T

# Every function that takes a caller's array, as a function of that array (two rows of two numbers) alone. Each entry
# is labelled with the function's and the argument's name.
DOORS = {
    "raw_scores Q": lambda x: sattn_core.raw_scores(x, EYE),
    "raw_scores K": lambda x: sattn_core.raw_scores(EYE, x),
    "attention Q": lambda x: sattn_core.attention(x, EYE, EYE),
    "attention K": lambda x: sattn_core.attention(EYE, x, EYE),
    "attention V": lambda x: sattn_core.attention(EYE, EYE, x),
    "attention_backward d_output": lambda x: sattn_core.attention_backward(EYE, EYE, EYE, x),
    "softmax scores": sattn_core.softmax,
    "log_softmax scores": sattn_core.log_softmax,
    "softmax_jacobian scores": sattn_core.softmax_jacobian,
    "softmax_jacobian_norm scores": sattn_core.softmax_jacobian_norm,
    "log_softmax_jacobian_norm scores": log_softmax_jacobian_norm,
    "entropy_nats scores": sattn_core.entropy_nats,
    "effective_keys scores": sattn_core.effective_keys,
    "hadamard B": lambda x: sattn_core.hadamard(EYE, x),
    "row_wise_dot A": lambda x: sattn_core.row_wise_dot(x, EYE),
    "frobenius A": lambda x: sattn_core.frobenius(x, EYE),
    "layer_norm x": sattn_core.layer_norm,
    "measure_scores Q": lambda x: sattn_core.measure_scores(x, EYE),
    "dot_product_pdf s": lambda x: sattn_core.dot_product_pdf(x, 4),
    "dot_product_cdf s": lambda x: sattn_core.dot_product_cdf(x, 4),
    "append_components scores": lambda x: sattn_core.append_components(
        x if isinstance(x, (list, tuple)) else x.ravel(), 4, 8, seed=0
    ),
    "rule raw_scores": lambda x: sattn_core.SCALING_RULES["vaswani"].apply(x, d_k=2),
    "rule Q": lambda x: sattn_core.SCALING_RULES["vit_22b"].apply(RAW, Q=x, K=PLAIN),
    "rule K": lambda x: sattn_core.SCALING_RULES["key_length_sum"].apply(RAW, K=x),
    "rule position_bias": lambda x: sattn_core.SCALING_RULES["swin_v1"].apply(RAW, d_k=2, position_bias=x),
    "hand_made_example q_rows": lambda x: hand_made_example(x, PLAIN),
    "compare_lists list 1": lambda x: compare_lists(x),
    "AttentionStepsParams Q": lambda x: AttentionStepsParams(x, PLAIN, PLAIN),
    "ProductsParams A": lambda x: ProductsParams(x, PLAIN),
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
def test_masked_numbers_are_refused_everywhere(door):
    for value in MASKED.values():
        with pytest.raises(ValueError, match="must have no masked numbers, but got 1"):
            door(value)


@pytest.mark.parametrize("door", DOORS.values(), ids=list(DOORS))
def test_integers_beyond_float64_are_refused_everywhere(door):
    for value in LARGE.values():
        with pytest.raises((ValueError, TypeError), match=r"2⁵³|dtype object|1,000,000|[mM]illion|1e\+06|size"):
            door(value)


@pytest.mark.parametrize("name", DOORS)
def test_non_finite_numbers_are_refused_and_the_argument_is_named(name):
    argument = name.partition(" ")[2]
    for wrong in (np.nan, np.inf):
        with pytest.raises(ValueError, match=rf"^{argument} (must .*finite.* but got|has) {wrong}"):
            DOORS[name]([[1.0, wrong], [3.0, 4.0]])
    for wrong in ("a", 1j):
        with pytest.raises(TypeError, match=rf"^{argument} must (hold real|be rows of) numbers, but got"):
            DOORS[name]([[wrong, wrong], [wrong, wrong]])


def read_only(values):
    array = np.array(values)
    array.flags.writeable = False
    return array


@pytest.mark.parametrize("door", DOORS.values(), ids=list(DOORS))
def test_arguments_are_not_written_to(door):
    door(read_only(PLAIN))


def test_other_array_arguments_are_not_written_to():
    mask, masked, dims, shares = map(read_only, ([[True, False]] * 2, [[1.0, -np.inf]], [1, 2], [0.5, 0.9]))
    for function in (name for name in DOORS if name.endswith(" scores") and "append" not in name):
        DOORS[function](masked)
    sattn_core.attention(EYE, EYE, EYE, mask=mask)
    sattn_core.attention_backward(EYE, EYE, EYE, EYE, mask=mask)
    sattn_core.expected_attention_curve(4, dims, shares)
    sattn_core.dot_product_ppf(shares, 5)
    sattn_core.product_variance(shares, shares, shares, shares)


class Column:
    """An object that NumPy converts through `__array__`, like a column of a table."""

    def __array__(self, dtype=None, copy=None):
        return np.array([1, MOST + 1])


@pytest.mark.parametrize("value", [Column(), *(each for name, each in LARGE.items() if name != "object")])
def test_message_names_the_argument_the_rule_and_the_number(value):
    with pytest.raises(ValueError, match=r"^x must hold integers between −2⁵³ and 2⁵³, .*, but got -?[0-9]{16,}$"):
        check_array("x", value)


def test_masks_with_masked_entries_are_refused():
    mask = np.ma.array([[True, True], [True, False]], mask=[[False, False], [False, True]])
    with pytest.raises(ValueError, match="mask must have no masked numbers, but got 1"):
        sattn_core.attention(EYE, EYE, EYE, mask=mask)
    with pytest.raises(ValueError, match="mask must have no masked numbers, but got 1"):
        AttentionStepsParams(PLAIN, PLAIN, PLAIN, mask)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.ma.array([4, 8], mask=[False, True]), "dims must have no masked numbers"),
        ([MOST + 1], "dims must hold integers"),
    ],
)
def test_masked_or_too_large_dimensions_are_refused(value, message):
    with pytest.raises(ValueError, match=message):
        sattn_core.expected_attention_curve(4, value, 1.0)


def test_exact_integers_and_arrays_without_masked_numbers_pass():
    assert check_array("x", [MOST, -MOST, 0.5]).tolist() == [float(MOST), -float(MOST), 0.5]
    assert check_array("x", np.array([2**62, 2.0])).tolist() == [2.0**62, 2.0]  # already float64
    assert check_array("x", np.ma.array([1.0, 2.0])).tolist() == [1.0, 2.0]
    assert check_array("x", np.ma.array([1, 2], mask=[False, False])).tolist() == [1.0, 2.0]
    assert type(check_array("x", np.ma.array([1.0, 2.0]))) is np.ndarray
    assert check_scores("x", [[0, -np.inf]]).tolist() == [[0.0, -np.inf]]
    assert check_array("x", np.zeros((0, 3), dtype=np.int64)).shape == (0, 3)
    for door in DOORS.values():
        door(np.ma.array(PLAIN))


# --- numbers of other packages ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e4m3", "int4"])
def test_number_types_of_ml_dtypes_are_accepted_everywhere(name):
    few = np.array(PLAIN).astype(getattr(ml_dtypes, name))
    for door, function in DOORS.items():
        if "hand_made" not in door and "compare" not in door and "Params" not in door:
            assert repr(function(few)) == repr(function(np.array(PLAIN))), door
    assert np.array_equal(check_array("x", few), PLAIN)
    assert np.array_equal(check_scores("x", few), PLAIN)


def test_nan_in_bfloat16_is_refused():
    with pytest.raises(ValueError, match=r"^x must hold finite numbers only, but got nan$"):
        check_array("x", np.array([1, np.nan], dtype=ml_dtypes.bfloat16))


def test_void_dtype_is_refused():
    with pytest.raises(TypeError, match=r"x must hold real numbers, but got dtype \|V2"):
        check_array("x", np.array([1, 2], dtype=ml_dtypes.bfloat16).view("V2"))


@pytest.mark.parametrize(
    "scale", [np.array(0.125), np.float16(0.125), ml_dtypes.bfloat16(0.125), np.array(0.125, dtype=ml_dtypes.bfloat16)]
)
def test_scale_may_be_a_zero_dimensional_array(scale):
    found = sattn_core.attention(EYE, EYE, EYE, scale=scale)
    assert np.array_equal(found.scaled_scores, 0.125 * EYE)


class Elsewhere:
    """A number on another device, such as a GPU, that NumPy cannot read."""

    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("copy it first")


def test_scale_must_be_a_single_real_number():
    for wrong in (np.array(True), np.array([0.125]), np.array("a"), True, Elsewhere()):
        with pytest.raises(TypeError, match="scale must be a real number, but got"):
            sattn_core.attention(EYE, EYE, EYE, scale=wrong)


@pytest.mark.parametrize(
    ("interval", "words"),
    [
        ((), "x must be a finite number, but got inf"),
        ((0.0,), "x must be a finite number of at least 0, but got inf"),
        ((-np.inf, 2.0), "x must be a finite number of at most 2, but got inf"),
        ((0.0, 2.0), "x must be a finite number in [0, 2], but got inf"),
    ],
)
def test_messages_name_half_open_intervals_in_words(interval, words):
    with pytest.raises(ValueError, match=f"^{re.escape(words)}$"):
        check_number("x", np.inf, *interval)
    with pytest.raises(ValueError, match=r"^x must be a finite number above 0, but got 0$"):
        check_number("x", 0, 0, open_low=True)
    with pytest.raises(ValueError, match=r"^x must be a finite number below 0, but got 0$"):
        check_number("x", 0, high=0, open_high=True)


def test_nullable_pandas_columns_pass_unless_a_value_is_missing(pandas):
    whole, broken = pandas.array([1, 3], dtype="Int64"), pandas.array([2.0, 5.0], dtype="Float64")
    table = pandas.DataFrame({"a": whole, "b": broken})
    assert np.array_equal(check_array("x", table), PLAIN)
    assert np.array_equal(check_array("x", table["a"]), [1, 3])
    table.loc[1, "b"] = pandas.NA
    for value in (table, table["b"], table["b"].array):
        with pytest.raises(ValueError, match=r"^x must hold finite numbers only, but got (<NA>|nan)$"):
            check_array("x", value)


@pytest.mark.parametrize("items", [[1, "a"], [1, True], [1, 1j], [1, {}]])
def test_objects_that_are_not_numbers_are_refused(items):
    with pytest.raises(TypeError, match="x must hold real numbers, but got dtype object"):
        check_array("x", np.array(items, dtype=object))
