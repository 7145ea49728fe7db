"""Pictures of the backprop lesson: their data are the result's, their words are its numbers."""

import re
from dataclasses import replace

import numpy as np
import pytest

from pages._view.lessons.backprop import figures
from pages._view.lessons.backprop.declaration import LESSON
from pages._view.theme import LIGHT, number
from sattn_core.lessons.backprop import (
    WEIGHTS,
    BackpropParams,
    ProductsParams,
    central_difference_error,
    first_order_change,
    measure_backprop,
    measure_products,
)
from tests.figures.drawing import PROFILES, check, run, texts

PARAMS = BackpropParams()


@pytest.fixture(scope="module")
def result():
    return measure_backprop(PARAMS)


@pytest.fixture(scope="module")
def products():
    return measure_products(ProductsParams())


@pytest.fixture(scope="module")
def change():
    return first_order_change(PARAMS)


@pytest.fixture(scope="module")
def error():
    return central_difference_error(PARAMS)


def first_order(change):
    return figures.first_order(change, PARAMS, LIGHT)


def difference(error):
    return figures.difference(error, PARAMS, LIGHT)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("weight", WEIGHTS)
def test_every_picture_is_whole(result, products, weight, profile):
    pictures = (
        figures.products(products, profile),
        figures.gradient(result, weight, 4, profile),
        figures.first_order(first_order_change(PARAMS, weight), PARAMS, profile),
        figures.difference(central_difference_error(PARAMS, weight), PARAMS, profile),
    )
    for picture in pictures:
        check(picture)
    assert tuple(picture.key for picture in pictures) == LESSON.pictures


@pytest.mark.parametrize("profile", PROFILES)
def test_the_three_products_collapse_on_one_colour_domain(products, profile):
    both, rows, whole = figures.products(products, profile).figure.values()
    for fig in (both, rows, whole):
        assert (fig.data[0].zmin, fig.data[0].zmax) == (-70, 70)
    np.testing.assert_array_equal(both.data[0].z, [[5, 12], [21, 32]])
    np.testing.assert_array_equal(rows.data[0].z, [[17], [53]])
    np.testing.assert_array_equal(whole.data[0].z, [[70]])
    assert both.data[0].text[1][0] == "3 × 7<br>= 21"
    assert [row[0] for row in rows.data[0].text] == ["5 + 12<br>= 17", "21 + 32<br>= 53"]
    assert whole.data[0].text[0][0] == "17 + 53<br>= 70"


def test_wide_products_are_numbers_only():
    wide = measure_products(ProductsParams([[1.5] * 9] * 2, [[-1] * 9] * 2))
    both, rows, whole = figures.products(wide, LIGHT).figure.values()
    assert both.data[0].text[1][0] == "−1.5"
    assert rows.data[0].text[0][0] == "−13.5"
    assert whole.data[0].text[0][0] == "(−13.5) + (−13.5)<br>= −27"


def test_the_products_are_said_and_given_away(products):
    picture = figures.products(products, LIGHT)
    assert "(A ⊖ B = [17, 53])" in picture.sentence
    assert "(⟨A, B⟩ = 70)" in picture.sentence
    table = picture.table
    assert (table["A"], table["B"], table["A ∘ B"]) == ([1, 2, 3, 4], [5, 6, 7, 8], [5, 12, 21, 32])
    assert (table["A ⊖ B of the row"], table["⟨A, B⟩"]) == ([17, 17, 53, 53], [70] * 4)
    assert run(picture.code)[1].endswith("[17. 53.]\n70.0\n")


def test_every_identity_is_shown_with_both_sides(products):
    lines = figures.identities(products)
    assert [text for _, text in lines][:3] == ["70 = 70, relative error 0"] * 3
    assert [text.split(",")[0] for _, text in lines][3:] == ["4892 = 4892", "5148 = 5148", "720 = 720"]
    said = replace(products, identities=(replace(products.identities[0], left=1 / 3, error=2e-16),))
    assert figures.identities(said)[0][1] == "0.333333 = 70, relative error 2.0 × 10⁻¹⁶"


def test_the_gradients_are_those_of_the_core_in_their_order(result):
    assert figures.GRADIENTS == tuple(check.name for check in result.gradients)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("name", figures.GRADIENTS)
def test_a_gradient_is_drawn_said_and_given_away(result, name, profile):
    found = next(each for each in result.gradients if each.name == name)
    picture = figures.gradient(result, name, 4, profile)
    check(picture)
    (trace,) = picture.figure.data
    np.testing.assert_array_equal(np.array(trace.z, dtype=float), np.atleast_2d(found.gradient))
    for column, array in (("gradient", found.gradient), ("central difference", found.central)):
        assert picture.table[column] == array.ravel().tolist()
    assert picture.table["complex step"] == found.complex_step.ravel().tolist()
    assert {len(column) for column in picture.table.values()} == {found.gradient.size}
    assert f"has norm {number(np.linalg.norm(found.gradient))} at dₖ = 4. " in picture.sentence
    assert figures.formula(result, name)[0] == found.formula


