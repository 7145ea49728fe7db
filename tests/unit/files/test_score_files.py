import io
import json
import resource
import struct
import zipfile
import zlib
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from sattn_core.files import score_files
from sattn_core.files.reading import Reading, ScoreFileError
from sattn_core.files.score_files import LIMITS, read_arrays, read_as, read_queries_and_keys
from tests.ending import ends

RNG = np.random.default_rng(4)
Q, K = RNG.standard_normal((2, 6, 4))


def npy(array, **options):
    stream = io.BytesIO()
    np.save(stream, array, **options)
    return stream.getvalue()


def npz(compressed=False, **arrays):
    stream = io.BytesIO()
    (np.savez_compressed if compressed else np.savez)(stream, **arrays)
    return stream.getvalue()


def header_only(shape, descr="<f8"):
    """Return a .npy file that declares a shape but contains no numbers."""
    header = repr({"descr": descr, "fortran_order": False, "shape": shape}).encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header


def safetensors(**tensors):
    header, content = {}, b""
    for name, (kind, shape, data) in tensors.items():
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [len(content), len(content) + len(data)]}
        content += data
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + content


def placed(offsets, shape="[6, 4]", other=None, name="k"):
    """Return a safetensors file with 192 bytes of data, tensor q at these offsets (JSON) and maybe a second tensor."""
    entry = '"{}": {{"dtype": "F64", "shape": {}, "data_offsets": {}}}'.format
    second = entry(name, "[3, 4]", other or "[192, 192]") if other or name != "k" else '"__metadata__": {}'
    text = f"{{{entry('q', shape, offsets)}, {second}}}".encode()
    return struct.pack("<Q", len(text)) + text + Q.tobytes()


def zip_of(name, data, method=zipfile.ZIP_DEFLATED):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        archive.writestr(name, data)
    return stream.getvalue()


@pytest.mark.parametrize("compressed", [False, True])
def test_npz_with_q_and_k_is_read(compressed):
    read = read_queries_and_keys(("both.npz", npz(compressed, Q=Q, k=K, other=np.arange(3))))
    assert np.array_equal(read[0], Q)
    assert np.array_equal(read[1], K)


@pytest.mark.parametrize("dtype", ["<f4", ">f8", "<f2", "<i4", ">i2", "|u1"])
def test_real_types_become_float64(dtype):
    array = np.arange(8).reshape(2, 4).astype(dtype)
    (read,) = read_arrays("a.npy", npy(array), reading=Reading(stored="numbers")).values()
    assert read.dtype == np.float64
    assert np.array_equal(read, array)


def test_a_header_of_the_second_version_is_read():
    stream = io.BytesIO()
    np.lib.format.write_array(stream, Q, version=(2, 0))
    assert np.array_equal(read_arrays("a.npy", stream.getvalue())["array"], Q)


def test_fortran_order_with_heads_is_read():
    array = np.asfortranarray(RNG.standard_normal((2, 3, 4)))
    assert np.array_equal(read_arrays("a.NPY", npy(array))["array"], array)


@pytest.mark.parametrize(
    "text",
    [
        "1,2\n3,4\n",
        "a,b\n1,2\n3,4",
        "1;2\r\n3;4",
        "1\t2\n\n3\t4",
        "1 2\n3  4",
        "\ufeff1, 2\n3, 4",
        '"1","2"\n3, "4" ',
        '"a","b"\n"1","2"\n3,4',
        "[1, 2]\n[3, 4]",
        "[[1, 2],\n [3, 4]]\n",
        "[[1. 2.]\n [3. 4.]]",
        "(1, 2),\n(3, 4)",
    ],
)
def test_common_variants_of_csv_are_read(text):
    assert read_arrays("a.csv", text.encode())["array"].tolist() == [[1, 2], [3, 4]]


def test_csv_with_unicode_minus_is_read():
    text = '\ufeff−1, −2e0\n3, "−4"'
    assert read_arrays("a.csv", text.encode())["array"].tolist() == [[-1, -2], [3, -4]]


def test_bfloat16_in_safetensors_is_read():
    half = Q.astype(np.float32)
    bfloat = (half.view(np.uint32) >> 16).astype("<u2").tobytes()
    data = safetensors(q=("BF16", [6, 4], bfloat), k=("F64", [6, 4], K.tobytes()), other=("F8_E4M3", [1], b"0"))
    read_q, read_k = read_queries_and_keys(("a.safetensors", data))
    assert np.array_equal(read_k, K)
    assert np.allclose(read_q, Q, rtol=2**-7, atol=0)


