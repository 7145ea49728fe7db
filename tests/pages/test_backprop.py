"""The backprop page: the gradients one by one, their checks, the three products."""

import numpy as np
import pytest

from pages._view.literal import plain
from tests.pages.opening import charts, check_page, checks_of, open_page, press, settle, sure_of, widget


def test_next_and_previous_walk_through_the_gradients():
    app = open_page("backprop")
    for place in range(2, 11):
        press(app, "Next")
        check_page(app, "backprop")
        assert charts(app)["gradient_matrix"].alt.startswith(f"Gradient {place} of 10, ")
        assert "Both agree." in sure_of(app, "gradient_matrix")
    assert list(checks_of(app, "gradient_matrix")["verdict"]) == ["agree"] * 10
    assert app.session_state["gradient"] == "X"
    press(app, "Previous")
    assert app.session_state["gradient"] == "W_V"


def test_the_central_difference_has_no_truncation_in_w_v_and_the_page_says_why():
    app = open_page("backprop", weight="W_V")
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
def test_products_that_cannot_be_formed_get_a_sentence_and_the_gradients_stay(app, stem, text, sentence):
    widget(app, "A").set_value(text)
    settle(app)
    assert [each.value for each in app.error] == [plain(sentence)]
    assert widget(app, "A").value == text
    assert list(charts(app)) == ["gradient_matrix", "raw_score_gradient", "first_order", "difference_error"]


def test_the_three_products_and_their_identities_are_worked_out():
    app = open_page("backprop", A="1, 2", B="3, -4")
    assert list(charts(app))[-3:] == [f"product_{name}" for name in ("hadamard", "rows", "frobenius")]
    assert "A ⊖ B = \\[−5\\]" in sure_of(app, "products")
    assert "⟨A, B⟩ = −5" in charts(app)["product_frobenius"].alt
    checks = checks_of(app, "products")
    assert list(checks["left"]) == list(checks["right"])
    assert list(checks["relative error"]) == ["0"] * 6


def test_the_gradient_follows_the_slider_beyond_what_is_checked():
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
