"""Pictures of the few_bits lesson: plotted data and stated numbers equal those of the result."""

import math
from dataclasses import replace

import ml_dtypes
import numpy as np
import pytest

from pages._view.lessons.few_bits import figures
from pages._view.marks import readable
from pages._view.theme import LIGHT
from sattn_core.lessons import few_bits as core
from tests.figures.drawing import plotted, texts, trace_of

PARAMS = core.FewBitsParams(64)
DOTS = figures.SHOWN_ROWS * core.N_KEYS


@pytest.fixture(scope="module")
def result():
    return core.measure_few_bits(PARAMS)


@pytest.fixture(scope="module")
def overflowed():
    return core.measure_few_bits(core.FewBitsParams(512, "float16", size=40.0))


# --- scores ----------------------------------------------------------------------------------------------


def test_a_dot_shows_the_size_and_rounding_error_of_a_score(result):
    shown = plotted(figures.errors(result, LIGHT))
    for name, one in (("raw", result.raw), ("scaled", result.scaled)):
        dots = trace_of(shown, name)
        exact = one.exact[: figures.SHOWN_ROWS].ravel()
        off = np.abs(one.found[: figures.SHOWN_ROWS].ravel() - exact)
        np.testing.assert_allclose(dots.x, np.maximum(np.log10(np.abs(exact)), -2), rtol=1e-12)
        np.testing.assert_allclose(dots.y, np.log10(np.maximum(off, 1e-6)), rtol=1e-12)
        assert not np.size(trace_of(shown, f"overflow, {name}").x)
    assert shown.layout.yaxis.range == shown.layout.yaxis2.range


def test_dashed_steps_are_half_the_spacing_and_bound_rounding_errors(result):
    shown = plotted(figures.errors(result, LIGHT))
    steps, dots = trace_of(shown, "half the spacing, exact"), trace_of(shown, "raw")
    assert steps.line.shape == "hv"
    at = np.searchsorted(steps.x, dots.x + 1e-12) - 1
    assert (dots.y <= steps.y[at] + 1e-6).all()
    assert steps.y[np.searchsorted(steps.x, math.log10(64))] == pytest.approx(math.log10(1 / 4))


def test_overflows_are_crosses_beyond_the_largest_number(overflowed):
    shown = plotted(figures.errors(overflowed, LIGHT))
    crosses, dots = trace_of(shown, "overflow, raw"), trace_of(shown, "raw")
    assert crosses.marker.symbol == "x"
    assert len(crosses.x) + len(dots.x) == DOTS
    assert crosses.x.min() > math.log10(65_500) > dots.x.max() - 1e-3
    assert [line.x0 for line in shown.layout.shapes] == [math.log10(65_504)]
    assert [line.x0 for line in shown.layout.shapes] == [note.x for note in named(shown, "largest")]
    assert "65,504" in named(shown, "largest")[0].text
    (name,) = named(shown, "overflow")
    assert name.x == min(crosses.x.min(), trace_of(shown, "overflow, scaled").x.min())


def named(shown, word):
    """Return the annotations of a figure that contain a word."""
    return [note for note in shown.layout.annotations if word in note.text]


def test_labels_are_above_their_dots_and_have_the_same_colour(result, overflowed):
    for found in (result, overflowed, core.measure_few_bits(replace(PARAMS, sums="same"))):
        shown = plotted(figures.errors(found, LIGHT))
        for word, trace, colour in (("raw", "raw", LIGHT.raw), ("÷ √dₖ", "scaled", LIGHT.scaled)):
            (name,), dots = named(shown, word), trace_of(shown, trace)
            assert name.font.color == readable(colour, LIGHT.ground, LIGHT.text)
            assert dots.x.min() < name.x < dots.x.max()
            near = np.abs(dots.x - name.x - (0.3 if word == "raw" else -0.3)) < 0.3  # dots below the label
            assert (dots.y[near] <= name.y).all()
        assert len(shown.layout.annotations) == 7  # the same number at every dₖ, so that a drag redraws quickly
        assert not shown.layout.yaxis.title.text
        assert bool(named(shown, "half the spacing")) == (found is not overflowed)


