"""The backprop page: the gradients one by one, their checks, the three products."""

import pytest

from pages._view.lessons import LESSONS
from pages._view.show import plain
from tests.pages.opening import charts, check_page, open_page, press, settle, widget

SAID = {  # what each picture's sentence speaks of
    **{f"product_{name}": "a matrix becomes a vector" for name in ("hadamard", "rows", "frobenius")},
    "gradient_matrix": "The central difference is",
    "first_order": "⟨∂L/∂W, dW⟩",
    "difference_error": "The complex step has no difference to round",
}


def test_each_picture_says_what_it_is_of():
    shown = charts(open_page("backprop"))
    assert list(shown) == list(SAID)
    assert all(words in shown[key].alt for key, words in SAID.items())


def test_next_and_previous_walk_through_the_gradients():
    app = open_page("backprop")
    for place in range(2, 11):
        press(app, "Next")
        check_page(app, "backprop")
        assert charts(app)["gradient_matrix"].alt.startswith(f"Gradient {place} of 10, ")
        assert "Both agree." in charts(app)["gradient_matrix"].alt
    assert app.session_state["gradient"] == "X"
    press(app, "Previous")
    assert app.session_state["gradient"] == "W_V"


@pytest.mark.parametrize("masking", LESSONS["backprop"].controls["masking"].options)
@pytest.mark.parametrize("exponent", ["0", "0.5", "1"])
def test_every_gradient_agrees_whatever_the_mask_and_the_scale(masking, exponent):
    app = open_page("backprop", masking=masking, exponent=exponent, seed="3")
    check_page(app, "backprop")
    rows = next(each.value for each in app.markdown if each.value.startswith("| formula |")).splitlines()
    assert [row.rsplit("| ", 1)[1] for row in rows[2:]] == ["agree |"] * 10


def test_the_central_difference_has_no_truncation_in_w_v_and_the_page_says_why():
    sentence = charts(open_page("backprop", weight="W_V"))["difference_error"].alt
    assert "no h² branch: the loss is quadratic in W_V" in sentence


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
    assert list(charts(app)) == ["gradient_matrix", "first_order", "difference_error"]


def test_the_three_products_and_their_identities_are_worked_out():
    app = open_page("backprop", A="1, 2", B="3, -4")
    assert "A ⊖ B = [−5]" in charts(app)["product_rows"].alt
    assert "⟨A, B⟩ = −5" in charts(app)["product_frobenius"].alt
    assert sum(each.value.count("relative error 0") for each in app.markdown) >= 6
