"""Readers for typed or pasted text: a number, a list, rows of numbers, a mask.

The length of a text is limited, and nothing in it is evaluated. Every reader accepts a leading byte-order mark, the
typeset minus sign "−" and surrounding brackets. A semicolon starts a new row in rows, and separates numbers in a list.
A comma separates numbers. If it may be a decimal mark, as in columns from a spreadsheet, an error asks which it is.
"""

import math
import re
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sattn_core._checks import refuse_masked

MAX_ROWS, MAX_COLUMNS, MAX_MAGNITUDE = 16, 64, 1e6
MAX_TEXT = 20_000  # characters in a text of rows
MIN_LIST, MAX_LIST, MAX_LIST_TEXT = 2, 64, 2_000

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_WORD = re.compile(r"[+-]?(nan|inf|infinity)", re.ASCII | re.IGNORECASE)
_ITEMS = re.compile(r"\s*,\s*|\s+")
_LIST_ITEMS = re.compile(r"\s*[,;]\s*|\s+")
_ROW_ENDS = re.compile(r"\r\n|[;\r\n\v\f\x1c-\x1e\x85\u2028\u2029]")
# A comma between digits that may be decimal: other numbers are separated by white space, or 0 and a digit follow.
_DOUBTFUL = re.compile(r"(?<!\d)(?=\d+,\d[^,;\s]*[ \t]+[-+]?\.?\d|\d+,0\d)|(?<=\d)[ \t]+[-+]?(?=\d+,\d)", re.ASCII)
_TOUCHING = re.compile(r"(?<!\d)\d+,\d+", re.ASCII)
_BETWEEN = " \t\r\n,;"  # characters allowed outside the innermost brackets


def read_item(text: str) -> float:
    """Return the number in one item, also "inf" or "nan", in time proportional to the item's length."""
    item = _cleaned(text).strip()
    if not (_NUMBER.fullmatch(item) or _WORD.fullmatch(item)):
        raise ValueError(f"text must be a number, but got {text[:60]!r}")
    return float(item)


def parse_number(text: str) -> float:
    """Read one number or fraction: "1/64" is 0.015625.

    The result is computed in floating point: as an exact fraction, 1e999999999 would take a billion digits.
    """
    top, slash, bottom = _unwrapped(_cleaned(text)).partition("/")
    value, divisor = read_item(top), read_item(bottom) if slash else 1.0
    if divisor == 0 or math.isnan(value / divisor):
        raise ValueError(f"text must be a number, but got {text[:60]!r}")
    return value / divisor + 0.0  # -0.0 becomes 0.0


def parse_score_list(text: str) -> tuple[float, ...]:
    """Read scores from text, separated by commas (never decimal marks), semicolons or white space."""
    _check_text(text, MAX_LIST_TEXT)
    text = _cleaned(text)
    if not text.strip():
        raise ValueError("The list is empty: write at least 2 numbers, for example 4, 5.")
    _ask_about_commas("The list", text, semicolons=";" in text.strip(" ;"))
    items = _LIST_ITEMS.split(_unwrapped(text))
    missing = "Item {} is missing: a comma or semicolon has no number beside it."
    numbers = tuple(_checked_item(item, f"(item {i})", missing.format(i), kept=19) for i, item in enumerate(items, 1))
    if not MIN_LIST <= len(numbers) <= MAX_LIST:
        raise ValueError(f"The list has {_count(numbers)}, but {MIN_LIST} to {MAX_LIST} are needed.")
    return numbers


def parse_vector_rows(text: str) -> tuple[tuple[float, ...], ...]:
    """Read vectors, one per line or semicolon, of numbers separated by commas (never decimal marks) or white space."""
    _check_text(text, MAX_TEXT)
    lines = _split_rows(text)
    _ask_about_commas("The text", _cleaned(text), semicolons=_has_both_ends(text))
    if not lines:
        raise ValueError("There are no numbers: write vectors, for example 1 2; 3 4.")
    if len(lines) > MAX_ROWS:
        raise ValueError(f"There are {len(lines)} vectors, but at most {MAX_ROWS} are allowed.")
    rows = tuple(_vector(number, items) for number, (_, items) in enumerate(lines, 1))
    for number, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            raise ValueError(
                f"Vector {number} has {_count(row)}, but vector 1 has {len(rows[0])}: all vectors need the same length."
            )
    return rows


def parse_matrix(name: str, text: str) -> tuple[tuple[float, ...], ...]:
    """Read a matrix from typed or pasted text, one row per line or semicolon."""
    rows = _named_rows(name, text)
    _ask_about_commas(name, _cleaned(text), semicolons=_has_both_ends(text))
    return checked_matrix(name, [[_entry(name, item, i, j) for j, item in enumerate(row, 1)]
                                  for i, row in enumerate(rows, 1)])  # fmt: skip


