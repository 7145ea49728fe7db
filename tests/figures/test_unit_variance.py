"""Pictures of the unit_variance lesson: their data are the result's, their words are its numbers."""

from dataclasses import replace

import numpy as np
import pytest

from pages._view.lessons.unit_variance import figures
from pages._view.lessons.unit_variance.declaration import LESSON, SCHEME_NAMES
from pages._view.theme import LIGHT, number
from sattn_core.initialisation import INIT_SCHEMES
from sattn_core.lessons.unit_variance import (
    STAGES,
    UnitVarianceParams,
    measure_shared_input,
    measure_unit_variance,
)
from tests.figures.drawing import PROFILES, check, run, texts, trace_of

FEW = UnitVarianceParams(n_tokens=16)


@pytest.fixture(scope="module")
def result():
    return measure_unit_variance(UnitVarianceParams(128, 2, 16))


@pytest.fixture(scope="module")
def rows():
    return measure_shared_input(FEW)


def pipeline_sentence(result, asked_heads):
    return figures.pipeline(result, asked_heads, LIGHT).sentence


def chosen(result):
    (row,) = [row for row in result.schemes if row.chosen]
    return row


@pytest.mark.parametrize("profile", PROFILES)
def test_every_picture_is_whole(result, rows, profile):
    shown = figures.pipeline(result, 2, profile), figures.schemes(result, profile), figures.shared(rows, FEW, profile)
    for picture in shown:
        check(picture)
    assert tuple(picture.key for picture in shown) == LESSON.pictures


@pytest.mark.parametrize("profile", PROFILES)
def test_the_pipeline_shows_every_stage_on_one_axis(result, profile):
    fig = figures.pipeline(result, 2, profile).figure
    assert [stage.name for stage in result.stages] == list(STAGES)
    for i, stage in enumerate(result.stages):
        bars = trace_of(fig, stage.name)
        np.testing.assert_array_equal(bars.x, stage.edges)
        np.testing.assert_array_equal(bars.y, [*(stage.counts / stage.counts.max()), 0])
        assert (bars.xaxis, bars.yaxis) == (None, f"y{i + 1}" if i else "y")
        ends = [trace.x[0] for trace in fig.data if trace.name == f"{stage.name}, predicted ± 1 σ"]
        np.testing.assert_allclose(ends, [-stage.predicted_std, stage.predicted_std])
    assert (trace_of(fig, "raw_scores").fillcolor, trace_of(fig, "scaled_scores").fillcolor) == (
        profile.raw,
        profile.scaled,
    )
    assert tuple(fig.layout.xaxis.range) == (-24, 24)  # 3 √64


def test_the_axis_depends_on_d_k_only():
    def span(**options):
        params = UnitVarianceParams(32, 8, 8, **options)
        return tuple(figures.pipeline(measure_unit_variance(params), 8, LIGHT).figure.layout.xaxis.range)

    assert {span(scheme=name) for name in INIT_SCHEMES} | {span(x_std=100.0)} == {(-9, 9)}


def test_without_layer_norm_its_stage_is_left_out():
    result = measure_unit_variance(UnitVarianceParams(32, 2, 8, normalise=False))
    said = texts(figures.pipeline(result, 2, LIGHT).figure)
    assert len(said) == 5
    assert not [text for text in said if text.startswith("LayerNorm")]
    assert "no LayerNorm and" in pipeline_sentence(result, 2)


def test_every_stage_is_titled_with_its_measured_deviation(result):
    said = texts(figures.pipeline(result, 2, LIGHT).figure)
    names = ("x", "LayerNorm(x)", "q = x W<sub>Q</sub>", "k = x W<sub>K</sub>", "raw scores q·k", "scaled q·k/√dₖ")
    assert said == [f"{name}: σ {number(stage.std)}" for name, stage in zip(names, result.stages, strict=True)]


def test_the_sentence_has_measured_and_predicted_numbers(result):
    said = pipeline_sentence(result, 2)
    q, raw, scaled = result.stages[2], result.stages[4], result.stages[5]
    assert said.startswith(
        "At dₖ = 64 with 2 heads (model width 128), LayerNorm and PyTorch MultiheadAttention "
        "(keys and values as wide as the model), "
    )
    assert f"of q is {number(q.std)} (0.707, " in said
    assert f"of raw scores {number(raw.std)} (4.00, " in said
    assert f"of scaled scores {number(scaled.std)} (0.500, " in said
    assert said.endswith("only 0.500 times what the rule assumes.")


