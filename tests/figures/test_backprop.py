"""Pictures of the backprop lesson: plotted data and stated numbers equal those of the result."""

import re
from dataclasses import replace

import numpy as np
import pytest

from pages._view.lessons.backprop import figures
from pages._view.marks import readable
from pages._view.theme import LIGHT, number
from sattn_core.lessons import backprop as core
from tests.figures.drawing import plotted, texts

PARAMS = core.BackpropParams()
DIMS = (1, 3, 4, 16, 64, 1024)


@pytest.fixture(scope="module")
def result():
    return core.measure_backprop(PARAMS)


@pytest.fixture(scope="module")
def sweep():
    return core.gradient_sweep(PARAMS, DIMS)


@pytest.fixture(scope="module")
def products():
    return core.measure_products(core.ProductsParams())


@pytest.fixture(scope="module")
def change():
    return core.first_order_change(PARAMS)


@pytest.fixture(scope="module")
def error():
    return core.central_difference_error(PARAMS)


def title_of(picture):
    """Return the title; check that it fits one line on a phone."""
    title = picture.figure.layout["title"]["text"]
    assert len(title) <= len("<b></b>") + 31
    return title.removeprefix("<b>").removesuffix("</b>")


def test_three_products_are_drawn_with_one_colour_range(products):
    both, rows, whole = plotted(figures.products(products, LIGHT)).data
    for trace in (both, rows, whole):
        assert (trace.zmin, trace.zmax) == (-70, 70)
    np.testing.assert_array_equal(both.z, [[5, 12], [21, 32]])
    np.testing.assert_array_equal(rows.z, [[17], [53]])
    np.testing.assert_array_equal(whole.z, [[70]])
    assert [trace.text[-1][0] for trace in (both, rows, whole)] == [
        "3 × 7<br>= 21",
        "21 + 32<br>= 53",
        "17 + 53<br>= 70",
    ]
    picture = figures.products(products, LIGHT)
    assert [picture.table[name] for name in ("A", "B", "A ∘ B")] == [[1, 2, 3, 4], [5, 6, 7, 8], [5, 12, 21, 32]]
    assert (picture.table["A ⊖ B of the row"], picture.table["⟨A, B⟩"]) == ([17, 17, 53, 53], [70] * 4)
    assert picture.checks["left"] == picture.checks["right"] == ["70", "70", "70", "4892", "5148", "720"]
    assert "these are examples" not in picture.sentence
    assert "these are examples" in figures.products(products, LIGHT, readable=False).sentence


def test_gradients_have_the_names_and_the_order_of_the_core(result):
    assert figures.GRADIENTS == tuple(check.name for check in result.gradients)


@pytest.mark.parametrize("name", figures.GRADIENTS)
def test_every_gradient_is_drawn_described_and_tabulated(sweep, result, name):
    for i, d_k in enumerate(DIMS):
        picture = figures.gradient(sweep, name, d_k, LIGHT)
        (trace,) = plotted(picture).data
        values = np.atleast_2d(sweep.gradients[i][name])
        np.testing.assert_array_equal(np.array(trace.z, dtype=float), values)
        assert picture.table["gradient"] == values.ravel().tolist()
        assert f"At dₖ = {d_k:,} " in picture.sentence
        length = (
            f"is {number(sweep.norms[name][i], 2)} in size"
            if name == "scale"
            else f"has length {number(sweep.norms[name][i], 2)}"
        )
        assert length in picture.sentence
        assert picture.alt.endswith(picture.sentence)
        assert picture.sure == ()
    found = next(each for each in result.gradients if each.name == name)
    sure = figures.gradient(sweep, name, 4, LIGHT, result).sure[0]
    assert f"has norm {number(np.linalg.norm(found.gradient))} at dₖ = 4. " in sure
    assert sure.endswith("Both agree.")


def test_sentence_names_the_effect_of_the_scale_on_a_gradient(sweep):
    def said(name, d_k=64, at=sweep):
        return figures.gradient(at, name, d_k, LIGHT).sentence

    raw = number(sweep.raw_score_norms[DIMS.index(64)], 2)
    assert said("S").endswith(f"; times the scale, it has length {raw} at the raw scores.")
    size = number(sweep.norms["scale"][DIMS.index(64)], 2)
    assert said("scale") == f"At dₖ = 64 dc is {size} in size: the slope of the loss in the scale itself."
    assert said("W_Q").endswith("; the scale, 0.125, is one of its factors.")
    assert said("V").endswith("; the scale acts on it only through the weights P.")
    assert said("Q", 1).endswith("; the scale is 1 here.")
    nothing = replace(sweep, norms=sweep.norms | {"Q": np.zeros(len(DIMS))})
    assert said("Q", at=nothing) == "At dₖ = 64 dQ is 0: nothing comes back here."


