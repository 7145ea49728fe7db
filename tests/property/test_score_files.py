import io

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from sattn_core.score_files import ScoreFileError, read_arrays

SHAPES = array_shapes(min_dims=2, max_dims=3, min_side=2, max_side=5)
DTYPES = st.sampled_from(("<f4", ">f8", "<i2", ">i4", "u1"))


def saved(array, as_npz):
    stream = io.BytesIO()
    if as_npz:
        np.savez_compressed(stream, Q=array)
    else:
        np.save(stream, array)
    return stream.getvalue()


@settings(deadline=None, max_examples=60)
@given(DTYPES.flatmap(lambda dtype: arrays(dtype, SHAPES, elements={"allow_nan": False, "allow_infinity": False,
       "min_value": -100, "max_value": 100} if "f" in dtype else None)), st.booleans())  # fmt: skip
def test_what_numpy_saves_comes_back(array, as_npz):
    (read,) = read_arrays("a.npz" if as_npz else "a.npy", saved(array, as_npz)).values()
    assert np.array_equal(read, array.astype(np.float64))


def refusal(name, content):
    """The sentence that refuses a file, or "" for a file that is read; any other error is a failure."""
    try:
        arrays_read = read_arrays(name, content).values()
    except ScoreFileError as problem:
        return str(problem)
    assert all(np.isfinite(array).all() for array in arrays_read)
    return ""


GOOD = {suffix: saved(np.arange(12.0).reshape(3, 4), suffix == "npz") for suffix in ("npy", "npz")}
GOOD["csv"] = b"1,2\n3,4\n5,6\n"
GOOD["safetensors"] = (
    b"\x3b\x00\x00\x00\x00\x00\x00\x00"
    + b'{"Q":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}}'.ljust(0x3B)
    + bytes(16)
)


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(sorted(GOOD)), st.data())
def test_a_damaged_file_is_read_or_refused_in_one_sentence(suffix, data):
    content = bytearray(GOOD[suffix])
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    content = content[: data.draw(st.integers(0, len(content)))] if data.draw(st.booleans()) else content
    message = refusal(f"a.{suffix}", bytes(content))
    assert "\n" not in message
    assert len(message) < 300


@settings(deadline=None, max_examples=40)
@given(st.sampled_from(("npy", "npz", "csv", "safetensors")), st.binary(max_size=300))
def test_noise_is_refused_in_one_sentence(suffix, noise):
    assert "\n" not in refusal(f"a.{suffix}", noise)
