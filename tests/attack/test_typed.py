"""Text in the fields, and damaged files of every kind: the page says what is wrong."""

import io
import json
import re
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages._view.kinds import Text
from pages._view.lessons import LESSONS, ORDER
from sattn_core.files.score_files import SUFFIXES
from tests.attack.strategies import TYPED, examples
from tests.attack.watched import memory_bounded, prices_kept
from tests.pages.opening import app_at, at_step, open_page, widget

FIELDS = [(stem, name) for stem in ORDER for name, each in LESSONS[stem].controls.items() if isinstance(each, Text)]


def open_at(stem, name):
    """Return the page, opened where it shows this field."""
    when = LESSONS[stem].controls[name].when
    steps = [step.name for step in LESSONS[stem].steps if name in step.in_sight]
    return open_page(stem, **at_step("".join(steps[:1])), **dict([when] if when else []))


def test_any_text_in_a_field_leaves_its_page_working():
    @examples(6, 3_000)
    @given(st.sampled_from(FIELDS), st.lists(TYPED, min_size=1, max_size=2))
    def works(field, texts):
        stem, name = field
        app = open_at(stem, name)
        for text in texts:
            with prices_kept():
                widget(app, name).set_value(text).run()
            assert [each.message for each in app.exception] == []
            assert [each.value for each in app.title] == [LESSONS[stem].question]

    with memory_bounded():
        works()


# --- files -----------------------------------------------------------------------------------------------

Q, K = np.arange(48.0).reshape(2, 6, 4)


def _saved(save, **arrays):
    stream = io.BytesIO()
    save(stream, **arrays)
    return stream.getvalue()


def _safetensors(**arrays):
    header, data = {}, b""
    for name, array in arrays.items():
        place = [len(data), len(data) + array.nbytes]
        header[name] = {"dtype": "F64", "shape": array.shape, "data_offsets": place}
        data += array.tobytes()
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


GOOD = {
    ".npy": [_saved(np.save, arr=Q), _saved(np.save, arr=np.asfortranarray(Q.astype("<f2")))],
    ".npz": [_saved(np.savez, Q=Q, K=K), _saved(np.savez_compressed, q=np.stack([Q, K]), k=np.stack([K, Q]))],
    ".csv": ["\n".join(",".join(map(str, row)) for row in Q).encode(), b'"a";"b"\r\n"1";"2"\r\n3;4\r\n'],
    ".safetensors": [_safetensors(Q=Q, K=K), _safetensors(q=np.stack([Q, K]), k=np.stack([K, Q]))],
}
NUMBERS = (b"0", b"-1", b"99999999", b"1e999", b"4294967295", b"NaN", b"true")


@st.composite
def damaged(draw, suffix):
    """Draw a good file and damage it one to four times."""
    data = draw(st.sampled_from(GOOD[suffix]))
    for _ in range(draw(st.integers(1, 4))):
        data = _after_an_accident(draw, data)
    return data


def _after_an_accident(draw, data):
    """Return the file with a piece cut out, doubled or overwritten, or with one number replaced."""
    first, last = sorted(draw(st.tuples(*2 * [st.integers(0, len(data))])))
    few, numbers = draw(st.binary(min_size=1, max_size=4)), list(re.finditer(rb"\d+", data))
    accidents = [data[:first] + data[last:], data[:last] + data[first:], data[:first] + few + data[first + len(few) :]]
    if numbers:
        first, last = draw(st.sampled_from(numbers)).span()
        accidents.append(data[:first] + draw(st.sampled_from(NUMBERS)) + data[last:])
    return draw(st.sampled_from(accidents))


def test_there_are_damaged_files_of_every_kind():
    assert tuple(GOOD) == SUFFIXES


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_damaged_file_is_measured_or_refused_in_one_sentence(suffix):
    @examples(3, 500)
    @given(damaged(suffix), st.none() | damaged(suffix))
    def is_answered(q_file, k_file):
        app = app_at("your_scores").run()
        for field, data in zip(app.get("file_uploader"), (q_file, k_file), strict=True):
            if data is not None:
                field.set_value((f"a{suffix}", data, "application/octet-stream"))
        app.run()
        assert [each.message for each in app.exception] == []
        assert len(app.error) <= 1
        assert all("\n" not in each.value and len(each.value) < 400 for each in app.error)

    with memory_bounded():
        is_answered()
