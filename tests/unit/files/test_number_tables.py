"""Text files as spreadsheets, pandas, R and NumPy write them: read as meant or refused, with a note on every guess."""

import io
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sattn_core.files.number_tables import read_table
from sattn_core.files.reading import Reading, ScoreFileError, Task
from tests.ending import ends

Q = np.random.default_rng(3).standard_normal((12, 6)).round(6)


def read(text, **reading):
    """Return the numbers of a text, and the notes."""
    task = Task(Reading(**reading))
    data = text if isinstance(text, bytes) else text.encode()
    return read_table("q.csv", data, task), task.notes


def refused(text, **reading):
    with ends(), pytest.raises(ScoreFileError) as caught:
        read(text, **reading)
    message = str(caught.value)
    assert message.endswith(".")
    assert "\n" not in message
    assert len(message) < 260
    return message


# --- every writer ----------------------------------------------------------------------------------------

HEADINGS = {
    "none": None,
    "names": lambda j: f"q{j}",
    "numbers": str,
    "from 1": lambda j: str(j + 1),
    "floats": lambda j: f"{j}.0",
    "quoted": lambda j: f'"V{j}"',
    "sentence": lambda j: "Größe Q" if j == 0 else "",
}
INDEXES = {
    "none": None,
    "from 0": str,
    "from 1": lambda i: str(i + 1),
    "quoted": lambda i: f'"{i + 1}"',
    "words": lambda i: f"tok{'abcdefghijkl'[i]}",
    "any": lambda i: str((7 * i) % 101 + 13),
    "repeated": lambda i: str(i // 4),
    "seconds": lambda i: f"{i * 0.25:.2f}",
}
DELIMITERS = {";": ";", "tab": "\t", ",": ",", "space": " ", "bar": "|", "comma and space": ", "}


def written(
    array, *, delimiter, heading="none", index="none", corner="", decimal=".", quotes=False, end="\n", trailing=""
):
    """Return a table as text, written with these options."""

    def cell(value):
        text = repr(float(value)).replace(".", decimal)
        return f'"{text}"' if quotes else text

    lines = []
    name, label = HEADINGS[heading], INDEXES[index]
    if name:
        first = [corner] if label and corner is not None else []
        lines.append(
            delimiter.join([*first, *(name(j).replace(".", decimal) for j in range(array.shape[1]))]) + trailing
        )
    for i, row in enumerate(array):
        first = [label(i).replace(".", decimal)] if label else []
        lines.append(delimiter.join([*first, *map(cell, row)]) + trailing)
    return end.join(lines) + end


# Decimal commas between commas are ambiguous (see below), and a heading that is a sentence contains spaces.
EVERY_TABLE = [
    each
    for each in product(DELIMITERS, HEADINGS, INDEXES, ".,")
    if not (each[3] == "," and "," in DELIMITERS[each[0]]) and each[:2] != ("space", "sentence")
]


@pytest.mark.parametrize(("delimiter", "heading", "index", "decimal"), EVERY_TABLE)
def test_tables_of_every_writer_are_read(delimiter, heading, index, decimal):
    mark = DELIMITERS[delimiter]
    corner = None if delimiter == "space" else '""' if heading == "quoted" else ""
    text = written(Q, delimiter=mark, heading=heading, index=index, decimal=decimal, corner=corner)
    found, notes = read(text)
    assert np.array_equal(found, Q)
    assert ("commas are decimal" in notes) == (decimal == ",")
    assert any("line left out" in note for note in notes) == (heading != "none")
    assert any("column" in note for note in notes) == (index != "none")


@pytest.mark.parametrize("corner", ["", "id", "Unnamed: 0", '"row"', None])
@pytest.mark.parametrize("heading", ["names", "numbers", "from 1"])
@pytest.mark.parametrize("index", ["from 0", "from 1", "any", "repeated"])
def test_headings_and_index_columns_are_left_out(corner, heading, index):
    found, _ = read(written(Q, delimiter=",", heading=heading, index=index, corner=corner))
    assert np.array_equal(found, Q)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("trailing", ["", ";", ";;", " "])
def test_line_endings_bom_and_trailing_separators_change_nothing(end, mark, trailing):
    found, notes = read(mark + written(Q, delimiter=";", decimal=",", end=end, trailing=trailing))
    assert np.array_equal(found, Q)
    assert any("empty" in note for note in notes) == (";" in trailing)


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_decimal_commas_in_quotes_are_read(delimiter):
    found, notes = read(written(Q, delimiter=delimiter, decimal=",", quotes=True))
    assert np.array_equal(found, Q)
    assert "commas are decimal" in notes


@pytest.mark.parametrize(
    ("options", "columns"),
    [
        ({}, list("abcdef")),
        ({}, range(6)),
        ({"index": False}, range(6)),
        ({"index": False, "header": False}, range(6)),
        ({"header": False}, range(6)),
        ({"sep": ";", "decimal": ","}, range(6)),
        ({"sep": "\t", "index_label": "token"}, list("abcdef")),
        ({"quoting": 2}, list("abcdef")),
        ({"float_format": "%.4e"}, range(1, 7)),
    ],
)
@pytest.mark.parametrize("rows", ["counting", "words", "commas", "chosen", "two levels"])
def test_tables_of_pandas_are_read(options, columns, rows, pandas):
    index = {
        "counting": None,
        "words": [f"token {i}." for i in range(12)],
        "commas": [f'a,{i}"b' if i % 3 else "," for i in range(12)],
        "chosen": [3, 8, 9, 14, 20, 21, 30, 41, 42, 50, 60, 61],
        "two levels": pandas.MultiIndex.from_product([range(2), range(6)]),
    }[rows]
    table = pandas.DataFrame(Q, columns=list(columns), index=index)
    if rows == "two levels" and "index_label" in options:
        options = options | {"index_label": ["head", "token"]}
    found, _ = read(table.to_csv(**options))
    assert np.allclose(found, Q, rtol=1e-4)


@pytest.mark.parametrize(
    "options", [{}, {"delimiter": ","}, {"header": "queries of layer 3"}, {"comments": "% ", "header": "a\nb"}]
)
def test_tables_of_numpy_are_read(options):
    stream = io.StringIO()
    np.savetxt(stream, Q, **options)
    found, notes = read(stream.getvalue())
    assert np.array_equal(found, Q)
    assert any("comment" in note for note in notes) == ("header" in options)


@pytest.mark.parametrize("columns", [range(6), list("abcdef")])
@pytest.mark.parametrize("labels", [[i % 2 for i in range(12)], [f"w{i}" for i in range(12)]])
@pytest.mark.parametrize("options", [{}, {"index": False}])
def test_last_column_of_labels_is_left_out(columns, labels, options, pandas):
    found, notes = read(pandas.DataFrame(Q, columns=list(columns)).assign(label=labels).to_csv(**options))
    assert np.array_equal(found, Q)
    assert any("last column left out" in note for note in notes)


def test_pandas_columns_of_two_levels_are_read(pandas):
    columns = pandas.MultiIndex.from_product([["h0", "h1"], range(3)])
    found, notes = read(pandas.DataFrame(Q, columns=columns).to_csv())
    assert np.array_equal(found, Q)
    assert "first 2 lines left out: they hold names" in notes


@pytest.mark.parametrize("encoding", ["utf-16", "latin-1", "utf-8-sig"])
def test_encodings_of_spreadsheets_are_read(encoding):
    text = "\n".join(["Größe\t" + "\t".join("bcdef"), *("\t".join(map(repr, row)) for row in Q.tolist())])
    assert np.array_equal(read(text.encode(encoding))[0], Q)


def test_separator_line_of_excel_is_used():
    assert np.array_equal(read("sep=;\r\n" + written(Q, delimiter=";", decimal=","))[0], Q)


# --- numbers that are kept -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "array",
    [
        Q,
        np.round(Q, 1),
        np.eye(6),
        np.arange(36.0).reshape(9, 4),
        np.arange(36.0).reshape(9, 4) / 8,
        np.linspace(0, 1, 24).reshape(6, 4),
    ],
)
def test_numbers_without_headings_or_index_are_all_kept(array):
    found, notes = read(written(array, delimiter=","))
    assert np.array_equal(found, array)
    assert not [note for note in notes if "left out" in note]


