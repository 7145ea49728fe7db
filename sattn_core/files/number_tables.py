"""Reader for tables of numbers in text of unknown origin.

It guesses the separator, headings, index columns and decimal commas. Every guess is noted, and options of
`reading.Reading` override some. Nothing is evaluated, and the numbers of lines, columns and characters are limited.
"""

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from sattn_core.files.head_axes import check_size
from sattn_core.files.printed_arrays import is_printed, read_printed
from sattn_core.files.reading import GUESS, ScoreFileError, Task, shown_name
from sattn_core.files.score_report import MAX_DIMENSION, MAX_HEADS, MAX_ROWS
from sattn_core.files.typed import read_item

MAX_COLUMNS = MAX_DIMENSION * MAX_HEADS  # heads may be side by side
_SAMPLE, _MOST_HEADINGS = 40, 10
_LONGEST_LINE, _MOST_COMMENTS = 32 * MAX_COLUMNS, 10_000
_COMMENT = re.compile(r"\s*(#|%|//)")
_SEPARATOR_LINE = re.compile(r'"?sep=(.)"?\s*', re.IGNORECASE)  # Excel may name the separator in the first line
_SPACED = re.compile(r"\d,\d[^,\s]*[ \t]+[-+−.]?\d")  # a number with a comma, white space, and another number
_DECIMAL = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?", re.ASCII)
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+", re.ASCII)
_TORN = re.compile(r"-0|[+-]?0\d+", re.ASCII)  # not a whole number, but half of a decimal number
_NAME = re.compile(r"(?![-+−.,]?\d|[-+−]?(nan|inf|na|n/a|#n/a|null|none|-|\?)$).+", re.IGNORECASE)
_NOT_TEXT = re.compile("[\0-\x08\x0e-\x1f]")
_FEW = 5  # fewest rows for a guess from numbers alone
_ORDINALS = ("first", "second", "third", "fourth", "fifth")


@dataclass(frozen=True)
class _Layout:
    """Separator and decimal mark of a table."""

    delimiter: str | None  # None for white space
    has_decimal_commas: bool

    def cells(self, line: str) -> list[str]:
        """Return the cells of a line without quotation marks and spaces; at most MAX_COLUMNS + 1 cells."""
        mark = self.delimiter
        if '"' in line and line.count(mark or " ") <= MAX_COLUMNS:
            if line.count('"') % 2:
                raise csv.Error
            line = line if mark else line.strip()
            found = next(csv.reader([line], delimiter=mark or " ", skipinitialspace=True), [])
        else:
            found = line.split(mark, MAX_COLUMNS)
        return [cell.strip() for cell in found]

    def number(self, cell: str) -> float:
        """Return the number in a cell; raise ValueError if there is none."""
        if self.has_decimal_commas and "," in cell:
            if "." in cell or cell.count(",") > 1:
                raise ValueError
            cell = cell.replace(",", ".")
        return float(cell) if cell.isascii() and "_" not in cell else read_item(cell)

    def is_plain(self, line: str) -> bool:
        """Return True if float() reads every cell of the line like `number`, apart from decimal commas."""
        return line.isascii() and "_" not in line and not (self.has_decimal_commas and "." in line)

    def is_number(self, cell: str) -> bool:
        try:
            self.number(cell)
        except ValueError:
            return False
        return True


def read_table(name: str, data: bytes, task: Task) -> NDArray[np.float64]:
    """Return the numbers in a text: a table (n, columns), or a printed array with its own axes."""
    text = _text(name, data)
    if is_printed(text):
        array = read_printed(name, text)
        check_size(name, array.shape)
        return array
    mark, lines = _lines(name, text, task)
    layout = _layout(name, lines, mark, task)
    n_headings = _count_headings(name, lines, layout, task)
    named = _heads_nothing(name, lines, n_headings, layout)
    numbers, kept = _numbers(name, lines[n_headings:], layout, task)
    numbers, n_left = _without_counting_line(numbers, task, decided=n_headings > 0)
    _refuse_long_integers(name, numbers, lines[n_headings + n_left :], layout, kept)
    numbers = _without_index(numbers, task, named, kept)
    check_size(name, numbers.shape)
    return numbers


