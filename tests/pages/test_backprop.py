"""The backprop page: the gradients one by one, their checks, the three products."""

import numpy as np
import pytest

from pages._view.lessons import LESSONS
from pages._view.show import plain
from tests.pages.opening import charts, check_page, open_page, press, settle, widget

SAID = {  # what each picture's sentence speaks of
    "gradient_matrix": "the scale acts on it only through the weights P",
    "raw_score_gradient": "the gradient at the raw scores is",
    "first_order": "Half the step leaves a quarter of the remainder",
    "difference_error": "at best the central difference errs by",
    **{f"product_{name}": "A ⊖ B adds up each row" for name in ("hadamard", "rows", "frobenius")},
}


def test_each_picture_says_what_it_is_of():
    shown = charts(open_page("backprop"))
    assert list(shown) == list(SAID)
    assert all(words in shown[key].alt for key, words in SAID.items())


def sure_of(app, key):
    """What stands under a picture's "How sure?"."""
    (box,) = [each for each in app.expander if each.key == f"{key}_sure"]
    return " ".join(each.value for each in box.markdown)


def checks_of(app, key):
    """The table there."""
    (box,) = [each for each in app.expander if each.key == f"{key}_sure"]
    return box.table[0].value


def test_next_and_previous_walk_through_the_gradients():
    app = open_page("backprop")
    for place in range(2, 11):
        press(app, "Next")
        check_page(app, "backprop")
        assert charts(app)["gradient_matrix"].alt.startswith(f"Gradient {place} of 10, ")
        assert "Both agree." in sure_of(app, "gradient_matrix")
    assert app.session_state["gradient"] == "X"
    press(app, "Previous")
    assert app.session_state["gradient"] == "W_V"


@pytest.mark.parametrize("masking", LESSONS["backprop"].controls["masking"].options)
@pytest.mark.parametrize("exponent", ["0", "0.5", "1"])
def test_every_gradient_agrees_whatever_the_mask_and_the_scale(masking, exponent):
    app = open_page("backprop", masking=masking, exponent=exponent, seed="3")
    check_page(app, "backprop")
    assert list(checks_of(app, "gradient_matrix")["verdict"]) == ["agree"] * 10


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
        ("", "A is empty: write at least one number."),
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
