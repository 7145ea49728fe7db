"""Pictures of the small_samples lesson: plotted data and stated numbers equal those of the result."""

import re

import numpy as np
import pytest

from pages._view.lessons.small_samples import figures
from pages._view.marks import readable
from pages._view.theme import LIGHT, number
from sattn_core.lessons.small_samples import (
    SmallSamplesParams,
    band_curve,
    draw_sweep,
    measure_large_experiment,
    measure_small_samples,
)
from tests.figures.drawing import plotted, texts, trace_of, traces_of

BAND = {"d_k": 16, "ddof": 0, "seed": 0, "n_draws": 5}


@pytest.fixture(scope="module")
def result():
    return measure_small_samples(SmallSamplesParams(n_draws=50))


@pytest.fixture(scope="module")
def sweep():
    return draw_sweep((1, 2, 64, 1024))


@pytest.fixture(scope="module")
def curve():
    return band_curve((2, 8, 64), **BAND)


@pytest.fixture(scope="module")
def experiment():
    return measure_large_experiment()


def draws(result, sweep, d_k=64, profile=LIGHT):
    return figures.draws(result, sweep, d_k, profile)


def sized(size, ddof=0, n_draws=50):
    asked = measure_small_samples(SmallSamplesParams(ddof=ddof, n_draws=n_draws))
    return asked, draw_sweep((1, 64, 1024), size=size, ddof=ddof, n_draws=n_draws)


def band(curve, profile=LIGHT):
    return figures.band(curve, BAND, profile)


def large(experiment, profile=LIGHT):
    return figures.large_experiment(experiment, profile)


def test_histograms_show_draws_expected_counts_and_labelled_lines(result, sweep):
    fig, counted = plotted(draws(result, sweep, 64, LIGHT)), sweep.first(50)
    left, right = traces_of(fig, "draws")
    expected = trace_of(fig, "expected")
    np.testing.assert_array_equal(left.x, result.edges)
    np.testing.assert_array_equal(left.y, [*result.counts, 0])
    np.testing.assert_array_equal(expected.y, [*result.expected, 0])
    np.testing.assert_array_equal(right.x, sweep.edges)
    np.testing.assert_array_equal(right.y, [*counted.counts[2], 0])
    last = [each.x[0] for each in traces_of(fig, "last draw")]
    assert last == [result.variances[-1], counted.ratios[2, -1]]
    fig = plotted(draws(result, sweep))
    for name, value in {"mean 1.50": 1.5, "2 expected": 2, "1.6 found": 1.6, "mean 0.750": 0.75, "dₖ": 1}.items():
        assert set(trace_of(fig, name).x) == {value}
        assert name in texts(fig)
    assert texts(fig)[-2:] == [f"The question<br>2 × 2 products<br>last ▲ {number(result.variances[-1], 2)}",
                               f"dₖ = 64<br>2 × 2 products<br>last ▲ {number(counted.ratios[2, -1], 2)}"]  # fmt: skip
    (outline,) = (note for note in fig.layout.annotations if note.text == "exact")
    under = np.abs(result.edges[:-1] - outline.x) < 0.15 * result.edges[-1]
    assert outline.y > max(result.expected[under].max(), result.counts[under].max())
    assert not fig.layout.yaxis.title.text
    few, many = (plotted(draws(result, sweep, d_k)) for d_k in (2, 1024))
    for name in ("xaxis", "xaxis2", "yaxis", "yaxis2"):
        assert few.layout[name].range == many.layout[name].range
    first, second = (traces_of(fig, "draws") for fig in (few, many))
    np.testing.assert_array_equal(first[0].y, second[0].y)
    assert (np.array(first[1].y) != np.array(second[1].y)).any()
    assert max(max(each.y) for each in (first[1], second[1])) < few.layout.yaxis2.range[1] / 1.4


def test_a_last_draw_beyond_the_axis_is_drawn_at_the_end_of_the_axis(sweep):
    many = measure_small_samples(SmallSamplesParams())
    n = int(np.argmax(many.variances)) + 1
    far, longer = measure_small_samples(SmallSamplesParams(n_draws=n)), draw_sweep((1, 64), n_draws=2_000)
    assert far.variances[-1] > far.edges[-1]
    assert traces_of(plotted(draws(far, longer)), "last draw")[0].x[0] == far.edges[-1]
    n = int(np.argmax(longer.ratios[0])) + 1
    far = measure_small_samples(SmallSamplesParams(n_draws=n))
    assert longer.ratios[0, n - 1] > 4
    picture = draws(far, longer, 1)
    assert traces_of(plotted(picture), "last draw")[1].x[0] == 4
    above = (longer.ratios[0, :n] > 4).sum()
    assert f"{above} lie" in picture.sure[2]


@pytest.mark.parametrize("ddof", [0, 1])
@pytest.mark.parametrize("size", [2, 16, 64])
@pytest.mark.parametrize("n_draws", [1, 50, 200])
def test_sentence_gives_the_share_of_draws_near_d_k(size, ddof, n_draws):
    asked, each = sized(size, ddof, n_draws)
    for i, d_k in enumerate(each.dims):
        said = draws(asked, each, d_k).sentence
        assert said.startswith(f"Variances of two-by-two products average {('1.5', '2.0')[ddof]}, so 1.6 is ordinary. ")
        near = np.mean(np.abs(each.ratios[i, :n_draws] - 1) < 0.1)
        shares = [float(share) / 100 for share in re.findall(r"about (\d+) %", said)]
        words = {"no draw": 0, "every draw": 1, "the one draw comes": 1, "the one draw does not": 0}
        (found,) = shares or [share for text, share in words.items() if text in said]
        assert abs(found - near) <= 0.01


