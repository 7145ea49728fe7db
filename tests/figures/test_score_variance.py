"""Pictures of the score_variance lesson: plotted data and stated numbers equal those of the result."""

import re
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from pages._view.lessons import LESSONS
from pages._view.lessons.score_variance import figures
from pages._view.lessons.score_variance.work import LONGEST
from pages._view.theme import LIGHT, number
from sattn_core.lessons import score_variance as core
from tests.figures.drawing import PROFILES, plotted, texts, trace_of, traces_of

DRAW = {"law": "normal", "mean_q": 0.0, "mean_k": 0.0, "correlation": 0.0, "seed": 0}
CONSTANT = {"law": "rademacher", "mean_q": 0.0, "mean_k": 0.0, "correlation": 1.0, "seed": 0}
CURVE = {"n_samples": 200, **DRAW}
WALKS = {"n_walks": 3, **DRAW}


@pytest.fixture(scope="module")
def result():
    return core.measure_score_variance(core.ScoreVarianceParams(64, 2_000))


@pytest.fixture(scope="module")
def curve():
    return core.variance_curve((1, 4, 64, 1024), **CURVE)


@pytest.fixture(scope="module")
def walks():
    return core.random_walks(LONGEST, **WALKS)


def main(result, walks, axis="shared", profile=LIGHT, **axes):
    return figures.walks_and_histograms(result, walks, WALKS, profile, score_axis=axis, **axes)


def drawn(walks, axis="shared", **settings):
    """Draw the main picture at these settings."""
    return main(
        core.measure_score_variance(core.ScoreVarianceParams(**({"d_k": 64, "n_samples": 2_000} | settings))),
        walks,
        axis,
    )


def spreads(curve, d_k=4, options=CURVE, profile=LIGHT):
    return figures.spread_against_dimension(curve, d_k, options, profile)


SIZES = LESSONS["score_variance"].controls["component_spread"].stops


def small(curve, size, profile=LIGHT):
    return figures.small_start(curve, 64, size, CURVE, profile)


def test_smaller_components_lower_every_line_on_a_fixed_axis(curve):
    drawn = {size: plotted(small(curve, size)) for size in SIZES}
    assert len({each.layout.yaxis.range for each in drawn.values()}) == 1
    low, high = next(iter(drawn.values())).layout.yaxis.range
    for size, shown in drawn.items():
        for trace, usual in zip(shown.data, drawn[1].data, strict=True):
            np.testing.assert_allclose(trace.y, size**2 * np.asarray(usual.y), rtol=1e-12)
            assert low < np.log10(min(trace.y)) <= np.log10(max(trace.y)) < high


@pytest.mark.parametrize("size", SIZES)
def test_no_division_is_called_needed_if_raw_scores_spread_by_1(curve, size):
    raw = size**2 * curve.spread("measured")[0][curve.dims.index(64)]
    assert small(curve, size).sentence.endswith(": no division is needed.") is bool(0.8 <= raw <= 1.25)
    assert 0.8 <= 0.35**2 * curve.spread("measured")[0][curve.dims.index(64)] <= 1.25


# --- random walks beside histograms ----------------------------------------------------------------------


def pieces(trace):
    """Return the lines of a trace, which NaNs separate: [(x, y), …]."""
    ends = np.flatnonzero(np.isnan(trace.x))
    assert np.isnan(trace.y[ends]).all()
    return [(trace.x[a:b], trace.y[a:b]) for a, b in zip([0, *(ends[:-1] + 1)], ends, strict=True)]


@pytest.mark.parametrize("products_axis", ["linear", "root"])
@pytest.mark.parametrize("d_k", [1, 64, 1024])
def test_random_walks_are_drawn_up_to_d_k_and_pale_beyond(walks, d_k, products_axis):
    result = core.measure_score_variance(core.ScoreVarianceParams(d_k, 100))
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
    assert to_come.opacity < 0.5


