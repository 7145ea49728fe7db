"""Reading of printed arrays."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sattn_core.files.number_tables import read_table
from sattn_core.files.printed_arrays import is_printed, read_printed
from sattn_core.files.reading import ScoreFileError, Task
from tests.ending import ends

Q = np.random.default_rng(2).standard_normal((5, 30)).round(4)
HEADS = Q.reshape(3, 5, 10)


def printed(array, form):
    with np.printoptions(threshold=10**6, linewidth=75):
        return {
            "print": str(array),
            "repr": repr(array),
            "list": str(array.tolist()),
            "rows": "\n".join(map(str, array.tolist())),
            "tuples": ",\n".join(str(tuple(row)) for row in array.tolist()),
            "named": f"Q = {array!r}\n",
            "numpy": f"np.{array!r}",
            "float32": repr(array.astype(np.float32)),
            "torch": f"tensor({str(array.tolist()).replace('], ', '],' + chr(10) + '        ')}, device='cuda:0', "
            "dtype=torch.bfloat16, grad_fn=<MmBackward0>)",
        }[form]


@pytest.mark.parametrize("form", ["print", "repr", "list", "rows", "tuples", "named", "numpy", "float32", "torch"])
def test_matrix_is_read_in_every_printed_form(form):
    text = printed(Q, form)
    assert is_printed(text)
    assert np.allclose(read_printed("q.csv", text), Q, rtol=1e-6)
    assert np.allclose(read_table("q.csv", text.encode(), Task()), Q, rtol=1e-6)


@pytest.mark.parametrize("form", ["print", "repr", "list", "torch", "float32"])
@pytest.mark.parametrize("shape", [(3, 5, 10), (1, 15, 10), (1, 3, 5, 10)])
def test_brackets_give_the_axes(form, shape):
    found = read_printed("q.csv", printed(Q.reshape(shape), form))
    assert found.shape == shape
    assert np.allclose(found, Q.reshape(shape), rtol=1e-6)


@pytest.mark.parametrize(
    "text", ["[1 2; 3 4]", "[1, 2; 3, 4];", "[[1. 2.]\n [3. 4.]]", "((1, 2), (3, 4))", "[1, 2],\n[3, 4],"]
)
def test_short_printed_arrays_are_read(text):
    assert read_printed("q.csv", text).tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize("text", ["1,2\n3,4", "a,b\n1,2", "q (first),k\n1,2", "# [1, 2]\n1,2", "", "[a],b\n1,2"])
def test_tables_are_not_printed_arrays(text):
    assert not is_printed(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (str(np.zeros((2000, 2))), "was shortened when it was printed"),
        ("[[1, 2], [3]]", "every row must have 2 numbers, but row 2 has 1"),
        ("[[[1, 2], [3, 4]], [[5, 6]]]", "brackets that hold different numbers of rows"),
        ("[[1, 2], [3, 4]]\n[[5, 6], [7, 8]]", "holds 2 printed arrays. Save each in a file of its own."),
        ("[[1, 2], [3, 4]", "its brackets do not pair up"),
        ("[1, 2]]", "its brackets do not pair up"),
        ("[[1, 2], 3]", "its brackets do not pair up"),
        ("[1, 2], [], [3, 4]", "its brackets do not pair up"),
        ("[1, 2], 3", "its brackets do not pair up"),
        ("[[1, two], [3, 4]]", "row 1 must hold real numbers, but has 'two'"),
        ("[1j, 2]", "row 1 must hold real numbers, but has '1j'"),
        ("[" * 9 + "1" + "]" * 9, "its brackets do not pair up"),
    ],
)
def test_bad_printed_arrays_are_refused(text, message):
    with pytest.raises(ScoreFileError) as caught:
        read_printed("q.csv", text)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 10**6,
        "[1]" * 10**6,
        "[" + "1," * 10**6,
        "[1" + " 1" * 10**6 + "]",
        "array(" * 10**5,
        "[1], a=" + " " * 10**6 + "[",
        "]" * 10**6,
    ],
)
def test_long_printed_arrays_are_refused_in_linear_time(text):
    with ends(), pytest.raises(ScoreFileError):
        read_printed("q.csv", text)


@settings(max_examples=60)
@given(st.text("[]()1 2.,;\n-e", max_size=60))
def test_brackets_of_any_kind_are_read_or_refused(text):
    try:
        assert read_printed("q.csv", "[" + text).size
    except ScoreFileError as problem:
        assert "\n" not in str(problem)  # noqa: PT017
