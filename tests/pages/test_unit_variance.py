"""The unit_variance page: initialisations, the input x, heads that do not fit, the trap."""

import pytest

from tests.pages.opening import open_page, said

SAID = {
    "unit_variance": "measured (and predicted), of q is",
    "schemes": "the scaled scores start with a standard deviation from",
    "shared_input": "all divided by √d_k",
}  # what each picture's sentence speaks of


def open_lesson(**query):
    return open_page("unit_variance", **query)


def deviations(app):
    """The predicted standard deviation of every stage."""
    stages = app.table[0].value
    return dict(zip(stages["stage"], stages["σ predicted"], strict=True))


def test_each_picture_says_what_it_is_of():
    sentences = said(open_lesson())
    assert list(sentences) == list(SAID)
    assert all(words in sentences[key] for key, words in SAID.items())


def test_pytorch_s_attention_gives_half_at_first_sight():
    app = open_lesson()
    first = said(app)["unit_variance"]
    assert first.startswith("At d_k = 64 with 8 heads (model width 512), LayerNorm and PyTorch MultiheadAttention")
    assert first.endswith("only 0.500 times what the rule assumes.")
    assert deviations(app)["q = x W_Q"] == "0.707"
    assert app.table[1].value["σ scaled"].tolist()[:2] == ["2.00", "1.78"]


@pytest.mark.parametrize(("scheme", "scaled"), [("xavier_square", "1.00"), ("keras_multihead_attention", "0.0278")])
def test_the_initialisation_decides(scheme, scaled):
    assert deviations(open_lesson(scheme=scheme))["scaled q·k/√dₖ"] == scaled


def test_the_size_of_x_counts_only_without_layer_norm():
    normalised, free = (deviations(open_lesson(x_std="7", x_mean="3", normalise=state)) for state in ("on", "off"))
    assert normalised["x"] == free["x"] == "7.00"
    assert normalised["scaled q·k/√dₖ"] == "0.500"
    assert float(free["scaled q·k/√dₖ"]) == pytest.approx(58 / 2, rel=0.05)  # (3² + 7²)/2


def test_the_default_bias_of_the_linear_layer():
    without, with_bias = (deviations(open_lesson(scheme="torch_linear", bias=state)) for state in ("off", "on"))
    assert (without["scaled q·k/√dₖ"], with_bias["scaled q·k/√dₖ"]) == ("0.333", "0.334")


@pytest.mark.parametrize(
    ("d_k", "n_heads", "shown"), [("1024", "8", "2 heads"), ("1", "1", "2 heads"), ("64", "64", "32 heads")]
)
def test_a_number_of_heads_that_does_not_fit_is_drawn_with_the_nearest(d_k, n_heads, shown):
    app = open_lesson(d_k=d_k, n_heads=n_heads)
    assert f"with {shown} (model width" in said(app)["unit_variance"]
    asked = f"With {n_heads} head{'s' if n_heads != '1' else ''} the model width would not be from 2 to 2,048."
    assert said(app)["unit_variance"].endswith(asked)


def test_the_trap_is_shown_with_the_correct_scale():
    trap = said(open_lesson())["shared_input"]
    assert "with Q = K = X 8.00 (predicted 8.00)" in trap
    assert "99." in trap
