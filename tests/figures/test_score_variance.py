"""Pictures of the score_variance lesson: their data are the result's, their words are its numbers."""

import re
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from pages._view.lessons.score_variance import figures
from pages._view.lessons.score_variance.work import LONGEST, N_WALKS
from pages._view.theme import LIGHT, number
from sattn_core.lessons.score_variance import (
    ScoreVarianceParams,
    hand_made_example,
    measure_score_variance,
    random_walks,
    variance_curve,
)
from tests.figures.drawing import plotted, texts, trace_of

DRAW = {"law": "normal", "mean_q": 0.0, "mean_k": 0.0, "correlation": 0.0, "seed": 0}
CONSTANT = {"law": "rademacher", "mean_q": 0.0, "mean_k": 0.0, "correlation": 1.0, "seed": 0}
CURVE = {"n_samples": 200, **DRAW}
WALKS = {"n_walks": 3, **DRAW}


@pytest.fixture(scope="module")
def result():
    return measure_score_variance(ScoreVarianceParams(64, 2_000))


@pytest.fixture(scope="module")
def curve():
    return variance_curve((1, 4, 64, 1024), **CURVE)


@pytest.fixture(scope="module")
def walks():
    return random_walks(LONGEST, **WALKS)


def main(result, walks, axis="shared", profile=LIGHT, **axes):
    return figures.walks_and_histograms(result, walks, WALKS, profile, score_axis=axis, **axes)


def drawn(walks, axis="shared", **settings):
    """The main picture at these settings."""
    return main(
        measure_score_variance(ScoreVarianceParams(**({"d_k": 64, "n_samples": 2_000} | settings))), walks, axis
    )


def variances(curve, options=CURVE, profile=LIGHT):
    return figures.variance_against_dimension(curve, options, profile)


# --- walks beside histograms -----------------------------------------------------------------------------


def pieces(trace):
    """The lines of a trace, which gaps divide: [(x, y), …]."""
    ends = np.flatnonzero(np.isnan(trace.x))
    assert np.isnan(trace.y[ends]).all()
    return [(trace.x[a:b], trace.y[a:b]) for a, b in zip([0, *(ends[:-1] + 1)], ends, strict=True)]


@pytest.mark.parametrize("products_axis", ["linear", "root"])
@pytest.mark.parametrize("d_k", [1, 64, 1024])
def test_the_walks_go_up_to_d_k_and_on_in_pale_inside_the_envelope_of_all_steps(walks, d_k, products_axis):
    result = measure_score_variance(ScoreVarianceParams(d_k, 100))
    fig = plotted(main(result, walks, profile=LIGHT, products_axis=products_axis))
    names = ("walks", "walks to come", "mean ± 1 σ", f"walks at {d_k:,}")
    drawn_walks, to_come, envelope, ends = (trace_of(fig, name) for name in names)
    steps_of, root = (lambda x: np.rint(x if products_axis == "linear" else x**2).astype(int)), np.sqrt
    place = root if products_axis == "root" else np.asarray
    for trace, first, last in ((drawn_walks, 0, d_k), (to_come, d_k, LONGEST)):
        assert len(pieces(trace)) == len(walks.walks)
        for (x, y), walk in zip(pieces(trace), walks.walks, strict=True):
            steps = steps_of(x)
            assert (steps[0], steps[-1]) == (first, last)
            assert len(steps) <= 150
            np.testing.assert_allclose(x, place(steps))
            np.testing.assert_array_equal(y, walk[steps])
    for (x, y), bound in zip(pieces(envelope), (walks.low, walks.high), strict=True):
        assert (x[0], x[-1]) == (0, place(LONGEST))
        np.testing.assert_array_equal(y, bound[steps_of(x)])
    np.testing.assert_array_equal(ends.x, [place(d_k)] * len(walks.walks))
    np.testing.assert_array_equal(ends.y, walks.walks[:, d_k])
    assert fig.layout.xaxis.range[0] == 0
    assert place(LONGEST) < fig.layout.xaxis.range[1] < 1.05 * place(LONGEST)
    assert (drawn_walks.line.color, ends.marker.color, ends.mode) == (LIGHT.raw, LIGHT.raw, "markers")
    assert (to_come.line.color, to_come.opacity < 0.5) == (LIGHT.raw, True)
    assert (envelope.line.dash, envelope.line.color) == ("dash", LIGHT.text)