def test_two_files_give_q_and_k():
    read = read_queries_and_keys(("q.npy", npy(Q)), ("k.npz", npz(anything=K)))
    assert np.array_equal(read[1], K)


def test_limits_text_states_every_limit():
    for number in ("64 MB", "16 MB", "4,096", "1,024", "4,000,000"):
        assert number in LIMITS


RECORD = np.zeros(3, dtype=[("a", "f8"), ("b", "f8")])
BAD = {
    "suffix": ("a.xyz", b"1", "must be a .npy, .npz, .csv or .safetensors file"),
    "empty": ("a.npy", b"", "is empty"),
    "wrong magic": ("a.npy", b"hello world, not numbers", "does not begin as a .npy file"),
    "zip named npy": ("a.npy", npz(Q=Q), "rename it to .npz"),
    "truncated npy": ("a.npy", npy(Q)[:-9], "needs 192 bytes of numbers, but has 183"),
    "truncated header": ("a.npy", npy(Q)[:30], "header cannot be read"),
    "bad version": ("a.npy", b"\x93NUMPY\x09" + npy(Q)[7:], "header cannot be read"),
    "header is no dict": ("a.npy", b"\x93NUMPY\x01\x00\x02\x00[]", "header cannot be read"),
    "deep header": ("a.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", 9000) + b"(" * 9000, "header cannot be read"),
    "no such float": ("a.npy", header_only((2, 2), "<f3"), "header cannot be read"),
    "pickled objects": ("a.npy", npy(np.array([[{}, 1], [2, 3]]), allow_pickle=True), "never unpickled"),
    "complex": ("a.npy", npy(Q + 1j), "must hold real numbers, but its type is complex128"),
    "strings": ("a.npy", npy(np.array([["a", "b"], ["c", "d"]])), "must hold real numbers, but its type is <U1"),
    "bools": ("a.npy", npy(Q > 0), "must hold real numbers, but its type is bool"),
    "dates": ("a.npy", npy(np.zeros((2, 2), "M8[s]")), "must hold real numbers"),
    "records": ("a.npy", npy(RECORD), "must hold real numbers"),
    "inexact integers": ("a.npy", npy(np.array([[1, 2], [3, 2**53 + 1]])), "hold integers between −2⁵³ and 2⁵³"),
    "nan": ("a.npy", npy(np.where(np.eye(6, 4) > 0, np.nan, Q)), "finite numbers only, but has nan at (0, 0)"),
    "infinity": ("a.npy", npy(np.array([[1, 2], [3, -np.inf]])), "has -inf at (1, 1)"),
    "too large": ("a.npy", npy(np.array([[1, 2], [3, 1e200]])), "at most 1e30 in size, but has 1e+200"),
    "vector": ("a.npy", npy(np.arange(5.0)), "must have shape (n, d_k) or (heads, n, d_k), but has (5,)"),
    "scalar": ("a.npy", npy(np.float64(1)), "but has ()"),
    "zero rows": ("a.npy", npy(np.zeros((0, 4))), "at least 2 rows"),
    "one row": ("a.npy", npy(np.zeros((1, 4))), "at least 2 rows"),
    "no dimension": ("a.npy", npy(np.zeros((4, 0))), "1 dimension"),
    "too many rows": ("a.npy", npy(np.zeros((4097, 1))), "at most 4,096 rows"),
    "declared 8 TB": ("a.npy", header_only((10**6, 10**6)), "at most 4,096 rows"),
    "declared beyond int64": ("a.npy", header_only((10**30, 4)), "at most 4,096 rows"),
    "declared within the limits": ("a.npy", header_only((4096, 976)), "is damaged"),
    "negative shape": ("a.npy", header_only((-2, 4)), "no valid shape"),
    "shape of floats": ("a.npy", header_only((2.0, 4)), "header cannot be read"),
    "shape of truths": ("a.npy", header_only((True, 4)), "no valid shape"),
    "endless header": ("a.npy", b"\x93NUMPY\x02\x00\xff\xff\xff\x7f" + b" " * 20_000, "header cannot be read"),
    "header of Python 2": ("a.npy", npy(Q).replace(b"(6, 4)", b"(6L,4)")[:-1], "is damaged"),
    "not a zip": ("a.npz", b"nonsense", "does not begin as a .npz"),
    "truncated zip": ("a.npz", npz(Q=Q, K=K)[:-40], "end of its zip directory is missing"),
    "zip cut in the middle": ("a.npz", npz(Q=Q)[:60] + npz(Q=Q)[-22:], "is damaged"),
    "zip without arrays": ("a.npz", zip_of("readme.txt", b"hello"), "holds no .npy array"),
    "zip of nonsense": ("a.npz", zip_of("Q.npy", b"hello"), "does not begin as a .npy"),
    "exotic compression": ("a.npz", zip_of("Q.npy", npy(Q), zipfile.ZIP_BZIP2), "np.savez"),
    "csv open quote": ("a.csv", b'1,2\n3,"4', "must hold real numbers, but has '\"4', an open"),
    "csv letters": ("a.csv", b"1,2\n3,four", "row 2 must hold real numbers, but has 'four'"),
    "csv underscore": ("a.csv", b"1,2\n3,1_0", "row 2 must hold real numbers, but has '1_0'"),
    "csv other digits": ("a.csv", "1,2\n3,４".encode(), "row 2 must hold real numbers, but has '４'"),
    "csv open bracket": ("a.csv", b"1,2\n3,[4", "row 2 must hold real numbers, but has '[4'"),
    "csv complex": ("a.csv", b"1,2\n3,1+2j", "has '1+2j'"),
    "csv nan": ("a.csv", b"1,2\nnan,4", "has nan at (1, 0)"),
    "csv ragged": ("a.csv", b"1,2\n3", "every row must have 2 numbers, but row 2 has 1"),
    "csv empty last cell": ("a.csv", b"1,2\n3,\n5,6", "row 2, column 2 is empty. Fill it"),
    "csv empty first cell": ("a.csv", b"1,2\n,3\n5,6", "row 2, column 1 is empty. Fill it"),
    "csv ragged, longer": ("a.csv", b"1,2\n3,4,5", "row 2 has 3"),
    "csv blank": ("a.csv", b"\n\n  \n", "is empty"),
    "csv heading only": ("a.csv", b"a,b\n", "at least 2 rows"),
    "csv not text": ("a.csv", b"\xff\xff\x00\x01", "must be plain text"),
    "csv one endless row": ("a.csv", b"1," * 5_000_000, "lines of at most 2,097,152 letters"),
    "csv line ends": ("a.csv", b"\n" * 16_000_000, "is empty"),
    "csv too many rows": ("a.csv", b"1,2\n" * 5000, "at most 4,096 rows"),
    "safetensors header": ("a.safetensors", b"\xff" * 20, "header cannot be read"),
    "safetensors json": ("a.safetensors", struct.pack("<Q", 4) + b"[[[]", "header cannot be read"),
    "safetensors list": ("a.safetensors", struct.pack("<Q", 2) + b"[]", "header cannot be read"),
    "safetensors empty": ("a.safetensors", struct.pack("<Q", 2) + b"{}", "holds no tensor"),
    "safetensors cut": ("a.safetensors", safetensors(q=("F64", [6, 4], Q.tobytes()))[:-1], "cut off or damaged"),
    "safetensors type": ("a.safetensors", safetensors(q=("F8_E8M0", [6, 4], b"0" * 24)), "real numbers"),
    "safetensors infinite": ("a.safetensors", placed("[0, 1e999]"), "of q must be two whole numbers, from 0 up"),
    "safetensors float": ("a.safetensors", placed("[0, 192.0]"), "but are [0, 192.0]"),
    "safetensors text": ("a.safetensors", placed('[0, "192"]'), "but are [0, '192']"),
    "safetensors bool": ("a.safetensors", placed("[false, 192]"), "but are [False, 192]"),
    "safetensors none": ("a.safetensors", placed("[0, null]"), "but are [0, None]"),
    "safetensors negative": ("a.safetensors", placed("[-192, 0]"), "but are [-192, 0]"),
    "safetensors backwards": ("a.safetensors", placed("[192, 0]"), "but are [192, 0]"),
    "safetensors three": ("a.safetensors", placed("[0, 1, 2]"), "header cannot be read"),
    "safetensors long": ("a.safetensors", placed(f"[0, {'9' * 5000}]"), "header cannot be read"),
    "safetensors beyond": ("a.safetensors", placed("[0, 200]"), "need 200 bytes, but it has 192"),
    "safetensors hole": ("a.safetensors", placed("[8, 192]"), "bytes 0 to 8 belong to no tensor"),
    "safetensors rest": ("a.safetensors", placed("[0, 184]"), "need 184 bytes, but it has 192"),
    "safetensors shape": ("a.safetensors", placed("[0, 192]", "[6, 5]"), "(6, 5) does not fit its 192 bytes"),
    "safetensors overlap": ("a.safetensors", placed("[0, 192]", other="[96, 192]"), "tensors share bytes"),
    "safetensors twice": ("a.safetensors", placed("[0, 192]", name="q"), "header cannot be read"),
    "safetensors huge": ("a.safetensors", safetensors(q=("F64", [10**9, 10**9], b"")), "at most 4,096 rows"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_file_is_refused_quickly_in_one_sentence(case):
    name, data, wanted = BAD[case]
    with ends(), pytest.raises(ScoreFileError) as caught:
        read_arrays(name, data)
    message = str(caught.value)
    assert wanted in message
    assert message.startswith("a.")
    assert message.endswith(".")
    assert "\n" not in message
    assert len(message) < 260


@pytest.fixture(scope="module")
def bomb():
    """Return 300 MB of zeros in 300 kB: an array Q whose header fits the limits."""
    return zip_of("Q.npy", header_only((4096, 976)) + bytes(300 * 2**20))


def declaring(data, size):
    """Return the zip file with this unpacked size declared in its directory."""
    at = data.rfind(b"PK\x01\x02")
    return data[: at + 24] + struct.pack("<I", size) + data[at + 28 :]


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is measured through /proc")
@pytest.mark.parametrize(("declared", "wanted"), [(None, "unpacks to 300 MB"), (1000, "is damaged")])
def test_zip_bombs_cost_no_memory(bomb, declared, wanted):
    data = bomb if declared is None else declaring(bomb, declared)
    assert len(data) < 2**20
    now = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    limit, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (now + 150 * 2**20, hard))
    try:
        with pytest.raises(ScoreFileError, match=wanted):
            read_arrays("a.npz", data)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


