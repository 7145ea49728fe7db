"""The gradient_flow page: the sentences of the moment, the places of the gradient, Jacobians."""

import numpy as np
import pytest

from pages._view.lessons.gradient_flow import work
from sattn_core.lessons.gradient_flow import PLACES
from tests.pages.opening import charts, check_page, claims, open_page, sure_of, widget


@pytest.mark.parametrize(
    ("d_k", "claim", "passed"),
    [
        (512, "The typical row passes on less without the scale", "2.48 times as much without it."),
        (64, "The typical row still passes on more without the scale", "1.28 times as much without it."),
    ],
)
def test_the_claim_and_how_sure_are_of_the_moment(d_k, claim, passed):
    app = open_page("gradient_flow", d_k=str(d_k), n_keys="64" if d_k == 512 else "16")
    assert claims(app)[0] == claim
    assert passed in sure_of(app, "gradient_histograms")
    assert any("a growing *share* of the rows freezes" in each.value for each in app.markdown)


@pytest.mark.parametrize("stem", ["gradient_flow"])
def test_each_place_has_its_own_sentences_and_only_q_has_no_exact_mean(app, stem):
    frozen = set()
    for place, words in (("scores", "to the scores"), ("raw_scores", "to the raw scores"), ("q", "to q")):
        widget(app, "place").set_value(place).run()
        check_page(app, stem)
        said = charts(app)
        for name in ("gradient_histograms", "gradient_curves"):
            assert words in said[name].sentence
            assert ("(exact" in sure_of(app, name)) == (place != "q")
        assert ("The rate" in sure_of(app, "gradient_curves")) == (place != "q")
        frozen.add(said["rows_freezing"].sentence)
    assert len(frozen) == 1


@pytest.mark.parametrize("stem", ["gradient_flow"])
def test_a_move_of_the_dimension_leaves_the_curves_as_they_are(app, stem):
    before = charts(app)["gradient_curves"]
    before = before.spec, before.alt
    widget(app, "d_k").set_value(300).run()
    after = charts(app)["gradient_curves"]
    assert (after.spec, after.alt) == before


# --- tries ---------------------------------------------------------------------------------------------


ADVERSE = {"n_keys": "2", "d_k": "3", "place": "scores", "jacobian": "4, 5", "seed": "77"}


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


def test_try_typical_row(tried):
    app, shown = tried("gradient_flow", "typical_row", **ADVERSE)
    assert 1.8 < shown.measure_gradient_flow.median_ratio[PLACES.index("raw_scores")] < 2.4
    assert app.session_state["place"] == "raw_scores"


def test_try_gradient_of_q(tried):
    app, shown = tried("gradient_flow", "gradient_of_q", **ADVERSE)
    curve = shown.gradient_curve
    raw, scaled, _ = curve.statistics.mean[PLACES.index("q")][:, np.array(curve.dims) >= 4]
    assert raw[-1] > 2.5 * raw[0]
    assert scaled.max() / scaled.min() < 1.15
    assert app.session_state["place"] == "q"


def test_try_second_list(tried):
    app, shown = tried("gradient_flow", "second_list", **ADVERSE)
    row, _ = work.row_jacobian(shown.measure_gradient_flow, app.session_state["jacobian"], 1)
    # Of the colours' limit 1/4: p(1 − p) at a gap of 9, and at a gap of 9/8.
    assert np.abs(row.raw_jacobian).max() < 0.001 * row.colour_limit
    assert np.abs(row.scaled_jacobian).min() > 0.7 * row.colour_limit