@pytest.mark.parametrize("score_axis", ["shared", "own"])
def test_histograms_on_their_side_show_densities_and_laws_as_shares_of_the_longest_bar(result, walks, score_axis):
    fig = plotted(main(result, walks, score_axis, LIGHT))
    for side, axes in (("raw", "2"), ("scaled", "3")):
        bars = trace_of(fig, f"{side}, 2,000 scores")
        law = next(each for each in fig.data if each.name == f"{side}, exact distribution" and each.xaxis == f"x{axes}")
        edges, density = getattr(result, f"{side}_edges"), getattr(result, f"{side}_density")
        np.testing.assert_array_equal(bars.y, edges)
        np.testing.assert_array_equal(bars.x, [*(density / density.max()), 0])
        # From one edge the bar goes up to the next, and only then to the share of the next bar.
        assert (bars.line.shape, bars.fill, bars.fillcolor) == ("vh", "tozerox", getattr(LIGHT, side))
        np.testing.assert_array_equal(law.y, getattr(result, f"{side}_grid"))
        cut = np.minimum(getattr(result, f"{side}_law") / density.max(), 1.15)
        np.testing.assert_array_equal(law.x, cut)
        assert (law.line.dash, law.line.color, law.line.width) == ("dash", LIGHT.text, LIGHT.line_width)
        assert {bars.xaxis, law.xaxis} == {f"x{axes}"}
        assert {bars.yaxis, law.yaxis} == {f"y{axes}"}


def ranges(figure):
    return [tuple(figure.layout[name].range) for name in ("xaxis", "xaxis2", "xaxis3", "yaxis", "yaxis2", "yaxis3")]


BROKEN = [{}, {"mean_q": 0.5, "mean_k": 0.5}, {"correlation": -1.0}, {"sampling": "matrix"}]


@pytest.mark.parametrize("broken", BROKEN)
def test_no_axis_moves_with_d_k_and_all_scores_share_one(walks, broken):
    first, *others = (ranges(plotted(drawn(walks, d_k=d_k, **broken))) for d_k in (1, 64, 1024))
    assert others == [first, first]
    assert first[3] == first[4] == first[5]
    assert broken in BROKEN[1:3] or first[3] == (-112, 112)


def test_a_shared_axis_is_numbered_once_and_panels_and_marks_are_named(result, walks):
    layout = plotted(main(result, walks)).layout
    assert layout.yaxis.title.text == "score"
    assert layout.yaxis.showticklabels is None
    assert (layout.yaxis2.showticklabels, layout.yaxis3.showticklabels) == (False, False)
    assert list(layout.xaxis.ticktext) == ["0", "256", "512", "1,024"]
    assert list(layout.xaxis.tickvals) == [0, 256, 512, 1024]
    assert layout.xaxis.title.text == "products added"
    straight = plotted(main(result, walks, products_axis="root")).layout.xaxis
    assert (
        list(straight.tickvals) == [float(text.replace(",", "")) ** 0.5 for text in straight.ticktext] == [0, 8, 16, 32]
    )
    assert straight.title.text == "products added (√ axis)"
    shown = [text.split("<br>") for text in texts(plotted(main(result, walks)))]
    spreads = [f"σ = {number(std, 2)}" for std in (result.raw_std, result.scaled_std)]
    assert shown == [
        ["3 walks", "q₁k₁ + q₂k₂ + …"],
        ["Raw", spreads[0]],
        ["Scaled", spreads[1]],
        ["dashed: ± one σ; exact distribution", "bars as shares of the longest"],
    ]
    assert texts(plotted(drawn(walks, law="uniform")))[-1].startswith("dashed: ± one σ; normal distribution<br>")
    assert N_WALKS == 12
    assert texts(plotted(main(result, random_walks(LONGEST, n_walks=12, seed=0))))[0].startswith("Twelve walks<br>")
    result = replace(result, beyond_shared=0.0123, beyond_own=0.0004)
    assert main(result, walks).sure[-1] == "1.2 % of the raw scores lie beyond the axis."
    assert not any("beyond" in each for each in main(result, walks, "own").sure)


@pytest.mark.parametrize("d_k", [1, 64])
def test_on_axes_of_their_own_the_walks_have_that_of_the_raw_scores(walks, d_k):
    layout = plotted(drawn(walks, "own", d_k=d_k)).layout
    assert tuple(layout.yaxis.range) == tuple(layout.yaxis2.range) == (-5 * d_k**0.5, 5 * d_k**0.5)
    assert tuple(layout.yaxis3.range) == (-5, 5)
    assert (layout.yaxis3.side, layout.yaxis3.showticklabels) == ("right", True)


