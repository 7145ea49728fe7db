"""Read queries and keys from a file of unknown origin: sizes are bounded and nothing is ever unpickled."""

import io
import json
import math
import struct
import zipfile
import zlib
from collections.abc import Callable, Sequence
from itertools import islice
from tokenize import TokenError

import numpy as np
from numpy.lib.format import read_array_header_1_0, read_array_header_2_0, read_magic
from numpy.typing import NDArray

from sattn_core._checks import refuse_large_integers
from sattn_core.files.score_report import MAX_DIMENSION, MAX_HEADS, MAX_NUMBERS, MAX_ROWS, check_score_shapes
from sattn_core.files.typed import read_item

MAX_FILE_BYTES = 64 * 2**20  # of one file, and of two together
MAX_TEXT_BYTES = 16 * 2**20
MAX_MEMBERS = 64
SUFFIXES = (".npy", ".npz", ".csv", ".safetensors")
LIMITS = (
    f"A .npy, .npz, .csv or .safetensors file of at most {MAX_FILE_BYTES // 2**20} MB (.csv: "
    f"{MAX_TEXT_BYTES // 2**20} MB); two files have at most {MAX_FILE_BYTES // 2**20} MB together. "
    f"Q and K of shape (n, d_k) or (heads, n, d_k): 2 to {MAX_ROWS:,} rows, up to "
    f"{MAX_DIMENSION:,} dimensions and {MAX_HEADS} heads, at most {MAX_NUMBERS:,} numbers each, real and finite."
)
_SAFETENSORS = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "i1",
    "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "u1", "BF16": "<u2",
}  # fmt: skip
_MAX_HEADER_BYTES = 10_000
_NPY_HEADERS = {(1, 0): read_array_header_1_0, (2, 0): read_array_header_2_0}  # 3.0 is for records only
_MAX_DIRECTORY_BYTES = 64 * 1024


class ScoreFileError(ValueError):
    """A file that cannot be used; the message is one sentence for the person who chose it."""