def test_sentence_counts_overflows_and_says_if_dividing_helps(overflowed):
    lost = int(overflowed.raw.lost.sum())
    start = f"At dₖ = 512 a score overflows in {lost} of 64 rows without the scale."
    assert figures.errors(overflowed, LIGHT).sentence == f"{start} Divided after that, they stay lost."
    before = core.measure_few_bits(replace(overflowed.params, order="before"))
    assert figures.errors(before, LIGHT).sentence == f"{start} With q divided before, none does."


def test_sentence_on_dividing_q_first_compares_overflows_at_small_d_k():
    """At dₖ = 1 dividing changes nothing, and at dₖ = 4 not enough: the largest float8 number is 448."""
    for d_k, said in ((1, "as many do"), (4, "fewer do")):
        found = core.measure_few_bits(core.FewBitsParams(d_k, "float8_e4m3fn", order="before", size=16.0))
        assert 1 < found.scaled.lost.sum() < 64
        assert figures.errors(found, LIGHT).sentence.endswith(f"With q divided before, {said}.")


def test_no_rounding_error_is_predicted_if_rows_overflow(overflowed):
    sure = " ".join(figures.errors(overflowed, LIGHT, core.predicted_errors(overflowed.params)).sure)
    assert sure.count("No formula says here what to expect.") == 2
    assert f"{int(overflowed.raw.lost.sum())} raw and" in sure


# --- curves ----------------------------------------------------------------------------------------------


def test_lines_show_mean_changes_and_the_chosen_format_has_wider_lines():
    found = core.few_bits_curves((1, 16, 64), PARAMS)
    shown = plotted(figures.curves(found, PARAMS, LIGHT))
    for i, name in enumerate(core.FORMATS):
        for j, side in enumerate(("raw", "scaled")):
            points = trace_of(shown, f"{side}, {figures.CALLED[name]}")
            np.testing.assert_allclose(points.y, np.log10(found.change[i, j]), rtol=1e-12)
            np.testing.assert_allclose(10**points.x, [1, 16, 64], rtol=1e-12)
            width = trace_of(shown, f"{side}, {figures.CALLED[name]}, line").line.width
            assert (width > LIGHT.line_width) == (name == PARAMS.format)
    assert shown.layout.shapes[0].x0 == math.log10(64)


def test_curves_have_a_tick_at_every_factor_of_a_hundred():
    powers = plotted(figures.curves(core.few_bits_curves((1, 16), PARAMS), PARAMS, LIGHT)).layout.yaxis.tickvals
    assert len(powers) > 2
    assert {power % 2 for power in powers} == {0}
    assert set(np.diff(powers)) == {2}


def test_words_of_the_curves_are_about_the_chosen_format():
    found = core.few_bits_curves((1, 16, 64), PARAMS)
    said = figures.curves(found, PARAMS, LIGHT)
    assert said.sure[0] == "Without the scale, weights change ever more; with it, they do not."
    raw, scaled = (
        found.change[core.FORMATS.index("bfloat16"), :, -1] / found.change[core.FORMATS.index("bfloat16"), :, 0]
    )
    ratios = f"becomes {figures.number(raw, 2)} times as large without the scale, and {figures.number(scaled, 2)} times"
    assert ratios in said.sentence
    params = replace(PARAMS, sums="same")
    few = figures.curves(core.few_bits_curves((1, 1024), params), params, LIGHT)
    assert few.sure[0] == "Added up in few bits, even scaled scores get worse."
    assert "becomes 1,100 times as large" in few.sentence


def overflowing(name, **changes):
    """Return curves with components so large that scores overflow, and their parameters."""
    params = replace(PARAMS, format=name, **changes)
    return core.few_bits_curves((1, 64, 512), params), params