def test_constant_scores_and_an_infinite_density_have_their_place(walks):
    constant = random_walks(LONGEST, n_walks=2, **CONSTANT)
    shown = drawn(constant, d_k=2, n_samples=100, **CONSTANT)
    assert sum(trace_of(plotted(shown), "raw, 100 scores").x) == 1
    assert all(np.isnan(each.x).all() for each in plotted(shown).data if each.name == "normal distribution")
    fig = plotted(drawn(walks, d_k=1, n_samples=1_000))
    assert [max(each.x) for each in fig.data if each.name.endswith("exact distribution")] == [1.15, 1.15]


def spreading(result, raw, scaled, **others):
    rule = replace(result.scaling_rule, raw_variance=raw**2, scaled_variance=scaled**2)
    return replace(result, scaling_rule=rule, **others)


def test_the_sentence_says_how_far_both_spread(result, walks):
    for raw, scaled, beside in ((8.04, 1.005, "the root of dₖ"), (13.9, 1.74, "more than the root of dₖ"),
                                (7.5, 0.94, "less than the root of dₖ")):  # fmt: skip
        assert main(spreading(result, raw, scaled), walks).sentence == (
            f"At dₖ = 64, raw scores spread by about {number(raw, 2)}, {beside}. Divided by √dₖ, they spread by about "
            f"{number(scaled, 2)}."
        )


def test_scores_that_average_far_from_0_or_are_all_the_same_are_said_so(walks):
    shown = drawn(walks, d_k=64, correlation=1.0)
    raw, scaled = shown.checks["measured"][0], shown.checks["measured"][3]
    found = re.fullmatch(
        r"At dₖ = 64, raw scores average (\S+); divided by √dₖ, still (\S+)\. The root of dₖ only tames the spread\.",
        shown.sentence,
    )
    assert [float(each) for each in found.groups()] == pytest.approx([float(raw), float(scaled)], rel=0.01)
    assert float(found[1]) == pytest.approx(64, rel=0.05)
    constant = CONSTANT | {"correlation": -1.0}
    assert drawn(walks, d_k=64, n_samples=100, **constant).sentence == (
        "At dₖ = 64, all raw scores are −64.0; divided by √dₖ, all are −8.00."
    )
    shown = drawn(walks, n_samples=100, mean_q=-1.0, mean_k=1.0)
    said = " ".join([*shown.checks["predicted"], shown.sentence])
    assert "−64.00" in said
    assert re.search(r"average −\d", said)
    assert not re.search(r"-\d", said)


# Of q with itself the mean is d_k and the variance 2 d_k: they are as far from 0 as they spread at d_k = 2.
@pytest.mark.parametrize(("d_k", "said"), [(1, "spread by"), (4, "average")])
def test_scores_are_said_by_their_averages_from_one_standard_deviation_on(walks, d_k, said):
    assert f"raw scores {said} " in drawn(walks, d_k=d_k, correlation=1.0).sentence


EVERY = [
    {"d_k": d_k, **broken}
    for d_k, broken in product(
        (1, 64, 1024),
        (
            *BROKEN,
            CONSTANT,
            {"mean_q": 2.0, "mean_k": -2.0},
            {"mean_k": 2.0},
            {"law": "sparse"},
            {"law": "student_t", "correlation": 0.3},
            {"sampling": "matrix", "n_queries": 2, "n_keys": 2, "law": "sparse"},
        ),
    )
]


@pytest.mark.parametrize("settings", EVERY)
def test_the_sentence_is_short_and_agrees_with_the_result(walks, settings):
    result = measure_score_variance(ScoreVarianceParams(**({"n_samples": 1_000} | settings)))
    sentence = main(result, walks).sentence
    numbers = [float(each.replace(",", "").replace("−", "-")) for each in re.findall(r"[−\d][\d.,]*\d|\d", sentence)]
    assert len(numbers) == 3
    assert numbers[0] == settings["d_k"]
    scores, root = result.rows[0].measured, np.sqrt(settings["d_k"])
    if "spread by" in sentence:
        assert numbers[1:] == pytest.approx([result.raw_std, result.raw_std / root], rel=0.05)
        said = next((word for word in ("more than", "less than") if word in sentence), "the root")
        assert said == ("the root" if abs(result.raw_std / root - 1) < 0.05 else
                        "more than" if result.raw_std > root else "less than")  # fmt: skip
    else:
        assert numbers[1:] == pytest.approx([scores, scores / root], rel=0.01, abs=1e-12)
        assert ("average" in sentence) == (result.raw_std > 0)