def test_zip_directory_of_many_entries_is_not_parsed(monkeypatch):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for i in range(100):
            archive.writestr(f"{i}.npy", b"")
    monkeypatch.setattr(score_files.zipfile, "ZipFile", None)
    with pytest.raises(ScoreFileError, match="at most 64 arrays"):
        read_arrays("a.npz", stream.getvalue())


def test_zip64_locator_is_refused_before_parsing():
    data = npz(Q=Q)
    end = data.rfind(b"PK\x05\x06")
    with pytest.raises(ScoreFileError, match="at most 64 arrays"):
        read_arrays("a.npz", data[:end] + b"PK\x06\x07" + bytes(16) + data[end:])


def test_wrong_checksum_in_a_zip_is_refused():
    data = bytearray(npz(Q=Q))
    at = data.find(b"\x93NUMPY") + 140
    data[at] ^= 255
    with pytest.raises(ScoreFileError, match="cannot be unpacked"):
        read_arrays("a.npz", bytes(data))


def test_large_files_are_refused_by_size():
    with pytest.raises(ScoreFileError, match=r"at most 64 MB, but has 64\.0 MB"):
        read_arrays("a.npy", bytes(64 * 2**20 + 1))
    with pytest.raises(ScoreFileError, match="at most 16 MB"):
        read_arrays("a.csv", bytes(17 * 2**20))


