"""The unit_variance page: initialisations, the input x, heads that do not fit, the trap."""

import pytest

from tests.pages.opening import charts, open_page, said

SAID = {
    "unit_variance": "the scaled scores start with σ =",
    "shared_input": "When the same vectors serve as queries and keys",
    "schemes": "starts the scaled scores at σ =",
    "stage_histograms": "divided by √d_k they have",
}  # what each picture's sentence speaks of


def open_lesson(**query):
    return open_page("unit_variance", **query)


def sure_of(app, key):
    """What stands under a picture's "How sure?"."""
    (box,) = [each for each in app.expander if each.key == f"{key}_sure"]
    return " ".join(each.value for each in box.markdown)


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
    sure = sure_of(app, "unit_variance")
    assert charts(app)["unit_variance"].sentence == (
        "With PyTorch MultiheadAttention at dₖ = 64, the scaled scores start with σ = 0.500, where the rule "
        "assumes one."
    )
    assert sure.startswith("At dₖ = 64 with 8 heads (model width 512), LayerNorm and PyTorch MultiheadAttention")
    assert "only 0.500 times what the rule assumes." in sure
    assert deviations(app)["q = x $W_Q$"] == "0.707"
    assert app.table[2].value["σ scaled"].tolist()[:2] == ["2.00", "1.78"]


def test_an_initialisation_has_its_name_in_words_and_older_links_name_it_as_the_code_does():
    old, new = (open_lesson(scheme=name) for name in ("keras_multihead_attention", "Keras MultiHeadAttention"))
    assert old.session_state["scheme"] == new.session_state["scheme"] == "keras_multihead_attention"
    assert charts(old)["unit_variance"].sentence == charts(new)["unit_variance"].sentence
    assert "With Keras MultiHeadAttention at dₖ = 64" in charts(old)["unit_variance"].sentence


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
    assert f"with {shown} (model width" in sure_of(app, "unit_variance")
    asked = f"With {n_heads} head{'s' if n_heads != '1' else ''} the model width would not be from 2 to 2,048. "
    assert f"{asked}{shown} are used." in said(app)["unit_variance"]
    assert f"{asked}{shown} are used." in sure_of(app, "unit_variance")


def test_the_trap_is_shown_with_the_correct_scale():
    trap = sure_of(open_lesson(), "shared_input")
    assert "with Q = K = X 8.00 (predicted 8.00)" in trap
    assert "99." in trap


# --- tries ---------------------------------------------------------------------------------------------


ADVERSE = {"d_k": "3", "n_heads": "64", "x_mean": "5", "x_std": "7", "normalise": "off", "bias": "on", "seed": "4"}


def deviations_of_a_try(shown):
    return {stage.name: stage.std for stage in shown.measure_unit_variance.stages}


def test_try_wide_x(tried):
    _, shown = tried("unit_variance", "wide_x", **ADVERSE)
    assert deviations_of_a_try(shown)["x"] == pytest.approx(100, rel=0.03)
    assert deviations_of_a_try(shown)["layer_norm"] == pytest.approx(1, abs=1e-6)


def test_try_wide_x_without_layer_norm(tried):
    _, shown = tried("unit_variance", "wide_x_without_layer_norm", **ADVERSE)
    wide = deviations_of_a_try(shown)["scaled_scores"]
    _, shown = tried("unit_variance", "wide_x", **ADVERSE)
    assert wide / deviations_of_a_try(shown)["scaled_scores"] == pytest.approx(10_000, rel=0.03)


def test_try_xavier_square(tried):
    _, shown = tried("unit_variance", "xavier_square", scheme="he_normal", **ADVERSE)
    assert deviations_of_a_try(shown)["scaled_scores"] == pytest.approx(1, rel=0.05)
    assert shown.measure_unit_variance.stages[-1].predicted_std == pytest.approx(
        1, rel=1e-4
    )  # but for the eps of LayerNorm


def test_try_keras(tried):
    _, shown = tried("unit_variance", "keras", scheme="he_normal", **ADVERSE)
    assert deviations_of_a_try(shown)["scaled_scores"] < 0.03