def split_cells(name: str, text: str) -> tuple[tuple[str, ...], ...]:
    """Split the text of `parse_matrix` into cells without reading the numbers."""
    rows = _named_rows(name, text)
    _ask_about_commas(name, _cleaned(text), semicolons=_has_both_ends(text))
    _check_rectangle(name, rows)
    _check_size(name, len(rows), len(rows[0]))
    return tuple(map(tuple, rows))


def join_cells(name: str, rows: Sequence[Sequence[str]]) -> str:
    """Return cells as text, one row per line, which `split_cells` reads back.

    In a matrix of one column an empty cell becomes a blank line, which is lost when read back.
    """
    for i, row in enumerate(rows, 1):
        for j, cell in enumerate(row, 1):
            if re.search(r"[,;\[\]()\s]", cell):
                raise ValueError(f'{name} has "{cell[:20]}" in row {i}, column {j}: write one number there, as 1.5.')
    return "\n".join(", ".join(row) for row in rows)


def parse_mask(text: str, n_queries: int, n_keys: int) -> tuple[tuple[bool, ...], ...]:
    """Read a mask of ones (may attend) and zeros (forbidden) from typed or pasted text; a row of zeros is allowed."""
    rows = [list(row[0]) if len(row) == 1 else row for row in _named_rows("mask", text)]
    for i, row in enumerate(rows, 1):
        for j, item in enumerate(row, 1):
            if item not in ("0", "1"):
                raise ValueError(
                    f'mask has "{_printable(item)[:20]}" in row {i}, column {j}: write 1 (may attend) or 0 (forbidden).'
                )
    _check_rectangle("mask", rows)
    allowed = [[item == "1" for item in row] for row in rows]
    return checked_mask(allowed * n_queries if len(allowed) == 1 else allowed, n_queries, n_keys)


def format_matrix(matrix: Iterable[Iterable[float]]) -> str:
    """Return a matrix as short text for a link, "1,2.5;3,4", which `parse_matrix` reads back exactly."""
    return ";".join(",".join(repr(float(x)).removesuffix(".0") for x in row) for row in matrix)


def format_mask(mask: Iterable[Iterable[bool]]) -> str:
    """Return a mask as short text for a link, "10;11", which `parse_mask` reads back."""
    return ";".join("".join("1" if allowed else "0" for allowed in row) for row in mask)


def checked_matrix(
    name: str, value: Sequence[Sequence[float]] | NDArray[np.float64], most_columns: int = MAX_COLUMNS
) -> tuple[tuple[float, ...], ...]:
    """Return rows of floats as a tuple of tuples; raise an error if they are not numbers or exceed a limit."""
    refuse_masked(name, value)
    try:
        rows = [[float(x) for x in row] for row in value]
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be rows of numbers, but got {str(value)[:60]}.") from None
    if not rows or not rows[0]:
        raise ValueError(f"{name} is empty: write at least one number.")
    _check_rectangle(name, rows)
    _check_size(name, len(rows), len(rows[0]), most_columns)
    for i, row in enumerate(rows, 1):
        for j, x in enumerate(row, 1):
            if not abs(x) <= MAX_MAGNITUDE:
                place = f"{name} has {x:g} in row {i}, column {j}"
                raise ValueError(f"{place}: numbers must lie between −1,000,000 and 1,000,000.")
    return tuple(map(tuple, rows))


def checked_mask(mask: ArrayLike, n_queries: int, n_keys: int) -> tuple[tuple[bool, ...], ...]:
    """Return a mask as a tuple of tuples; raise an error unless it is boolean and has the scores' shape."""
    refuse_masked("mask", mask)
    array = np.asarray(mask)
    if array.dtype != np.bool_:
        raise TypeError(f"mask must be rows of True and False, but got dtype {array.dtype}.")
    if array.shape != (n_queries, n_keys):
        shape = " × ".join(map(str, array.shape))
        raise ValueError(f"mask is {shape} but the scores are {n_queries} × {n_keys}: both need one shape.")
    return tuple(map(tuple, array.tolist()))


def _ask_about_commas(name, text, *, semicolons):
    """Raise ValueError for a comma that may be decimal; if semicolons separate, for any comma between digits."""
    doubtful = _DOUBTFUL.search(text)
    if doubtful or (semicolons and _TOUCHING.search(text)):
        shown = next(_TOUCHING.finditer(text, doubtful.end() if doubtful else 0))[0][:20]
        point, apart = shown.replace(",", "."), shown.replace(",", ", ")
        raise ValueError(f'{name} has "{shown}": write {point} if its comma is decimal, or {apart} if it separates.')