def test_a_disagreement_is_said(result):
    wrong = replace(result.gradients[3], central_agrees=False, central_error=0.5, central_tolerance=3e-7)
    said = replace(result, gradients=(*result.gradients[:3], wrong, *result.gradients[4:]))
    sentence = figures.gradient(said, "Q", 64, LIGHT).sentence
    assert sentence.endswith(" The slider says dₖ = 64, but matrices stop at 4 columns here, so dₖ = 4 is used.")
    assert "The central difference is 0.50 away (relative; allowed 3 × 10⁻⁷)" in sentence
    assert figures.gradient(said, "Q", 4, LIGHT).sentence.endswith("They do not agree.")
    table = figures.gradient_checks(said)
    assert table["verdict"] == ["agree"] * 3 + ["DISAGREE"] + ["agree"] * 6
    assert table["central difference: error (allowed)"][3] == "0.50 (3 × 10⁻⁷)"
    assert table["formula"][3] == "dQ = c dS K"


def test_the_scale_s_place_and_both_ways_to_d_are_shown(result):
    scale, by_weights, by_output, sums = (text for _, text in figures.scale_lines(result))
    without = np.linalg.norm(result.d_Q_without_scale)
    assert f"with c = 0.500, ‖dS K‖ = {number(without)} becomes ‖dQ‖ = {number(without / 2)}" in scale
    assert by_weights in by_output
    assert sums.startswith("largest sum ")
    layer = figures.formula(result, "Q")[1]
    assert layer.startswith("Here 4 tokens, model width 6, dᵥ = 3, loss ½‖O − T‖² = ")


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("weight", WEIGHTS)
def test_the_curves_hold_their_data_on_log_axes(profile, weight):
    change = first_order_change(PARAMS, weight)
    fig = figures.first_order(change, PARAMS, profile).figure
    for trace, values in zip(fig.data, (change.change, change.predicted, change.remainder), strict=False):
        np.testing.assert_array_equal(trace.x, change.epsilon)
        np.testing.assert_array_equal(trace.y, values)
    assert set(fig.data[3].y) == {change.rounding_floor}
    assert (fig.layout.xaxis.type, fig.layout.yaxis.type) == ("log", "log")
    assert texts(fig) == [f"slope {number(change.slope)}"]
    assert key_of(fig) == ["green: change", "dashed: first order", "points: remainder", "dotted: rounding floor"]
    error = central_difference_error(PARAMS, weight)
    fig = figures.difference(error, PARAMS, profile).figure
    np.testing.assert_array_equal(fig.data[0].x, error.h)
    np.testing.assert_array_equal(fig.data[0].y, error.error)
    assert set(fig.data[1].y) == {error.complex_error}
    slopes = [error.rounding_slope] + ([] if weight == "W_V" else [error.truncation_slope])
    assert texts(fig) == [f"slope {number(slope)}" for slope in slopes]
    assert key_of(fig) == ["points: central difference", "dotted: complex step"]


def key_of(fig):
    """The words of the key above a plot."""
    return re.split("<br>|\u2002\u2002", fig.layout.title.subtitle.text)


def test_a_line_that_a_log_axis_cannot_show_is_not_in_the_key(error):
    fig = difference(replace(error, complex_error=0.0)).figure
    assert key_of(fig) == ["points: central difference"]


def test_a_slope_stands_on_the_side_of_its_branch_where_the_curve_is_not(error):
    falling, rising = difference(error).figure.layout.annotations
    assert (falling.xanchor, falling.yanchor) == ("right", "top")  # below a branch that falls to the right
    assert (rising.xanchor, rising.yanchor) == ("right", "bottom")  # above one that rises


def test_every_point_lies_on_its_axes(change, error):
    layout = first_order(change).figure.layout
    assert layout.xaxis.range[0] < -8 < 0 < layout.xaxis.range[1]
    assert layout.yaxis.range[0] < np.log10(change.rounding_floor) < np.log10(change.change.max()) < 1.2
    layout = difference(error).figure.layout
    assert layout.xaxis.range[0] < -11 < -1 < layout.xaxis.range[1]
    assert list(layout.xaxis.ticktext) == ["10⁻⁸", "10⁻⁴"]
    assert layout.yaxis.range[0] < np.log10(error.complex_error)


def test_the_sentences_of_the_curves(change, error):
    assert f"a remainder of slope {number(change.slope)} (predicted 2)" in first_order(change).sentence
    hidden = first_order(replace(change, slope=np.nan)).sentence
    assert hidden.endswith("so no slope can be fitted.")
    assert f"slope {number(error.truncation_slope)}, predicted 2" in difference(error).sentence
    assert "rounding hides it here" in difference(replace(error, truncation_slope=np.nan)).sentence
    quadratic = central_difference_error(PARAMS, "W_V")
    assert "the loss is quadratic in W_V" in difference(quadratic).sentence


def test_the_curves_are_given_away(change, error):
    assert difference(error).table["relative error, median"] == error.error.tolist()
    assert first_order(change).table["remainder"] == change.remainder.tolist()


def test_the_code_gives_the_numbers_that_are_shown(result):
    names, printed = run(figures.gradient(result, "V", 4, LIGHT).code)
    assert names["result"].loss == result.loss
    shown = result.gradients[0]
    assert printed.startswith(f"V\n{shown.gradient}\n{shown.central_error}\n")
    change, error = first_order_change(PARAMS, "X"), central_difference_error(PARAMS, "X")
    for picture in (first_order(change), difference(error)):
        assert run(picture.code)[1] == f"{change}\n{error}\n"
