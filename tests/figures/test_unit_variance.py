"""Pictures of the unit_variance lesson: their data are the result's, their words are its numbers."""

from dataclasses import replace

import numpy as np
import pytest

from pages._view.lessons.unit_variance import figures
from pages._view.lessons.unit_variance.declaration import SCHEME_NAMES
from pages._view.theme import LIGHT, number
from sattn_core.initialisation import INIT_SCHEMES
from sattn_core.lessons.unit_variance import (
    STAGES,
    UnitVarianceParams,
    expected_stages,
    measure_shared_input,
    measure_unit_variance,
)
from tests.figures.drawing import plotted, texts, trace_of

FEW = UnitVarianceParams(n_tokens=16)


@pytest.fixture(scope="module")
def result():
    return measure_unit_variance(UnitVarianceParams(128, 2, 16))


@pytest.fixture(scope="module")
def rows():
    return measure_shared_input(FEW)


@pytest.fixture(scope="module")
def sweep():
    return expected_stages((1, 64, 1024), n_heads=2)


def sure(result, asked_heads=2):
    """What stands under "How sure?" of the main picture."""
    params = result.params
    sweep = expected_stages((params.d_k,), n_heads=asked_heads, normalise=params.normalise, bias=params.bias)
    return " ".join(figures.expected(sweep, params.scheme, params.d_k, asked_heads, LIGHT, result).sure)


def verdict(result):
    return sure(result, result.params.n_heads).split("): ")[1].split(" Squares")[0]


def chosen(result):
    (row,) = [row for row in result.schemes if row.chosen]
    return row


def test_the_expected_deviations_are_those_of_the_moment_beside_the_assumed_and_the_measured(sweep, result):
    fig = plotted(figures.expected(sweep, "torch_multihead_attention", 64, 2, LIGHT, result))
    found = sweep.std[sweep.schemes.index("torch_multihead_attention"), 1]
    np.testing.assert_array_equal(trace_of(fig, "expected").y, found)
    np.testing.assert_array_equal(trace_of(fig, "chosen").y, found)
    assert list(trace_of(fig, "assumed").y) == [1, 1, 1, 1, 8, 1]
    assert list(trace_of(fig, "measured").y) == [stage.std for stage in result.stages]
    others = np.array(trace_of(fig, "others").y).reshape(len(INIT_SCHEMES), -1)
    np.testing.assert_array_equal(others[:, :-1], sweep.std[:, 1])
    assert list(trace_of(fig, "expected").marker.color)[-2:] == [LIGHT.raw, LIGHT.scaled]
    assert [tick.split("<br>")[0] for tick in fig.layout.xaxis.ticktext] == [number(value) for value in found]
    moving = figures.expected(sweep, "torch_multihead_attention", 64, 2, LIGHT)
    assert not [trace for trace in plotted(moving).data if trace.name == "measured"]
    assert (moving.checks, moving.sure) == (None, ())


def test_the_axes_of_the_expected_deviations_stay_while_d_k_moves(sweep):
    figs = [plotted(figures.expected(sweep, "he_normal", d_k, 2, LIGHT)) for d_k in sweep.dims]
    assert len({(*fig.layout.xaxis.range, *fig.layout.yaxis.range) for fig in figs}) == 1
    low, high = figs[0].layout.yaxis.range
    assert low < np.log10(sweep.std.min())
    assert np.log10(sweep.std.max()) < high