def read_queries_and_keys(
    q_file: tuple[str, bytes], k_file: tuple[str, bytes] | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Read Q and K from one file that holds both, or from two files. Nothing in a file is ever executed.

    Sizes are read from headers and zip directories and compared with the limits before anything is
    unpacked, so that a small file cannot claim much memory.

    Reference: NumPy Enhancement Proposal 1, "A Simple File Format for NumPy Arrays".
    Hugging Face, safetensors, README, section "Format": names differ, and the tensors fill the bytes without holes.
    """
    _check_total(q_file, k_file)
    if k_file is None:
        arrays = list(read_arrays(*q_file, choose=_choose_both).values())
        if len(arrays) == 1:
            raise ScoreFileError(f"{_shown_name(q_file[0])} holds one array, which is Q: now choose a file for K.")
    else:
        arrays = [_only(*q_file, "Q"), _only(*k_file, "K")]
    Q, K = arrays
    try:
        check_score_shapes(Q.shape, K.shape)
    except ValueError as problem:
        raise ScoreFileError(f"{problem}.") from None
    return Q, K


def _check_total(q_file, k_file):
    total = sum(len(data) for _, data in filter(None, (q_file, k_file)))
    if k_file is not None and total > MAX_FILE_BYTES:
        names = f"{_shown_name(q_file[0])} and {_shown_name(k_file[0])}"
        most, size = MAX_FILE_BYTES // 2**20, f"{total / 2**20:.1f} MB"
        raise ScoreFileError(f"{names} may have at most {most} MB together, but have {size}.")


def _every(name, names):
    return names


def read_arrays(
    name: str, data: bytes, choose: Callable[[str, list[str]], Sequence[str]] = _every
) -> dict[str, NDArray[np.float64]]:
    """Read every array of one file: name -> float64 array of finite numbers within the limits."""
    shown = _shown_name(name)
    suffix = "." + str(name).rpartition(".")[2].lower()
    if suffix not in SUFFIXES:
        raise ScoreFileError(f"{shown} must be a {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]} file.")
    limit = MAX_TEXT_BYTES if suffix == ".csv" else MAX_FILE_BYTES
    if len(data) > limit:
        raise ScoreFileError(f"{shown} may have at most {limit // 2**20} MB, but has {len(data) / 2**20:.1f} MB.")
    if not data:
        raise ScoreFileError(f"{shown} is empty.")
    reader = {".npy": _read_npy, ".npz": _read_npz, ".csv": _read_csv, ".safetensors": _read_safetensors}
    return reader[suffix](shown, bytes(data), choose)


def _shown_name(name):
    """Cut a file name to one short line of printable characters: a name is untrusted input too."""
    text = "".join(c for c in str(name) if c.isprintable())
    return text if len(text) <= 60 else text[:40] + "…" + text[-15:]


def _choose_both(name, names):
    """Return the arrays named Q and K; or the only array, if it can be Q."""
    found = [key for wanted in ("q", "k") for key in names if key.lower() == wanted]
    if [key.lower() for key in found] == ["q", "k"]:
        return found
    if len(names) == 1 and names[0].lower() != "k":
        return names
    raise ScoreFileError(f"{name} must hold one array named Q and one named K, but holds {_listed(names)}.")


def _only(name, data, role):
    """Return the single array of a file that the person chose for Q or for K."""

    def choose(shown, names):
        if len(names) != 1:
            rule = "must hold one array when Q and K come in two files"
            raise ScoreFileError(f"{shown} {rule}, but holds {_listed(names)}.")
        if {names[0].upper(), role} == {"Q", "K"}:
            raise ScoreFileError(f"{shown} was chosen for {role}, but its array is named {names[0]}: swap the files.")
        return names

    return next(iter(read_arrays(name, data, choose).values()))


def _listed(names):
    text = ", ".join(_shown_name(name) for name in names)
    return text if len(text) <= 120 else text[:120] + "…"


def _check_declared(name, shape, dtype):
    """Check shape and type before any number is read."""
    if dtype.hasobject:
        raise ScoreFileError(f"{name} holds Python objects, which are never unpickled: save plain numbers.")
    if dtype.kind not in "iuf":
        raise ScoreFileError(f"{name} must hold real numbers, but its type is {_shown_name(dtype)}.")
    if not all(type(length) is int and length >= 0 for length in shape):
        raise ScoreFileError(f"{name} declares no valid shape.")
    if len(shape) not in (2, 3):
        raise ScoreFileError(f"{name} must have shape (n, d_k) or (heads, n, d_k), but has {_shown_name(shape)}.")
    heads, rows, d_k = (1, *shape)[-3:]
    if heads < 1 or rows < 2 or d_k < 1:
        raise ScoreFileError(f"{name} must have at least 2 rows, 1 dimension and 1 head, but has shape {shape}.")
    if heads > MAX_HEADS or rows > MAX_ROWS or d_k > MAX_DIMENSION or math.prod(shape) > MAX_NUMBERS:
        most = f"{MAX_ROWS:,} rows, {MAX_DIMENSION:,} dimensions, {MAX_HEADS} heads and {MAX_NUMBERS:,} numbers"
        raise ScoreFileError(f"{name} may have at most {most}, but has shape {_shown_name(shape)}.")


def _finished(name, array):
    if not np.isfinite(array).all():
        bad = array[~np.isfinite(array)].flat[0]
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise ScoreFileError(f"{name} must hold finite numbers only, but has {bad} at {where}.")
    try:
        refuse_large_integers(name, array)
    except ValueError as problem:
        raise ScoreFileError(f"{problem}.") from None
    with np.errstate(over="ignore"):
        array = np.array(array, dtype=np.float64, order="C")  # a copy: bytes cannot be written to
    if np.abs(array).max() > 1e30:
        raise ScoreFileError(f"{name} must hold numbers of at most 1e30 in size, but has {np.abs(array).max():.3g}.")
    return array


def _read_npy(name, data, choose=_every):
    choose(name, ["array"])
    shape, dtype, order, start = _npy_header(name, data)
    _check_declared(name, shape, dtype)
    if len(data) - start != math.prod(shape) * dtype.itemsize:
        wanted, got = math.prod(shape) * dtype.itemsize, len(data) - start
        raise ScoreFileError(f"{name} is damaged: shape {shape} needs {wanted:,} bytes of numbers, but has {got:,}.")
    return {"array": _finished(name, np.frombuffer(data, dtype, offset=start).reshape(shape, order=order))}


def _npy_header(name, data):
    """Read shape, type, order and start of the numbers: NumPy's loader would allocate before it misses any."""
    if data[:6] != b"\x93NUMPY":
        what = "a zip file (rename it to .npz)" if data[:2] == b"PK" else "something else"
        raise ScoreFileError(f"{name} does not begin as a .npy file does: it is {what}.")
    stream = io.BytesIO(data[:_MAX_HEADER_BYTES])
    try:
        shape, columns_first, dtype = _NPY_HEADERS[read_magic(stream)](stream)
    except (ArithmeticError, LookupError, MemoryError, RecursionError, SyntaxError, TokenError, TypeError, ValueError,
            Warning):  # fmt: skip  # the last where warnings are errors: of a header that Python 2 wrote
        raise ScoreFileError(f"{name} is damaged: its .npy header cannot be read.") from None
    return shape, dtype, "F" if columns_first else "C", stream.tell()


def _read_npz(name, data, choose):
    arrays = {}
    archive, members = _zip_members(name, data, choose)
    for info in members:
        try:
            # Always read with a size: without one, everything is unpacked before the declared size is checked.
            with archive.open(info) as stream:
                content = stream.read(info.file_size)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, NotImplementedError, ValueError):
            raise ScoreFileError(f"{name} is damaged: {_shown_name(info.filename)} cannot be unpacked.") from None
        key = _array_name(info)
        arrays[key] = _read_npy(f"{name}, array {_shown_name(key)}", content)["array"]
    return arrays