@pytest.mark.parametrize(
    ("text", "reading", "wanted"),
    [
        ("0,1\n0.5,2.5\n0.25,1.5", {}, [[0.5, 2.5], [0.25, 1.5]]),
        ("0,1\n0.5,2.5\n0.25,1.5", {"first_line": "numbers"}, [[0, 1], [0.5, 2.5], [0.25, 1.5]]),
        ("3,1\n0.5,2.5\n0.25,1.5", {"first_line": "names"}, [[0.5, 2.5], [0.25, 1.5]]),
        ("0,.5\n1,.25\n2,.5", {}, [[0.5], [0.25], [0.5]]),
        ("0,.5\n1,.25\n2,.5", {"first_column": "numbers"}, [[0, 0.5], [1, 0.25], [2, 0.5]]),
        (".1,.5\n.3,.25", {"first_column": "names"}, [[0.5], [0.25]]),
        ("1,2 3,4\n5,6 7,8", {}, [[1.2, 3.4], [5.6, 7.8]]),
        ("1,2\n3,4", {"comma": "decimal"}, [[1.2], [3.4]]),
        ('"1,2","3"\n"4,5","6"', {"comma": "decimal"}, [[1.2, 3], [4.5, 6]]),
        ("1,234;2,345\n3,456;4,567", {"comma": "decimal"}, [[1.234, 2.345], [3.456, 4.567]]),
        ("00,12\n05,1", {"comma": "separator"}, [[0, 12], [5, 1]]),
    ],
)
def test_every_guess_can_be_overridden(text, reading, wanted):
    assert read(text, **reading)[0].tolist() == wanted


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1,234;2,345\n3,456;4,567", "has '1,234': its comma may be decimal or part thousands. Choose below"),
        ("1.234,5;2,3\n3,4;4,5", "has '1.234,5': its comma may be decimal or part thousands"),
        ('"1,234.5";2.3\n3.4;4.5', "has '1,234.5': its comma may be"),
        ("1,5;2.5\n3,5;4", "may be decimal"),
        ("0,0012,0,2987\n1,3442,0,4576", "has '0012' between commas, as if decimal commas had cut its numbers in two"),
        ("-0,5,1,5\n2,5,3,25", "has '-0' between commas"),
        ("1,2\n3,NA\n5,6\n7,8", "row 2 must hold real numbers, but has 'NA'"),
        ("1,2\nNA,4\nNA,6\nNA,8", "has 'NA'"),
        ("1+2j,2\n3+1j,4", "has '1+2j'"),
        ("1,50%\n2,60%", "has '50%'"),
        ("2024-01-01,1.5\n2024-01-02,2.5", "has '2024-01-01'"),
        ("1,2,\n3,4,5\n", "row 2 has 3"),
        ("1,,3\n4,5,6\n", "row 1, column 2 is empty"),
        ("a,b\nc,d\n", "at least 2 rows of numbers, but has none"),
        ('1,2\n3,"4', "an open quotation mark"),
    ],
)
def test_ambiguous_tables_are_refused_with_a_question(text, message):
    assert message in refused(text)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("13;0.5\n20;0.25", "first column"),
        ("13;0;0.5\n20;0;0.25", "first column"),
        ("0.5;13\n0.25;20", "last column"),
        ("10;20;31\n0.5;1.5;2\n0.25;2.5;3", "first line"),
    ],
)
def test_whole_numbers_that_may_be_labels_are_kept_with_a_note(text, kept):
    _, notes = read(text)
    assert f"{kept} kept, though it is of whole numbers: say so below if it holds names" in notes