@pytest.mark.parametrize("scheme", INIT_SCHEMES)
@pytest.mark.parametrize(
    "options",
    [{}, {"n_heads": 64}, {"n_heads": 1}, {"x_std": 100.0, "x_mean": -10.0, "normalise": False},
     {"x_std": 0.1, "normalise": False, "bias": True}],
)  # fmt: skip
def test_the_sentence_is_short_and_says_what_is_expected(scheme, options):
    sweep = expected_stages((1, 2, 64, 1024), **options)
    for i, d_k in enumerate(sweep.dims):
        picture = figures.expected(sweep, scheme, d_k, options.get("n_heads", 8), LIGHT)
        at = sweep.schemes.index(scheme)
        said, scaled, within = picture.sentence, sweep.std[at, i, -1], sweep.row_std[at, i]
        assert said.startswith(f"With {SCHEME_NAMES[scheme].replace('normal with', 'normal weights of')}")
        if within < 0.95 * scaled:
            here = f"scaled scores have σ = {number(scaled)}, but only {number(within)} within a row"
            assert here in said
        elif abs(scaled - 1) < 0.01:
            assert said.endswith("σ = 1, just as the rule assumes.")
        elif scaled < 1e-3:
            assert said.endswith("the scaled scores are practically nothing, where the rule assumes σ = 1.")
        else:
            assert said.endswith(f"the scaled scores start with σ = {number(scaled)}, where the rule assumes one.")
        assert f"at dₖ = {d_k:,} with " in picture.alt


def test_the_pipeline_shows_every_stage_on_one_axis(result):
    fig = plotted(figures.pipeline(result, LIGHT))
    assert [stage.name for stage in result.stages] == list(STAGES)
    for i, stage in enumerate(result.stages):
        bars = trace_of(fig, stage.name)
        np.testing.assert_array_equal(bars.x, stage.edges)
        np.testing.assert_array_equal(bars.y, [*(stage.counts / stage.counts.max()), 0])
        assert (bars.xaxis, bars.yaxis) == (None, f"y{i + 1}" if i else "y")
        ends = [trace.x[0] for trace in fig.data if trace.name == f"{stage.name}, predicted ± 1 σ"]
        np.testing.assert_allclose(ends, [-stage.predicted_std, stage.predicted_std])
    assert (trace_of(fig, "raw_scores").fillcolor, trace_of(fig, "scaled_scores").fillcolor) == (
        LIGHT.raw,
        LIGHT.scaled,
    )
    assert tuple(fig.layout.xaxis.range) == (-24, 24)  # 3 √64


def test_the_axes_of_the_pipeline_depend_on_d_k_only_and_its_stages_are_titled(result):
    def span(**options):
        params = UnitVarianceParams(32, 8, 8, **options)
        return tuple(plotted(figures.pipeline(measure_unit_variance(params), LIGHT)).layout.xaxis.range)

    assert {span(scheme=name) for name in INIT_SCHEMES} | {span(x_std=100.0)} == {(-9, 9)}
    without = measure_unit_variance(UnitVarianceParams(32, 2, 8, normalise=False))
    said = texts(plotted(figures.pipeline(without, LIGHT)))
    assert len(said) == 5
    assert not [text for text in said if text.startswith("LayerNorm")]
    assert "no LayerNorm and" in sure(without)
    said = texts(plotted(figures.pipeline(result, LIGHT)))
    names = ("x", "LayerNorm(x)", "q = x W<sub>Q</sub>", "k = x W<sub>K</sub>", "raw scores q·k", "scaled q·k/√dₖ")
    assert said == [f"{name}: σ {number(stage.std)}" for name, stage in zip(names, result.stages, strict=True)]


def test_how_sure_has_measured_and_predicted_numbers_and_what_lies_outside(result):
    said = sure(result)
    assert f"Within a row, which is all that softmax sees, the scaled scores have σ = {number(result.row_std)} " in said
    q, raw, scaled = result.stages[2], result.stages[4], result.stages[5]
    assert said.startswith(
        "At dₖ = 64 with 2 heads (model width 128), LayerNorm and PyTorch MultiheadAttention "
        "(keys and values as wide as the model), "
    )
    assert f"of q is {number(q.std)} (0.707, " in said
    assert f"of raw scores {number(raw.std)} (4.00, " in said
    assert f"of scaled scores {number(scaled.std)} (0.500, " in said
    assert "only 0.500 times what the rule assumes." in said
    *others, last = result.stages
    assert "0.900 (0.500, outside its band)" in sure(replace(result, stages=(*others, replace(last, std=0.9))))
    assert "0.500 (0.500, inside its band)" in sure(replace(result, stages=(*others, replace(last, std=0.5))))
    sweep = expected_stages((64,), n_heads=64)
    picture = figures.expected(sweep, "he_normal", 64, 64, LIGHT, result)
    said = "With 64 heads the model width would not be from 2 to 2,048. 32 heads are used."
    assert picture.sure[-1] == said
    assert picture.alt.endswith(said)