def _array_name(info):
    return info.filename[: -len(".npy")]


def _zip_members(name, data, choose):
    """Return the chosen .npy members of a zip file, once its directory has passed the limits."""
    _check_directory(name, data)
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, ValueError, EOFError, OSError, struct.error, NotImplementedError, UnicodeDecodeError):
        raise ScoreFileError(f"{name} is damaged: it cannot be read as a .npz (zip) file.") from None
    members = [info for info in archive.infolist() if info.filename.lower().endswith(".npy")]
    if not members:
        raise ScoreFileError(f"{name} holds no .npy array: save it with np.savez(file, Q=Q, K=K).")
    chosen = choose(name, [_array_name(info) for info in members])
    wanted = sorted(
        (info for info in members if _array_name(info) in chosen), key=lambda i: chosen.index(_array_name(i))
    )
    unpacked = sum(info.file_size for info in wanted)
    if unpacked > 2 * (8 * MAX_NUMBERS + _MAX_HEADER_BYTES):
        size = f"{unpacked / 2**20:,.0f} MB"
        raise ScoreFileError(f"{name} unpacks to {size}, more than two arrays of {MAX_NUMBERS:,} numbers need.")
    for info in wanted:
        if info.flag_bits & 1 or info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise ScoreFileError(f"{name} must be saved by np.savez or np.savez_compressed, without a password.")
    return archive, wanted


def _check_directory(name, data):
    """Bound the zip directory before it is parsed: a file of 64 MB could hold a million empty entries."""
    if data[:2] != b"PK":
        raise ScoreFileError(f"{name} does not begin as a .npz (zip) file does.")
    end = data.rfind(b"PK\x05\x06", max(0, len(data) - 65_557))
    if end < 0 or len(data) < end + 22:
        raise ScoreFileError(f"{name} is cut off or damaged: the end of its zip directory is missing.")
    entries, size = struct.unpack("<H", data[end + 10 : end + 12])[0], struct.unpack("<I", data[end + 12 : end + 16])[0]
    if entries > MAX_MEMBERS or size > _MAX_DIRECTORY_BYTES or data[max(0, end - 20) : end - 16] == b"PK\x06\x07":
        raise ScoreFileError(f"{name} may hold at most {MAX_MEMBERS} arrays, but its zip directory lists more.")


def _read_csv(name, data, choose):
    choose(name, ["array"])
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ScoreFileError(f"{name} must be plain text (UTF-8), but is not.") from None
    # Read lazily and up to a limit: line ends only, or one endless row, must not become millions of strings.
    filled = (line for line in io.StringIO(text, newline=None) if line.strip())
    lines = [_open_row(line) for line in islice(filled, MAX_ROWS + 2)]
    if not lines:
        raise ScoreFileError(f"{name} is empty.")
    delimiter = next((each for each in (";", "\t", ",") if each in lines[0]), None)
    if not any(_is_number(cell) for cell in lines[0].split(delimiter, MAX_DIMENSION)):
        lines = lines[1:]
    width = len(lines[0].split(delimiter, MAX_DIMENSION)) if lines else 0
    _check_declared(name, (len(lines), width), np.dtype(float))
    return {"array": _finished(name, _csv_numbers(name, lines, delimiter, width))}


def _open_row(line):
    """Return a line without its end and without the brackets that Python and NumPy print around a row."""
    row = line.strip()
    if row[0] not in "[(":
        return line.strip("\r\n")
    return row.removesuffix(",").strip("[()] \t")


def _number(cell):
    """Return the number in one cell, with or without quotation marks."""
    cell = cell.strip()
    return read_item(cell[1:-1] if len(cell) > 1 and cell[0] == cell[-1] == '"' else cell)


def _numbers(line, cells):
    """Return the numbers of a row. Most rows are plain, and Python's own reader is much faster for them."""
    if line.isascii() and "_" not in line and '"' not in line:
        return [float(cell) for cell in cells]
    return [_number(cell) for cell in cells]


