"""Typed numbers: every field reads the same spellings, and refuses others in one sentence."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sattn_core.files import typed
from tests.ending import ends

LISTS = ["1,2\n3,4", "1, 2; 3, 4", "1 2\r\n3 4\r\n", "1\t2\n3\t4", " +1 ,2e0;\n\n3,.4e1"]


@pytest.mark.parametrize("text", [*LISTS, "[[1, 2], [3, 4]]", "[[1. 2.]\n [3. 4.]]"])
def test_matrices_are_read_in_every_usual_form(text):
    assert typed.parse_matrix("Q", text) == ((1.0, 2.0), (3.0, 4.0))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "K is empty: write at least one number."),
        (" ;\n ", "K is empty: write at least one number."),
        ("1,2;3", "K has 2 entries in row 1 but 1 in row 2: every row needs the same number."),
        ("1,2;3,five", 'K has "five" in row 2, column 2: write a number, as 1.5.'),
        ("1,,2", "K has an empty place in row 1, column 2: write a number there."),
        ("1,2,", "K has an empty place in row 1, column 3: write a number there."),
        ("nan", 'K has "nan" in row 1, column 1: write a number, as 1.5.'),
        ("1_0", 'K has "1_0" in row 1, column 1: write a number, as 1.5.'),
        ("1e400", "K has inf in row 1, column 1: numbers must lie between −1,000,000 and 1,000,000."),
        ("0,-2e6", "K has -2e+06 in row 1, column 2: numbers must lie between −1,000,000 and 1,000,000."),
        ("\n".join(["1"] * 17), "K has 17 rows: at most 16 are allowed."),
        (",".join(["1"] * 65), "K has 65 columns: at most 64 are allowed."),
        ("1 " * 10_001, "K has 20,002 characters: at most 20,000 are allowed."),
    ],
)
def test_a_bad_matrix_is_refused_in_one_sentence(text, message):
    with pytest.raises(ValueError) as error:  # noqa: PT011
        typed.parse_matrix("K", text)
    assert str(error.value) == message


def test_masks_are_read_in_every_usual_form():
    assert typed.parse_mask("10\n01", 2, 2) == ((True, False), (False, True))
    assert typed.parse_mask("1,0;0,1", 2, 2) == ((True, False), (False, True))
    assert typed.parse_mask("110", 2, 3) == ((True, True, False), (True, True, False))
    assert typed.parse_mask("1;0", 2, 1) == ((True,), (False,))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("12;11", 'mask has "2" in row 1, column 2: write 1 (may attend) or 0 (forbidden).'),
        ("1 yes", 'mask has "yes" in row 1, column 2: write 1 (may attend) or 0 (forbidden).'),
        ("11;1", "mask has 2 entries in row 1 but 1 in row 2: every row needs the same number."),
        ("111;111", "mask is 2 × 3 but the scores are 2 × 2: both need one shape."),
        ("111", "mask is 2 × 3 but the scores are 2 × 2: both need one shape."),
    ],
)
def test_a_bad_mask_is_refused_in_one_sentence(text, message):
    with pytest.raises(ValueError) as error:  # noqa: PT011
        typed.parse_mask(text, 2, 2)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ("1,2;3,4", (("1", "2"), ("3", "4"))),
        ("1, x\n3, 4.50", (("1", "x"), ("3", "4.50"))),
        ("1, \n, 4", (("1", ""), ("", "4"))),
        ("[[1 2]\n [3 4]]", (("1", "2"), ("3", "4"))),
    ],
)
def test_joined_cells_are_split_into_the_same_cells(text, cells):
    assert typed.split_cells("Q", text) == cells
    assert typed.split_cells("Q", typed.join_cells("Q", cells)) == cells


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "Q is empty: write at least one number."),
        ("1, 2\n3", "Q has 2 entries in row 1 but 1 in row 2: every row needs the same number."),
        ("\n".join(["1"] * 17), "Q has 17 rows: at most 16 are allowed."),
        (",".join(["1"] * 65), "Q has 65 columns: at most 64 are allowed."),
    ],
)
def test_split_cells_and_parse_matrix_refuse_a_bad_grid_alike(text, sentence):
    for read in (typed.split_cells, typed.parse_matrix):
        with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
            read("Q", text)


@pytest.mark.parametrize("cell", ["1,5", "1;5", "[1", "1]", "1 5", "1\n5", " "])
def test_cell_that_is_not_a_single_number_is_refused(cell):
    sentence = f'K has "{cell}" in row 2, column 2: write one number there, as 1.5.'
    with pytest.raises(ValueError, match=re.escape(sentence)):
        typed.join_cells("K", [["1", "2"], ["3", cell]])


def test_largest_matrix_is_split_into_cells_and_joined_again():
    cells = typed.split_cells("V", ";".join([",".join(["-0.12345"] * 64)] * 16))
    assert (len(cells), len(cells[0])) == (16, 64)
    assert typed.parse_matrix("V", typed.join_cells("V", cells)) == ((-0.12345,) * 64,) * 16


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "There are no numbers: write vectors, for example 1 2; 3 4."),
        (" \n\t\n", "There are no numbers: write vectors, for example 1 2; 3 4."),
        ("1 2\n3 five", '"five" (vector 2, item 2) is not a number.'),
        ("\n1 2\n3 1_0", '"1_0" (vector 2, item 2) is not a number.'),
        ("1,,2", "A number is missing (vector 1, item 2): a comma or semicolon stands alone."),
        ("1, 2,", "A number is missing (vector 1, item 3): a comma or semicolon stands alone."),
        ("nan 1", '"nan" (vector 1, item 1) is not a finite number.'),
        ("1 1e400", '"1e400" (vector 1, item 2) is not a finite number.'),
        ("1 -2e6", '"-2e6" (vector 1, item 2) is too large: numbers must lie between −1,000,000 and 1,000,000.'),
        ("1 2\n\n3", "Vector 2 has 1 number, but vector 1 has 2: all vectors need the same length."),
        ("1\n" * 17, "There are 17 vectors, but at most 16 are allowed."),
        ("1 " * 65, "Vector 1 has 65 numbers, but at most 64 are allowed."),
        ("x" * 99, '"' + "x" * 20 + '…" (vector 1, item 1) is not a number.'),
    ],
)
def test_bad_vector_rows_are_refused_with_the_reason(text, message):
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        typed.parse_vector_rows(text)
    assert str(caught.value) == message


def test_sixteen_rows_of_sixty_four_numbers_are_allowed():
    rows = typed.parse_vector_rows(("1 " * 64 + "\n") * 16)
    assert (len(rows), len(rows[0])) == (16, 64)


@pytest.mark.parametrize("text", ["[4, 5", "4, 5]", "[[4, 5]]", "[4], 5"])
def test_brackets_that_do_not_match_are_refused(text):
    with pytest.raises(ValueError, match=r"is not a number\."):
        typed.parse_score_list(text)


def test_lists_at_their_limits_are_allowed():
    assert typed.parse_score_list("1e6 -1e6") == (1e6, -1e6)
    assert len(typed.parse_score_list(" ".join(["1"] * 64))) == 64
    assert typed.parse_score_list("1 2".ljust(2000)) == (1.0, 2.0)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("4, five", '"five" (item 2) is not a number.'),
        ("1_0 2", '"1_0" (item 1) is not a number.'),
        ("", "The list is empty: write at least 2 numbers, for example 4, 5."),
        (" \n ", "The list is empty: write at least 2 numbers, for example 4, 5."),
        ("1e400, 2", '"1e400" (item 1) is not a finite number.'),
        ("2 nan", '"nan" (item 2) is not a finite number.'),
        ("2 3 -inf", '"-inf" (item 3) is not a finite number.'),
        ("7", "The list has 1 number, but 2 to 64 are needed."),
        ("1 " * 65, "The list has 65 numbers, but 2 to 64 are needed."),
        ("1,,2", "Item 2 is missing: a comma or semicolon has no number beside it."),
        ("1,2;", "Item 3 is missing: a comma or semicolon has no number beside it."),
        ("1 -1000001", '"-1000001" (item 2) is too large: numbers must lie between −1,000,000 and 1,000,000.'),
        ("1 " + "z" * 50, '"zzzzzzzzzzzzzzzzzzz…" (item 2) is not a number.'),
        ("1 2".ljust(2001), "The text has 2,001 characters, but at most 2,000 are allowed."),
    ],
)
def test_bad_lists_are_refused_with_the_reason(text, sentence):
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
        typed.parse_score_list(text)


def test_only_text_is_parsed():
    with pytest.raises(TypeError, match="text must be a string, but got int"):
        typed.parse_vector_rows(12)
    with pytest.raises(TypeError, match="text must be a string, but got float"):
        typed.parse_score_list(4.5)


# --- every field reads the same spellings ----------------------------------------------------------------

ROWS = {"vectors": typed.parse_vector_rows, "matrix": lambda text: typed.parse_matrix("Q", text)}


@pytest.mark.parametrize("read", ROWS.values(), ids=ROWS)
@pytest.mark.parametrize(
    "text",
    [
        "−1, 2\n3, −4",
        "\ufeff-1, 2\n3, -4",
        "−1 2; 3 −4",
        "[−1, 2]\n[3, −4]",
        "[-1, 2], [3, -4]",
        "[[−1, 2], [3, −4]]",
        "[[-1.  2.]\n [ 3. -4.]]",
        "[[-1,\n 2],\n [3, -4]]\n",  # a row that continues on the next line
        "((−1, 2), (3, −4))",
        "[-1, 2; 3, -4]",
        "-1\u00a02\u20283 -4",
    ],
)
def test_rows_are_read_in_every_spelling(read, text):
    assert read(text) == ((-1.0, 2.0), (3.0, -4.0))


@pytest.mark.parametrize("text", ["−4, 5", "\ufeff-4; 5", "[−4 5]", "(-4, 5)", "\ufeff [−4;5] "])
def test_a_list_is_read_in_every_spelling(text):
    assert typed.parse_score_list(text) == (-4.0, 5.0)


@pytest.mark.parametrize("text", ["\ufeff10;01", "[[1, 0], [0, 1]]", "[[1 0]\n [0 1]]", "[10]\n[01]", "((1,0),(0,1))"])
def test_a_mask_is_read_in_every_spelling(text):
    assert typed.parse_mask(text, 2, 2) == ((True, False), (False, True))


@pytest.mark.parametrize("text", ["−1/4", "\ufeff-0.25", "[-.25]", "( −25e-2 )", " 1/−4 "])
def test_a_number_is_read_in_every_spelling(text):
    assert typed.parse_number(text) == -0.25


@pytest.mark.parametrize(
    "text", ["", "1_0", "１", "٣", "1e", "0x1", "nan", "1/0", "inf/inf", "1/2/3", "[1", "[[1]]", "1−", "1;2", "abc"]
)
def test_text_that_is_not_a_number_is_refused(text):
    with pytest.raises(ValueError, match="text must be a number, but got"):
        typed.parse_number(text)


def test_an_item_may_be_infinite_and_minus_zero_is_zero():
    assert [typed.read_item("−inf"), typed.parse_number("1e400"), str(typed.parse_number("−0"))] == [
        float("-inf"),
        float("inf"),
        "0.0",
    ]


@pytest.mark.parametrize("text", ["[1, 2", "1, 2]", "[1, 2], 3", "[[1, 2], 3]", "][", "[[[1, 2]]]", "[1)(2]]"])
def test_rows_with_unpaired_brackets_are_refused(text):
    with pytest.raises(ValueError, match=r"is not a number\.|number is missing"):
        typed.parse_vector_rows(text)
    with pytest.raises(ValueError, match=r"write a number"):
        typed.parse_matrix("Q", text)


def test_semicolon_counts_as_a_new_line():
    with pytest.raises(ValueError, match=r'^"x" \(vector 2, item 2\) is not a number\.$'):
        typed.parse_vector_rows("[1, 2]; [3, x]")


def test_control_characters_are_not_quoted():
    with pytest.raises(ValueError, match=r'^"a" \(item 2\) is not a number\.$'):
        typed.parse_score_list("1, \x00a\u202e")


def test_long_vectors_are_refused_before_they_are_read():
    with pytest.raises(ValueError, match=r"^The text has 20,001 characters, but at most 20,000 are allowed\.$"):
        typed.parse_vector_rows("1" * (typed.MAX_TEXT + 1))


HUGE = 300_000  # characters


@pytest.mark.parametrize("piece", ["[", "]", "] ", "[] ", " ", "\n", ",", "1,", "[1],", "9", "−", "[1]   "])
def test_reading_time_is_proportional_to_the_length_of_the_text(piece, monkeypatch):
    monkeypatch.setattr(typed, "MAX_TEXT", HUGE)
    text = (piece * HUGE)[:HUGE]
    readers = (*ROWS.values(), lambda text: typed.parse_mask(text, 2, 2))  # all share the code that splits a text
    for read in readers[: 3 if piece == "1," else 1]:
        with ends(), pytest.raises(ValueError, match=r"\.$"):
            read(text)


# --- properties --------------------------------------------------------------------------------------


READERS = {
    "list": typed.parse_score_list,
    "vectors": typed.parse_vector_rows,
    "matrix": lambda text: typed.parse_matrix("Q", text),
    "mask": lambda text: typed.parse_mask(text, 2, 2),
}
NUMBERS = st.floats(-1e6, 1e6)
TEXTS = st.text(max_size=60) | st.text("01.e+-−/[](),; \t\r\n\ufeff_xn", max_size=60)


def rows_of(n_columns):
    return st.lists(st.lists(NUMBERS, min_size=n_columns, max_size=n_columns), min_size=1, max_size=16)


TABLES = st.integers(1, 16).flatmap(rows_of)
WRAPPERS = st.sampled_from([str, "[{}]".format, "\ufeff{}".format, "({})\n".format])


def printed(numbers, separator=", "):
    """Return numbers as the page prints them, with the Unicode minus."""
    return separator.join(map(repr, numbers)).replace("-", "−")


@given(TABLES)
def test_formatted_matrix_is_read_back(rows):
    assert typed.parse_matrix("V", typed.format_matrix(rows)) == tuple(map(tuple, rows))


@given(TABLES, st.sampled_from([", ", ",", " ", "\t", " , "]), st.sampled_from(["\n", ";", " ;\n", "\r\n"]), WRAPPERS)
def test_printed_rows_are_read_back_as_matrix_and_as_vectors(rows, separator, end, wrapped):
    text = wrapped(end.join(printed(row, separator) for row in rows))
    assert typed.parse_vector_rows(text) == typed.parse_matrix("Q", text) == tuple(map(tuple, rows))
    assert typed.parse_matrix("Q", str([list(row) for row in rows])) == tuple(map(tuple, rows))


@settings(max_examples=30)
@given(st.integers(1, 64).flatmap(rows_of))
def test_arrays_printed_by_numpy_are_read_back(rows):
    array = np.round(rows, 3)
    assert typed.parse_matrix("Q", np.array2string(array, threshold=2000)) == tuple(map(tuple, array.tolist()))


@given(st.lists(NUMBERS, min_size=2, max_size=40), st.sampled_from([",", ", ", " ;", ";", "\n", "  "]), WRAPPERS)
def test_a_printed_list_is_read_back(numbers, separator, wrapped):
    assert typed.parse_score_list(wrapped(printed(numbers, separator))) == tuple(numbers)


@given(NUMBERS, WRAPPERS)
def test_a_printed_number_is_read_back(number, wrapped):
    assert typed.parse_number(wrapped(printed([number]))) == number


@pytest.mark.parametrize("name", READERS)
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


@given(TEXTS)
def test_any_text_is_a_number_or_refused(text):
    try:
        value = typed.parse_number(text)
    except ValueError:
        return
    assert not np.isnan(value)


# --- commas that may be decimal --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("0,12\t-1,5\n2,0\t0,3", "0,12"),
        ("0,12 -1,5", "0,12"),
        ("1,5 2", "1,5"),
        ("2 1,5", "1,5"),
        ("2\t-1,5", "1,5"),
        ("1,05\n2,5", "1,05"),
        ("0,5;1,5\n2,5;3,5", "0,5"),
        ("\ufeff0,12\t−1,5", "0,12"),
        ("[[0,12 1,5]]", "0,12"),
        ("1,5e3 2,5e3", "1,5"),
    ],
)
@pytest.mark.parametrize("field", ["matrix", "cells", "vectors"])
def test_comma_that_may_be_decimal_is_refused_with_a_question(text, shown, field):
    name, read = {
        "matrix": ("Q", lambda: typed.parse_matrix("Q", text)),
        "cells": ("Q", lambda: typed.split_cells("Q", text)),
        "vectors": ("The text", lambda: typed.parse_vector_rows(text)),
    }[field]
    point, apart = shown.replace(",", "."), shown.replace(",", ", ")
    message = f'{name} has "{shown}": write {point} if its comma is decimal, or {apart} if it separates.'
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        read()


@pytest.mark.parametrize("text", ["4,5; 10", "0,5 1,5", "1,05 2", "4,5;10,25"])
def test_comma_in_a_list_is_refused_with_the_same_question(text):
    with pytest.raises(ValueError, match=r'^The list has "\d,\d+": write \d\.\d+ if its comma is decimal'):
        typed.parse_score_list(text)


@pytest.mark.parametrize(
    "text", ["1,2;3,4", "1,2\n3,4", "1, 2 3, 4", "1 ,2 ,3", "-0,5;-0,1", "1,2;\n3,4;", "10,20", "0,0;0,1", "1.5,2 ,3"]
)
def test_commas_that_can_only_separate_are_read(text):
    assert len(typed.parse_matrix("Q", text)[0]) > 1
    assert typed.parse_vector_rows(text) == typed.parse_matrix("Q", text)
    if ";" not in text:
        assert len(typed.parse_score_list(text)) > 1


def test_both_answers_to_the_comma_question_are_read():
    assert typed.parse_matrix("Q", "0.12\t-1.5\n2.0\t0.3") == ((0.12, -1.5), (2.0, 0.3))
    assert typed.parse_matrix("Q", "0, 12 -1, 5") == ((0.0, 12.0, -1.0, 5.0),)
    assert typed.parse_score_list("4, 5; 10") == (4.0, 5.0, 10.0)


@given(st.lists(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=5), min_size=1, max_size=5), st.integers(0, 6))
def test_no_decimal_comma_between_columns_is_misread(rows, digits):
    rows = [[round(x, digits) + 0.0 for x in row[: min(map(len, rows))]] for row in rows]
    text = "\n".join("\t".join(repr(x).replace(".", ",") for x in row) for row in rows)
    with pytest.raises(ValueError, match="if its comma is decimal"):
        typed.parse_matrix("Q", text)


@given(st.lists(st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=3), min_size=1, max_size=5))
def test_formatted_matrix_has_no_ambiguous_comma(rows):
    assert typed.parse_matrix("Q", typed.format_matrix(rows)) == tuple(map(tuple, rows))
