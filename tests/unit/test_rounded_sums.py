import ml_dtypes
import numpy as np
import pytest

from sattn_core.binary_formats import BINARY_FORMATS, round_to_format
from sattn_core.rounded_sums import rounded_sums

BFLOAT16, FLOAT16 = BINARY_FORMATS["bfloat16"], BINARY_FORMATS["float16"]
TYPES = {
    "float16": np.float16,
    "float32": np.float32,
    "bfloat16": ml_dtypes.bfloat16,
    "float8_e4m3fn": ml_dtypes.float8_e4m3fn,
}


def test_one_after_the_other_and_not_all_at_once():
    # Between 256 and 512 the numbers of bfloat16 lie 2 apart: each 1 is lost, and their sum is not.
    q = np.array([256.0, 1, 1, 1, 1])
    assert [float(each) for each in rounded_sums(q, np.ones(5), (1, 5), BFLOAT16)] == [256, 256]
    assert [float(each) for each in rounded_sums(q[::-1], np.ones(5), (4, 5), BFLOAT16)] == [4, 260]


def test_products_of_forty_overflow_at_the_forty_first():
    forty = np.full(64, 40.0)
    sums = np.array(list(rounded_sums(forty, forty, range(1, 65), FLOAT16)))
    assert np.isfinite(sums[:40]).all()
    assert np.isinf(sums[40:]).all()


def test_infinity_less_infinity_is_not_a_number():
    q = np.array([60_000.0, -60_000.0, 60_000.0])
    found = [float(each) for each in rounded_sums(q, np.full(3, 2.0), (1, 2), FLOAT16)]
    assert found[0] == np.inf
    assert np.isnan(found[1])


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("size", [1.0, 12.0])
def test_every_sum_is_that_of_the_type_itself(name, size):
    """Bit for bit as NumPy and ml_dtypes multiply and add, up to more components than are rounded at a time."""
    rng, kind = np.random.default_rng(1), TYPES[name]
    short = name if name != "float32" else "float16"
    q, k = (round_to_format(size * rng.standard_normal((65, 50)), short) for _ in range(2))
    total = np.zeros(50, dtype=kind)
    with np.errstate(over="ignore", invalid="ignore"):
        for i, found in enumerate(rounded_sums(q, k, range(1, 66), BINARY_FORMATS[name])):
            total = total + q[i].astype(kind) * k[i].astype(kind)
            np.testing.assert_array_equal(found, total.astype(np.float64))