def test_a_measured_value_outside_its_band_is_said_to_be(result):
    *others, last = result.stages
    assert "0.900 (0.500, outside its band)" in pipeline_sentence(
        replace(result, stages=(*others, replace(last, std=0.9))), 2
    )
    assert "0.500 (0.500, inside its band)" in pipeline_sentence(
        replace(result, stages=(*others, replace(last, std=0.5))), 2
    )


@pytest.mark.parametrize(
    ("scheme", "verdict"),
    [("xavier_square", "unit variance, as the rule assumes."), ("he_normal", "2.00 times what the rule assumes.")],
)
def test_the_verdict_depends_on_the_initialisation(scheme, verdict):
    said = pipeline_sentence(measure_unit_variance(UnitVarianceParams(128, 1, 8, scheme=scheme)), 1)
    assert said.endswith(f": {verdict}")
    assert "with 1 head (" in said


@pytest.mark.parametrize(
    ("predicted", "said"),
    [
        (0.98, "only 0.980 times what the rule assumes."),
        (0.995, "unit variance, as the rule assumes."),
        (1.005, "unit variance, as the rule assumes."),
        (1.02, "1.02 times what the rule assumes."),
    ],
)
def test_unit_variance_is_said_within_a_hundredth(result, predicted, said):
    *others, last = result.stages
    assert last.name == "scaled_scores"
    moved = replace(result, stages=(*others, replace(last, predicted_std=predicted)))
    sentence = pipeline_sentence(moved, result.params.n_heads)
    assert sentence.endswith(f": {said}")


def test_the_stage_tables_are_the_data(result):
    table = figures.stage_table(result)
    # The digits are those of the picture and the sentence.
    assert table["σ measured"] == [number(stage.std) for stage in result.stages]
    assert table["σ predicted"] == [number(stage.predicted_std) for stage in result.stages]
    assert table["σ assumed"] == ["1.00", "1.00", "1.00", "1.00", "8.00", "1.00"]
    assert table["shape"][4] == "2 × 16 × 16"
    assert table["z"][1] == "none"
    data = figures.pipeline(result, 2, LIGHT).table
    assert data["q count"] == result.stages[2].counts.tolist()
    assert len(data) == 18


@pytest.mark.parametrize("profile", PROFILES)
def test_the_schemes_are_compared_and_the_chosen_one_is_measured(result, profile):
    fig = figures.schemes(result, profile).figure
    predicted = trace_of(fig, "predicted")
    assert dict(zip(predicted.y, predicted.x, strict=True)) == {_said(row): row.scaled_std for row in result.schemes}
    measured = trace_of(fig, "measured")
    assert (measured.y, measured.x) == (("PyTorch MultiheadAttention",), (chosen(result).measured_scaled_std,))
    assert fig.layout.yaxis.showticklabels is None  # the names are the axis's own, each at its marks
    assert {note.yref for note in fig.layout.annotations} == {"paper"}  # no word in the plot
    assert 0.5 * profile.tick_size * max(map(len, INIT_SCHEMES)) < fig.layout.margin.l
    assert fig.layout.yaxis.categoryarray[-1] == _said(result.schemes[0])  # the largest is on top


@pytest.mark.parametrize(
    "options",
    [{"d_model": 2048, "n_heads": 2}, {"d_model": 2, "n_heads": 2}, {"x_std": 100.0, "normalise": False}],
)
def test_every_mark_of_the_schemes_is_on_the_axis(options):
    result = measure_unit_variance(UnitVarianceParams(n_tokens=8, **options))
    fig = figures.schemes(result, LIGHT).figure
    low, high = fig.layout.xaxis.range
    marks = np.log10([*trace_of(fig, "predicted").x, *trace_of(fig, "measured").x])
    assert low < marks.min()
    assert marks.max() < high
    assert sum(low < np.log10(tick) < high for tick in fig.layout.xaxis.tickvals) >= 3


@pytest.mark.parametrize(
    ("scheme", "d_model", "said"),
    [
        ("torch_linear", 512, "adds one component to the 512 of x: the scaled scores are predicted at 0.334, without "
         "it at 0.333."),
        ("torch_linear", 8, "are predicted at 0.375, without it at 0.333."),  # (8 + 1)/(3 · 8)
        ("torch_linear", 2048, "are predicted at 0.3335, without it at 0.3333."),
        ("he_normal", 64, "The default bias of He normal is 0 and changes nothing."),
    ],
)  # fmt: skip
def test_the_sentence_says_what_the_default_bias_does(scheme, d_model, said):
    params = UnitVarianceParams(d_model, 2, 4, scheme=scheme, bias=True)
    assert said in pipeline_sentence(measure_unit_variance(params), 2)
    assert "bias" not in pipeline_sentence(measure_unit_variance(replace(params, bias=False)), 2)