def test_the_description_names_what_is_drawn(result, walks):
    assert " histograms of 2,000 independent pairs, raw and scaled." in main(result, walks).alt
    assert "3 sums of products walk up to step 64," in main(result, walks).alt
    matrix = drawn(walks, d_k=1024, sampling="matrix", n_queries=8, n_keys=16)
    assert "histograms of the 8 × 16 entries of one Q Kᵀ, raw and scaled." in matrix.alt
    assert "step 1,024," in matrix.alt
    assert matrix.sure[1].startswith(
        "The histograms show the 8 × 16 entries of one Q Kᵀ. The 3 walks are further pairs"
    )


def row_saying(result, place, **values):
    """The result with the fields of one moment replaced."""
    rows = list(result.rows)
    rows[place] = replace(rows[place], **values)
    return replace(result, rows=tuple(rows))


def test_the_histograms_the_walks_the_moments_and_the_rule_can_be_taken_away(result, walks):
    table = main(result, walks).table
    assert table["raw from"] == result.raw_edges[:-1].tolist()
    assert table["raw to"] == result.raw_edges[1:].tolist()
    assert table["scaled from"] == result.scaled_edges[:-1].tolist()
    assert table["scaled to"] == result.scaled_edges[1:].tolist()
    assert table["count"] == result.counts.tolist()
    assert sum(table["count"]) + result.below + result.above == 2_000
    shown = main(result, walks)
    assert shown.bins_name == "the walks"
    assert list(shown.bins) == ["step", "walk 1", "walk 2", "walk 3", "low", "high"]
    assert shown.bins["step"] == list(range(65))
    assert [shown.bins[f"walk {i}"] for i in (1, 2, 3)] == walks.walks[:, :65].tolist()
    assert (shown.bins["low"], shown.bins["high"]) == (walks.low[:65].tolist(), walks.high[:65].tolist())
    shown = main(result, walks)
    assert shown.checks == figures.moment_table(result)
    assert shown.sure[0] == f"Var(cX) = c² Var(X). {figures.scaling_rule_sentence(result)}"


def test_the_moment_table_says_in_words_what_lies_in_its_band(result):
    said = row_saying(result, 1, measured=66.5, predicted=64.0, low=60.25, high=65.0, z=-2.25, inside=False)
    said = row_saying(said, 2, predicted=np.inf, measured=4.5, z=np.nan, inside=None, error_source="exact")
    table = figures.moment_table(said)
    assert table["quantity"][:3] == ["raw mean", "raw variance", "raw excess kurtosis"]
    assert (table["predicted"][1], table["measured"][1]) == ("64.00", "66.50")
    assert (table["95 % band"][1], table["z"][1], table["verdict"][1]) == ("60.25 to 65.00", "−2.2", "outside")
    assert (table["predicted"][2], table["measured"][2]) == ("infinite", "4.500")
    assert (table["95 % band"][2], table["z"][2], table["verdict"][2]) == ("none", "none", "nothing to compare")
    assert table["sampling error"] == [row.error_source for row in said.rows]
    assert {len(column) for column in table.values()} == {6}
    rough = "exact, rough gamma approximation"
    said = row_saying(result, 1, measured=66.5, predicted=64.0, low=60.25, high=67.75, inside=True, error_source=rough)
    assert figures.moment_table(said)["95 % band"][1] == "roughly 60.25 to 67.75"
    rule = replace(
        result.scaling_rule, raw_variance=66.5, scale_squared_times_raw_variance=1.0390625, scaled_variance=1.0390625
    )
    assert figures.scaling_rule_sentence(replace(result, scaling_rule=rule)) == (
        "Here c = 1/√64 = 0.1250, so c² Var(X) = 0.1250² × 66.50 = 1.039; measured on the scaled scores: 1.039."
    )


# --- variance against d_k --------------------------------------------------------------------------------


