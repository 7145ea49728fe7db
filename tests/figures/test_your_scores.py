"""Pictures of the your_scores lesson: they and the tables show the report, the sentences give its verdict."""

import re
from dataclasses import replace

import numpy as np
import pytest

from pages._view.lessons.your_scores import figures
from pages._view.marks import readable
from pages._view.theme import LIGHT, number
from sattn_core.lessons.your_scores import SAMPLES, YourScoresParams, measure_your_scores, sample_scores
from tests.figures.drawing import plotted, run


def params_of(sample):
    return YourScoresParams(sample, n_rows=32, d_k=16)


@pytest.fixture(scope="module")
def results():
    return {name: measure_your_scores(*sample_scores(params_of(name))) for name in SAMPLES}


def no_variation():
    return measure_your_scores(np.ones((4, 1)), np.ones((3, 1)))


def histogram(result, sample="ideal", d_k=16, own=()):
    """Draw the histogram of a result for a sample, or for a visitor's files (`own`)."""
    params = params_of(sample)
    return figures.histogram(result, params, figures.source(result, params, d_k, own), own, LIGHT)


def sure(picture):
    return " ".join(picture.sure)


def growth(result, sample="ideal", own=()):
    """Draw the growth of the scores of a result for a sample, or for a visitor's files (`own`)."""
    params = params_of(sample)
    return figures.growth(result, params, figures.source(result, params, 16, own), own, LIGHT)


@pytest.mark.parametrize("sample", SAMPLES)
def test_histogram_and_ideal_density_are_those_of_the_report(results, sample):
    result = results[sample]
    fig = plotted(figures.histogram(result, params_of(sample), "A sample", (), LIGHT))
    measured, ideal = fig.data
    np.testing.assert_array_equal(measured.x, result.report.scaled_edges)
    np.testing.assert_array_equal(measured.y[:-1], result.measured_density)
    np.testing.assert_array_equal(ideal.y, result.report.ideal_density)
    assert title_of(fig).endswith(f" spread {number(result.shown.scaled_std, 4)}")
    assert len(title_of(fig)) <= 50  # a phone cuts off longer titles


def title_of(fig):
    """Return a figure's title without its <b> tags."""
    (words,) = re.findall("^<b>(.*)</b>$", fig.layout.title.text)
    return words


@pytest.mark.parametrize("sample", SAMPLES)
def test_label_of_the_ideal_curve_is_above_the_bars_and_the_curve(results, sample):
    result = results[sample]
    fig = plotted(histogram(result, sample))
    (name,) = [note for note in fig.layout.annotations if note.text == "ideal q and k"]
    measured, ideal = fig.data
    assert 0 < name.x < 1.5
    assert name.y >= np.asarray(measured.y)[:-1][np.asarray(measured.x[1:]) >= name.x].max()
    assert name.y >= np.asarray(ideal.y)[np.asarray(ideal.x) >= name.x].max()
    assert name.y < 0.9 * fig.layout.yaxis.range[1]


@pytest.mark.parametrize("sample", SAMPLES)
def test_labels_of_the_growth_curves_have_the_colours_of_the_curves(results, sample):
    fig = plotted(growth(results[sample], sample))
    *names, upright = fig.layout.annotations
    assert upright.text == "Root mean square score"
    assert fig.layout.yaxis.title.text is None
    for name, colour in zip(names, (LIGHT.scaled, LIGHT.text, LIGHT.third), strict=True):
        assert name.font.color == readable(colour, LIGHT.ground, LIGHT.text)
    assert [name.text for name in names] == ["all pairs", "√m", "i with i"]


def test_scores_beyond_the_axis_and_the_band_are_named(results):
    shown = replace(results["ideal"].shown, scaled_below=10, scaled_above=0, scaled_counts=np.full(96, 5))
    words = plotted(histogram(replace(results["ideal"], shown=shown))).layout.annotations
    assert words[1].text == "2.0 % beyond ±6"  # 10 of 490
    result = results["anisotropic"]
    shown, (low, high) = histogram(result, "anisotropic"), result.shown.scaled_band
    assert shown.sure[1:-1] == (result.report.verdict, result.report.reason, result.shown.chance)
    assert "The spread is outside the 95 % band" in sure(shown)
    inside = replace(result, shown=replace(result.shown, scaled_std=(low + high) / 2))
    assert "The spread is inside the 95 % band" in sure(histogram(inside))


def test_sentence_says_if_the_divisor_is_too_small_or_too_large(results):
    assert "divides too little" in histogram(results["anisotropic"], "anisotropic").sentence
    weak = measure_your_scores(*(0.5 * np.random.default_rng(0).standard_normal((2, 40, 16))))
    assert "divides too much" in histogram(weak).sentence
    assert histogram(no_variation()).sentence.startswith("The scores of every row are all equal")