def test_two_files_share_one_size_limit(monkeypatch):
    monkeypatch.setattr(score_files, "MAX_FILE_BYTES", 2**20)
    half = npy(np.zeros((2, 40_000)))
    with pytest.raises(ScoreFileError, match=r"^q\.npy and k\.npy may have at most 1 MB together, but have 1\.2 MB\.$"):
        read_queries_and_keys(("q.npy", half), ("k.npy", half))
    assert "two files have at most 64 MB together" in LIMITS


def test_tensors_may_be_in_any_order_and_empty():
    text = (
        json.dumps(
            {
                "__metadata__": {"format": "np"},
                "q": {"dtype": "F64", "shape": [6, 4], "data_offsets": [192, 384]},
                "none": {"dtype": "F64", "shape": [0, 4], "data_offsets": [192, 192]},
                "k": {"dtype": "F64", "shape": [6, 4], "data_offsets": [0, 192]},
            }
        ).encode()
        + b"  "
    )  # the header may be padded with blanks
    data = struct.pack("<Q", len(text)) + text + K.tobytes() + Q.tobytes()
    read = read_queries_and_keys(("a.safetensors", data))
    assert np.array_equal(read, (Q, K))


TWO = safetensors(a=("F64", [6, 4], Q.tobytes()), b=("F64", [6, 4], K.tobytes()))