def _said(row):
    return SCHEME_NAMES[row.name]


def test_the_schemes_sentence_has_both_ends_and_the_chosen_one(result):
    said = figures.schemes(result, LIGHT).sentence
    first, last = result.schemes[0], result.schemes[-1]
    assert f"from {number(first.scaled_std)} ({_said(first)}) to {number(last.scaled_std)} ({_said(last)})" in said
    assert "only square Xavier and LeCun normal give 1." in said
    assert f"predicted at 0.500 for normalised x, measured at {number(chosen(result).measured_scaled_std)}" in said


def test_the_schemes_tables_show_measured_numbers_for_the_chosen_one_only():
    result = measure_unit_variance(UnitVarianceParams())
    table = figures.schemes_table(result)
    assert dict(zip(table["scheme"], table["σ scaled"], strict=True)) == {
        "He normal": "2.00",
        "Xavier per head": "1.78",
        "square Xavier": "1.00",
        "LeCun normal": "1.00",
        "PyTorch MultiheadAttention": "0.500",
        "PyTorch Linear": "0.333",
        "normal, σ = 0.02": "0.205",
        "Keras MultiHeadAttention": "0.0278",
    }
    shown = {name for name, value in zip(table["scheme"], table["σ scaled, measured"], strict=True) if value}
    assert shown == {"PyTorch MultiheadAttention"}
    assert figures.schemes(result, LIGHT).table["scaled_std"] == [row.scaled_std for row in result.schemes]


def test_a_number_of_heads_that_does_not_fit_is_said(result):
    assert pipeline_sentence(result, 64).endswith(
        "the rule assumes. With 64 heads the model width would not be from 2 to 2,048."
    )


@pytest.mark.parametrize("profile", PROFILES)
def test_shared_inputs_share_one_colour_domain(rows, profile):
    fig = figures.shared(rows, FEW, profile).figure
    assert [trace.showscale for trace in fig.data] == [True, False, False]
    for trace, row in zip(fig.data, rows, strict=True):
        np.testing.assert_array_equal(trace.z, row.scores)
        assert (trace.zmin, trace.zmax) == (-8, 8)
    assert texts(fig) == ["W<sub>Q</sub>, W<sub>K</sub> apart", "W<sub>Q</sub> = W<sub>K</sub>", "Q = K = X"]


def test_the_trap_in_words_and_numbers(rows):
    picture = figures.shared(rows, FEW, LIGHT)
    said = picture.sentence
    assert f"{number(rows[0].diagonal_mean)} on average, like any other (predicted 0)" in said
    assert "with W_Q = W_K" in said
    assert said.endswith(
        "with Q = K = X 8.00 (predicted 8.00), and it puts "
        f"{100 * rows[2].self_weight:.1f} % of its weight on itself, where 6.2 % would be neutral."
    )
    table = figures.shared_table(rows)
    assert table["diagonal: mean"] == [number(row.diagonal_mean) for row in rows]
    assert table["predicted"] == ["0", number(rows[1].predicted_diagonal_mean), "8.00"]
    assert picture.table["tied_weights"] == rows[1].scores.ravel().tolist()


def test_the_code_gives_what_is_shown(result, rows):
    names, _ = run(figures.pipeline(result, 2, LIGHT).code)
    assert names["result"].stages[2].std == result.stages[2].std
    names, _ = run(figures.shared(rows, FEW, LIGHT).code)
    np.testing.assert_array_equal(names["rows"][1].scores, rows[1].scores)


def test_the_code_of_the_initialisations_prints_what_their_figure_shows(result):
    _, printed = run(figures.schemes(result, LIGHT).code)
    lines = printed.splitlines()
    assert len(lines) == len(result.schemes)
    for text, row in zip(lines, result.schemes, strict=True):
        name, *numbers = text.split()
        assert name == row.name
        shown = [row.component_variance, row.raw_std, row.scaled_std, row.measured_scaled_std]
        np.testing.assert_array_equal([float(each) for each in numbers], shown)


def test_the_initialisations_that_give_1_are_listed_with_commas(result):
    rows = result.schemes
    for count, words in ((0, "none gives 1"), (1, "only {} gives 1"), (2, "only {} and {} give 1"),
                         (3, "only {}, {} and {} give 1")):  # fmt: skip
        moved = tuple(replace(row, scaled_std=1.0 if i < count else 3.0) for i, row in enumerate(rows))
        said = figures.schemes(replace(result, schemes=moved), LIGHT).sentence
        assert words.format(*(_said(row) for row in rows[:count])) + ". The chosen" in said
