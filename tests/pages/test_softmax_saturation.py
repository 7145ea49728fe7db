"""The softmax_saturation page: typed lists, shift and multiplier."""

import math
import re

import numpy as np
import pytest

from pages._view.lessons.softmax_saturation import figures, work
from pages._view.literal import plain
from pages._view.theme import LIGHT
from sattn_core.lessons.softmax_saturation import RowsParams, measure_rows
from tests.pages.opening import charts, controls_of, line_of, open_page, pictures, prose, settle, traces, widget


def test_a_typed_d_k_draws_no_rows_again():
    values = {"n_keys": 4, "law": "normal", "seed": 77}
    (stops, _), (between, params) = (work.averages(values | {"d_k": d_k}) for d_k in (64, 65))
    assert between.scaled_measured is stops.scaled_measured
    assert between.dims.tolist() == list(params.dims)
    assert 65 in params.dims


@pytest.mark.parametrize(
    ("step", "key"), [("lists", "list_weights"), ("divisor", "softmax_weights"), ("averages", "softmax_averages")]
)
@pytest.mark.parametrize("mode", ["screen", "projector"])
def test_step_shows_its_picture_alone(step, key, mode):
    assert list(charts(open_page("softmax_saturation", step=step, mode=mode))) == [key]


@pytest.mark.parametrize(
    ("query", "step"),
    [({}, "divisor"), ({"list_1": "1, 2"}, "lists"), ({"shift": "10"}, "lists"), ({"exponent": "0.5"}, "divisor"),
     ({"list_1": "1, 2", "exponent": "0.5"}, "divisor")],
)  # fmt: skip
def test_link_without_step_opens_the_one_that_it_sets(query, step):
    app = open_page("softmax_saturation", **query)
    assert settle(app).session_state["step"] == step
    assert app.query_params["step"] == step


def test_every_list_that_cannot_be_read_gets_its_own_sentence():
    app = open_page("softmax_saturation", step="lists")
    typed = {"list_1": "a, 1", "list_2": "1, 2", "list_3": "3", "list_4": "1 b"}
    for name, text in typed.items():
        widget(app, name).set_value(text)
    app.run()
    assert [each.value.split()[0] for each in app.error] == ["First", "Third", "Fourth"]
    assert app.error[0].value == plain('First list: "a" (item 1) is not a number.')
    assert {name: widget(app, name).value for name in typed} == typed
    assert pictures(app) == ["list_weights"]
    assert traces(app, "list_weights") == {}
    app.session_state["step"] = "divisor"
    app.run()
    assert [*app.error] == []
    assert list(traces(app, "softmax_weights")) == [f"raw, dₖ = {d_k}" for d_k in ("4", "64", "1,024")]


def test_overflow_is_told_beside_the_lists():
    assert "Subtracting the largest score keeps exp from overflowing" in prose(
        open_page("softmax_saturation", step="lists")
    )


def test_read_lists_leaves_out_the_optional_lists_that_are_empty():
    assert work.read_lists(["4, 5", "1, 10", "", "  "]) == (((4.0, 5.0), (1.0, 10.0)), [])
    assert work.read_lists(["4, 5", "1, 10", "", "0 1"]) == (((4.0, 5.0), (1.0, 10.0), (0.0, 1.0)), [])


# --- rows ----------------------------------------------------------------------------------------------


def rows(**chosen):
    """The rows at the defaults, but for what is chosen."""
    values = {name: each.default for name, each in controls_of("softmax_saturation").items()}
    return work.rows(values | chosen)


def test_undivided_rows_sharpen_with_d_k():
    found = rows()
    assert found.max_weight[0] < 0.5 < 0.8 < found.max_weight[1] < 0.95 < found.max_weight[2]
    assert found.ratio > 10


def test_rows_of_four_keys_look_alike_at_the_root_too():
    found = rows(n_keys=4, exponent=0.5)
    assert np.ptp(found.max_weight) < 0.05
    assert found.ratio < 1.1
    assert min(found.max_weight) > 0.4  # of 16 keys the strongest takes 25 %
    assert found.alike


@pytest.mark.parametrize("exponent", [0.0, 0.7, 1.0])
def test_row_of_one_component_is_the_same_at_every_exponent(exponent):
    found = rows(d_k=1, exponent=exponent)
    assert found.dims == (1, 4, 1024)
    np.testing.assert_array_equal(found.weights[0], rows(d_k=1).weights[0])


# --- tries ---------------------------------------------------------------------------------------------


ADVERSE = {"list_1": "4, five", "list_2": "3 3 3", "list_3": "1, 2", "multiplier": "1/8", "shift": "-30"}
ADVERSE |= {"n_keys": "2", "d_k": "9", "exponent": "0.7", "law": "sparse", "seed": "9"}


def rows_at(app, shown):
    """The rows of the settings that the page now has: the largest weights, and how far their spreads differ."""
    rows = shown.measure_rows.divided(app.session_state["exponent"])
    assert rows.dims == (4, 64, 1024)
    return rows.max_weight, rows.ratio


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
    known = figures.without_row(rows, d_k, figures.weights(rows, params, d_k, LIGHT))
    seen = [each["name"] for each in known.figure.data if each["x"][0] is not None]
    assert seen == [f"raw, dₖ = {rows.dims[i]:,}" for i in ends]
    assert len(known.figure.data) == 3
    numbers = [float(each) for each in re.findall("([0-9.]+) %", known.sentence)]
    np.testing.assert_allclose(numbers, 100 * rows.max_weight[list(ends)], rtol=0.06)
    assert (known.table, known.sure, known.code) == ({}, (), "")


def test_exponent_has_no_dial_while_the_bet_waits():
    app = open_page("softmax_saturation", bet="1", exponent="0.5")
    assert app.session_state["exponent"] == 0
    assert "exponent_dial" not in [each.key for each in app.get("bidi_component")]


@pytest.mark.parametrize("placed", [{"guess": "50"}, {"guess": "50", "guessed_at": "d_k=64"}, {"class": "50~80"}])
def test_marks_of_the_bet_stand_on_undivided_rows_alone(placed):
    for exponent, is_marked in (("0", True), ("0.5", False)):
        app = open_page("softmax_saturation", bet="1", exponent=exponent, **placed)
        assert ("◆" in charts(app)["softmax_weights"].alt) == is_marked
        assert "In fact: 84 %" in line_of(app)
