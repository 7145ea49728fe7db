"""Reader for queries and keys in a file of unknown origin: sizes are limited, and nothing is ever unpickled."""

import io
import json
import math
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Sequence
from tokenize import TokenError
from typing import Any

import numpy as np
from numpy.lib.format import read_array_header_1_0, read_array_header_2_0, read_magic
from numpy.typing import NDArray

from sattn_core._checks import refuse_large_integers
from sattn_core.files.head_axes import arrange_heads, check_size, described
from sattn_core.files.number_tables import read_table
from sattn_core.files.reading import TO_FLOATS, Reading, ScoreFileError, Task, decoded, real_numbers
from sattn_core.files.reading import shown_name as _shown_name
from sattn_core.files.score_report import LARGEST_NUMBER, MAX_DIMENSION, MAX_HEADS, MAX_NUMBERS, MAX_ROWS

MAX_FILE_BYTES = 64 * 2**20  # limit for one file, and for two together
MAX_TEXT_BYTES = 16 * 2**20
MAX_MEMBERS = 64
SUFFIXES = (".npy", ".npz", ".csv", ".safetensors")
_ALIKE = {".zip": ".npz", ".txt": ".csv", ".tsv": ".csv", ".dat": ".csv"}
_PICKLED = (".pt", ".pth", ".bin", ".pkl", ".pickle", ".ckpt", ".joblib", ".h5", ".hdf5", ".mat", ".gguf", ".parquet")
_SPREADSHEETS = (".xlsx", ".xls", ".ods", ".numbers")
LIMITS = (
    f"A .npy, .npz, .csv or .safetensors file of at most {MAX_FILE_BYTES // 2**20} MB (.csv: "
    f"{MAX_TEXT_BYTES // 2**20} MB); two files have at most {MAX_FILE_BYTES // 2**20} MB together. "
    f"Q and K of shape (n, d_k) or (heads, n, d_k): 2 to {MAX_ROWS:,} rows, up to "
    f"{MAX_DIMENSION:,} dimensions and {MAX_HEADS} heads, at most {MAX_NUMBERS:,} numbers each, real and finite."
)
_SAFETENSORS = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "i1",
    "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "u1", "BF16": "<u2", "F8_E4M3": "u1", "F8_E5M2": "u1",
}  # fmt: skip
_BITS = {"BF16": "bfloat16", "F8_E4M3": "float8_e4m3fn", "F8_E5M2": "float8_e5m2"}
_MAX_HEADER_BYTES = 10_000
_MAGIC = b"\x93NUMPY"
_UNNAMED = (["array 1", "array 2"], ["arr_0", "arr_1"])  # names of arrays from np.save and np.savez
# Version 3.0 only adds UTF-8 field names to 2.0, and arrays with fields are refused.
_NPY_HEADERS = {(1, 0): read_array_header_1_0, (2, 0): read_array_header_2_0, (3, 0): read_array_header_2_0}
_MAX_DIRECTORY_BYTES = 64 * 1024