@pytest.mark.parametrize(
    ("scheme", "said"),
    [("xavier_square", "unit variance, as the rule assumes."), ("he_normal", "2.00 times what the rule assumes.")],
)
def test_the_verdict_depends_on_the_initialisation(scheme, said):
    result = measure_unit_variance(UnitVarianceParams(128, 1, 8, scheme=scheme))
    assert verdict(result) == said
    assert "with 1 head (" in sure(result, 1)


@pytest.mark.parametrize(
    ("expected", "said"),
    [
        (0.98, "only 0.980 times what the rule assumes."),
        (0.995, "unit variance, as the rule assumes."),
        (1.005, "unit variance, as the rule assumes."),
        (1.02, "1.02 times what the rule assumes."),
    ],
)
def test_unit_variance_is_said_within_a_hundredth(result, sweep, expected, said):
    moved = replace(sweep, row_std=np.full_like(sweep.row_std, expected))
    sure = figures.expected(moved, "he_normal", 64, 2, LIGHT, result).sure
    assert sure[1].endswith(f"): {said}")


# What all keys share is no part of a row: neither the mean of x nor a bias.
@pytest.mark.parametrize("x", [{}, {"x_mean": 10.0, "x_std": 0.1}, {"x_mean": -2.0, "x_std": 3.0}])
def test_a_verdict_speaks_of_what_is_left_within_a_row(x):
    params = UnitVarianceParams(n_tokens=128, scheme="xavier_square", normalise=False, **x)
    result, sweep = measure_unit_variance(params), expected_stages((64,), normalise=False, **x)
    mean, deviation = params.x_mean, params.x_std
    wanted = deviation * np.hypot(mean, deviation)
    assert result.row_std == pytest.approx(wanted, rel=0.2)
    assert result.predicted_row_std == pytest.approx(wanted, rel=0.02)
    picture = figures.expected(sweep, "xavier_square", 64, 8, LIGHT, result)
    total, alone = number(np.hypot(mean, deviation) ** 2), number(wanted)
    said = f"With square Xavier, scaled scores have σ = {total}, but only {alone} within a row"
    assert picture.sentence.startswith(said if mean else "With square Xavier at dₖ = 64, the scaled scores start with")


def test_the_stage_tables_are_the_data(result):
    table = figures.stage_table(result)
    # The digits are those of the picture and the sentence.
    assert table["σ measured"] == [number(stage.std) for stage in result.stages]
    assert table["σ predicted"] == [number(stage.predicted_std) for stage in result.stages]
    assert table["σ assumed"] == ["1.00", "1.00", "1.00", "1.00", "8.00", "1.00"]
    assert table["shape"][4] == "2 × 16 × 16"
    assert table["z"][1] == "none"
    data = figures.pipeline(result, LIGHT).table
    assert data["q count"] == result.stages[2].counts.tolist()
    assert len(data) == 18


def test_the_schemes_are_compared_and_the_chosen_one_is_measured(result):
    fig = plotted(figures.schemes(result, LIGHT))
    predicted = trace_of(fig, "predicted")
    assert dict(zip(predicted.y, predicted.x, strict=True)) == {_said(row): row.scaled_std for row in result.schemes}
    measured = trace_of(fig, "measured")
    assert (measured.y, measured.x) == (("PyTorch MultiheadAttention",), (chosen(result).measured_scaled_std,))
    assert fig.layout.yaxis.showticklabels is None  # the names are the axis's own, each at its marks
    assert {note.yref for note in fig.layout.annotations} == {"paper"}  # no word in the plot
    assert 0.5 * LIGHT.tick_size * max(map(len, INIT_SCHEMES)) < fig.layout.margin.l
    assert fig.layout.yaxis.categoryarray[-1] == _said(result.schemes[0])  # the largest is on top


