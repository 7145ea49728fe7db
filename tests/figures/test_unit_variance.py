"""Pictures of the unit_variance lesson: plotted data and stated numbers equal those of the result."""

import re
from dataclasses import replace

import numpy as np
import pytest

from pages._view.lessons.unit_variance import figures
from pages._view.lessons.unit_variance.declaration import SCHEME_NAMES
from pages._view.theme import LIGHT, number
from sattn_core.layers.initialisation import INIT_SCHEMES
from sattn_core.lessons import unit_variance as core
from tests.figures.drawing import plotted, trace_of

FEW = core.UnitVarianceParams(n_tokens=16)


@pytest.fixture(scope="module")
def result():
    return core.measure_unit_variance(core.UnitVarianceParams(128, 2, 16))


@pytest.fixture(scope="module")
def rows():
    return core.measure_shared_input(FEW)


@pytest.fixture(scope="module")
def sweep():
    return core.expected_stages((1, 64, 1024), n_heads=2)


def sure(result, asked_heads=2):
    """Return the texts below "How sure?" of the main picture."""
    params = result.params
    sweep = core.expected_stages((params.d_k,), n_heads=asked_heads, normalise=params.normalise, bias=params.bias)
    return " ".join(figures.expected(sweep, params.scheme, params.d_k, asked_heads, LIGHT, result).sure)


def chosen(result):
    (row,) = [row for row in result.schemes if row.chosen]
    return row


def test_expected_deviations_are_shown_with_assumed_and_measured_ones(sweep, result):
    fig = plotted(figures.expected(sweep, "torch_multihead_attention", 64, 2, LIGHT, result))
    found = sweep.std[sweep.schemes.index("torch_multihead_attention"), 1]
    np.testing.assert_array_equal(trace_of(fig, "expected").y, found)
    np.testing.assert_array_equal(trace_of(fig, "chosen").y, found)
    assert list(trace_of(fig, "assumed").y) == [1, 1, 1, 1, 8, 1]
    assert list(trace_of(fig, "measured").y) == [stage.std for stage in result.stages]
    others = np.array(trace_of(fig, "others").y).reshape(len(INIT_SCHEMES), -1)
    np.testing.assert_array_equal(others[:, :-1], sweep.std[:, 1])
    assert [tick.split("<br>")[0] for tick in fig.layout.xaxis.ticktext] == [number(value) for value in found]
    moving = figures.expected(sweep, "torch_multihead_attention", 64, 2, LIGHT)
    assert not [trace for trace in plotted(moving).data if trace.name == "measured"]
    assert (moving.checks, moving.sure) == (None, ())


@pytest.mark.parametrize("scheme", INIT_SCHEMES)
@pytest.mark.parametrize(
    "options",
    [{}, {"n_heads": 64}, {"n_heads": 1}, {"x_std": 100.0, "x_mean": -10.0, "normalise": False},
     {"x_std": 0.1, "normalise": False, "bias": True}],
)  # fmt: skip
def test_sentence_gives_the_expected_deviation_of_scaled_scores(scheme, options):
    sweep = core.expected_stages((1, 2, 64, 1024), **options)
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


def test_pipeline_shows_every_stage_on_one_axis(result):
    fig = plotted(figures.pipeline(result, LIGHT))
    assert [stage.name for stage in result.stages] == list(core.STAGES)
    for i, stage in enumerate(result.stages):
        bars = trace_of(fig, stage.name)
        np.testing.assert_array_equal(bars.x, stage.edges)
        np.testing.assert_array_equal(bars.y, [*(stage.counts / stage.counts.max()), 0])
        assert (bars.xaxis, bars.yaxis) == (None, f"y{i + 1}" if i else "y")
        ends = [trace.x[0] for trace in fig.data if trace.name == f"{stage.name}, predicted ± 1 σ"]
        np.testing.assert_allclose(ends, [-stage.predicted_std, stage.predicted_std])


