import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sattn_core.layers.binary_formats import BINARY_FORMATS, round_to_format, rounded, rounded_by_spacing, rounded_sums

TYPES = {
    "float16": np.float16,
    "bfloat16": ml_dtypes.bfloat16,
    "float8_e4m3fn": ml_dtypes.float8_e4m3fn,
}
SHORT = {name: BINARY_FORMATS[name] for name in TYPES}
floats = st.floats(allow_nan=False, allow_infinity=False)


def every_number(name):
    """Return all finite numbers of a format, from their bits, in order."""
    kind = np.dtype(TYPES[name])
    bits = np.arange(2 ** (8 * kind.itemsize), dtype=f"u{kind.itemsize}")
    with np.errstate(invalid="ignore"):  # converting a NaN of bfloat16 warns
        numbers = bits.view(kind).astype(np.float64)
    return np.unique(numbers[np.isfinite(numbers)])


@pytest.mark.parametrize(
    ("name", "values", "found"),
    [
        ("bfloat16", [100.25, 100.75, 100.3], [100, 101, 100.5]),  # ties go to the even number
        ("float16", [65_519, 65_520, -65_520], [65_504, np.inf, -np.inf]),
        ("float8_e4m3fn", [464, 464.01, 17], [448, np.nan, 16]),  # the format has no infinity
        ("float8_e4m3fn", [2**-10, 3 * 2**-11, -(2**-11)], [0, 2**-9, -0.0]),  # below 2^-6 numbers are 2^-9 apart
        ("float32", [1 + 2**-24, 1 + 3 * 2**-24], [1, 1 + 2**-22]),
    ],
)
def test_rounding_by_hand(name, values, found):
    for rounding in (round_to_format(values, name), rounded_by_spacing(np.array(values, float), BINARY_FORMATS[name])):
        np.testing.assert_array_equal(rounding, found)
        np.testing.assert_array_equal(np.signbit(rounding), np.signbit(found))


@pytest.mark.parametrize(
    ("name", "value", "spacing"),
    [
        ("bfloat16", 64, 0.5), ("bfloat16", 127.9, 0.5), ("bfloat16", -128, 1), ("float16", 100, 1 / 16),
        ("float8_e4m3fn", 100, 8), ("float8_e4m3fn", 0, 2**-9), ("float16", 0, 2**-24), ("float32", 1, 2**-23),
    ],
)  # fmt: skip
def test_spacing_by_hand(name, value, spacing):
    assert BINARY_FORMATS[name].spacing(value) == spacing


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
def test_rounded_keeps_non_finite_numbers_but_round_to_format_refuses_them(value):
    for to in BINARY_FORMATS.values():
        found = rounded(np.array([value, 1.0]), to)
        assert not np.isfinite(found[0])
        assert found[1] == 1
    with pytest.raises(ValueError, match="values must hold finite numbers only"):
        round_to_format([value], "bfloat16")


def test_unknown_formats_are_refused():
    with pytest.raises(ValueError, match="name must be one of float16, bfloat16, float8_e4m3fn, float32, but got 'x'"):
        round_to_format([1.0], "x")


# --- properties ----------------------------------------------------------------------------------------


@settings(max_examples=100)
@given(floats, st.sampled_from(list(BINARY_FORMATS)))
def test_rounding_returns_the_nearest_number_of_the_format(value, name):
    to, found = BINARY_FORMATS[name], round_to_format(value, name)
    if np.isfinite(found):
        assert abs(found - value) <= to.spacing(value) / 2
        assert round_to_format(found, name) == found
    else:
        assert abs(value) > to.largest


