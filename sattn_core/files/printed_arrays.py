"""Reader for arrays as printed by Python, NumPy and PyTorch; nothing in a text is evaluated."""

import math
import re

import numpy as np
from numpy.typing import NDArray

from sattn_core.files.reading import ScoreFileError, shown_name
from sattn_core.files.score_report import MAX_DIMENSION, MAX_HEADS, MAX_NUMBERS, MAX_ROWS
from sattn_core.files.typed import read_item

_BEGINS = re.compile(r"\s*(\w+\s*=\s*)?(([\w.]+)?\(|\[)\s*[\[(\d.+-]")
_CALL = re.compile(r"(\w+\s*=\s*)?[A-Za-z_][\w.]*\s*\(|\w+\s*=\s*")
_REMARKS = re.compile(r"([\])])(\s*,\s*[a-z_]+\s*=[^\[\](),\s]*(\([^()]*\))?)+")  # dtype=float32, device='cuda:0'
_PARTS = re.compile(r"[\[\]]|[^\[\]]+")
_MOST_AXES = 6
_MOST_COLUMNS = MAX_DIMENSION * MAX_HEADS


def is_printed(text: str) -> bool:
    """Return True if a text begins like a printed array."""
    return _BEGINS.match(text[:1000]) is not None


def read_printed(name: str, text: str) -> NDArray[np.float64]:
    """Return a printed array with the axes that its brackets show."""
    if "..." in text or "…" in text:
        raise ScoreFileError(f"{name} was shortened when it was printed (it has “...”). Save all of it, with np.save.")
    text = _REMARKS.sub(r"\1", _without_call(text)).replace("(", "[").replace(")", "]")
    lengths, rows = _rows(name, text)
    if len(rows) == 1 and ";" in rows[0]:  # a matrix as MATLAB writes it
        lengths, rows = (rows[0].count(";") + 1,), rows[0].split(";")
    numbers = [_numbers(name, i, row) for i, row in enumerate(rows, 1)]
    width = len(numbers[0])
    for i, row in enumerate(numbers, 1):
        if len(row) != width:
            raise ScoreFileError(f"{name}: every row must have {width} numbers, but row {i} has {len(row)}.")
    return np.array(numbers).reshape(*lengths, width)


def _without_call(text):
    """Return the text inside array(…) or tensor(…), without an assignment before it."""
    text = text.strip().rstrip(";")
    call = _CALL.match(text)
    if call and call[0].endswith("("):
        return text[call.end() : text.rfind(")")]
    return text[call.end() :] if call else text


def _rows(name, text):
    """Return the lengths of all axes but the last, and the text of every innermost bracket."""
    children: list[list[int]] = [[0]]
    rows: list[tuple[int, str]] = []
    depth = 0
    for part in (found[0] for found in _PARTS.finditer(text)):
        if part == "[":
            children[depth][-1] += 1
            depth += 1
            if len(children) == depth:
                children.append([])
            children[depth].append(0)
        depth -= part == "]"
        if not 0 <= depth <= _MOST_AXES or len(rows) > MAX_ROWS * MAX_HEADS:
            raise _unlike(name)
        if part not in "[]" and part.strip(" \t\r\n,;"):
            rows.append((depth, part.strip(" \t\r\n,;")))
    depths = {at for at, _ in rows}
    if depth or len(depths) != 1 or depths == {0}:
        raise _unlike(name)
    return _lengths(name, children, depths.pop(), len(rows)), [row for _, row in rows]


def _lengths(name, children, depth, n_rows):
    """Return the number of brackets in each outer bracket, by depth; raise an error if siblings differ."""
    if depth > 1 and children[0] != [1]:
        raise ScoreFileError(f"{name} holds {children[0][0]} printed arrays. Save each in a file of its own.")
    lengths = [{*each} for each in children[:depth]]
    if any(len(each) != 1 for each in lengths):
        raise ScoreFileError(f"{name} has brackets that hold different numbers of rows.")
    found = tuple(each.pop() for each in lengths)
    if math.prod(found) != n_rows:  # a bracket is empty
        raise _unlike(name)
    return found if depth == 1 else found[1:]


def _unlike(name):
    return ScoreFileError(f"{name} begins like a printed array, but its brackets do not pair up. Save it with np.save.")


def _numbers(name, row, text):
    mark = "," if "," in text else None
    cells = [cell.strip() for cell in text.split(mark, _MOST_COLUMNS)]
    if len(cells) > _MOST_COLUMNS or len(cells) * row > MAX_NUMBERS:
        raise ScoreFileError(f"{name} may have at most {MAX_NUMBERS:,} numbers, but has more.")
    for cell in cells:
        try:
            read_item(cell)
        except ValueError:
            rule = f"row {row} must hold real numbers, but has {shown_name(cell)!r}"
            raise ScoreFileError(f"{name}: {rule}.") from None
    return [read_item(cell) for cell in cells]