# The report accepts a wider range as right than the 95 % band of ideal q and k.
@pytest.mark.parametrize("size", [0.85, 0.9, 0.97, 1.0, 1.03, 1.1])
@pytest.mark.parametrize("aligned", [0.0, 0.6])
def test_only_a_spread_inside_the_band_is_called_ideal_in_words(size, aligned):
    Q, noise = np.random.default_rng(3).standard_normal((2, 128, 64))
    result = measure_your_scores(size * Q, aligned * Q + np.sqrt(1 - aligned**2) * noise)
    (low, high), sentence = result.shown.scaled_band, histogram(result).sentence
    assert result.shown.code == ("aligned" if aligned else "right")
    assert ("as ideal ones do" in sentence) == (low <= result.shown.scaled_std <= high)
    assert ("near enough to ideal" in sentence) != ("as ideal ones do" in sentence)


@pytest.mark.parametrize("size", [1e-9, 0.013, 0.5, 1.0, 4.0, 1234.5, 1e8])
def test_equal_numbers_have_the_same_digits_everywhere(size):
    Q, K = np.random.default_rng(0).standard_normal((2, 2, 40, 20))
    result = measure_your_scores(size * Q, K, head=1)
    rows, picture = figures.head_table(result), histogram(result)
    title = title_of(plotted(picture)).replace("<br>", " ").rpartition(" spread ")[2]
    spread = figures.saturation_table(result)["spread"]
    assert rows["spread ÷ √dₖ"][1] == spread[1] == title
    assert f"Head 2 has {title}." in sure(picture)
    one = measure_your_scores(size * Q[0], K[0])
    moments = dict(zip(*list(figures.moment_table(one).values())[:2], strict=True))
    assert moments["divisor that fits"] == figures.head_table(one)["divisor that fits"][0]
    assert moments["variance of q"] == figures.head_table(one)["q variance"][0]
    assert moments["scale that fits"] == figures.saturation_table(one)["multiplier"][3]
    assert f"standard deviation {figures.head_table(one)['spread ÷ √dₖ'][0]}, " in one.report.verdict
    assert one.report.code == "right" or f" {moments['divisor that fits']} would give that" in one.report.verdict
    ideal = dict(zip(figures.moment_table(one)["quantity"], figures.moment_table(one)["ideal"], strict=True))
    assert (ideal["divisor that fits"], ideal["scale that fits"]) == ("4.472", "0.2236")
    assert "Divided by √d_k = 4.472, " in one.report.verdict
    assert figures.saturation_table(one)["multiplier"][1] == "0.2236"
    assert f"grow like m to the power {figures.head_table(one)['exponent'][0]}; " in sure(growth(one))


@pytest.mark.parametrize("sample", SAMPLES)
def test_growth_curves_and_sqrt_m_are_those_of_the_result(results, sample):
    result = results[sample]
    fig = plotted(growth(result, sample))
    root, fitted, rows, paired = fig.data
    fit = result.shown.row_exponent
    for trace, values in ((root, result.ideal_line), (fitted, result.exponent_line), (rows, fit.sizes)):
        np.testing.assert_array_equal(trace.x, fit.dims)
        np.testing.assert_array_equal(trace.y, values)
    np.testing.assert_array_equal(paired.y, result.shown.paired_exponent.sizes)


@pytest.mark.parametrize(
    ("low", "high", "title"),
    [
        (0.4, 0.6, "Growth as √dₖ assumes"),
        (0.51, 0.6, "Growth faster than √dₖ"),
        (0.4, 0.49, "Growth slower than √dₖ"),
        (np.nan, np.nan, "Too few rows to tell"),
    ],
)
def test_title_of_the_growth_follows_from_the_interval_of_the_exponent(results, low, high, title):
    result = results["ideal"]
    fit = replace(result.shown.row_exponent, low=low, high=high)
    moved = growth(replace(result, shown=replace(result.shown, row_exponent=fit)))
    assert title_of(plotted(moved)) == title
    assert f" power {number(fit.value, 2)};" in moved.sentence
    assert (", does not hold ½" in sure(moved)) == (low > 0.5 or high < 0.5)