# --- oracles -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TYPES)
def test_rounding_agrees_with_the_type_at_every_number_and_midpoint(name):
    """Compare with NumPy's float16 and with ml_dtypes, which convert float32 in a single rounding."""
    numbers = every_number(name)
    middles = (numbers[1:] + numbers[:-1]) / 2
    largest = numbers[-1]
    last = largest + to_next(name) / 2  # halfway to the number that would come next
    beyond = [-1.5 * last, -last, last, 1.5 * last] if name != "bfloat16" else [-last, last]
    tried = np.concatenate([numbers, middles, beyond]).astype(np.float32)
    tried = np.concatenate([tried, np.nextafter(tried, np.float32(np.inf)), np.nextafter(tried, np.float32(-np.inf))])
    tried = tried[np.isfinite(tried)]
    with np.errstate(over="ignore"):
        right = tried.astype(TYPES[name]).astype(np.float64)
    for found in (rounded_by_spacing(tried.astype(float), SHORT[name]), round_to_format(tried, name)):
        np.testing.assert_array_equal(found, right)
        known = ~np.isnan(right)
        np.testing.assert_array_equal(np.signbit(found[known]), np.signbit(right[known]))


def to_next(name):
    return SHORT[name].spacing(SHORT[name].largest)


@pytest.mark.parametrize("name", TYPES)
def test_largest_number_and_spacings_agree_with_the_type(name):
    to, numbers = SHORT[name], every_number(name)
    assert to.largest == numbers[-1]
    np.testing.assert_array_equal(to.spacing(numbers[numbers >= 0][:-1]), np.diff(numbers[numbers >= 0]))
    assert to.largest == float(ml_dtypes.finfo(TYPES[name]).max)


def test_float32_rounding_by_spacing_agrees_with_numpy():
    tried = np.random.default_rng(0).standard_normal(20_000) * 2.0 ** np.linspace(-155, 140, 20_000)
    with np.errstate(over="ignore"):
        right = tried.astype(np.float32).astype(np.float64)
    np.testing.assert_array_equal(rounded_by_spacing(tried, BINARY_FORMATS["float32"]), right)


BFLOAT16, FLOAT16 = BINARY_FORMATS["bfloat16"], BINARY_FORMATS["float16"]
SUMMED = TYPES | {"float32": np.float32}


def test_sums_are_rounded_after_each_addition():
    # Between 256 and 512 the numbers of bfloat16 lie 2 apart: each single 1 is lost, but their sum is not.
    q = np.array([256.0, 1, 1, 1, 1])
    assert [float(each) for each in rounded_sums(q, np.ones(5), (1, 5), BFLOAT16)] == [256, 256]
    assert [float(each) for each in rounded_sums(q[::-1], np.ones(5), (4, 5), BFLOAT16)] == [4, 260]


def test_float16_sum_of_1600s_overflows_at_the_41st_term():
    forty = np.full(64, 40.0)
    sums = np.array(list(rounded_sums(forty, forty, range(1, 65), FLOAT16)))
    assert np.isfinite(sums[:40]).all()
    assert np.isinf(sums[40:]).all()


def test_infinity_minus_infinity_is_nan():
    q = np.array([60_000.0, -60_000.0, 60_000.0])
    found = [float(each) for each in rounded_sums(q, np.full(3, 2.0), (1, 2), FLOAT16)]
    assert found[0] == np.inf
    assert np.isnan(found[1])


@pytest.mark.parametrize("name", SUMMED)
@pytest.mark.parametrize("size", [1.0, 12.0])
def test_rounded_sums_agree_with_the_type_itself(name, size):
    """Compare bit for bit with NumPy and ml_dtypes, with more components than one block holds."""
    rng, kind = np.random.default_rng(1), SUMMED[name]
    short = name if name != "float32" else "float16"
    q, k = (round_to_format(size * rng.standard_normal((65, 50)), short) for _ in range(2))
    total = np.zeros(50, dtype=kind)
    with np.errstate(over="ignore", invalid="ignore"):
        for i, found in enumerate(rounded_sums(q, k, range(1, 66), BINARY_FORMATS[name])):
            total = total + q[i].astype(kind) * k[i].astype(kind)
            np.testing.assert_array_equal(found, total.astype(np.float64))
