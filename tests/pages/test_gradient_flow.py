"""The gradient_flow page: the sentences of the moment, the places of the gradient, Jacobians."""

import pytest

from tests.pages.opening import charts, check_page, open_page, settle, widget

SAID = {
    "gradient_histograms": "The median row passes",
    "gradient_curves": "000 rows per point",
    "median_crossover": "the median row passes less to its raw scores",
    "row_jacobians": "Both share one colour domain",
}  # what each picture's sentence speaks of


def test_each_picture_says_what_it_is_of():
    shown = charts(open_page("gradient_flow"))
    assert list(shown) == list(SAID)
    assert all(words in shown[key].alt for key, words in SAID.items())


def test_the_gradient_page_says_the_truth_of_the_moment():
    app = open_page("gradient_flow", n_keys="64", d_k="512")
    check_page(app, "gradient_flow")
    said = charts(app)["gradient_histograms"].alt
    # The exact means, 1 − E Σp² without the scale and over √512 with it; the median row and the frozen ones.
    assert "55.5 % of the rows are frozen without the scale and 0.0 % with it" in said
    assert "The median row passes 0.00369 to the raw scores without the scale and 0.0426 with it" in said
    assert "the mean row 0.105 ± 0.0039 (exact 0.104) and 0.0425 ± " in said
    assert "(exact 0.0425), 2.48 times as much." in said


def test_at_the_default_setting_the_typical_row_is_not_said_to_freeze():
    app = open_page("gradient_flow")
    said = charts(app)["gradient_histograms"].alt
    assert "23.4 % of the rows are frozen without the scale and 0.0 % with it" in said
    assert "0.141 to the raw scores without the scale and 0.110 with it, 1.28 times as much without it" in said
    assert any("a growing *share* of the rows freezes" in each.value for each in app.markdown)


@pytest.mark.parametrize("stem", ["gradient_flow"])
def test_each_place_has_its_own_sentences_and_only_q_has_no_exact_mean(app, stem):
    frozen = set()
    for place, words in (("scores", "to the scores "), ("raw_scores", "to the raw scores "), ("q", "to q ")):
        widget(app, "place").set_value(place).run()
        check_page(app, stem)
        said = charts(app)
        for name in ("gradient_histograms", "gradient_curves"):
            assert words.strip() in said[name].alt
            assert ("exact" in said[name].alt) == (place != "q")
        assert ("The rate" in said["gradient_curves"].alt) == (place != "q")
        frozen.add(said["gradient_histograms"].alt.split(":")[0])
    assert len(frozen) == 1


@pytest.mark.parametrize("stem", ["gradient_flow"])
def test_the_lists_of_the_notes_and_the_drawn_rows_have_their_jacobians(app, stem):
    widget(app, "d_k").set_value(1)
    settle(app)
    for chosen, norm in (("4, 5", "0.393224"), ("1, 10", "0.000246759")):
        widget(app, "jacobian").set_value(chosen).run()
        check_page(app, stem)
        assert f"The scores [{chosen}]: " in charts(app)["row_jacobians"].alt
        assert f"norm {norm}; after ÷ √1 " in charts(app)["row_jacobians"].alt
    widget(app, "jacobian").set_value("row").run()
    first = charts(app)["row_jacobians"].alt
    widget(app, "row").set_value(2).run()
    second = charts(app)["row_jacobians"].alt
    assert (first[:7], second[:7]) == ("Row 1: ", "Row 2: ")
    assert first[7:] != second[7:]


@pytest.mark.parametrize("stem", ["gradient_flow"])
def test_a_move_of_the_dimension_leaves_the_curves_as_they_are(app, stem):
    before = charts(app)["gradient_curves"]
    before = before.spec, before.alt
    widget(app, "d_k").set_value(300).run()
    after = charts(app)["gradient_curves"]
    assert (after.spec, after.alt) == before
