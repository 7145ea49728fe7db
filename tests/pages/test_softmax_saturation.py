"""The softmax_saturation page: typed lists, shift and multiplier."""

import math

import numpy as np
import pytest

from pages._view.lessons import LESSONS
from pages._view.lessons.softmax_saturation import work
from pages._view.show import plain
from tests.pages.opening import pictures, traces, widget


def test_a_typed_d_k_draws_no_rows_again():
    values = {"n_keys": 4, "law": "normal", "seed": 77}
    (stops, _), (between, params) = (work.averages(values | {"d_k": d_k}) for d_k in (64, 65))
    assert between.scaled_measured is stops.scaled_measured
    assert between.dims.tolist() == list(params.dims)
    assert 65 in params.dims


def drawn(app):
    """The heights of the first picture, by the names of its traces."""
    return {name: each["y"] for name, each in traces(app, "softmax_weights").items()}


@pytest.mark.parametrize("stem", ["softmax_saturation"])
def test_every_list_that_cannot_be_read_gets_its_own_sentence(app, stem):
    typed = {"list_1": "a, 1", "list_2": "1, 2", "list_3": "3", "list_4": "1 b"}
    for name, text in typed.items():
        widget(app, name).set_value(text)
    app.run()
    assert [each.value.split()[0] for each in app.error] == ["First", "Third", "Fourth"]
    assert app.error[0].value == plain('First list: "a" (item 1) is not a number.')
    assert {name: widget(app, name).value for name in typed} == typed
    assert pictures(app) == list(LESSONS["softmax_saturation"].pictures)  # the rest of the page is there
    assert list(drawn(app)) == ["raw", "scaled"]  # and the row of the first picture


def test_read_lists_leaves_out_the_optional_lists_that_are_empty():
    assert work.read_lists(["4, 5", "1, 10", "", "  "]) == (((4.0, 5.0), (1.0, 10.0)), [])
    assert work.read_lists(["4, 5", "1, 10", "", "0 1"]) == (((4.0, 5.0), (1.0, 10.0), (0.0, 1.0)), [])


# --- tries ---------------------------------------------------------------------------------------------


ADVERSE = {"list_1": "4, five", "list_2": "3 3 3", "list_3": "1, 2", "multiplier": "1/8", "shift": "-30"}
ADVERSE |= {"n_keys": "2", "d_k": "9"}


def row_at(app, shown):
    """The row of the settings that the page now has: raw and scaled weights."""
    row = shown.measure_row
    i = row.dims.index(app.session_state["d_k"])
    return row.raw_weights[i], row.scaled_weights[i]


def test_try_large_dimension(tried):
    app, shown = tried("softmax_saturation", "large_dimension", **ADVERSE | {"law": "sparse", "seed": "9"})
    raw, scaled = row_at(app, shown)
    assert (app.session_state["d_k"], raw.size) == (1024, 16)
    assert raw.max() > 0.995
    assert scaled.max() < 0.5


def test_try_one_component(tried):
    app, shown = tried("softmax_saturation", "one_component", **ADVERSE)
    raw, scaled = row_at(app, shown)
    assert app.session_state["d_k"] == 1
    np.testing.assert_array_equal(raw, scaled)
    assert raw.max() > 1 / 16


def test_try_stretched(tried):
    _, shown = tried("softmax_saturation", "stretched", **ADVERSE)
    assert len(shown.compare_lists.max_weight) == 2
    assert min(shown.compare_lists.max_weight) > 1 - 1e-12


def test_try_shrunk(tried):
    _, shown = tried("softmax_saturation", "shrunk", **ADVERSE)
    # Gaps of 1/64 and 9/64: 1/(1 + e^-gap).
    np.testing.assert_allclose(shown.compare_lists.max_weight, [0.5039, 0.5351], atol=5e-5)


def test_try_shifted(tried):
    _, shown = tried("softmax_saturation", "shifted", **ADVERSE)
    first, second = shown.compare_lists.attention_weights
    assert shown.compare_lists.scores[0].tolist() == [104.0, 105.0]
    np.testing.assert_allclose(first[1], 1 / (1 + math.exp(-1)), rtol=1e-14)
    np.testing.assert_allclose(second[1], 1 / (1 + math.exp(-9)), rtol=1e-14)


def test_try_many_keys(tried):
    _, shown = tried("softmax_saturation", "many_keys", **ADVERSE)
    assert shown.measure_saturation.freezing_d_k == pytest.approx(12.5, abs=0.05)
    assert 2 * math.log(16) == pytest.approx(5.55, abs=0.005)