@pytest.mark.parametrize("empty", [0, 2, 5])
def test_empty_columns_are_left_out_with_a_note(empty):
    lines = [
        ",".join(repr(x) if j != empty else f"{x}," if empty else f",{x}" for j, x in enumerate(row))
        for row in Q.tolist()
    ]
    found, notes = read("\n".join(lines))
    assert np.array_equal(found, Q)
    assert any("empty" in note and "left out" in note for note in notes)


def test_number_in_an_empty_column_is_not_lost():
    lines = [f"{i + 0.5},,{i + 0.25}" for i in range(50)]
    lines[45] = "45.5,7,45.25"
    assert "row 46, column 2" in refused("\n".join(lines))


def test_column_of_words_with_a_few_numbers_is_left_out():
    lines = [f"{'the' if i % 4 else '2'},{i * i + 0.5},{1.5 - i * i}" for i in range(12)]
    found, notes = read("\n".join(lines))
    assert found.shape == (12, 2)
    assert notes == ["first column left out: it holds names"]


def test_too_many_rows_columns_or_letters_are_refused():
    assert "at most 4,096 rows" in refused("1.5,2\n" * 5000)
    assert "lines of at most 2,097,152 letters" in refused("1.5 " * 4_000_000)
    assert "and 10,000 comments, but has more" in refused("#\n" * 8_000_000)
    assert "at most 4,096 rows, 1,024 dimensions" in refused("1 " * 1_000_000)
    assert "must" in refused('"1",' * 100_000)
    assert "whole number beyond" in refused("1" * 5000 + ",2\n3,4")
    assert "may have" in refused("1" * 16_000_000)
    assert "must" in refused(b"\x00\x01\x02")


# --- properties ------------------------------------------------------------------------------------------


NUMBERS = st.one_of(
    st.floats(-9, 9).map(lambda x: round(x, 4) + 0.0), st.integers(-3, 12).map(float), st.sampled_from([0.0, 1.0, 0.5])
)


@st.composite
def tables(draw):
    """Draw a matrix, and its text written with random options.

    An index of seconds has at least four rows: two or three equal steps without a heading may be data too.
    """
    n, width = draw(st.integers(2, 12)), draw(st.integers(1, 9))
    array = np.array(draw(st.lists(st.lists(NUMBERS, min_size=width, max_size=width), min_size=n, max_size=n)))
    options = {
        "delimiter": draw(st.sampled_from([";", "\t", ",", " ", "|", ", "])),
        "heading": draw(st.sampled_from(sorted(HEADINGS))),
        "index": draw(st.sampled_from(sorted(INDEXES.keys() - ({"seconds"} if n < 4 else set())))),
        "decimal": draw(st.sampled_from([".", ","])),
        "corner": draw(st.sampled_from(["", "id", None])),
        "quotes": draw(st.booleans()),
        "trailing": draw(st.sampled_from(["", ",", ";"])),
    }
    return array, written(array, **options)


@settings(max_examples=300, deadline=None)
@given(tables())
def test_no_table_is_misread_silently(table):
    array, text = table
    try:
        found, notes = read(text)
    except ScoreFileError:
        return
    whole = (found == np.rint(found)).all()  # `real_numbers` adds a note to any whole numbers
    assert np.array_equal(found, array) or notes or whole