def test_read_arrays_returns_every_array_of_a_file():
    for name, data in (("a.npz", npz(a=Q, b=K)), ("a.safetensors", TWO)):
        read = read_arrays(name, data)
        assert list(read) == ["a", "b"]
        assert np.array_equal(read["b"], K)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ([("a.npz", npz(Q=Q))], "a.npz holds one array, which is Q: now choose a file for K"),
        ([("a.npy", npy(Q))], "a.npy holds one array, which is Q: now choose a file for K"),
        ([("a.csv", b"1,2\n3,4")], "a.csv holds one array, which is Q: now choose a file for K"),
        ([("a.npy", npy(Q * np.nan))], "finite numbers only"),
        ([("a.npz", npz(k=K))], "one array named Q and one named K, but holds k"),
        ([("a.npz", npz(arr_0=Q, arr_1=K, arr_2=K))], "one named K, but holds arr_0, arr_1, arr_2"),
        ([("a.npz", npz(query=Q, value=K))], "one array named Q and one named K, but holds query, value"),
        ([("a.npz", npz(Q=Q, query=Q, K=K, k=K))], "one array named Q and one named K, but holds"),
        ([("a.npz", npz(Q=Q, q=Q, K=K))], "one array named Q and one named K, but holds Q, q, K"),
        ([("a.npz", npz(**{f"layer_{i:02}": Q for i in range(40)}))], r"but holds layer_00, .*…\.$"),
        ([("q.npy", npy(Q)), ("k.npz", npz(q=Q, k=K))], "k.npz must hold one array when .*, but holds q, k"),
        ([("q.npz", npz(a=Q, b=K)), ("k.npy", npy(K))], "q.npz must hold one array when .*, but holds a, b"),
        ([("q.npz", npz(Q=Q, b=K)), ("k.npy", npy(K))], "q.npz must hold one array when .*, but holds Q, b"),
        ([("a.safetensors", TWO), ("k.npy", npy(K))], "a.safetensors must hold one array when .*, but holds a, b"),
        ([("a.safetensors", TWO)], "one array named Q and one named K, but holds a, b"),
        (
            [("1.npz", npz(K=Q)), ("2.npz", npz(Q=K))],
            "1.npz was chosen for Q, but its array is named K: swap the files",
        ),
        ([("q.npy", npy(Q)), ("2.npz", npz(q=K))], "2.npz was chosen for K, but its array is named q: swap the files"),
        ([("q.npy", npy(Q)), ("k.npy", npy(K[:, :3]))], r"same d_k \(last axis\), but have shapes \(6, 4\)"),
        ([("q.npy", npy(Q)), ("k.npy", npy(K.T))], r"If K is transposed, save K\.T\."),
        ([("q.npy", npy(Q[None])), ("k.npy", npy(np.stack([K, K])))], "1 and 2 heads, but each head of K must serve"),
    ],
)
def test_files_that_do_not_fit_together_are_refused(files, message):
    with pytest.raises(ScoreFileError, match=message):
        read_queries_and_keys(*files)


def test_a_long_name_is_shortened_and_cleaned():
    with pytest.raises(ScoreFileError) as caught:
        read_arrays("x\n" * 500 + ".npy", b"")
    assert len(str(caught.value)) < 80
    assert "\n" not in str(caught.value)


def test_changing_a_read_array_does_not_change_the_file():
    data = npy(Q)
    (read,) = read_arrays("a.npy", data).values()
    read[0, 0] = 99.0
    assert zlib.crc32(data) == zlib.crc32(npy(Q))