def test_tables_have_the_numbers_of_the_current_d_k(result, sweep):
    picture, counted = draws(result, sweep), sweep.first(50)
    assert picture.table["draws, 2 × 2"] == result.counts.tolist()
    assert picture.table["expected, 2 × 2"] == result.expected.tolist()
    assert picture.table["draws"] == counted.counts[2].tolist()
    mean, error = counted.ratios[2].mean(), sweep.std_theory[2] / np.sqrt(50)
    checks = picture.checks
    assert checks["measured"] == [*(number(each.measured) for each in result.checks), number(mean)]
    assert checks["z"] == [*(number(each.z) for each in result.checks), number((mean - 0.75) / error)]
    assert checks["standard error"][-1] == number(error, 2)
    near = (np.abs(sweep.ratios[2, :50] - 1) < 0.1).sum()
    assert f"{near} of 50 draws lie within a tenth" in picture.sure[2]


@pytest.mark.parametrize(("size", "shown"), [(64, "0.9998"), (2, "0.750")])
def test_a_mean_close_to_d_k_is_not_rounded_to_it(size, shown):
    asked, each = sized(size)
    picture = draws(asked, each)
    assert picture.checks["predicted"][-1] == shown
    assert f"mean {shown}" in texts(plotted(picture))


def test_band_picture_shows_both_bands_and_every_draw(curve):
    fig = plotted(band(curve, LIGHT))
    names = {
        "exact band, low": curve.low,
        "exact band, high": curve.high,
        "exact mean": curve.mean,
        "as if independent, low": curve.naive_low,
        "as if independent, high": curve.naive_high,
    }
    for name, values in names.items():
        np.testing.assert_array_equal(trace_of(fig, name).y, values / 16)
    points = trace_of(fig, "measured")
    np.testing.assert_array_equal(points.y, curve.measured.ravel() / 16)
    assert list(points.x) == [2] * 5 + [8] * 5 + [64] * 5
    words = dict(zip(texts(fig), fig.layout.annotations, strict=True))
    assert [*words] == ["95 % band", "exact mean", "as if<br>independent"]
    assert [each.y for each in words.values()] == sorted((each.y for each in words.values()), reverse=True)
    assert np.mean([each.y for each in words.values()]) == pytest.approx(curve.mean[-1] / 16, abs=0.2)
    assert words["95 % band"].font.color == readable(LIGHT.band, LIGHT.ground, LIGHT.text)
    assert fig.layout.title.text == "<b>Variance ÷ dₖ of drawn products</b>"
    assert band(curve).table["naive low"] == curve.naive_low.tolist()


# At dₖ = 1,024 the dotted band holds 93.5 % of the draws, so it is not called too narrow.
@pytest.mark.parametrize("d_k", [1, 64, 1024])
def test_dotted_band_is_called_too_narrow_only_if_it_is(d_k):
    drawn = band_curve((2, 64), d_k=d_k, ddof=0, n_draws=300, seed=0)
    sentence = band(drawn).sentence
    assert ("too narrow" in sentence) == (drawn.naive_share_inside[-1] < 0.85)
    assert ("hardly matter" in sentence) != ("too narrow" in sentence)


@pytest.mark.parametrize("d_k", [1, 64, 1024])
def test_one_draw_in_forty_lies_above_the_band_of_small_products(d_k):
    """Count new draws above the upper end of the 95 % band."""
    rng, n = np.random.default_rng(1), 4_000
    A, B = rng.standard_normal((n, 2, d_k)), rng.standard_normal((n, d_k, 2))
    drawn = (A @ B).reshape(n, 4).var(axis=1) / d_k
    curve = band_curve((2, 64), d_k=d_k, ddof=0, n_draws=1, seed=0)
    beyond = np.mean(drawn > curve.high[0] / d_k)
    assert abs(beyond - 0.025) < 4 * np.sqrt(0.025 * 0.975 / n)
    assert drawn.max() > 1.5 * curve.high[0] / d_k
    small, large_one = number(curve.high[0] / d_k, 2), number(curve.high[1] / d_k)
    said = f"The variance’s 95 % band ends at {small} times dₖ for small products, {large_one} for large."
    assert band(curve).sentence.startswith(said)


def test_large_experiment_shows_both_runs_and_both_bands(experiment):
    fig = plotted(large(experiment, LIGHT))
    row = experiment.rows[2]
    assert trace_of(fig, "exact").x == experiment.band
    assert trace_of(fig, "as if independent").x == experiment.naive_band
    assert trace_of(fig, "this run").x == (row.measured,)
    assert trace_of(fig, "published").x == (110.5603610976103,)
    (middle,) = fig.layout.annotations
    assert (middle.text, middle.x, middle.y) == ("exact mean", row.mean, trace_of(fig, "mean").y[-1])
    rows = figures.large_rows(experiment)
    assert rows["z, published"] == ["−0.0400", "−1.06", "−0.678", "−0.678"]
    ticks = fig.layout.yaxis.ticktext
    assert [tick.split("z = ")[1] for tick in ticks if "z" in tick] == [rows["z, published"][2], rows["z"][2]]
    assert large(experiment).table["measured"] == [row.measured for row in experiment.rows]
    assert "a standard deviation of 0.143 and z = −3.07: a false alarm." in " ".join(large(experiment).sure)
