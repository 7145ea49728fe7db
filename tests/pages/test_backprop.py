"""The backprop page: its gradients, their checks, the three products."""

import numpy as np
import pytest

from pages._view.literal import plain
from sattn_core.lessons.backprop import GRADIENT_FORMULAS
from tests.pages.opening import charts, check_page, checks_of, open_page, settle, sure_of, widget

STEPS = {
    "gradient": "gradient_matrix",
    "raw_scores": "raw_score_gradient",
    "first_order": "first_order",
    "difference": "difference_error",
    "products": "products",
}


@pytest.mark.parametrize(("step", "key"), STEPS.items())
@pytest.mark.parametrize("mode", ["screen", "projector"])
def test_each_step_shows_only_its_picture(step, key, mode):
    assert list(charts(open_page("backprop", step=step, mode=mode))) == [key]


@pytest.mark.parametrize(
    ("said", "key"),
    [
        ({}, "gradient_matrix"),
        ({"gradient": "Q", "exponent": "1"}, "gradient_matrix"),
        ({"weight": "W_V"}, "first_order"),
        ({"A": "1, 2", "B": "3, 4"}, "gradient_matrix"),
    ],
)
def test_settings_in_an_address_without_a_step_choose_the_picture(said, key):
    assert list(charts(open_page("backprop", **said))) == [key]


def test_every_gradient_agrees_with_both_checks():
    app = open_page("backprop")
    for place, name in enumerate(GRADIENT_FORMULAS, 1):
        widget(app, "gradient").set_value(name)
        settle(app)
        check_page(app, "backprop")
        assert charts(app)["gradient_matrix"].alt.startswith(f"Gradient {place} of 10, ")
        assert "Both agree." in sure_of(app, "gradient_matrix")
    assert list(checks_of(app, "gradient_matrix")["verdict"]) == ["agree"] * 10


def test_w_v_has_no_truncation_error_and_the_page_says_why():
    app = open_page("backprop", step="difference", weight="W_V")
    assert "Only rounding is left here" in charts(app)["difference_error"].alt
    assert "no h² branch: the loss is quadratic in $W_V$" in sure_of(app, "difference_error")


@pytest.mark.parametrize("stem", ["backprop"])
@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("1, 2, 3", "A is 1 × 3 but B is 2 × 2: both need one shape."),
        ("1, x\n3, 4", 'A has "x" in row 1, column 2: write a number, as 1.5.'),
    ],
)
def test_invalid_matrices_get_an_error_and_an_example_is_shown(app, stem, text, sentence):
    settle(widget(app, "step").set_value("products"))
    widget(app, "A").set_value(text)
    settle(app)
    assert [each.value for each in app.error] == [plain(sentence)]
    assert widget(app, "A").value == text
    assert "these are examples: ⟨A, B⟩ = 70." in charts(app)["products"].sentence
    widget(app, "A").set_value("1, 2\n3, 5")
    settle(app)
    assert (list(app.error), charts(app)["products"].sentence[-31:]) == ([], "⟨A, B⟩ = 78 adds up everything.")


def test_products_and_their_identities_are_computed():
    app = open_page("backprop", step="products", A="1, 2", B="3, -4")
    assert "A ⊖ B = \\[−5\\]" in sure_of(app, "products")
    assert "⟨A, B⟩ = −5" in charts(app)["products"].alt
    checks = checks_of(app, "products")
    assert list(checks["left"]) == list(checks["right"])
    assert list(checks["relative error"]) == ["0"] * 6


def test_gradient_follows_the_slider_beyond_the_checked_sizes():
    app = open_page("backprop", gradient="Q", d_k="300")
    check_page(app, "backprop")
    assert charts(app)["gradient_matrix"].sentence.startswith("At dₖ = 300 dQ has length ")
    assert "so they are made at dₖ = 16." in sure_of(app, "gradient_matrix")


# --- tries ---------------------------------------------------------------------------------------------


ADVERSE = {"d_k": "3", "exponent": "0", "gradient": "X", "masking": "causal", "weight": "X", "seed": "77"}


def gradient(result, name):
    return next(check.gradient for check in result.gradients if check.name == name)


def test_try_small_scale(tried):
    app, shown = tried("backprop", "small_scale", **ADVERSE)
    assert (shown.measure_backprop.scale, app.session_state["gradient"]) == (1 / 16, "Q")
    without = np.linalg.norm(shown.measure_backprop.d_Q_without_scale)
    assert np.linalg.norm(gradient(shown.measure_backprop, "Q")) == pytest.approx(without / 16, rel=1e-12)


def test_try_quadratic(tried):
    _, shown = tried("backprop", "quadratic", **ADVERSE)
    assert shown.central_difference_error.weight == "W_V"
    assert np.isnan(shown.central_difference_error.truncation_slope)
    assert np.isfinite(shown.central_difference_error.rounding_slope)


def test_try_fully_masked(tried):
    app, shown = tried("backprop", "fully_masked", **ADVERSE)
    d_S = gradient(shown.measure_backprop, "S")
    assert app.session_state["gradient"] == "S"
    assert (d_S[0] == 0).all()
    assert (d_S[1:] != 0).any()
    assert all(check.central_agrees and check.complex_agrees for check in shown.measure_backprop.gradients)