def test_how_sure_fold_names_disagreements_and_the_d_k_of_the_checks(sweep, result):
    wrong = replace(result.gradients[3], central_agrees=False, central_error=0.5, central_tolerance=3e-7)
    found = replace(result, gradients=(*result.gradients[:3], wrong, *result.gradients[4:]))
    picture = figures.gradient(sweep, "Q", 64, LIGHT, found)
    assert picture.sure[0].endswith("The slider says dₖ = 64; the checks move every entry, so they are made at dₖ = 4.")
    assert "The central difference is 0.50 away (relative; allowed 3 × 10⁻⁷)" in picture.sure[0]
    assert figures.gradient(sweep, "Q", 4, LIGHT, found).sure[0].endswith("They do not agree.")
    assert picture.checks["verdict"] == ["agree"] * 3 + ["DISAGREE"] + ["agree"] * 6
    first, second = re.findall(r"\[.*?\]", figures.gradient(sweep, "Q", 4, LIGHT, result).sure[3])
    assert first == second == f"[{', '.join(number(x) for x in result.row_mean_by_weights)}]"


# --- at the raw scores ---------------------------------------------------------------------------------


def test_gradient_at_raw_scores_has_lines_with_and_without_the_scale(sweep):
    picture = figures.raw_scores(sweep, 64, LIGHT)
    raw, scaled = plotted(picture).data
    for trace, values in ((raw, sweep.without_scale), (scaled, sweep.raw_score_norms)):
        assert list(trace.x) == list(DIMS)
        np.testing.assert_array_equal(trace.y, np.maximum(values, 1e-8))
    (line,) = plotted(picture).layout.shapes
    assert (line.x0, line.x1) == (64, 64)
    names = dict(zip(texts(plotted(picture)), plotted(picture).layout.annotations, strict=True))
    assert [*names] == ["no scale", "scaled", "Length of the gradient at the raw scores"]
    for name, values, colour in (("no scale", raw.y, LIGHT.raw), ("scaled", scaled.y, LIGHT.scaled)):
        assert names[name].y == pytest.approx(np.log10(values[-1]), abs=0.8)  # about the height of a line of text
        assert names[name].font.color == readable(colour, LIGHT.ground, LIGHT.text)
    i = DIMS.index(64)
    assert f"has length {number(sweep.without_scale[i], 2)} without the scale" in picture.sentence
    assert f"{number(sweep.raw_score_norms[i], 2)} with it." in picture.sentence


@pytest.mark.parametrize(
    ("without", "claim"),
    [
        (2.0, "Here larger without the scale"),
        (1.01, "Here the same without the scale"),
        (1e-12, "Here smaller without the scale"),
    ],
)
def test_title_says_if_the_gradient_is_larger_without_the_scale(sweep, without, claim):
    size = len(DIMS)
    at = replace(sweep, without_scale=np.full(size, without), raw_score_norms=np.ones(size))
    picture = figures.raw_scores(at, 64, LIGHT)
    assert title_of(picture) == claim
    assert ("practically nothing" in picture.sentence) == (without < 1e-8)


@pytest.mark.parametrize("weight", core.WEIGHTS)
def test_curves_of_the_gradient_checks_show_their_data(weight):
    change = core.first_order_change(PARAMS, weight)
    first_order = figures.first_order(change, PARAMS, LIGHT)
    fig = plotted(first_order)
    for trace, values in zip(fig.data, (change.change, change.predicted, change.remainder), strict=False):
        np.testing.assert_array_equal(trace.x, change.epsilon)
        np.testing.assert_array_equal(trace.y, values)
    assert set(fig.data[3].y) == {change.rounding_floor}
    assert texts(fig) == [
        "change<br>first order", f"remainder<br>slope {number(change.slope)}", "rounding", "Change of the loss"
    ]  # fmt: skip
    assert fig.layout.annotations[2].y == pytest.approx(np.log10(change.rounding_floor))
    assert first_order.table["remainder"] == change.remainder.tolist()
    error = core.central_difference_error(PARAMS, weight)
    fig = plotted(figures.difference(error, PARAMS, LIGHT))
    np.testing.assert_array_equal(fig.data[0].x, error.h)
    np.testing.assert_array_equal(fig.data[0].y, error.error)
    assert set(fig.data[1].y) == {error.complex_error}
    slopes = [error.rounding_slope] + ([] if weight == "W_V" else [error.truncation_slope])
    named = ["central difference", "complex step"] if error.complex_error else ["central difference"]
    assert texts(fig) == [*(f"slope {number(slope)}" for slope in slopes), *named, "Relative error"]
    assert fig.layout.annotations[len(slopes)].y >= np.log10(error.error[0])


def test_no_slope_is_named_if_rounding_hides_it(change, error):
    hidden = figures.first_order(replace(change, slope=np.nan), PARAMS, LIGHT)
    assert hidden.sentence.endswith("so no slope can be seen.")
    assert title_of(hidden) == "Rounding hides the remainder"
    assert texts(plotted(hidden))[1] == "remainder"
    shown = figures.difference(replace(error, truncation_slope=np.nan), PARAMS, LIGHT)
    assert "rounding hides it here" in shown.sure[0]
    quadratic = figures.difference(core.central_difference_error(PARAMS, "W_V"), PARAMS, LIGHT)
    assert title_of(quadratic) == "Here only rounding is left"