def _text(name, data):
    """Decode a file; spreadsheets may write UTF-16 with a byte-order mark, or Latin-1 in headings."""
    encodings = ("utf-16",) if data[:2] in (b"\xff\xfe", b"\xfe\xff") else ("utf-8-sig", "latin-1")
    for encoding in encodings:
        try:
            text = data.decode(encoding)
            break
        except UnicodeDecodeError:
            text = "\0"
    if _NOT_TEXT.search(text):
        raise ScoreFileError(f"{name} must be plain text (UTF-8), but is not. Save it as CSV.")
    return text


def _lines(name, text, task):
    """Return the separator that the text names, or None, and its lines without comments and blank lines.

    Lines are read lazily up to a limit, so that a file of line ends does not become millions of strings.
    """
    n_comments, mark = 0, None
    lines: list[str] = []
    for line in filter(str.strip, io.StringIO(text, newline=None)):
        if len(line) > _LONGEST_LINE or n_comments > _MOST_COMMENTS:
            most = f"lines of at most {_LONGEST_LINE:,} letters, and {_MOST_COMMENTS:,} comments"
            raise ScoreFileError(f"{name} may have {most}, but has more.")
        if _COMMENT.match(line):
            n_comments += 1
        elif not lines and mark is None and (found := _SEPARATOR_LINE.fullmatch(line)):
            mark = found[1]
        elif len(lines) < MAX_ROWS + _MOST_HEADINGS + 1:
            lines.append(line.strip("\r\n"))
        else:
            break
    lines = [line for line in lines if line.strip(" ;,\t|")]
    if not lines:
        raise ScoreFileError(f"{name} is empty.")
    if n_comments:
        task.note(f"{n_comments} comment line{'s' if n_comments > 1 else ''} left out")
    return mark, lines


def _layout(name, lines, mark, task):
    """Return the separator and decimal mark, guessed from the lines that are not headings."""
    body = [line for line in lines[:_SAMPLE] if _looks_like_numbers(line)] or lines[:_SAMPLE]
    mark = mark or _delimiter(body, task.reading.comma)
    cells = [cell for line in body for cell in _cells_of(name, _Layout(mark, False), line)]
    commas = [cell.replace("−", "-") for cell in cells if "," in cell and not _NAME.fullmatch(cell)]
    comma = task.reading.comma
    if comma == GUESS and commas:
        points = any("." in cell for cell in cells if _DECIMAL.fullmatch(cell) is None and not _NAME.fullmatch(cell))
        if points or all(map(_THOUSANDS.fullmatch, commas)):
            shown = shown_name(commas[0])
            raise ScoreFileError(f"{name} has {shown!r}: its comma may be decimal or part thousands. Choose below, "
                                 "or save it with decimal points only.")  # fmt: skip
    decimal = bool(commas) and comma != "separator" and any(map(_DECIMAL.fullmatch, commas))
    if decimal:
        task.note("commas are decimal")
    if mark == "," and comma == GUESS:
        _refuse_torn(name, cells)
    return _Layout(mark, decimal)


def _looks_like_numbers(line):
    """Return True if a line has more digits than letters, unlike most headings."""
    return len(re.findall(r"\d", line[:2000])) > len(re.findall(r"[^\W\d_eE]", line[:2000]))


def _delimiter(body, comma):
    """Return the separator that occurs in most lines, or None for white space."""

    def separates(mark):
        return 2 * sum(mark in line for line in body) >= len(body)

    for each in ";\t|":
        if separates(each):
            return each
    spaced = all(_SPACED.search(line) for line in body if "," in line)
    in_quotes = any('"' in line for line in body)  # commas may be inside quotes
    if separates(",") and (
        comma == "separator" or (comma == GUESS and not spaced) or (comma == "decimal" and in_quotes)
    ):
        return ","
    return None