@pytest.mark.parametrize("score_axis", ["shared", "own"])
def test_histograms_are_densities_scaled_to_the_longest_bar(result, walks, score_axis):
    fig = plotted(main(result, walks, score_axis, LIGHT))
    for side, axes in (("raw", "2"), ("scaled", "3")):
        bars = trace_of(fig, f"{side}, 2,000 scores")
        law = next(each for each in fig.data if each.name == f"{side}, exact distribution" and each.xaxis == f"x{axes}")
        edges, density = getattr(result, f"{side}_edges"), getattr(result, f"{side}_density")
        np.testing.assert_array_equal(bars.y, edges)
        np.testing.assert_array_equal(bars.x, [*(density / density.max()), 0])
        # a step line ("vh"): first along y to the next edge, then along x to the next bar's length
        assert (bars.line.shape, bars.fill) == ("vh", "tozerox")
        np.testing.assert_array_equal(law.y, getattr(result, f"{side}_grid"))
        cut = np.minimum(getattr(result, f"{side}_law") / density.max(), 1.15)
        np.testing.assert_array_equal(law.x, cut)
        assert {bars.xaxis, law.xaxis} == {f"x{axes}"}
        assert {bars.yaxis, law.yaxis} == {f"y{axes}"}


@pytest.mark.parametrize("profile", PROFILES)
def test_sigma_lines_and_the_exact_curve_have_labels(result, walks, profile):
    drawn = plotted(main(result, walks, profile=profile))
    layout = drawn.layout
    named = {each.text: each for each in layout.annotations}
    for text, end in (("+σ", walks.high[-1]), ("−σ", walks.low[-1])):
        assert (named[text].y, named[text].yref, named[text].x, named[text].xref) == (end, "y", 1, "x domain")
    assert layout.xaxis.domain[1] < layout.xaxis2.domain[0] - 0.05  # room for the labels
    assert (named["exact"].xref, named["exact"].yref) == ("x2", "y2")
    assert named["exact"].y == pytest.approx(2.6 * 8)
    curve = trace_of(drawn, "raw, exact distribution")
    assert named["exact"].x == pytest.approx(np.interp(2.6 * 8, curve.y, curve.x))  # on its curve
    assert not any("dashed" in text or "shares" in text for text in named)
    below = layout.height - layout.margin.t - layout.margin.b
    assert below > 0.6 * layout.height  # the plot takes most of the height: there is no legend


@pytest.mark.parametrize("settings", [CONSTANT, {"mean_q": 2.0, "mean_k": -2.0, "d_k": 1024}])
def test_exact_distribution_has_a_label_unless_scores_are_constant(walks, settings):
    constant = core.random_walks(LONGEST, n_walks=2, **CONSTANT)
    said = texts(plotted(drawn(constant if settings is CONSTANT else walks, **settings)))
    assert ("normal" in said) == ("+σ" in said) == (settings is not CONSTANT)


BROKEN = [{}, {"mean_q": 0.5, "mean_k": 0.5}, {"correlation": -1.0}, {"sampling": "matrix"}]


@pytest.mark.parametrize("broken", BROKEN)
def test_axes_are_the_same_at_every_d_k_and_panels_share_a_y_range(walks, broken):
    ranges = set()
    for d_k in (1, 64, 1024):
        layout = plotted(drawn(walks, d_k=d_k, **broken)).layout
        ranges.add(tuple(layout[f"{letter}axis{i}"].range for letter in "xy" for i in ("", 2, 3)))
    assert len(ranges) == 1
    assert len({*ranges.pop()[3:]}) == 1


def test_how_sure_fold_gives_the_share_of_scores_beyond_the_axis(result, walks):
    result = replace(result, beyond_shared=0.0123, beyond_own=0.0004)
    assert main(result, walks).sure[-1] == "1.2 % of the raw scores lie beyond the axis."
    assert not any("beyond" in each for each in main(result, walks, "own").sure)