def test_the_curve_shows_theory_points_and_bands(curve):
    fig = plotted(variances(curve, CURVE, LIGHT))
    colours, symbols = (LIGHT.raw, LIGHT.scaled, LIGHT.third), ("circle", "square", "diamond")
    for i, (colour, symbol) in enumerate(zip(colours, symbols, strict=True)):
        theory, points = fig.data[2 * i : 2 * i + 2]
        np.testing.assert_array_equal(theory.x, curve.dims)
        np.testing.assert_array_equal(theory.y, curve.theory[i])
        assert (theory.line.dash, theory.line.color) == ("dash", LIGHT.text)
        np.testing.assert_array_equal(points.x, curve.dims)
        np.testing.assert_array_equal(points.y, curve.measured[i])
        np.testing.assert_array_equal(points.error_y.array, curve.high[i] - curve.theory[i])
        np.testing.assert_array_equal(points.error_y.arrayminus, curve.theory[i] - curve.low[i])
        assert (points.marker.color, points.marker.symbol) == (colour, symbol)
    assert texts(fig) == ["raw", "÷ √dₖ", "÷ dₖ"]
    assert [note.yanchor for note in fig.layout.annotations] == ["bottom", "bottom", "top"]  # the last line falls
    assert fig.layout.title.subtitle.text == "points: measured, dashed: theory"
    assert fig.layout.title.text == "Variance of the scores"


def test_the_curve_has_log_axes_that_hold_every_point(curve):
    layout = plotted(variances(curve)).layout
    assert (layout.xaxis.type, layout.xaxis.title.text) == ("log", "dₖ")
    assert (layout.yaxis.type, layout.yaxis.title.text) == ("log", "variance")
    for axis, values in ((layout.xaxis, curve.dims), (layout.yaxis, (curve.low, curve.high))):
        assert axis.range[0] < np.log10(np.min(values))
        assert np.log10(np.max(values)) < axis.range[1]


def test_a_constant_score_has_no_place_on_the_log_axis_and_no_variance_to_divide():
    options = {"n_samples": 50, **CONSTANT}
    shown = variances(variance_curve((1, 2, 4), **options), options)
    assert texts(plotted(shown)) == []
    options = {"n_samples": 50, **CONSTANT}
    shown = variances(variance_curve((1, 2, 4), **options), options)
    assert shown.sentence == "The variance is 0 at every dₖ, divided or not."
    assert shown.claim == "Equal scores have no variance at any dₖ"


def test_the_curve_s_sentence_and_table_have_its_numbers(curve):
    said = replace(
        curve,
        measured=np.array([[1, 4, 64, 1010.0], [1, 1, 1, 0.986], [1, 0.25, 0.0156, 0.00096]]),
        theory=np.array([[1, 4, 64, 1024.0], [1, 1, 1, 1.0], [1, 0.25, 0.0156, 0.000977]]),
    )
    shown = variances(said, {"n_samples": 4_000})
    assert shown.sentence == (
        "At dₖ = 1,024 raw scores have variance 1,010, those divided by √dₖ 0.986 and those divided by dₖ next to none."
    )
    assert shown.claim == "Only ÷ √dₖ stays flat"
    assert list(shown.sure) == [
        "The variance at dₖ = 1,024 is 1,010 for raw scores (predicted 1,024), 0.986 for scores divided by √dₖ "
        "(predicted 1.00) and 0.000960 for scores divided by dₖ (predicted 0.000977).",
        "Each point has 4,000 pairs; bars are 95 % bands.",
    ]
    some = replace(said, measured=np.array([[1, 4, 64, 1010.0], [1, 1, 1, 0.986], [1, 0.25, 0.0156, 0.02]]))
    assert variances(some).sentence == "At dₖ = 1,024 raw scores have variance 1,010 and those divided by √dₖ 0.986."
    rough = replace(curve, error_source="rough estimate from the draws")
    assert variances(rough).sure[-1].endswith("bars are rough bands.")
    table = variances(curve).table
    assert table["d_k"] == [1, 4, 64, 1024]
    for i, name in enumerate(("raw", "divided by √d_k", "divided by d_k")):
        for what in ("measured", "theory", "low", "high"):
            assert table[f"{name}: {what}"] == getattr(curve, what)[i].tolist()
    assert len(table) == 13


# --- the example made by hand ----------------------------------------------------------------------------


def test_the_example_made_by_hand_is_said_with_its_variance():
    example = hand_made_example([[1, 2], [1, 4], [8, 9]], [[2, 3], [5, 6], [10, 2]])
    assert figures.example_sentence(example) == (
        "The dot products are 8, 29 and 98. The mean is 45.0000 and the variance 1,478.00 (ddof = 0)."
    )
    example = hand_made_example([[1, 2, 3], [3, 4, 5], [10, 9, 11]], [[3, 2, 1], [6, 7, 8], [8, 7, 6]])
    assert "10, 86 and 209. The mean is 101.667 and the variance 6,722.89" in figures.example_sentence(example)
    alone = figures.example_sentence(hand_made_example([[-0.5]], [[1]]))
    assert alone.startswith("The dot product is −0.5. The mean is −0.500000")