def test_csv_with_an_integer_beyond_float64_is_refused():
    as_they_are = Reading(stored="numbers")
    for cell in ("9007199254740993", "-9007199254740993", '"9007199254740993"'):
        with pytest.raises(ScoreFileError, match=r"must hold no whole number beyond 2⁵³.*but row 2 has"):
            read_arrays("a.csv", f"1,2\n{cell},4\n".encode())
    kept = read_arrays("a.csv", b"1,2\n9007199254740992,1e20\n", reading=as_they_are)["array"]
    assert kept[1].tolist() == [2.0**53, 1e20]


# --- properties --------------------------------------------------------------------------------------


SHAPES = array_shapes(min_dims=2, max_dims=3, min_side=2, max_side=5)
DTYPES = st.sampled_from(("<f4", ">f8", "<i2", ">i4", "u1"))


def saved(array, as_npz):
    stream = io.BytesIO()
    if as_npz:
        np.savez_compressed(stream, Q=array)
    else:
        np.save(stream, array)
    return stream.getvalue()


@given(DTYPES.flatmap(lambda dtype: arrays(dtype, SHAPES, elements={"allow_nan": False, "allow_infinity": False,
       "min_value": -100, "max_value": 100} if "f" in dtype else None)), st.booleans())  # fmt: skip
def test_arrays_saved_by_numpy_are_read_back(array, as_npz):
    file = "a.npz" if as_npz else "a.npy", saved(array, as_npz)
    (read,) = read_arrays(*file, reading=Reading(stored="numbers")).values()
    assert np.array_equal(read, array.astype(np.float64))


def refusal(name, content):
    """Return the message that refuses a file, or "" for a file that is read."""
    try:
        arrays_read = read_arrays(name, content).values()
    except ScoreFileError as problem:
        return str(problem)
    assert all(np.isfinite(array).all() for array in arrays_read)
    return ""


GOOD = {suffix: saved(np.arange(12.0).reshape(3, 4), suffix == "npz") for suffix in ("npy", "npz")}
GOOD["csv"] = b"1,2\n3,4\n5,6\n"
GOOD["safetensors"] = (
    b"\x3b\x00\x00\x00\x00\x00\x00\x00"
    + b'{"Q":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}}'.ljust(0x3B)
    + bytes(16)
)


@given(st.sampled_from(sorted(GOOD)), st.data())
def test_a_damaged_file_is_read_or_refused_in_one_sentence(suffix, data):
    content = bytearray(GOOD[suffix])
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    content = content[: data.draw(st.integers(0, len(content)))] if data.draw(st.booleans()) else content
    message = refusal(f"a.{suffix}", bytes(content))
    assert "\n" not in message
    assert len(message) < 300


@settings(max_examples=40)
@given(st.sampled_from(("npy", "npz", "csv", "safetensors")), st.binary(max_size=300))
def test_noise_is_refused_in_one_sentence(suffix, noise):
    assert "\n" not in refusal(f"a.{suffix}", noise)


# --- files as people save them -------------------------------------------------------------------------


def one_after_another(*each):
    return b"".join(map(npy, each))


def test_two_arrays_in_one_file_are_q_and_k():
    read_q, read_k, taken = read_as(("a.npy", one_after_another(Q, K.astype("<f4"))))
    assert np.array_equal(read_q, Q)
    assert np.array_equal(read_k, K.astype("<f4"))
    assert taken == ("6 queries, 6 keys, d_k = 4", "two arrays in one file: the first is Q, the second K")
    for files in ([("a.npy", one_after_another(Q, K, K))], [("a.npy", one_after_another(Q, K)), ("k.npy", npy(K))]):
        with pytest.raises(ScoreFileError, match="holds array 1, array 2"):
            read_as(*files)
    with pytest.raises(ScoreFileError, match="is damaged"):
        read_as(("a.npy", one_after_another(Q, K)[:-3]))
    with pytest.raises(ScoreFileError, match="array Q holds 2 arrays in one"):
        read_as(("a.npz", zip_of("Q.npy", one_after_another(Q, K))), ("k.npy", npy(K)))


@pytest.mark.parametrize(
    "names",
    [
        ("arr_0", "arr_1"),
        ("query", "key"),
        ("queries", "keys"),
        ("q_proj", "k_proj"),
        ("xq", "xk"),
        ("query_states", "key_states"),
    ],
)
def test_other_names_for_q_and_k_are_noted(names):
    read_q, read_k, taken = read_as(("a.npz", npz(**{names[0]: Q, names[1]: K})))
    assert np.array_equal((read_q, read_k), (Q, K))
    assert taken[1] == f"{names[0]} is Q, {names[1]} is K"


