"""The gradient_flow page: the sentences of the moment, the places of the gradient, Jacobians."""

import numpy as np
import pytest

from pages._view.lessons.gradient_flow import work
from sattn_core.lessons.gradient_flow import PLACES
from tests.pages.opening import charts, check_page, open_page, settle, widget

SAID = {
    "rows_freezing": "of the hundred rows",
    "gradient_histograms": "Without the scale the median row passes",
    "gradient_curves": "the mean passed to the raw scores",
    "median_crossover": "the median row passes less to its raw scores",
    "row_jacobians": "Raw",
}  # what each picture's sentence speaks of


def test_each_picture_says_what_it_is_of():
    shown = charts(open_page("gradient_flow"))
    assert list(shown) == list(SAID)
    assert all(words in shown[key].alt for key, words in SAID.items())


def sure_of(app, key):
    """What stands under a picture's "How sure?"."""
    (box,) = [each for each in app.expander if each.key == f"{key}_sure"]
    return " ".join(each.value for each in box.markdown)


def claims(app):
    return [each.value for each in app.header]


def test_the_gradient_page_says_the_truth_of_the_moment():
    app = open_page("gradient_flow", n_keys="64", d_k="512")
    check_page(app, "gradient_flow")
    shown = charts(app)
    assert shown["rows_freezing"].sentence.startswith(
        "At dₖ = 512, 60 of the hundred rows are frozen without the scale"
    )
    assert "8.6 % as much to the raw scores; the mean row passes 2.5" in shown["gradient_histograms"].sentence
    assert claims(app)[0] == "The typical row passes on less without the scale"
    assert "55.5 % (95 % interval 53.3 % to 57.7 %) are frozen without the scale" in sure_of(app, "rows_freezing")
    # The exact means, 1 − E Σp² without the scale and over √512 with it; the median row and the frozen ones.
    sure = sure_of(app, "gradient_histograms")
    assert "55.5 % of the rows are frozen without the scale and none with it" in sure
    assert "The median row passes 0.00369 (95 % interval 0.00246 to 0.00529) to the raw scores" in sure
    assert "The mean row passes 0.105 ± 0.0039 (exact 0.104) without the scale and 0.0425 ± " in sure
    assert "(exact 0.0425) with it: 2.48 times as much without it." in sure


def test_at_the_default_setting_the_typical_row_is_not_said_to_freeze():
    app = open_page("gradient_flow")
    shown = charts(app)
    assert shown["rows_freezing"].sentence.startswith("At dₖ = 64, 21 of the hundred rows are frozen")
    assert "passes 1.3 times as much to the raw scores;" in shown["gradient_histograms"].sentence
    assert claims(app)[0] == "The typical row still passes on more without the scale"
    sure = sure_of(app, "gradient_histograms")
    assert "23.4 % of the rows are frozen without the scale and none with it" in sure
    assert "The median row passes 0.141" in sure
    assert "1.28 times as much without it" in sure
    assert any("a growing *share* of the rows freezes" in each.value for each in app.markdown)


def test_a_dimension_between_two_stops_has_its_dots():
    app = open_page("gradient_flow", d_k="300")
    check_page(app, "gradient_flow")
    assert charts(app)["rows_freezing"].sentence.startswith("At dₖ = 300, ")


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
def test_the_lists_of_the_notes_and_the_drawn_rows_have_their_jacobians(app, stem):
    widget(app, "d_k").set_value(1)
    settle(app)
    for chosen, norm in (("4, 5", "0.393224"), ("1, 10", "0.000246759")):
        widget(app, "jacobian").set_value(chosen).run()
        check_page(app, stem)
        sure = sure_of(app, "row_jacobians").replace("\\", "")
        assert f"The scores [{chosen}]: " in sure
        assert f"norm {norm}; after ÷ √1 " in sure
    widget(app, "jacobian").set_value("row").run()
    first = sure_of(app, "row_jacobians")
    widget(app, "row").set_value(2).run()
    second = sure_of(app, "row_jacobians")
    assert "Row 1: " in first
    assert "Row 2: " in second
    assert first.split("Row 1: ")[1] != second.split("Row 2: ")[1]


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
