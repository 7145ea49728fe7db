"""The softmax_saturation page: typed lists, shift and multiplier."""

import math
import re

import numpy as np
import pytest

from pages._view.lessons import LESSONS
from pages._view.lessons.softmax_saturation import figures, work
from pages._view.literal import plain
from pages._view.theme import LIGHT
from sattn_core.lessons.softmax_saturation import RowsParams, compare_lists, measure_rows
from tests.pages.opening import charts, pictures, traces, widget


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
    assert list(drawn(app)) == [f"raw, dₖ = {d_k}" for d_k in ("4", "64", "1,024")]  # and the rows of the first


def test_read_lists_leaves_out_the_optional_lists_that_are_empty():
    assert work.read_lists(["4, 5", "1, 10", "", "  "]) == (((4.0, 5.0), (1.0, 10.0)), [])
    assert work.read_lists(["4, 5", "1, 10", "", "0 1"]) == (((4.0, 5.0), (1.0, 10.0), (0.0, 1.0)), [])


# --- tries ---------------------------------------------------------------------------------------------


ADVERSE = {"list_1": "4, five", "list_2": "3 3 3", "list_3": "1, 2", "multiplier": "1/8", "shift": "-30"}
ADVERSE |= {"n_keys": "2", "d_k": "9", "exponent": "0.7", "law": "sparse", "seed": "9"}


def rows_at(app, shown):
    """The rows of the settings that the page now has: the largest weights, and how far their spreads differ."""
    rows = shown.measure_rows.divided(app.session_state["exponent"])
    assert rows.dims == (4, 64, 1024)
    return rows.max_weight, rows.ratio


def test_try_undivided(tried):
    largest, ratio = rows_at(*tried("softmax_saturation", "undivided", **ADVERSE))
    assert largest[0] < 0.5 < 0.8 < largest[1] < 0.95 < largest[2]
    assert ratio > 10


def test_try_square_root(tried):
    app, shown = tried("softmax_saturation", "square_root", **ADVERSE)
    largest, ratio = rows_at(app, shown)
    assert max(largest) - min(largest) < 0.05
    assert ratio < 1.1
    assert charts(app)["softmax_weights"].sentence.startswith("Found: divided by √dₖ, the three rows look alike")


def test_try_too_much(tried):
    largest, ratio = rows_at(*tried("softmax_saturation", "too_much", **ADVERSE))
    assert max(largest) < 0.15
    assert 1 / 16 < largest[2] < largest[1] < largest[0]
    assert ratio > 10


def test_try_four_keys(tried):
    app, shown = tried("softmax_saturation", "four_keys", **ADVERSE)
    largest, ratio = rows_at(app, shown)
    assert max(largest) - min(largest) < 0.05
    assert ratio < 1.1
    assert min(largest) > 0.4  # of 16 keys the strongest takes 25 %
    assert "the three rows look alike" in charts(app)["softmax_weights"].sentence


@pytest.mark.parametrize("exponent", ["0", "0.7", "1"])
def test_try_one_component(tried, exponent):
    app, shown = tried("softmax_saturation", "one_component", **ADVERSE | {"exponent": exponent})
    rows = shown.measure_rows
    assert (app.session_state["d_k"], rows.dims) == (1, (1, 4, 1024))
    np.testing.assert_array_equal(rows.divided(float(exponent)).weights[0], rows.divided(0.0).weights[0])


def test_try_stretched(tried):
    _, shown = tried("softmax_saturation", "stretched", **ADVERSE)
    assert len(shown.compare_lists.max_weight) == 2
    assert min(shown.compare_lists.max_weight) > 1 - 1e-12


def test_try_shifted(tried):
    _, shown = tried("softmax_saturation", "shifted", **ADVERSE)
    first, second = shown.compare_lists.attention_weights
    assert shown.compare_lists.scores[0].tolist() == [104.0, 105.0]
    np.testing.assert_allclose(first[1], 1 / (1 + math.exp(-1)), rtol=1e-14)
    np.testing.assert_allclose(second[1], 1 / (1 + math.exp(-9)), rtol=1e-14)


def test_try_many_keys(tried):
    _, shown = tried("softmax_saturation", "many_keys", **ADVERSE)
    assert shown.measure_saturation.freezing_d_k == pytest.approx(8.32, abs=0.005)
    assert 2 * math.log(16) == pytest.approx(5.55, abs=0.005)


# --- before the bet --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("d_k", "ends"), [(64, (0, 2)), (1, (1, 2)), (4, (1,)), (1024, (0,))])
def test_before_the_bet_only_the_other_rows_are_seen(d_k, ends):
    params = RowsParams(16, tuple(sorted({4, d_k, 1024})), n_rows=40)
    rows = measure_rows(params).divided(0.0)
    shown = figures.weights(rows, params, compare_lists(((4.0, 5.0), (1.0, 10.0))), d_k, LIGHT)
    known = figures.without_row(rows, d_k, shown)
    seen = [each["name"] for each in known.figure.data if each["x"][0] is not None]
    assert seen == ["list 1", "list 2", *(f"raw, dₖ = {rows.dims[i]:,}" for i in ends)]
    assert len(known.figure.data) == 5
    numbers = [float(each) for each in re.findall("([0-9.]+) %", known.sentence)]
    np.testing.assert_allclose(numbers, 100 * rows.max_weight[list(ends)], rtol=0.06)
    assert (known.table, known.sure, known.code) == ({}, (), "")