def read_queries_and_keys(
    q_file: tuple[str, bytes], k_file: tuple[str, bytes] | None = None, reading: Reading | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Read Q and K from one file that holds both, or from two files. Nothing in a file is ever executed.

    Sizes are read from headers and zip directories and compared with the limits before anything is
    unpacked, so that a small file cannot claim much memory.

    References: NumPy Enhancement Proposal 1, "A Simple File Format for NumPy Arrays". Hugging Face, safetensors,
    README, section "Format": names are unique, and the tensors fill the bytes without gaps.
    """
    return read_as(q_file, k_file, reading)[:2]


def read_as(
    q_file: tuple[str, bytes], k_file: tuple[str, bytes] | None = None, reading: Reading | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64], tuple[str, ...]]:
    """Read Q and K with these options; return them with notes on the shapes and on every guess."""
    _check_total(q_file, k_file)
    reading = reading or Reading()
    tasks = [Task(reading) for _ in filter(None, (q_file, k_file))]
    if k_file is None:
        arrays = list(_read(*q_file, _choose_both, tasks[0]).values())
        if len(arrays) == 1:
            raise ScoreFileError(f"{_shown_name(q_file[0])} holds one array, which is Q: now choose a file for K.")
    else:
        arrays = [_only(*file, role, task) for file, role, task in zip((q_file, k_file), "QK", tasks, strict=True)]
    both = Task(reading)
    Q, K = arrange_heads(arrays[0], arrays[1], both)
    return Q, K, (described(Q, K), *_told(tasks), *both.notes)


def _told(tasks):
    """Return the notes on the files; a note on only one of two files begins with "Q: " or "K: "."""
    if len(tasks) == 1 or tasks[0].notes == tasks[1].notes:
        return tasks[0].notes
    shared = [note for note in tasks[0].notes if note in tasks[1].notes]
    alone = [
        f"{role}: {note}" for role, task in zip("QK", tasks, strict=True) for note in task.notes if note not in shared
    ]
    return [*shared, *alone]


def _check_total(q_file, k_file):
    total = sum(len(data) for _, data in filter(None, (q_file, k_file)))
    if k_file is not None and total > MAX_FILE_BYTES:
        names = f"{_shown_name(q_file[0])} and {_shown_name(k_file[0])}"
        most, size = MAX_FILE_BYTES // 2**20, f"{total / 2**20:.1f} MB"
        raise ScoreFileError(f"{names} may have at most {most} MB together, but have {size}.")


def _every(name, names):
    return names


def read_arrays(
    name: str, data: bytes, choose: Callable[[str, list[str]], Sequence[str]] = _every, reading: Reading | None = None
) -> dict[str, NDArray[np.float64]]:
    """Return the arrays of one file by name, as float64 arrays of finite numbers within the limits."""
    return _read(name, data, choose, Task(reading or Reading()))


def _read(name, data, choose, task):
    shown, suffix = _shown_name(name), _suffix(name)
    if suffix not in SUFFIXES:
        raise ScoreFileError(
            f"{shown} must be a {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]} file. {_how_else(suffix)}"
        )
    limit = MAX_TEXT_BYTES if suffix == ".csv" else MAX_FILE_BYTES
    if len(data) > limit:
        raise ScoreFileError(f"{shown} may have at most {limit // 2**20} MB, but has {len(data) / 2**20:.1f} MB.")
    if not data:
        raise ScoreFileError(f"{shown} is empty.")
    reader = {".npy": _read_npy, ".npz": _read_npz, ".csv": _read_csv, ".safetensors": _read_safetensors}
    return reader[suffix](shown, bytes(data), choose, task)


def _suffix(name):
    """Return the ending of a file's name, or the usual ending for the same kind of file."""
    ending = "." + str(name).rpartition(".")[2].lower()
    return _ALIKE.get(ending, ending)


def is_text(name: str) -> bool:
    """Return True if a file with this name is read as text."""
    return _suffix(name) == ".csv"


def _how_else(suffix):
    """Return advice on how to save the contents of a file that cannot be read."""
    if suffix in _SPREADSHEETS:
        return "In the spreadsheet, save it as CSV."
    start = "Only its own program can open it safely. " if suffix in _PICKLED else ""
    return f"{start}Save both with np.savez('q_and_k.npz', Q=q, K=k); in PyTorch q is q.float().cpu().numpy()."


def _role(key):
    """Return "q" or "k" if the array has a usual name for queries or keys, otherwise ""."""
    found = re.fullmatch(
        r"x?([qk])(uery|ueries|ey|eys)?([_.]?(proj|states?|layer|heads?))?", key.rpartition("/")[2].lower()
    )
    return found[1] if found else ""


def _choose_both(name, names):
    """Return the names of Q and K among these; two unnamed arrays are Q and K, and a single array may be Q."""
    exact = [key for wanted in ("q", "k") for key in names if key.lower() == wanted]
    found = exact or [key for wanted in ("q", "k") for key in names if _role(key) == wanted]
    if [_role(key) for key in found] == ["q", "k"]:
        return found
    if names in _UNNAMED or (len(names) == 1 and _role(names[0]) != "k"):
        return names
    raise ScoreFileError(f"{name} must hold one array named Q and one named K, but holds {_listed(names)}.")


def _only(name, data, role, task):
    """Return the single array of a file that was chosen for Q or for K."""

    def choose(shown, names):
        if len(names) != 1:
            rule = "must hold one array when Q and K come in two files"
            raise ScoreFileError(f"{shown} {rule}, but holds {_listed(names)}.")
        if {_role(names[0]), role.lower()} == {"q", "k"}:
            raise ScoreFileError(f"{shown} was chosen for {role}, but its array is named {names[0]}: swap the files.")
        return names

    return next(iter(_read(name, data, choose, task).values()))


def _listed(names):
    text = ", ".join(_shown_name(name) for name in names)
    return text if len(text) <= 120 else text[:120] + "…"


def _check_declared(name, shape, dtype):
    """Check the declared shape and type before any number is read."""
    if dtype.hasobject:
        raise ScoreFileError(f"{name} holds Python objects, which are never unpickled: save plain numbers.")
    if dtype.kind not in "iuf" and not (dtype.kind == "V" and dtype.names is None and dtype.itemsize in (1, 2)):
        raise ScoreFileError(f"{name} must hold real numbers, but its type is {_shown_name(dtype)}.")
    check_size(name, shape)


def finished(name: str, array: NDArray[Any], task: Task) -> NDArray[np.float64]:
    """Return a float64 copy of an array of finite numbers; raise ScoreFileError for doubtful whole numbers."""
    if array.dtype.kind != "V":
        _check_numbers(name, array)
    array = real_numbers(name, array, task)
    _check_numbers(name, array)
    return np.array(array, dtype=np.float64, order="C")  # a copy, because bytes are read-only


def _check_numbers(name, array):
    if not np.isfinite(array).all():
        bad = array[~np.isfinite(array)].flat[0]
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise ScoreFileError(f"{name} must hold finite numbers only, but has {bad} at {where}.")
    try:
        refuse_large_integers(name, array)
    except ValueError as problem:
        raise ScoreFileError(f"{problem}.") from None
    with np.errstate(over="ignore"):
        largest = np.abs(array.astype(np.float64)).max()
    if largest > LARGEST_NUMBER:
        raise ScoreFileError(f"{name} must hold numbers of at most 1e30 in size, but has {largest:.3g}.")


def _read_npy(name, data, choose, task):
    """Read the array of a .npy file, or two arrays that were saved one after the other."""
    headers: list[tuple[Any, ...]] = []
    at = 0
    while not headers or (data[at : at + 6] == _MAGIC and len(headers) < MAX_MEMBERS):
        shape, dtype, order, start = _npy_header(name, data, at)
        _check_declared(name, shape, dtype)
        headers.append((shape, dtype, order, start))
        at = start + math.prod(shape) * dtype.itemsize
    if at != len(data):
        wanted, got = at - headers[-1][-1], len(data) - headers[-1][-1]
        raise ScoreFileError(f"{name} is damaged: shape {shape} needs {wanted:,} bytes of numbers, but has {got:,}.")
    names = ["array"] if len(headers) == 1 else [f"array {i}" for i in range(1, len(headers) + 1)]
    if len(choose(name, names)) == 2:
        task.note("two arrays in one file: the first is Q, the second K")
    return {key: finished(name, _npy_numbers(data, *header), task) for key, header in zip(names, headers, strict=True)}


def _npy_numbers(data, shape, dtype, order, start):
    return np.frombuffer(data, dtype, math.prod(shape), offset=start).reshape(shape, order=order)


def _npy_header(name, data, at=0):
    """Return shape, type, order and start of the numbers, without NumPy's loader, which would allocate them first."""
    if data[at : at + 6] != _MAGIC:
        what = "a zip file (rename it to .npz)" if data[:2] == b"PK" else "something else"
        raise ScoreFileError(f"{name} does not begin as a .npy file does: it is {what}.")
    stream = io.BytesIO(data[at : at + _MAX_HEADER_BYTES])
    try:
        shape, columns_first, dtype = _NPY_HEADERS[read_magic(stream)](stream)
    except (ArithmeticError, LookupError, MemoryError, RecursionError, SyntaxError, TokenError, TypeError, ValueError,
            Warning):  # fmt: skip  # headers of Python 2 cause a warning, which may be raised
        raise ScoreFileError(_header_problem(name, data[at : at + _MAX_HEADER_BYTES])) from None
    return shape, dtype, "F" if columns_first else "C", at + stream.tell()


def _header_problem(name, data):
    """Return the error message for an unreadable header: damaged, or with an 8-bit type unknown to NumPy."""
    if found := re.search(rb"'descr': '[<>|=]f1'", data):
        return f"{name} holds 8-bit floating point ({found[0][-3:-1].decode()}), which NumPy cannot read: {TO_FLOATS}."
    return f"{name} is damaged: its .npy header cannot be read."


def _read_npz(name, data, choose, task):
    arrays = {}
    archive, members = _zip_members(name, data, choose)
    for info in members:
        try:
            # Pass the size: without it, everything is unpacked before the declared size is checked.
            with archive.open(info) as stream:
                content = stream.read(info.file_size)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, NotImplementedError, ValueError):
            raise ScoreFileError(f"{name} is damaged: {_shown_name(info.filename)} cannot be unpacked.") from None
        key = _array_name(info)
        (arrays[key],) = _read_npy(f"{name}, array {_shown_name(key)}", content, _one, task).values()
    _note_names(arrays, task)
    return arrays


