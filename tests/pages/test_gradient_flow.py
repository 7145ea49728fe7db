"""The gradient_flow page: the sentences of the moment, the places of the gradient, Jacobians."""

import numpy as np
import pytest

from pages._view.lessons.gradient_flow import work
from pages._view.theme import number
from sattn_core.lessons.gradient_flow import FROZEN_BELOW, PLACES
from tests.pages.opening import charts, check_page, claims, open_page, sure_of, widget


@pytest.mark.parametrize(
    ("d_k", "claim", "passed"),
    [
        (512, "Divided by √512, row 1 passes on more", "after ÷ √512 trace"),
        (1, "At dₖ = 1 the division changes nothing", "after ÷ √1 trace"),
    ],
)
def test_the_claim_and_how_sure_are_of_the_moment(d_k, claim, passed):
    app = open_page("gradient_flow", d_k=str(d_k))
    assert claims(app) == [claim, "Without the scale the mean falls, the median far more"]
    assert passed in sure_of(app, "row_jacobians")
    assert any("A *row* is one query's weights" in each.value for each in app.markdown)


def test_the_jacobian_is_that_of_the_ringed_row(asked):
    app = open_page("gradient_flow", row="30", d_k="64")
    widget(app, "place").set_value("q").run()
    rows = next(answer for name, _, answer in asked if name == "freezing_rows")
    (passed,) = np.sort(rows.passed[0, 0, [rows.dims.index(64)]])
    assert f"trace {number(passed[29])} and norm" in sure_of(app, "row_jacobians")
    assert "ring: row 30" in charts(app)["rows_freezing"].spec
    widget(app, "jacobian").set_value("4, 5").run()
    assert "ring: row" not in charts(app)["rows_freezing"].spec


@pytest.mark.parametrize("stem", ["gradient_flow"])
def test_each_place_has_its_own_sentences_and_only_q_has_no_exact_mean(app, stem):
    for place, words, of_the_rows in (
        ("softmax", "at the softmax", "are frozen"),
        ("q", "at q", "get more gradient at q"),
    ):
        widget(app, "place").set_value(place).run()
        check_page(app, stem)
        said = charts(app)
        assert of_the_rows in said["rows_freezing"].sentence
        assert words in said["gradient_curves"].sentence
        for sure in ("(exact", "The rate"):
            assert (sure in sure_of(app, "gradient_curves")) == (place != "q")


@pytest.mark.parametrize("stem", ["gradient_flow"])
def test_a_move_of_the_dimension_leaves_the_curves_as_they_are(app, stem):
    before = charts(app)["gradient_curves"]
    before = before.spec, before.alt
    widget(app, "d_k").set_value(300).run()
    after = charts(app)["gradient_curves"]
    assert (after.spec, after.alt) == before


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
    assert app.session_state["place"] == "q"


def test_try_gradient_of_q(tried):
    app, shown = tried("gradient_flow", "gradient_of_q", **ADVERSE)
    curve = shown.gradient_curve
    raw, scaled = curve.statistics.mean[PLACES.index("q")][:, np.array(curve.dims) >= 4]
    assert raw[-1] > 2.5 * raw[0]
    assert scaled.max() / scaled.min() < 1.15
    assert app.session_state["place"] == "q"


def test_try_second_list(tried):
    app, _ = tried("gradient_flow", "second_list", **ADVERSE)
    row, _ = work.row_jacobian({"jacobian": app.session_state["jacobian"], "d_k": 64})
    # Of the colours' limit 1/4: p(1 − p) at a gap of 9, and at a gap of 9/8.
    assert np.abs(row.raw_jacobian).max() < 0.001 * row.colour_limit
    assert np.abs(row.scaled_jacobian).min() > 0.7 * row.colour_limit
