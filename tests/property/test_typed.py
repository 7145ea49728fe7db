"""What holds for any typed text."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sattn_core.typed import (
    format_matrix,
    parse_mask,
    parse_matrix,
    parse_number,
    parse_score_list,
    parse_vector_rows,
)

READERS = {
    "list": parse_score_list,
    "vectors": parse_vector_rows,
    "matrix": lambda text: parse_matrix("Q", text),
    "mask": lambda text: parse_mask(text, 2, 2),
}
NUMBERS = st.floats(-1e6, 1e6)
TEXTS = st.text(max_size=60) | st.text("01.e+-−/[](),; \t\r\n\ufeff_xn", max_size=60)


def rows_of(n_columns):
    return st.lists(st.lists(NUMBERS, min_size=n_columns, max_size=n_columns), min_size=1, max_size=16)


TABLES = st.integers(1, 16).flatmap(rows_of)
WRAPPERS = st.sampled_from([str, "[{}]".format, "\ufeff{}".format, "({})\n".format])


def printed(numbers, separator=", "):
    """As the sentences of the dashboard print numbers: with a true minus."""
    return separator.join(map(repr, numbers)).replace("-", "−")


@settings(deadline=None, max_examples=60)
@given(TABLES)
def test_a_matrix_survives_the_link(rows):
    assert parse_matrix("V", format_matrix(rows)) == tuple(map(tuple, rows))


@settings(deadline=None, max_examples=60)
@given(TABLES, st.sampled_from([", ", ",", " ", "\t", " , "]), st.sampled_from(["\n", ";", " ;\n", "\r\n"]), WRAPPERS)
def test_rows_are_read_back_by_both_readers_of_rows(rows, separator, end, wrapped):
    text = wrapped(end.join(printed(row, separator) for row in rows))
    assert parse_vector_rows(text) == parse_matrix("Q", text) == tuple(map(tuple, rows))
    assert parse_matrix("Q", str([list(row) for row in rows])) == tuple(map(tuple, rows))


@settings(deadline=None, max_examples=30)
@given(st.integers(1, 64).flatmap(rows_of))
def test_what_numpy_prints_is_read_back(rows):
    array = np.round(rows, 3)
    assert parse_matrix("Q", np.array2string(array, threshold=2000)) == tuple(map(tuple, array.tolist()))


@settings(deadline=None, max_examples=60)
@given(st.lists(NUMBERS, min_size=2, max_size=40), st.sampled_from([",", ", ", " ;", ";", "\n", "  "]), WRAPPERS)
def test_a_list_is_read_back(numbers, separator, wrapped):
    assert parse_score_list(wrapped(printed(numbers, separator))) == tuple(numbers)


@settings(deadline=None, max_examples=60)
@given(NUMBERS, WRAPPERS)
def test_a_number_is_read_back(number, wrapped):
    assert parse_number(wrapped(printed([number]))) == number


@pytest.mark.parametrize("name", READERS)
@settings(deadline=None, max_examples=60)
@given(text=TEXTS)
def test_any_text_is_read_or_refused_in_one_sentence(name, text):
    try:
        rows = np.atleast_2d(READERS[name](text))
    except ValueError as error:
        rows, message = np.zeros(1), str(error)
    else:
        message = "Read."
    assert message.endswith(".")
    assert message.isprintable()
    assert abs(rows).max() <= 1e6


@settings(deadline=None, max_examples=60)
@given(TEXTS)
def test_any_text_is_a_number_or_refused(text):
    try:
        value = parse_number(text)
    except ValueError:
        return
    assert not np.isnan(value)