def _has_both_ends(text):
    """Return True if there are several lines and all hold semicolons, as in files of spreadsheets."""
    lines = [line for line in text.splitlines() if line.strip(" \t;")]
    return len(lines) > 1 and all(";" in line.strip(" \t;") for line in lines)


def _check_text(text, most):
    if not isinstance(text, str):
        raise TypeError(f"text must be a string, but got {type(text).__name__}")
    if len(text) > most:
        raise ValueError(f"The text has {len(text):,} characters, but at most {most:,} are allowed.")


def _cleaned(text):
    """Return text without the byte-order mark that spreadsheets add, and with plain instead of typeset minus signs."""
    return text.removeprefix("\ufeff").replace("−", "-")


def _printable(text):
    return "".join(c for c in text if c.isprintable())


def _unwrapped(text):
    """Return text without surrounding spaces and without one pair of surrounding brackets."""
    text = text.strip()
    return text[1:-1].strip() if len(text) > 1 and text[0] + text[-1] in ("[]", "()") else text


def _split_rows(text):
    """Return (line number, items) for every row that is not blank; lines are counted from 1."""
    lines = enumerate(_ROW_ENDS.split(_without_brackets(_cleaned(text))), 1)
    return [(number, _ITEMS.split(line.strip())) for number, line in lines if line.strip()]


def _without_brackets(text):
    """Return bracketed rows as rows of text; keep unmatched brackets, so that the error message shows them."""
    depth, depths, opened = 0, set(), []
    for c in text.replace("(", "[").replace(")", "]"):
        depth += (c == "[") - (c == "]")
        if depth < 0:
            return text
        if c not in "[]" and c not in _BETWEEN:
            depths.add(depth)
        # NumPy prints a long row of a matrix over several lines.
        opened.append(" " if c == "[" or (depth == 2 and c in "\r\n") else c)
    if depth or len(depths) > 1 or max(depths, default=0) > 2:
        return text
    text = re.sub(r"\][ \t]*,?", "]", "".join(opened))
    return re.sub(r"\]+[ \t]*(?=[;\r\n]|$)", "", text).replace("]", ";")


def _checked_item(item, place, missing, kept):
    """Return the item as a number within the limits; otherwise raise a ValueError with the item and its position."""
    if not item:
        raise ValueError(missing)
    item = _printable(item)
    shown = f'"{item if len(item) <= 20 else item[:kept] + "…"}" {place}'
    try:
        value = read_item(item)
    except ValueError:
        raise ValueError(f"{shown} is not a number.") from None
    if not math.isfinite(value):
        raise ValueError(f"{shown} is not a finite number.")
    if abs(value) > MAX_MAGNITUDE:
        raise ValueError(f"{shown} is too large: numbers must lie between −1,000,000 and 1,000,000.")
    return value


def _vector(number, items):
    if len(items) > MAX_COLUMNS:
        raise ValueError(f"Vector {number} has {_count(items)}, but at most {MAX_COLUMNS} are allowed.")
    places = [f"(vector {number}, item {i})" for i in range(1, len(items) + 1)]
    missing = "A number is missing {}: a comma or semicolon stands alone."
    return tuple(
        _checked_item(item, place, missing.format(place), kept=20) for item, place in zip(items, places, strict=True)
    )


def _count(numbers):
    return f"{len(numbers)} number{'s' if len(numbers) > 1 else ''}"


def _named_rows(name, text):
    if len(text) > MAX_TEXT:
        raise ValueError(f"{name} has {len(text):,} characters: at most {MAX_TEXT:,} are allowed.")
    rows = [items for _, items in _split_rows(text)]
    if not rows:
        raise ValueError(f"{name} is empty: write at least one number.")
    return rows


def _entry(name, item, row, column):
    if not item:
        raise ValueError(f"{name} has an empty place in row {row}, column {column}: write a number there.")
    if not _NUMBER.fullmatch(item):
        shown = _printable(item)[:20]
        raise ValueError(f'{name} has "{shown}" in row {row}, column {column}: write a number, as 1.5.')
    return float(item)


def _check_rectangle(name, rows):
    for i, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            raise ValueError(
                f"{name} has {len(rows[0])} entries in row 1 but {len(row)} in row {i}: "
                "every row needs the same number."
            )


def _check_size(name, n_rows, n_columns, most_columns=MAX_COLUMNS):
    if n_rows > MAX_ROWS:
        raise ValueError(f"{name} has {n_rows} rows: at most {MAX_ROWS} are allowed.")
    if n_columns > most_columns:
        raise ValueError(f"{name} has {n_columns:,} columns: at most {most_columns:,} are allowed.")