def test_few_rows_and_constant_scores_still_give_pictures():
    Q, K = np.random.default_rng(0).standard_normal((2, 4, 16))
    said = sure(growth(measure_your_scores(Q, K)))
    assert said.endswith(". An interval takes at least 5 queries and 5 keys.")
    assert "undefined" not in said
    more = sure(growth(measure_your_scores(*np.random.default_rng(0).standard_normal((2, 5, 16)))))
    assert "the 95 % interval" in more
    assert "takes at least" not in more
    alone = sure(growth(measure_your_scores(Q, K[:3])))
    assert "query i" not in alone
    result = no_variation()
    assert growth(result).sentence.startswith("There is no growth to fit")
    assert "infinite" in figures.moment_table(result)["measured"]
    assert growth(result).table["components"] == [1]
    assert figures.saturation_table(result)["largest weight"] == ["0.333"] * 4
    Q, K = np.random.default_rng(0).standard_normal((2, 40, 16))
    result = measure_your_scores(Q, K)
    wide = replace(result.shown.row_exponent, sizes=np.logspace(-320, 30, 5))
    fig = plotted(growth(replace(result, shown=replace(result.shown, row_exponent=wide))))
    assert 3 <= len(fig.layout.yaxis.tickvals) <= 7
    assert min(fig.layout.yaxis.tickvals) > 0


def test_tables_give_the_numbers_of_the_report(results):
    result = results["aligned"]
    saturation = figures.saturation_table(result)
    assert saturation["scale"] == ["no scale", "1/√dₖ", "1/dₖ", "the one that fits"]
    assert saturation["largest weight"] == [number(row.max_weight) for row in result.shown.saturation]
    moments = dict(zip(*list(figures.moment_table(result).values())[:2], strict=True))
    assert moments["variance of k"] == number(result.shown.key.variance, 4)
    assert moments["divisor that fits"] == number(result.shown.within_row_std / np.sqrt(31 / 32), 4)
    ideal = dict(zip(figures.moment_table(result)["quantity"], figures.moment_table(result)["ideal"], strict=True))
    assert (ideal["kurtosis of q"], ideal["divisor that fits"]) == ("3", "4")
    assert ideal["effective dimension of q"] == number(16 * 31 / 48, 4)
    assert histogram(result).table["count"] == result.shown.scaled_counts.tolist()
    assert growth(result).table["query i with key i"] == result.shown.paired_exponent.sizes.tolist()
    result = results["layer_norm_mha"]
    assert figures.has_heads(result)
    assert not figures.has_heads(results["ideal"])
    table = figures.head_table(result)
    assert table["head"] == [str(h) for h in range(1, 9)]
    assert table["spread ÷ √dₖ"] == [number(row.scaled_std, 4) for row in result.rows]
    assert table["entropy"][0] == figures.saturation_table(result)[list(figures.saturation_table(result))[3]][1]
    assert set(table["√dₖ is"]) == {"too strong"}


@pytest.mark.parametrize("name", ["q.csv", 'a "b\'s" \\n\nq{0}.csv'])
def test_code_loads_the_uploaded_files_and_gives_the_same_verdict(results, tmp_path, monkeypatch, name):
    result = results["anisotropic"]
    monkeypatch.chdir(tmp_path)
    Q, K = sample_scores(params_of("anisotropic"))
    np.savetxt(name, Q, delimiter=",", fmt="%.17g")
    np.save("keys of mine.npy", K)
    for picture in (histogram, growth):
        again = run(picture(result, own=(name, "keys of mine.npy")).code)[0]["result"]
        assert again.report.verdict == result.report.verdict
        assert again.shown.row_exponent.low == result.shown.row_exponent.low
    np.savez("both.npz", Q=Q, K=K)
    for picture in (histogram(result, own=("both.npz",)), histogram(result, "anisotropic")):
        assert run(picture.code)[0]["result"].report.verdict == result.report.verdict


def test_every_picture_says_if_it_shows_a_sample_or_files_of_a_visitor(results):
    for picture in (histogram, growth):
        sample, own = picture(results["ideal"]), picture(results["ideal"], own=("q.npy", "k.npy"))
        assert sample.sure[0] == "Sample “ideal”, 1 head, 32 queries, 32 keys, dₖ = 16."
        assert own.sure[0] == "Your file, 1 head, 32 queries, 32 keys, dₖ = 16."
        assert own.alt.startswith(own.sure[0][:-1])
        keys = [plotted(each).layout.title.subtitle.text for each in (sample, own)]
        assert keys == ["Sample, 32 queries, 32 keys, dₖ = 16", "Your file, 32 queries, 32 keys, dₖ = 16"]


def test_sentence_of_aligned_heads_names_the_alignment_not_the_spread():
    Q, K = np.random.default_rng(11).standard_normal((2, 64, 16))
    result = measure_your_scores(np.stack([Q] * 4), np.stack([Q + each * K for each in (0.1, 0.2, 0.3, 0.4)]))
    report = result.report
    assert {head.code for head in report.heads} == {"aligned"}
    told = report.heads[report.told]
    said = histogram(result).sentence
    lift = number(told.paired_lift, 2)
    assert said.startswith("√dₖ is right for none of the heads; ")
    assert said.endswith(f"query i scores about {lift} spreads higher with key i.")