@pytest.mark.parametrize("d_k", [1, 64])
def test_option_own_gives_scaled_scores_their_own_axis(walks, d_k):
    layout = plotted(drawn(walks, "own", d_k=d_k)).layout
    assert tuple(layout.yaxis.range) == tuple(layout.yaxis2.range) == (-5 * d_k**0.5, 5 * d_k**0.5)
    assert tuple(layout.yaxis3.range) == (-5, 5)
    assert (layout.yaxis3.side, layout.yaxis3.showticklabels) == ("right", True)


def test_constant_scores_and_infinite_densities_can_be_drawn(walks):
    constant = core.random_walks(LONGEST, n_walks=2, **CONSTANT)
    shown = drawn(constant, d_k=2, n_samples=100, **CONSTANT)
    assert sum(trace_of(plotted(shown), "raw, 100 scores").x) == 1
    assert all(np.isnan(each.x).all() for each in plotted(shown).data if each.name == "normal distribution")
    fig = plotted(drawn(walks, d_k=1, n_samples=1_000))
    assert [max(each.x) for each in fig.data if each.name.endswith("exact distribution")] == [1.15, 1.15]


# With k = q the mean is d_k and the variance 2 d_k: mean and standard deviation are equal at d_k = 2.
@pytest.mark.parametrize(("d_k", "said"), [(1, "spread by"), (4, "average")])
def test_sentence_gives_the_mean_if_it_exceeds_the_standard_deviation(walks, d_k, said):
    assert f"raw scores {said} " in drawn(walks, d_k=d_k, correlation=1.0).sentence


EVERY = [
    {"d_k": d_k, **broken}
    for d_k, broken in product(
        (1, 64, 1024),
        (
            *BROKEN,
            CONSTANT,
            {**CONSTANT, "correlation": -1.0},
            {"mean_q": 2.0, "mean_k": -2.0},
            {"mean_k": 2.0},
            {"law": "sparse"},
            {"law": "student_t", "correlation": 0.3},
            {"sampling": "matrix", "n_queries": 2, "n_keys": 2, "law": "sparse"},
        ),
    )
]


@pytest.mark.parametrize("settings", EVERY)
def test_sentence_gives_the_numbers_of_the_result(walks, settings):
    result = core.measure_score_variance(core.ScoreVarianceParams(**({"n_samples": 1_000} | settings)))
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


def test_tables_have_the_data_of_histograms_and_walks(result, walks):
    shown = main(result, walks)
    for name in ("raw", "scaled"):
        edges = getattr(result, f"{name}_edges").tolist()
        assert (shown.table[f"{name} from"], shown.table[f"{name} to"]) == (edges[:-1], edges[1:])
    assert shown.table["count"] == result.counts.tolist()
    assert sum(shown.table["count"]) + result.below + result.above == 2_000
    assert shown.bins["step"] == list(range(65))
    assert [shown.bins[f"walk {i}"] for i in (1, 2, 3)] == walks.walks[:, :65].tolist()
    assert (shown.bins["low"], shown.bins["high"]) == (walks.low[:65].tolist(), walks.high[:65].tolist())


def test_moment_table_says_in_words_if_a_value_is_in_its_band(result):
    rough = "exact, rough gamma approximation"
    rows = [
        replace(result.rows[1], measured=66.5, low=60.25, high=65.0, z=-2.25, inside=False),
        replace(result.rows[1], predicted=np.inf, z=np.nan, inside=None),
        replace(result.rows[1], low=60.25, high=67.75, inside=True, error_source=rough),
    ]
    table = figures.moment_table(replace(result, rows=tuple(rows)))
    assert table["95 % band"] == ["60.25 to 65.00", "none", "roughly 60.25 to 67.75"]
    assert table["verdict"] == ["outside", "nothing to compare", "inside"]
    assert (table["z"][:2], table["predicted"][1]) == (["−2.2", "none"], "infinite")


# --- spread against d_k ----------------------------------------------------------------------------------


