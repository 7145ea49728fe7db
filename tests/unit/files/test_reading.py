"""Whole numbers and bytes that may be the bits of floats: refused unless the user says what they are."""

import ml_dtypes
import numpy as np
import pytest

from sattn_core.files.reading import Reading, ScoreFileError, Task, decoded, real_numbers, shown_name

Q = np.random.default_rng(5).standard_normal((12, 6))
FORMATS = ("bfloat16", "float16", "float8_e4m3fn", "float8_e5m2")


def of_format(stored):
    few = Q.astype(np.float16 if stored == "float16" else getattr(ml_dtypes, stored))
    return few, few.view(f"<u{few.dtype.itemsize}")


@pytest.mark.parametrize("stored", FORMATS)
def test_every_code_of_a_format_is_decoded(stored):
    few, _ = of_format(stored)
    codes = np.arange(2 ** (8 * few.dtype.itemsize)).astype(f"<u{few.dtype.itemsize}")
    with np.errstate(invalid="ignore"):
        wanted = codes.view(few.dtype).astype(np.float64)
    assert np.array_equal(decoded(codes, stored), wanted, equal_nan=True)


@pytest.mark.parametrize("stored", FORMATS)
@pytest.mark.parametrize("kept", ["unsigned", "signed", "int32", "int64", "float64", "bytes"])
def test_bits_are_refused_until_their_format_is_set(stored, kept):
    few, bits = of_format(stored)
    if kept == "bytes":
        array = bits.view(f"V{bits.itemsize}")
    else:
        array = bits.astype({"unsigned": bits.dtype, "signed": f"<i{bits.itemsize}"}.get(kept, kept))
    if kept in ("unsigned", "signed", "bytes") or bits.itemsize == 2:
        advice = r"q\.npy .*Choose below what they are, or save x\.astype\(np\.float32\)"
        with pytest.raises(ScoreFileError, match=advice):
            real_numbers("q.npy", array, Task())
    else:
        task = Task()
        assert np.array_equal(real_numbers("q.npy", array, task), array)
        assert task.notes == ["whole numbers taken as they are: quantised ones need their scale"]
    task = Task(Reading(stored=stored))
    assert np.array_equal(real_numbers("q.npy", array, task), few.astype(np.float64))
    assert stored in task.notes[0]


def test_whole_numbers_can_be_read_as_numbers():
    for dtype in ("i1", "u2", "i4", "f8"):
        task, array = Task(Reading(stored="numbers")), np.arange(120).reshape(12, 10).astype(dtype)
        assert real_numbers("q.npy", array, task) is array
        assert task.notes == ["whole numbers taken as they are"]


def test_numbers_with_fractions_are_never_taken_as_bits():
    for stored in ("guess", *FORMATS):
        task = Task(Reading(stored=stored))
        assert real_numbers("q.npy", Q, task) is Q
        assert task.notes == []


@pytest.mark.parametrize(
    ("array", "stored"), [(np.array([[70_000, 1]]), "bfloat16"), (np.array([[300, 1]]), "float8_e5m2")]
)
def test_numbers_that_overflow_the_stored_format_are_refused(array, stored):
    with pytest.raises(ScoreFileError, match="its numbers do not fit into"):
        real_numbers("q.npy", array, Task(Reading(stored=stored)))


@pytest.mark.parametrize(("field", "value"), [("axes", "sideways"), ("comma", ""), ("heads", 65), ("heads", -1)])
def test_unknown_options_of_a_reading_are_refused(field, value):
    with pytest.raises(ValueError, match=f"{field} must be"):
        Reading(**{field: value})


def test_shown_names_are_short_and_on_one_line():
    assert shown_name("a\nb" + "c" * 99) == "ab" + "c" * 38 + "…" + "c" * 15