@pytest.mark.parametrize("folder", ["", "qk/", "a/b/"])
@pytest.mark.parametrize("suffix", ["npz", "zip"])
def test_arrays_in_a_folder_of_a_zip_are_read(folder, suffix):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, array in (("Q", Q), ("K", K)):
            archive.writestr(f"{folder}{name}.npy", npy(array))
            archive.writestr(f"__MACOSX/{folder}._{name}.npy", b"\0\5\x16\7")
            archive.writestr(f"__MACOSX/{folder}{name}.npy", b"\0\5\x16\7")
            archive.writestr(f"{folder}._{name}.npy", b"\0\5\x16\7")
        archive.writestr(f"{folder}readme.txt", b"")
    read = read_queries_and_keys((f"a.{suffix}", stream.getvalue()))
    assert np.array_equal(read, (Q, K))


def test_a_header_of_the_third_version_is_read():
    stream = io.BytesIO()
    np.lib.format.write_array(stream, Q, version=(3, 0))
    assert np.array_equal(read_arrays("a.npy", stream.getvalue())["array"], Q)


@pytest.mark.parametrize("name", ["bfloat16", "float8_e4m3fn", "float8_e5m2"])
def test_npy_files_of_types_unknown_to_numpy_are_refused_with_advice(name):
    few = Q.astype(getattr(ml_dtypes, name))
    with pytest.raises(ScoreFileError, match=r"floating point|bfloat16") as caught:
        read_arrays("a.npy", npy(few))
    assert "x.astype(np.float32), in PyTorch x.float().numpy()" in str(caught.value)
    assert "damaged" not in str(caught.value)
    if name != "float8_e5m2":
        (read,) = read_arrays("a.npy", npy(few), reading=Reading(stored=name)).values()
        assert np.array_equal(read, few.astype(float))


@pytest.mark.parametrize(
    ("kind", "name"), [("F8_E4M3", "float8_e4m3fn"), ("F8_E5M2", "float8_e5m2"), ("BF16", "bfloat16")]
)
def test_short_floats_of_safetensors_are_read(kind, name):
    few_q, few_k = Q.astype(getattr(ml_dtypes, name)), K.astype(getattr(ml_dtypes, name))
    data = safetensors(Q=(kind, [6, 4], few_q.tobytes()), K=(kind, [6, 4], few_k.tobytes()))
    read_q, read_k, taken = read_as(("a.safetensors", data))
    assert np.array_equal((read_q, read_k), (few_q.astype(float), few_k.astype(float)))
    assert ("8-bit floating point: multiply by its scale first, if it has one" in taken) == kind.startswith("F8")


@pytest.mark.parametrize("suffix", ["pt", "pth", "pkl", "bin", "gguf", "h5", "xlsx"])
def test_files_of_other_programs_are_refused_with_advice(suffix):
    with pytest.raises(ScoreFileError) as caught:
        read_arrays(f"q.{suffix}", b"PK\3\4")
    way = "save it as CSV" if suffix == "xlsx" else "Save both with np.savez('q_and_k.npz', Q=q, K=k)"
    assert way in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("suffix", ["txt", "tsv", "dat", "CSV"])
def test_text_with_another_suffix_is_read(suffix):
    assert read_arrays(f"q.{suffix}", b"1\t2.5\n3\t4\n")["array"].tolist() == [[1, 2.5], [3, 4]]


def test_note_on_one_of_two_files_names_the_file():
    counted = "0,1,2,3\n" + "\n".join(",".join(map(str, row)) for row in Q)
    *_, taken = read_as(("q.csv", counted.encode()), ("k.npy", npy(K)))
    assert taken == ("6 queries, 6 keys, d_k = 4", "Q: first line left out: it counts")
    *_, taken = read_as(("q.csv", counted.encode()), ("k.csv", counted.encode()))
    assert taken[1:] == ("first line left out: it counts",)


def test_bytes_of_an_unknown_type_are_refused():
    with pytest.raises(ScoreFileError, match=r"must hold real numbers, but its type is \|V3"):
        read_arrays("a.npy", npy(np.zeros((2, 2), "V3")))