def test_a_cross_replaces_the_point_if_rows_overflow():
    found, params = overflowing("float8_e4m3fn", size=40.0)
    shown = plotted(figures.curves(found, params, LIGHT))
    for i, name in enumerate(core.FORMATS):
        for side, called in enumerate(("raw", "scaled")):
            lost, mean = found.lost[i, side] > 0, found.change[i, side]
            points, crosses = (trace_of(shown, f"{of}{called}, {figures.CALLED[name]}") for of in ("", "overflow, "))
            np.testing.assert_array_equal(np.isnan(points.y), lost)
            np.testing.assert_allclose(10**crosses.x, np.array(found.dims)[lost], rtol=1e-12)
            kept = ~np.isnan(mean[lost])
            np.testing.assert_allclose(np.asarray(crosses.y)[kept], np.log10(mean[lost][kept]), rtol=1e-12)
            assert (np.asarray(crosses.y)[~kept] > shown.layout.yaxis.range[1] - 0.6).all()
    assert np.isnan(found.change[core.FORMATS.index("float8_e4m3fn"), :, -1]).all()
    (name,) = named(shown, "overflow")
    assert 10**name.x == pytest.approx(found.dims[1])  # at the second dₖ
    assert (found.lost[core.FORMATS.index("bfloat16")] == 0).all()


@pytest.mark.parametrize(
    ("name", "changes", "claim", "with_it"),
    [
        ("float16", {"size": 40.0}, "Where raw scores overflow, dividing them comes too late", "raw"),
        ("float16", {"size": 40.0, "order": "before"},
         "Where raw scores overflow, dividing q first saves the weights", "0 %"),
        ("float8_e4m3fn", {"size": 64.0, "order": "before"}, "What overflows has no weight left", "100 %"),
    ],
)  # fmt: skip
def test_words_of_the_curves_give_the_shares_of_overflowing_rows(name, changes, claim, with_it):
    found, params = overflowing(name, **changes)
    said, share = figures.curves(found, params, LIGHT), f"{100 * found.lost[core.FORMATS.index(name), 0, -1]:.0f} %"
    assert said.sure[0] == f"{claim}."
    assert said.sentence == (
        f"At dₖ = 512, {share} of the rows of the chosen format (wide lines) overflow without the scale, and "
        f"{share if with_it == 'raw' else with_it} with it."
    )
    assert f"{share} of the rows overflow at dₖ = 512 without the scale" in " ".join(said.sure)


# --- a large sum -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("d_k", "sums", "crosses", "said"),
    [
        (64, "same", [41], "The sum overflows at product 41 of 64; with q divided first, it comes to 12,800."),
        (64, "float32", [64], "The sum, 102,400, is too large to be kept; with q divided first, it comes to 12,800."),
        (16, "same", [], "The sum comes to 25,600, which the format holds; with q divided first, it comes to 6,400."),
    ],
)  # fmt: skip
def test_a_sum_is_drawn_up_to_the_overflow(d_k, sums, crosses, said):
    picture = figures.large(core.large_sum(d_k, "float16", sums), LIGHT)
    shown = plotted(picture)
    assert picture.sentence == said
    np.testing.assert_allclose(np.power(10, trace_of(shown, "overflow, raw").x), crosses)
    last = crosses[0] - (sums == "same") if crosses else d_k
    np.testing.assert_allclose(np.power(10, trace_of(shown, "raw").y), 1600 * np.arange(1, last + 1), rtol=1e-12)
    assert len(trace_of(shown, "scaled").x) == d_k
    assert not np.size(trace_of(shown, "overflow, scaled").x)
    names = dict(zip(texts(shown), shown.layout.annotations, strict=True))
    assert [*names] == ["raw<br>overflow" if crosses else "raw", "q ÷ √dₖ", "largest number"]
    assert 10 ** shown.layout.annotations[0].x == pytest.approx(crosses[0] if crosses else d_k)  # the line's end
    assert names["largest number"].y == trace_of(shown, "largest number").y[0]