def _is_number(cell):
    try:
        _number(cell)
    except ValueError:
        return False
    return True


def _csv_numbers(name, lines, delimiter, width):
    rows = np.empty((len(lines), width))
    for i, line in enumerate(lines):
        cells = line.split(delimiter, width)
        if len(cells) != width:
            found = len(cells) if len(cells) < width else "more"
            raise ScoreFileError(f"{name}: every row must have {width} numbers, but row {i + 1} has {found}.")
        try:
            rows[i] = _numbers(line, cells)
        except ValueError:
            bad = next(cell for cell in cells if not _is_number(cell)).strip()
            raise ScoreFileError(f"{name}: row {i + 1} must hold real numbers, but has {_shown_name(bad)!r}.") from None
    _refuse_long_integers(name, rows, lines, delimiter)
    return rows


def _refuse_long_integers(name, rows, lines, delimiter):
    """Refuse integers beyond 2⁵³, which float64 would silently round."""
    for i in np.flatnonzero((np.abs(rows) >= 2.0**53).any(axis=1)):
        for cell in lines[i].split(delimiter):
            text = cell.strip(' \t"')
            if text.lstrip("+-−").isdecimal() and abs(int(text.replace("−", "-"))) > 2**53:
                rule = "must hold no whole number beyond 2⁵³, which float64 cannot tell from its neighbours"
                raise ScoreFileError(f"{name} {rule}, but row {i + 1} has {_shown_name(text)}.")


def _read_safetensors(name, data, choose):
    entries, content = _safetensors_header(name, data)
    if not entries:
        raise ScoreFileError(f"{name} holds no tensor.")
    _check_layout(name, entries, len(content))
    return {key: _tensor_numbers(f"{name}, tensor {_shown_name(key)}", entries[key], content)
            for key in choose(name, list(entries))}  # fmt: skip


def _safetensors_header(name, data):
    """Read (type, shape, begin, end) of every tensor, as the header states them, and the bytes they point to."""
    try:
        size = struct.unpack("<Q", data[:8])[0]
        if size > _MAX_DIRECTORY_BYTES * 16 or len(data) < 8 + size:
            raise ValueError
        header = json.loads(data[8 : 8 + size].decode("utf-8"), object_pairs_hook=_named_once)
        entries = {key: _tensor(value) for key, value in header.items() if key != "__metadata__"}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, struct.error):
        raise ScoreFileError(f"{name} is damaged: its .safetensors header cannot be read.") from None
    return entries, data[8 + size :]


def _named_once(pairs):
    if len(dict(pairs)) != len(pairs):
        raise ValueError("names must differ")
    return dict(pairs)


def _tensor(value):
    begin, end = value["data_offsets"]
    return str(value["dtype"]), tuple(value["shape"]), begin, end


def _check_layout(name, entries, n_bytes):
    """Refuse tensors that do not fill the bytes without gaps or overlaps, as the format requires."""
    for key, (_, _, begin, end) in entries.items():
        if not (type(begin) is type(end) is int and 0 <= begin <= end):
            rule = f"data_offsets of {_shown_name(key)} must be two whole numbers, from 0 up and in order"
            raise ScoreFileError(f"{name} is damaged: the {rule}, but are {_shown_name([begin, end])}.")
    at = 0
    for begin, end in sorted((begin, end) for _, _, begin, end in entries.values()):
        if begin < at:
            raise ScoreFileError(f"{name} is damaged: two of its tensors share bytes.")
        if begin > at:
            raise ScoreFileError(f"{name} is damaged: bytes {at:,} to {begin:,} belong to no tensor.")
        at = end
    if at != n_bytes:
        raise ScoreFileError(f"{name} is cut off or damaged: its tensors need {at:,} bytes, but it has {n_bytes:,}.")


def _tensor_numbers(name, entry, content):
    kind, shape, begin, end = entry
    if kind not in _SAFETENSORS:
        raise ScoreFileError(f"{name} must hold real numbers, but its type is {_shown_name(kind)}.")
    dtype = np.dtype(_SAFETENSORS[kind])
    _check_declared(name, shape, dtype)
    if end - begin != math.prod(shape) * dtype.itemsize:
        raise ScoreFileError(f"{name} is damaged: shape {shape} does not fit its {end - begin:,} bytes.")
    numbers = np.frombuffer(content[begin:end], dtype=dtype)
    if kind == "BF16":  # the upper half of a float32
        numbers = (numbers.astype(np.uint32) << 16).view(np.float32)
    return _finished(name, numbers.reshape(shape))