def _one(name, names):
    if len(names) > 1:
        raise ScoreFileError(f"{name} holds {len(names)} arrays in one: save each under a name of its own.")
    return names


def _note_names(arrays, task):
    """Add a note on which array is Q and which is K, unless their names are Q and K."""
    names = [*arrays]
    if len(names) == 2 and [each.lower() for each in names] != ["q", "k"]:
        task.note(f"{_shown_name(names[0])} is Q, {_shown_name(names[1])} is K")


def _array_name(info):
    """Return the name of an array in a zip file, without a folder."""
    return info.filename[: -len(".npy")].rpartition("/")[2]


def _is_array(info):
    """Return True for an array, False for the hidden files that macOS adds."""
    folder, _, name = info.filename.rpartition("/")
    return name.lower().endswith(".npy") and not name.startswith("._") and "__MACOSX" not in folder


def _zip_members(name, data, choose):
    """Return the archive and the chosen .npy members of a zip file; check its directory first."""
    _check_directory(name, data)
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, ValueError, EOFError, OSError, struct.error, NotImplementedError, UnicodeDecodeError):
        raise ScoreFileError(f"{name} is damaged: it cannot be read as a .npz (zip) file.") from None
    members = [info for info in archive.infolist() if _is_array(info)]
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
    """Check the size of the zip directory before it is parsed: 64 MB could hold a million empty entries."""
    if data[:2] != b"PK":
        raise ScoreFileError(f"{name} does not begin as a .npz (zip) file does.")
    end = data.rfind(b"PK\x05\x06", max(0, len(data) - 65_557))
    if end < 0 or len(data) < end + 22:
        raise ScoreFileError(f"{name} is cut off or damaged: the end of its zip directory is missing.")
    entries, size = struct.unpack("<H", data[end + 10 : end + 12])[0], struct.unpack("<I", data[end + 12 : end + 16])[0]
    if entries > MAX_MEMBERS or size > _MAX_DIRECTORY_BYTES or data[max(0, end - 20) : end - 16] == b"PK\x06\x07":
        raise ScoreFileError(f"{name} may hold at most {MAX_MEMBERS} arrays, but its zip directory lists more.")