def test_how_sure_fold_names_values_outside_their_band_and_the_bias(result):
    *others, last = result.stages
    for std, where in ((0.9, "outside"), (0.5, "inside")):
        moved = replace(result, stages=(*others, replace(last, std=std)))
        assert f"of scaled scores {number(std)} (0.500, {where} its band)" in sure(moved)
    params = core.UnitVarianceParams(8, 2, 4, scheme="torch_linear", bias=True)
    said = "are predicted at 0.375, without it at 0.333."  # 0.375 = (8 + 1)/(3 · 8)
    assert said in sure(core.measure_unit_variance(params))
    assert "bias" not in sure(core.measure_unit_variance(replace(params, bias=False)))


@pytest.mark.parametrize(
    ("expected", "said"),
    [
        (0.98, "only 0.980 times what the rule assumes."),
        (0.995, "unit variance, as the rule assumes."),
        (1.005, "unit variance, as the rule assumes."),
        (1.02, "1.02 times what the rule assumes."),
    ],
)
def test_unit_variance_is_claimed_within_one_per_cent(result, sweep, expected, said):
    moved = replace(sweep, row_std=np.full_like(sweep.row_std, expected))
    sure = figures.expected(moved, "he_normal", 64, 2, LIGHT, result).sure
    assert sure[1].endswith(f"): {said}")


# Within a row of scores, the part that all keys share (from the mean of x and a bias) cancels.
@pytest.mark.parametrize("x", [{}, {"x_mean": 10.0, "x_std": 0.1}, {"x_mean": -2.0, "x_std": 3.0}])
def test_sentence_names_the_smaller_spread_within_a_row(x):
    params = core.UnitVarianceParams(n_tokens=128, scheme="xavier_square", normalise=False, **x)
    result, sweep = core.measure_unit_variance(params), core.expected_stages((64,), normalise=False, **x)
    mean, deviation = params.x_mean, params.x_std
    wanted = deviation * np.hypot(mean, deviation)
    assert result.row_std == pytest.approx(wanted, rel=0.2)
    assert result.predicted_row_std == pytest.approx(wanted, rel=0.02)
    picture = figures.expected(sweep, "xavier_square", 64, 8, LIGHT, result)
    total, alone = number(np.hypot(mean, deviation) ** 2), number(wanted)
    said = f"With square Xavier, scaled scores have σ = {total}, but only {alone} within a row"
    assert picture.sentence.startswith(said if mean else "With square Xavier at dₖ = 64, the scaled scores start with")


def test_tables_of_the_stages_give_the_numbers_of_the_result(result):
    table = figures.stage_table(result)
    # as many digits as in the picture and the sentence
    assert table["σ measured"] == [number(stage.std) for stage in result.stages]
    assert table["σ predicted"] == [number(stage.predicted_std) for stage in result.stages]
    assert table["σ assumed"] == ["1.00", "1.00", "1.00", "1.00", "8.00", "1.00"]
    assert table["shape"][4] == "2 × 16 × 16"
    assert table["z"][1] == "none"
    data = figures.pipeline(result, LIGHT).table
    assert data["q count"] == result.stages[2].counts.tolist()
    assert len(data) == 18


def test_schemes_are_compared_and_only_the_chosen_one_is_measured(result):
    fig = plotted(figures.schemes(result, LIGHT))
    predicted = {trace.y[0]: trace.x[0] for trace in fig.data if trace.name in INIT_SCHEMES}
    assert predicted == {_said(row): row.scaled_std for row in result.schemes}
    measured = trace_of(fig, "measured")
    assert (measured.y, measured.x) == (("PyTorch MultiheadAttention",), (chosen(result).measured_scaled_std,))
    table = figures.schemes(result, LIGHT).table
    assert dict(zip(table["name"], table["scaled_std"], strict=True)) == {
        row.name: row.scaled_std for row in result.schemes
    }


