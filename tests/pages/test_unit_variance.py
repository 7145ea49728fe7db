"""The unit_variance page: initialisations, the input x, and numbers of heads that do not fit."""

import pytest

from tests.pages.opening import charts, checks_of, open_page, sure_of


def open_lesson(**query):
    return open_page("unit_variance", **query)


def deviations(app):
    """Return the predicted standard deviation of every stage, by name."""
    stages = app.table[0].value
    return dict(zip(stages["stage"], stages["σ predicted"], strict=True))


def test_pytorch_attention_gives_q_a_spread_of_0_707_by_default():
    app = open_lesson()
    assert sure_of(app, "unit_variance").startswith("At dₖ = 64 with 8 heads (model width 512), LayerNorm and PyTorch")
    assert deviations(app)["q = x $W_Q$"] == "0.707"


def test_schemes_are_sorted_from_the_widest_to_the_narrowest():
    app = open_lesson(step="schemes")
    assert checks_of(app, "schemes")["σ scaled"].tolist()[:2] == ["2.00", "1.78"]
    said = "Scaled scores start at σ = 0.500 with PyTorch MultiheadAttention, at 2.00 with He normal"
    assert charts(app)["schemes"].sentence.startswith(said)


@pytest.mark.parametrize(
    ("step", "key"),
    [("stages", "unit_variance"), ("one_draw", "stage_histograms"), ("schemes", "schemes"), ("shared", "shared_input")],
)
def test_each_step_shows_only_its_picture(step, key):
    assert list(charts(open_lesson(step=step))) == [key]


def test_spread_of_x_matters_only_without_layer_norm():
    normalised, free = (deviations(open_lesson(x_std="7", x_mean="3", normalise=state)) for state in ("on", "off"))
    assert normalised["x"] == free["x"] == "7.00"
    assert normalised["scaled q·k/√dₖ"] == "0.500"
    assert float(free["scaled q·k/√dₖ"]) == pytest.approx(58 / 2, rel=0.05)  # mean square of x, halved: (3² + 7²)/2


def test_number_of_heads_that_does_not_fit_is_replaced_by_the_nearest():
    app = open_lesson(d_k="1024", n_heads="8")
    assert "with 2 heads (model width" in sure_of(app, "unit_variance")
    assert charts(app)["unit_variance"].alt.endswith("2 heads are used.")


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
    )  # not exactly 1 because of the eps in LayerNorm


def test_try_keras(tried):
    _, shown = tried("unit_variance", "keras", scheme="he_normal", **ADVERSE)
    assert deviations_of_a_try(shown)["scaled_scores"] < 0.03
