"""The gradient_flow page: its sentences at the current settings, the places where a gradient is measured, Jacobians."""

import numpy as np
import pytest

from pages._view.lessons.gradient_flow import work
from pages._view.theme import number
from sattn_core.lessons.gradient_flow import FROZEN_BELOW, PLACES
from tests.pages.opening import charts, check_page, drawn_controls, open_page, sure_of, widget

STEPS = {"freeze": "rows_freezing", "at_q": "rows_at_q", "jacobian": "row_jacobians", "curves": "gradient_curves"}


@pytest.mark.parametrize(("step", "key"), STEPS.items())
@pytest.mark.parametrize("mode", ["screen", "projector"])
def test_each_step_shows_only_its_picture(step, key, mode):
    assert list(charts(open_page("gradient_flow", step=step, mode=mode))) == [key]


@pytest.mark.parametrize(
    ("said", "key"),
    [
        ({}, "rows_freezing"),
        ({"d_k": "8"}, "rows_freezing"),
        ({"place": "softmax"}, "rows_freezing"),
        ({"place": "q"}, "rows_at_q"),
        ({"jacobian": "4, 5"}, "row_jacobians"),
        ({"row": "30"}, "row_jacobians"),
    ],
)
def test_settings_in_an_address_without_a_step_choose_the_picture(said, key):
    assert list(charts(open_page("gradient_flow", **said))) == [key]


@pytest.mark.parametrize(("d_k", "passed"), [(512, "after ÷ √512 trace"), (1, "after ÷ √1 trace")])
def test_how_sure_fold_follows_d_k(d_k, passed):
    app = open_page("gradient_flow", step="jacobian", d_k=str(d_k))
    assert passed in sure_of(app, "row_jacobians")
    assert f"√{d_k}" in charts(app)["row_jacobians"].sentence


def test_jacobian_is_that_of_the_chosen_row_or_list(asked):
    app = open_page("gradient_flow", step="jacobian", row="30", d_k="64")
    rows = next(answer for name, _, answer in asked if name == "freezing_rows")
    (passed,) = np.sort(rows.passed[0, 0, [rows.dims.index(64)]])
    assert f"Row 30: the Jacobian of the raw scores has trace {number(passed[29])} and norm" in sure_of(
        app, "row_jacobians"
    )
    assert "row" in drawn_controls(app)
    widget(app, "jacobian").set_value("4, 5").run()
    assert "row" not in drawn_controls(app)
    assert "The list \\[4, 5\\]" in sure_of(app, "row_jacobians")


@pytest.mark.parametrize(
    ("place", "step", "of_the_rows"), [("softmax", "freeze", "are frozen"), ("q", "at_q", "get more gradient at q")]
)
def test_only_the_gradient_at_q_lacks_an_exact_mean(place, step, of_the_rows):
    (chart,) = charts(open_page("gradient_flow", step=step)).values()
    assert of_the_rows in chart.sentence
    app = open_page("gradient_flow", step="curves", place=place)
    check_page(app, "gradient_flow")
    assert f"at {'the softmax' if place == 'softmax' else place}" in charts(app)["gradient_curves"].sentence
    for sure in ("(exact", "The rate"):
        assert (sure in sure_of(app, "gradient_curves")) == (place != "q")


def test_curves_do_not_depend_on_d_k():
    few, many = (charts(open_page("gradient_flow", step="curves", d_k=d_k))["gradient_curves"] for d_k in ("4", "300"))
    assert (few.spec, few.alt) == (many.spec, many.alt)


# --- tries ---------------------------------------------------------------------------------------------


ADVERSE = {"n_keys": "2", "d_k": "3", "place": "softmax", "jacobian": "4, 5", "seed": "77"}


def test_try_many_keys(tried):
    app, shown = tried("gradient_flow", "many_keys", **ADVERSE)
    rows = shown.freezing_rows
    raw, scaled = rows.frozen[:, rows.dims.index(512)]
    assert (app.session_state["n_keys"], rows.n_keys) == (64, 64)
    assert 51 <= raw <= 65
    assert scaled == 0
    share = shown.measure_gradient_flow.frozen_share
    assert 0.52 < share[0] < 0.6
    assert share[1] == 0


def test_try_small_dimension(tried):
    _, shown = tried("gradient_flow", "small_dimension", **ADVERSE | {"d_k": "512"})
    rows = shown.freezing_rows
    assert rows.frozen[:, rows.dims.index(4)].tolist() == [0, 0]
    assert shown.measure_gradient_flow.params.d_k == 4


def test_try_most_get_more(tried):
    app, shown = tried("gradient_flow", "most_get_more", **ADVERSE)
    rows = shown.freezing_rows
    raw, scaled = rows.passed[1, :, rows.dims.index(64)]
    frozen = rows.passed[0, 0, rows.dims.index(64)] < FROZEN_BELOW
    assert np.count_nonzero(raw > scaled) > 60
    assert frozen.sum() > 10
    assert np.median(raw[frozen]) < 0.05 * np.median(scaled)
    assert list(charts(app)) == ["rows_at_q"]


def test_try_gradient_of_q(tried):
    app, shown = tried("gradient_flow", "gradient_of_q", **ADVERSE)
    curve = shown.gradient_curve
    raw, scaled = curve.statistics.mean[PLACES.index("q")][:, np.array(curve.dims) >= 4]
    assert raw[-1] > 2.2 * raw[0]
    assert abs(scaled[-1] / scaled[0] - 1.1) < 0.05
    assert app.session_state["place"] == "q"


def test_try_second_list(tried):
    app, _ = tried("gradient_flow", "second_list", **ADVERSE)
    row, _ = work.row_jacobian({"jacobian": app.session_state["jacobian"], "d_k": 64})
    # Entries p(1 − p) ÷ the colour limit 1/4: the raw scores are 9 apart, the scaled ones 9/8.
    assert np.abs(row.raw_jacobian).max() < 0.001 * row.colour_limit
    assert np.abs(row.scaled_jacobian).min() > 0.7 * row.colour_limit