@pytest.mark.parametrize(
    "options", [{"d_model": 2048, "n_heads": 2}, {"d_model": 2, "n_heads": 2}, {"x_std": 100.0, "normalise": False}]
)
def test_every_mark_of_the_schemes_is_on_the_axis(options):
    result = measure_unit_variance(UnitVarianceParams(n_tokens=8, **options))
    fig = plotted(figures.schemes(result, LIGHT))
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
    assert said in sure(measure_unit_variance(params))
    assert "bias" not in sure(measure_unit_variance(replace(params, bias=False)))


def _said(row):
    return SCHEME_NAMES[row.name]


def test_the_schemes_are_said_and_tabled_the_chosen_one_measured(result):
    picture = figures.schemes(result, LIGHT)
    assert picture.claim == "Only two of eight initialisations give unit variance"
    assert picture.sentence == (
        "He normal starts the scaled scores at σ = 2.00, and Keras MultiHeadAttention at "
        f"{number(result.schemes[-1].scaled_std)}."
    )
    (said,) = picture.sure
    first, last = result.schemes[0], result.schemes[-1]
    assert f"from {number(first.scaled_std)} ({_said(first)}) to {number(last.scaled_std)} ({_said(last)})" in said
    assert "only square Xavier and LeCun normal give 1." in said
    assert f"predicted at 0.500 for normalised x, measured at {number(chosen(result).measured_scaled_std)}" in said
    result = measure_unit_variance(UnitVarianceParams())
    table = figures.schemes_table(result)
    assert dict(zip(table["scheme"], table["σ scaled"], strict=True)) == {
        "He normal": "2.00",
        "Xavier per head": "1.78",
        "square Xavier": "1.00",
        "LeCun normal": "1.00",
        "PyTorch MultiheadAttention": "0.500",
        "PyTorch Linear": "0.333",
        "normal with σ = 0.02": "0.205",
        "Keras MultiHeadAttention": "0.0278",
    }
    shown = {name for name, value in zip(table["scheme"], table["σ scaled, measured"], strict=True) if value}
    assert shown == {"PyTorch MultiheadAttention"}
    assert figures.schemes(result, LIGHT).table["scaled_std"] == [row.scaled_std for row in result.schemes]
    rows = result.schemes
    for count, words in ((0, "none gives 1"), (1, "only {} gives 1"), (2, "only {} and {} give 1"),
                         (3, "only {}, {} and {} give 1")):  # fmt: skip
        moved = tuple(replace(row, scaled_std=1.0 if i < count else 3.0) for i, row in enumerate(rows))
        picture = figures.schemes(replace(result, schemes=moved), LIGHT)
        (said,) = picture.sure
        named = {0: "None of the eight initialisations gives", 1: "Only one of eight initialisations gives"}
        assert picture.claim.startswith(named.get(count, "Only "))
        assert words.format(*(_said(row) for row in rows[:count])) + ". The chosen" in said


def test_shared_inputs_share_one_colour_domain(rows):
    fig = plotted(figures.shared(rows, FEW, LIGHT))
    assert [trace.showscale for trace in fig.data] == [True, False, False]
    for trace, row in zip(fig.data, rows, strict=True):
        np.testing.assert_array_equal(trace.z, row.scores)
        assert (trace.zmin, trace.zmax) == (-8, 8)
    assert texts(fig) == ["W<sub>Q</sub>, W<sub>K</sub> apart", "W<sub>Q</sub> = W<sub>K</sub>", "Q = K = X"]


def test_the_trap_in_words_and_numbers(rows):
    picture = figures.shared(rows, FEW, LIGHT)
    assert picture.claim == "With Q = K = X every token attends to itself"
    assert picture.sentence == (
        "When the same vectors serve as queries and keys, a token puts 99 % of its weight on itself; with separate "
        f"random weights, {100 * rows[0].self_weight:.0f} %."
    )
    (said,) = picture.sure
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