def _refuse_torn(name, cells):
    """Raise ScoreFileError if a cell looks like half of a number, because commas may then be decimal marks."""
    whole = all(re.fullmatch(r"[+-]?\d+", cell) for cell in cells)
    torn = next((cell for cell in cells if _TORN.fullmatch(cell)), None)
    if whole and torn is not None:
        why = "as if decimal commas had cut its numbers in two"
        raise ScoreFileError(f"{name} has {torn!r} between commas, {why}. Choose below what the commas are, "
                             "or save it with semicolons between the numbers.")  # fmt: skip


def _cells_of(name, layout, line):
    try:
        return layout.cells(line)
    except csv.Error:
        bad = shown_name(line[line.index('"') :])
        raise ScoreFileError(f"{name} must hold real numbers, but has {bad!r}, an open quotation mark.") from None


# --- headings --------------------------------------------------------------------------------------------


def _count_headings(name, lines, layout, task):
    """Count the heading lines: lines of words, and a line of column numbers after an empty or named cell."""
    first = [_cells_of(name, layout, line) for line in islice(lines, _MOST_HEADINGS + 1)]
    n = 0
    while n < len(first) and not any(map(layout.is_number, first[n])):
        n += 1
    if n < len(first) - 2 and n < _MOST_HEADINGS and _counts_beside_a_name(first[n], first[n + 1], layout, task):
        n += 1
    if n:
        what = "it holds names" if n == 1 else "they hold names"
        task.note(f"{'first line' if n == 1 else f'first {n} lines'} left out: {what}")
    if n and n == len(lines):
        raise ScoreFileError(f"{name} must have at least 2 rows of numbers, but has none.")
    return n


def _counts_beside_a_name(cells, below, layout, task):
    """Return True for a line like ,0,1,2 or id,0,1,2 above numbers, or 0,1,2 above rows with one more number."""
    if task.reading.first_line == "numbers":
        return False
    names = [i for i, cell in enumerate(cells) if not layout.is_number(cell)]
    values = np.array([layout.number(cell) for i, cell in enumerate(cells) if i not in names])
    shorter = not names and len(cells) == len(below) - 1 and "" not in below
    if not len(values) or not (names or shorter):
        return False
    if cells[0] and any(cells[i] and not (i < len(below) and layout.is_number(below[i])) for i in names):
        return False  # the line is a row that begins with its name
    whole_below = all(layout.is_number(cell) and layout.number(cell).is_integer() for cell in below)
    return _counts(values, fewest=1) or (cells[0] == "" and _is_whole(values) and not whole_below)


def _heads_nothing(name, lines, n_headings, layout):
    """Return True if the heading leaves the first column unnamed, or names it as an index, such as "id"."""
    if not n_headings or n_headings >= len(lines):
        return False
    head, below = (_cells_of(name, layout, line) for line in lines[n_headings - 1 : n_headings + 1])
    named = head[0].lower() in ("", "index", "id", "row", "rownames", "unnamed: 0") and len(head) > 1
    return named or len(head) == len(below) - 1


def _counts(values, fewest=2):
    """Return True for values 0, 1, 2, … or 1, 2, 3, …, and for more than three values with equal steps."""
    if len(values) < fewest:
        return False
    if values[0] in (0, 1) and np.array_equal(values, values[0] + np.arange(len(values))):
        return True
    steps = np.diff(values)
    return len(values) > 3 and steps[0] != 0 and bool(np.allclose(steps, steps[0], rtol=1e-6, atol=0))