@pytest.mark.parametrize("sums", core.SUMS)
def test_dividing_q_first_prevents_every_overflow_of_the_sum(sums):
    for d_k in (1, 40, 41, 64, 300, 1024):
        found = core.large_sum(d_k, "float16", sums)
        assert np.isfinite([found.before, *found.divided]).all()


# --- the worth of bits -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", core.FORMATS)
def test_stated_bound_on_the_change_of_weights_holds(name):
    """Round new draws with ml_dtypes. Both scores of a pair are rounded, so the bound is a whole spacing, not half."""
    to, rng = np.dtype(getattr(ml_dtypes, name, name)), np.random.default_rng(3)
    q, k = (rng.standard_normal((400, each, 1024)).astype(to).astype(float) for each in (1, 16))
    exact = (q * k).sum(axis=-1)
    exact[np.abs(exact) >= 128] = np.nan
    off = exact.astype(np.float32).astype(to).astype(float) - exact
    gap = np.spacing(np.array(64.0, to)).astype(float)
    assert gap / 4 < np.nanmax(np.abs(off)) <= gap / 2 + 1e-4
    changed = np.nanmax(off, axis=1) - np.nanmin(off, axis=1)  # change in the log of the ratio of two weights
    assert gap / 2 < changed.max() <= gap + 1e-4
    params = core.FewBitsParams(1024, name)
    said = figures.errors(core.measure_few_bits(params), LIGHT, core.predicted_errors(params)).sure[-2]
    assert f"at most {gap:g}: one weight over the other changes by at most e to the power {gap:g}, " in said


@pytest.mark.parametrize("sums", core.SUMS)
@pytest.mark.parametrize(("d_k", "size"), [(1, 1.0), (1024, 1.0), (64, 64.0), (1024, 64.0)])
@pytest.mark.parametrize("name", core.FORMATS)
def test_how_sure_fold_gives_the_largest_errors_of_the_draw(name, d_k, size, sums):
    found = core.measure_few_bits(core.FewBitsParams(d_k, name, sums, size=size))
    far = []
    for one in (found.raw, found.scaled):
        kept = np.isfinite(one.found)
        far.append(figures.number(np.abs(one.found - one.exact)[kept].max(initial=0.0), 2))
    said = figures.errors(found, LIGHT, core.predicted_errors(found.params)).sure[-1]
    assert said.endswith(f"the farthest raw score is off by {far[0]}, the farthest scaled by {far[1]}.")
    assert ("in 32 bits" in said) == (sums == "float32")


def test_how_sure_fold_says_how_many_bits_the_scale_is_worth():
    found = core.few_bits_curves((1, 64, 1024), PARAMS)
    said = " ".join(figures.curves(found, PARAMS, LIGHT).sure)
    factors = found.change[:, 0, 1] / found.change[:, 1, 1]
    low, high = factors.min(), factors.max()
    assert f"{low:.0f} to {high:.0f} times smaller, as {np.log2(low):.1f} to {np.log2(high):.1f} bits more" in said
    assert np.log2(low) > 3.5  # more than for scores: log2(√64) = 3
    _, large = overflowing("float8_e4m3fn", size=40.0)
    assert "times smaller" not in " ".join(figures.curves(core.few_bits_curves((1, 512), large), large, LIGHT).sure)


@pytest.mark.parametrize("name", ["float16", "float8_e4m3fn"])
@pytest.mark.parametrize(("d_k", "size"), [(1, 64.0), (64, 64.0), (1024, 64.0), (1024, 8.0)])
def test_rows_with_an_overflow_count_as_rows_without_weights(name, d_k, size):
    found = core.measure_few_bits(core.FewBitsParams(d_k, name, size=size))
    raw, scaled = (int((~np.isfinite(one.found)).any(axis=1).sum()) for one in (found.raw, found.scaled))
    said = figures.errors(found, LIGHT).sentence
    assert ("no weight is left" in said) == (raw == scaled == core.N_ROWS)
    assert ("in every row" in said) == (raw == core.N_ROWS)