@pytest.mark.parametrize(("count", "said"), [(0, "none gives 1"), (1, " gives 1"), (2, " give 1")])
def test_how_sure_fold_counts_the_schemes_with_unit_variance(result, count, said):
    rows = tuple(replace(row, scaled_std=1.0 if i < count else 3.0) for i, row in enumerate(result.schemes))
    sure = figures.schemes(replace(result, schemes=rows), LIGHT).sure[0]
    assert said in sure
    assert (f"only {_said(rows[0])} " in sure) == (count > 0)


@pytest.mark.parametrize("scheme", INIT_SCHEMES)
@pytest.mark.parametrize("normalise", [True, False])
def test_sentence_names_the_chosen_scheme_and_both_extremes(scheme, normalise):
    params = core.UnitVarianceParams(128, 2, 16, scheme=scheme, x_std=3.0, normalise=normalise)
    found = core.measure_unit_variance(params)
    picture = figures.schemes(found, LIGHT)
    here, first, last = chosen(found), found.schemes[0], found.schemes[-1]
    assert f"caled scores start at σ = {number(here.scaled_std)} with " in picture.sentence
    assert picture.sentence.startswith("For normalised x, ") != normalise
    ends = {first} if "σ" in _said(here) else {row for row in (first, last) if "σ" not in _said(row)}
    for row in ends - {here}:
        assert f", at {number(row.scaled_std)} with {_said(row)}" in picture.sentence
    squares = {each["name"]: each["y"][0] for each in picture.figure.data}
    marked = {mark.word: squares[mark.traces[0]] for mark in picture.marks if mark.word in picture.sentence}
    assert {*marked.values()} == {_said(row) for row in {here, *ends}}


def _said(row):
    return SCHEME_NAMES[row.name]


@pytest.mark.parametrize("d_k", [2, 64, 1024])
def test_sentence_of_shared_inputs_gives_the_weight_of_a_token_on_itself(d_k):
    """Recompute the weight from new draws: a normalised token scores √dₖ with itself, 0 ± 1 with each of 15 others."""
    found = core.measure_shared_input(core.UnitVarianceParams(d_k, 1, 16))
    said = figures.shared(found, FEW, LIGHT).sentence
    X = np.random.default_rng(0).standard_normal((200, 16, d_k))
    X -= X.mean(axis=-1, keepdims=True)
    X /= np.sqrt((X**2).mean(axis=-1, keepdims=True)) + 1e-12
    scores = X @ X.swapaxes(1, 2) / np.sqrt(X.shape[-1])
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    own = (np.diagonal(weights, axis1=1, axis2=2) / weights.sum(axis=-1)).mean()
    if d_k > 2:
        assert own == pytest.approx(found[2].self_weight, abs=0.01)
    assert ("practically all" in said) == (found[2].self_weight >= 0.9995)


def test_matrices_of_shared_inputs_have_the_same_colour_range(rows):
    fig = plotted(figures.shared(rows, FEW, LIGHT))
    assert [trace.showscale for trace in fig.data] == [False] * 3
    for note, row in zip(fig.layout.annotations, rows, strict=True):
        assert note.text.endswith(f"<br>diagonal: {number(row.diagonal_mean, 2)}")
    for trace, row in zip(fig.data, rows, strict=True):
        np.testing.assert_array_equal(trace.z, row.scores)
        assert (trace.zmin, trace.zmax) == (-8, 8)
    picture, table = figures.shared(rows, FEW, LIGHT), figures.shared_table(rows)
    for share, row in zip(re.findall(r"(\d+) %", picture.sentence), (rows[2], rows[0]), strict=True):
        assert share == f"{100 * row.self_weight:.0f}"
    assert table["diagonal: mean"] == [number(row.diagonal_mean) for row in rows]
    assert table["predicted"] == [number(row.predicted_diagonal_mean) for row in rows]
    assert picture.table["tied_weights"] == rows[1].scores.ravel().tolist()