def _without_counting_line(numbers, task, decided):
    """Return the numbers without a first line that counts the columns, and the number of lines left out, 0 or 1."""
    option = task.reading.first_line
    if option == "names" and not decided and len(numbers) > 1:
        task.note("first line left out")
        return numbers[1:], 1
    if option != GUESS or decided or len(numbers) < 3:
        return numbers, 0
    first, rest = numbers[0], numbers[1:]
    whole, rest_whole = _is_whole(first), _is_whole(rest)
    goes_on = _counts(rest[0]) if len(first) > 1 else False
    counts = _counts(first) and not goes_on and (len(first) > 3 or not rest_whole)
    no_line_like_it = whole and not (rest == np.rint(rest)).all(axis=1).any()
    numbers_one = len(first) == 1 and first[0] in (0, 1)
    if counts or (no_line_like_it and len(rest) >= _FEW and (len(first) >= 8 or numbers_one)):
        task.note(f"first line left out: {'it counts' if counts else 'it alone is of whole numbers'}")
        return rest, 1
    if whole and not rest_whole:
        task.note("first line kept, though it is of whole numbers: say so below if it holds names")
    return numbers, 0


# --- numbers and columns ---------------------------------------------------------------------------------


def _numbers(name, lines, layout, task):
    """Return the numbers of all rows, and the indices of their columns, without empty columns or columns of words."""
    sample = [_trimmed(_cells_of(name, layout, line)) for line in lines[:_SAMPLE]]
    width = len(sample[0])
    check_size(name, (max(2, len(lines)), width))
    words, empty = _columns_without_numbers(sample, width, layout)
    if task.reading.first_column == "names":
        words = sorted({0, *words})
    kept = [j for j in range(width) if j not in {*words, *empty}]
    if not kept:
        kept, words, empty = list(range(width)), [], []
    rows = np.empty((len(lines), len(kept)))
    n_longer = 0
    for i, line in enumerate(lines):
        cells = _cells_of(name, layout, line)
        n_longer += len(cells) > width
        cells = _checked_width(name, i + 1, cells, width, empty)
        rows[i] = _row(name, i + 1, [cells[j] for j in kept], kept, layout, layout.is_plain(line))
    _note_columns(task, words, empty, width, n_longer)
    return rows, kept


def _note_columns(task, words, empty, width, n_longer):
    if words:
        why = "it holds names" if task.reading.first_column == GUESS else "as said"
        task.note(f"{_which(words, width)} left out: {why if len(words) == 1 else 'they hold names'}")
    if empty:
        task.note(f"{_which(empty, width)} left out: {'it is' if len(empty) == 1 else 'they are'} empty")
    if n_longer:
        task.note("empty cells at the ends of lines left out")


def _trimmed(cells):
    while len(cells) > 1 and cells[-1] == "":
        cells = cells[:-1]
    return cells


def _checked_width(name, row, cells, width, empty):
    """Return the cells of a row without empty ones beyond the width; raise ScoreFileError for more or fewer cells."""
    found = _trimmed(cells[: MAX_COLUMNS + 1])
    if len(found) < width and "" in cells[len(found) : width] and len(found) not in empty:
        at = f"row {row}, column {len(found) + 1} is empty"
        raise ScoreFileError(f"{name}: {at}. Fill it, or leave the row out.")
    if len(found) != width and not (len(found) < width and {*range(len(found), width)} <= {*empty}):
        raise ScoreFileError(f"{name}: every row must have {width} numbers, but row {row} has {len(found)}.")
    wrong = next((j for j in empty if j < len(found) and found[j]), None)
    if wrong is not None:
        at = f"row {row}, column {wrong + 1} has {shown_name(found[wrong])!r}"
        raise ScoreFileError(f"{name}: {at}, but is empty in other rows. Fill them, or leave the column out.")
    return found + [""] * (width - len(found))


def _row(name, row, cells, kept, layout, is_plain):
    """Return the numbers in the kept cells of a row; most rows are plain, and use the faster float()."""
    try:
        if is_plain and layout.has_decimal_commas:
            return [float(cell.replace(",", ".")) for cell in cells]
        return list(map(float if is_plain else layout.number, cells))
    except ValueError:
        at = next((i for i, cell in enumerate(cells) if not layout.is_number(cell)), 0)
    if not cells[at]:
        raise ScoreFileError(f"{name}: row {row}, column {kept[at] + 1} is empty. Fill it, or leave the row out.")
    hint = " If its column holds names, say so below." if kept[at] == 0 and len(kept) > 1 else ""
    raise ScoreFileError(f"{name}: row {row} must hold real numbers, but has {shown_name(cells[at])!r}.{hint}")