def test_measured_spreads_are_shown_with_theory_and_bands(curve):
    fig = plotted(spreads(curve))
    for i, name in enumerate(figures.LOOKS):
        theory, small, large = fig.data[3 * i : 3 * i + 3]
        np.testing.assert_array_equal(theory.x, curve.dims)
        np.testing.assert_array_equal(theory.y, np.sqrt(curve.theory[i]))
        assert (small.name, list(small.x), list(large.x)) == (name, [1, 4, 64, 1024], [4])
        for marks, chosen in ((small, slice(None)), (large, slice(1, 2))):
            np.testing.assert_array_equal(marks.y, np.sqrt(curve.measured[i][chosen]))
            above, below = (np.abs(np.sqrt(getattr(curve, what)[i]) - theory.y)[chosen] for what in ("high", "low"))
            np.testing.assert_array_equal(marks.error_y.array, above)
            np.testing.assert_array_equal(marks.error_y.arrayminus, below)
    table = spreads(curve).table
    for i, name in enumerate(("raw", "divided by √d_k", "divided by d_k")):
        for what in ("measured", "theory", "low", "high"):
            assert table[f"{name}: {what}"] == np.sqrt(getattr(curve, what)[i]).tolist()


def test_point_at_the_chosen_d_k_is_twice_as_large():
    curve = core.variance_curve((1, 3, 4), **CURVE)
    small, large = traces_of(plotted(spreads(curve, 3)), "raw")
    assert (list(small.x), list(large.x)) == ([1, 4], [3])
    assert large.marker.size == 2 * small.marker.size


@pytest.mark.parametrize("profile", PROFILES)
def test_labels_of_the_three_lines_say_how_spreads_grow(curve, profile):
    said = [re.sub("<[^>]*>", " ", each).split() for each in texts(plotted(spreads(curve, 4, profile=profile)))]
    assert [" ".join(each) for each in said[3:]] == [
        "raw spreads like √dₖ",
        "÷ √dₖ stays at 1",
        "÷ dₖ shrinks like 1/√dₖ",
    ]
    ends = (("raw", 64**0.5, 32), ("÷ √dₖ", 1, 1), ("÷ dₖ", 1 / 8, 1 / 32))
    for name, at_64, at_1024 in ends:
        theory = trace_of(plotted(spreads(curve)), f"{name}, theory")
        np.testing.assert_allclose(theory.y[[0, 2, 3]], [1, at_64, at_1024], rtol=1e-12)


def test_label_of_the_level_line_gives_its_height():
    options = {**CURVE, "mean_k": 2.0}  # E[q k] = 0 and Var(q k) = 1 · (1 + 2²)
    said = texts(plotted(spreads(core.variance_curve((1, 4, 1024), **options), options=options)))
    assert any("stays at 2.24" in each for each in said)


@pytest.mark.parametrize("d_k", [1, 4, 64, 1024])
def test_sentence_gives_the_spreads_at_the_chosen_d_k(curve, d_k):
    numbers = [float(each) for each in re.findall(r"\d+\.?\d*", spreads(curve, d_k).sentence)]
    here = np.sqrt(curve.measured[:, curve.dims.index(d_k)])
    np.testing.assert_allclose(numbers, here, rtol=0.05)
    for each, measured, predicted in zip(spreads(curve, d_k).sure, here, (d_k**0.5, 1, d_k**-0.5), strict=False):
        assert f"the spread is {number(measured)}, predicted {number(predicted)};" in each
    numbered = texts(plotted(spreads(curve, d_k)))[:3]
    assert [re.sub("<[^>]*>", "", each) for each in numbered] == (
        [""] * 3 if d_k == 1 else [number(each, 2) for each in here]  # at dₖ = 1 the points coincide
    )


def test_sentence_says_that_constant_scores_spread_at_no_d_k():
    options = {"n_samples": 50, **CONSTANT}
    shown = spreads(core.variance_curve((1, 2, 4), **options), 2, options)
    assert texts(plotted(shown)) == []
    assert shown.sentence == "All raw scores are equal, so nothing spreads at any dₖ, divided or not."