def _read_csv(name, data, choose, task):
    (key,) = choose(name, ["array"])
    return {key: finished(name, read_table(name, data, task), task)}


def _read_safetensors(name, data, choose, task):
    entries, content = _safetensors_header(name, data)
    if not entries:
        raise ScoreFileError(f"{name} holds no tensor.")
    _check_layout(name, entries, len(content))
    arrays = {key: _tensor_numbers(f"{name}, tensor {_shown_name(key)}", entries[key], content, task)
              for key in choose(name, list(entries))}  # fmt: skip
    _note_names(arrays, task)
    return arrays


def _safetensors_header(name, data):
    """Return (type, shape, begin, end) of every tensor by name, and the bytes that begin and end refer to."""
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
    """Raise ScoreFileError unless the tensors fill the bytes without gaps or overlaps, as the format requires."""
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


def _tensor_numbers(name, entry, content, task):
    kind, shape, begin, end = entry
    if kind not in _SAFETENSORS:
        raise ScoreFileError(
            f"{name} must hold real numbers, but its type is {_shown_name(kind)}. Convert it to float32."
        )
    dtype = np.dtype(_SAFETENSORS[kind])
    _check_declared(name, shape, dtype)
    if end - begin != math.prod(shape) * dtype.itemsize:
        raise ScoreFileError(f"{name} is damaged: shape {shape} does not fit its {end - begin:,} bytes.")
    numbers = np.frombuffer(content[begin:end], dtype=dtype)
    if kind in _BITS:
        numbers = decoded(numbers, _BITS[kind])
    if kind.startswith("F8"):
        task.note("8-bit floating point: multiply by its scale first, if it has one")
    return finished(name, numbers.reshape(shape), task)
