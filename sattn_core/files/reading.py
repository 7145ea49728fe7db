"""Options for reading a file of unknown origin, notes on guesses, and numbers stored as bits."""

import math
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sattn_core._checks import check_choice, check_integer
from sattn_core.files.score_report import MAX_HEADS

GUESS = "guess"
OPTIONS = MappingProxyType(
    {
        "first_line": (GUESS, "numbers", "names"),
        "first_column": (GUESS, "numbers", "names"),
        "comma": (GUESS, "decimal", "separator"),
        "axes": (GUESS, "heads first", "tokens first"),
        "stored": (GUESS, "numbers", "bfloat16", "float16", "float8_e4m3fn", "float8_e5m2"),
    }
)
_LARGE_WHOLE = 1000  # larger whole numbers are probably the bits of 16-bit numbers
_BYTES = {"bfloat16": 2, "float16": 2, "float8_e4m3fn": 1, "float8_e5m2": 1}
TO_FLOATS = "save x.astype(np.float32), in PyTorch x.float().numpy()"


class ScoreFileError(ValueError):
    """Error for a file that cannot be used; its message is one or two sentences for the user."""


@dataclass(frozen=True)
class Reading:
    """Options for reading a file; "guess" and 0 mean that the reader guesses."""

    first_line: str = GUESS  # content of a text file's first line: "numbers" or "names"
    first_column: str = GUESS  # content of a text file's first column: "numbers" or "names"
    comma: str = GUESS  # meaning of commas in a text file: "decimal" or "separator"
    axes: str = GUESS  # order of three axes: "heads first" or "tokens first"
    heads: int = 0  # 0 to 64: number of query heads that are side by side in the last axis
    stored: str = GUESS  # meaning of whole numbers: "numbers", or the format whose bits they are

    def __post_init__(self) -> None:
        for name, options in OPTIONS.items():
            check_choice(name, getattr(self, name), options)
        check_integer("heads", self.heads, 0, MAX_HEADS)


@dataclass(frozen=True)
class Task:
    """Options and notes for one file being read."""

    reading: Reading = field(default_factory=Reading)
    notes: list[str] = field(default_factory=list)

    def note(self, text: str) -> None:
        """Add a note if it is new."""
        if text not in self.notes:
            self.notes.append(text)


def shown_name(name: object) -> str:
    """Return a name, which is untrusted input, as one short line of printable characters."""
    text = "".join(c for c in str(name) if c.isprintable())
    return text if len(text) <= 60 else text[:40] + "…" + text[-15:]


def real_numbers(name: str, array: NDArray[Any], task: Task) -> NDArray[Any]:
    """Return the array, or the numbers whose bits it holds; raise an error for doubtful whole numbers."""
    kind, stored = array.dtype.kind, task.reading.stored
    if kind == "V" and stored not in _BYTES:
        which = {1: "8-bit floating point", 2: "bfloat16"}.get(array.dtype.itemsize, "another package's type")
        lost = f"NumPy's format keeps no name for its numbers, probably {which}"
        raise ScoreFileError(f"{name} cannot be read: {lost}. Choose below what they are, or {TO_FLOATS}.")
    if kind == "f" and not (array == np.rint(array)).all():
        return array
    if stored in _BYTES:
        return _from_bits(name, array, stored, task)
    _judge_whole(name, array, task)
    return array


def _judge_whole(name, array, task):
    """Raise an error for whole numbers that look like bits or quantised values; add a note for small ones."""
    if task.reading.stored == "numbers":
        task.note("whole numbers taken as they are")
        return
    short = array.dtype.kind in "iu" and array.dtype.itemsize <= 2
    largest = int(np.abs(array.astype(np.float64)).max())
    if short or largest > _LARGE_WHOLE:
        what = f"whole numbers ({array.dtype.name if short else 'up to'}{'' if short else f' {largest:,}'})"
        why = "they look like bits, or quantised values without their scale"
        raise ScoreFileError(f"{name} holds {what}: {why}. Choose below what they are, or {TO_FLOATS}.")
    task.note("whole numbers taken as they are: quantised ones need their scale")


def _from_bits(name, array, stored, task):
    """Return the numbers of a floating-point format whose bits were saved as whole numbers or bytes."""
    n_bytes = _BYTES[stored]
    if array.dtype.kind == "V":
        fits = array.dtype.itemsize == n_bytes
        bits = array.view(f"<u{n_bytes}") if fits else array
    else:
        low, high = int(array.min()), int(array.max())
        fits = -(2 ** (8 * n_bytes - 1)) <= low and high < 2 ** (8 * n_bytes)
        bits = array.astype(np.int64).astype(f"<u{n_bytes}") if fits else array
    if not fits:
        raise ScoreFileError(f"{name} cannot hold {stored}: its numbers do not fit into {8 * n_bytes} bits.")
    task.note(f"whole numbers taken for the bits of {stored}" if array.dtype.kind != "V" else f"bytes read as {stored}")
    return decoded(bits, stored)


def decoded(bits: NDArray[Any], stored: str) -> NDArray[np.float64]:
    """Return the numbers of a floating-point format from their bits, given as unsigned integers of the same size."""
    if stored == "float8_e4m3fn":
        return _E4M3[bits]
    if stored == "bfloat16":
        numbers = (bits.astype(np.uint32) << 16).view(np.float32)  # bfloat16 is the upper half of a float32
    else:
        numbers = (bits.astype(np.uint16) << (8 * (stored == "float8_e5m2"))).view(np.float16)  # E5M2: its upper half
    with np.errstate(invalid="ignore"):  # NaN is refused later
        return numbers.astype(np.float64)


def _e4m3_numbers():
    """Return all 256 numbers of float8 E4M3: sign, 4 bits of exponent (bias 7), 3 of fraction; no infinity, two NaN."""
    codes = np.arange(256)
    exponent, fraction = (codes >> 3) & 15, codes & 7
    sizes = np.where(exponent, np.ldexp(8.0 + fraction, exponent - 10), np.ldexp(1.0 * fraction, -9))
    numbers = np.where(codes & 128, -sizes, sizes)
    numbers[[127, 255]] = math.nan
    return numbers


_E4M3 = _e4m3_numbers()