def _columns_without_numbers(sample, width, layout):
    """Return the indices of columns that hold mostly words, and of empty columns, in a sample of rows."""
    words, empty = [], []
    for j in range(width):
        cells = [row[j] for row in sample if j < len(row)]
        if all(cell == "" for cell in cells):
            empty.append(j)
        elif sum(bool(_NAME.fullmatch(cell)) for cell in cells) > len(cells) / 2:
            words.append(j)
    return words, empty


def _which(columns: Sequence[int], width: int) -> str:
    """Return the position of columns in words, such as "first column"."""
    if [*columns] == [width - 1]:
        return "last column"
    if len(columns) > 1 and [*columns] == [*range(len(columns))]:
        return f"first {len(columns)} columns"
    if len(columns) == 1:
        return f"{_ORDINALS[columns[0]]} column" if columns[0] < len(_ORDINALS) else f"column {columns[0] + 1}"
    return f"columns {', '.join(str(j + 1) for j in columns)}"


def _is_whole(values):
    return bool((values == np.rint(values)).all())


def _without_index(numbers, task, named, kept):
    """Return the numbers without index columns at either end: row numbers, or the only columns of whole numbers."""
    if task.reading.first_column != GUESS or numbers.shape[1] < 2 or not np.isfinite(numbers).all():
        return numbers
    n, width = _index_length(numbers, named and kept[0] == 0), numbers.shape[1]
    if n:
        why = "it counts" if n == 1 and _counts(numbers[:, 0]) else "whole numbers, unlike the others"
        task.note(f"{_which([*range(n)], width)} left out: {why}")
        numbers = numbers[:, n:]
    if numbers.shape[1] > 1 and _index_length(numbers[:, ::-1], False) == 1:
        task.note("last column left out: whole numbers, unlike the others")
        numbers = numbers[:, :-1]
    if numbers.shape[1] == width and _odd_ends(numbers):
        task.note(f"{_odd_ends(numbers)} column kept, though it is of whole numbers: say so below if it holds names")
    return numbers


def _odd_ends(numbers):
    whole = (numbers == np.rint(numbers)).all(axis=0)
    return ("first" if whole[0] else "last") if (whole[0] or whole[-1]) and not whole.all() else ""


def _index_length(numbers, named):
    """Return the number of index columns at the start: row numbers, or the only columns of whole numbers."""
    first, rest = numbers[:, 0], numbers[:, 1:]
    whole = (numbers == np.rint(numbers)).all(axis=0)
    n_whole = len(whole) if whole.all() else int(np.argmin(whole))
    alone = 0 < n_whole < len(whole) and not whole[n_whole:].any()
    if alone and (len(numbers) >= _FEW or named) and (named or np.ptp(numbers[:, :n_whole], axis=0).any()):
        return n_whole
    counts = _counts(first) and not _counts(rest[:, 0])
    fewest = 8 if _is_whole(rest) else _FEW if first[0] not in (0, 1) or not whole[0] else 3
    return int((named and bool(whole[0])) or (counts and len(numbers) >= fewest))


def _refuse_long_integers(name, rows, lines, layout, kept):
    """Raise ScoreFileError for integers beyond 2⁵³, which float64 would silently round."""
    for i in np.flatnonzero((np.abs(rows) >= 2.0**53).any(axis=1)):
        cells = layout.cells(lines[i])
        for text in (cells[j] for j in kept):
            digits = text.lstrip("+-−").lstrip("0")
            if digits.isdecimal() and (len(digits) > 16 or int(digits) > 2**53):
                rule = "must hold no whole number beyond 2⁵³, which float64 cannot tell from its neighbours"
                raise ScoreFileError(f"{name} {rule}, but row {i + 1} has {shown_name(text)}.")
