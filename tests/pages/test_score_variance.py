"""The score_variance page: pairs and matrices, broken assumptions."""

import json

import numpy as np
import pytest

from pages._view.address import Address
from pages._view.lessons import VIEWS
from pages._view.theme import LIGHT
from sattn_core.lessons.score_variance import ScoreVarianceParams, measure_score_variance
from tests.pages.opening import charts, check_page, open_page, widget

STEM = "score_variance"


@pytest.mark.parametrize("stem", [STEM])
def test_scores_are_measured_in_pairs_or_in_a_matrix(app, stem):
    for sampling, drawn, predicted in (
        ("matrix", "histograms of the 64 × 16 entries of one Q Kᵀ", ["63.94", "0.9990"]),  # 64 and 1, times 1 − 1/1024
        ("pairs", "histograms of 10,000 independent pairs", ["64.00", "1.000"]),
    ):
        widget(app, "sampling").set_value(sampling).run()
        check_page(app, stem)
        assert drawn in charts(app)["score_histograms"].alt
        assert app.table[0].value["predicted"].tolist()[1::3] == predicted


@pytest.mark.parametrize(
    ("step", "key"), [("draw", "score_histograms"), ("straighten", "straight_histograms"), ("divide", "variance_curve")]
)
@pytest.mark.parametrize("mode", ["screen", "projector"])
def test_each_step_shows_only_its_picture(step, key, mode):
    assert list(charts(open_page(STEM, step=step, mode=mode))) == [key]


def test_only_the_second_step_has_a_square_root_axis():
    ticks = [
        json.loads(charts(open_page(STEM, step=step))[key].spec)["layout"]["xaxis"]["title"]["text"]
        for step, key in (("draw", "score_histograms"), ("straighten", "straight_histograms"))
    ]
    assert ["√" in each for each in ticks] == [False, True]


def test_page_works_with_constant_scores():
    app = open_page(STEM, law="rademacher", correlation="1", d_k="1")
    check_page(app, "score_variance")
    assert app.table[0].value["verdict"].tolist() == ["nothing to compare"] * 6
    assert app.table[0].value["measured"].tolist()[2] == "undefined"


def test_help_says_that_correlation_does_not_apply_to_matrix_sampling():
    app = open_page(STEM, sampling="matrix", correlation="0.5")
    check_page(app, "score_variance")
    said = "The correlation pairs each q with its own k: it counts for pairs, not for a matrix."
    assert widget(app, "correlation").help == said
    assert app.table[0].value["predicted"][1] == "63.94"  # 64 * (1 - 1/1024), without the factor 1 + 0.5**2


# --- tries ---------------------------------------------------------------------------------------------


ADVERSE = {
    "sampling": "matrix", "d_k": "3", "mean_q": "-2", "mean_k": "0.5", "correlation": "0.3",
    "n_samples": "1000", "n_queries": "64", "n_keys": "128", "law": "sparse", "seed": "77",
}  # fmt: skip


def seen(app):
    (shown,) = charts(app).values()
    return shown.sentence


def test_try_sixteen_times(tried):
    app, shown = tried("score_variance", "sixteen_times", **ADVERSE)
    there, before = shown.measure_score_variance, measure_score_variance(ScoreVarianceParams(64, 10_000))
    assert (there.params.d_k, there.params.n_samples) == (1024, before.params.n_samples)
    assert there.theory.variance / before.theory.variance == 16
    assert there.raw_std / before.raw_std == pytest.approx(4, rel=0.05)
    assert "spread by about 32, the root of dₖ" in seen(app)


def test_try_mean_of_two(tried):
    app, shown = tried("score_variance", "mean_of_two", **ADVERSE)
    given, before = shown.measure_score_variance, measure_score_variance(ScoreVarianceParams(64, 10_000))
    assert given.theory.variance == 5 * 64
    assert given.raw_std > 2 * before.raw_std
    assert given.scaled_std == pytest.approx(5**0.5, rel=0.05)
    assert "more than the root of dₖ" in seen(app)


def test_try_aligned(tried):
    app, shown = tried("score_variance", "aligned", **ADVERSE)
    raw, scaled = shown.measure_score_variance.rows[0], shown.measure_score_variance.rows[3]
    assert (raw.predicted, scaled.predicted) == (1024, 32)
    assert raw.measured == pytest.approx(1024, rel=0.01)
    assert scaled.measured == pytest.approx(32, rel=0.01)
    assert "raw scores average 1,02" in seen(app)
    assert "still 32.0." in seen(app)


def test_try_few_rows(tried):
    app, shown = tried("score_variance", "few_rows", **ADVERSE)
    result = shown.measure_score_variance
    assert (result.params.sampling, result.n_scores) == ("matrix", 32)
    assert "raw scores spread by about 6.7, less than the root of dₖ" in seen(app)


def test_try_largest(tried):
    app, shown = tried("score_variance", "largest", **ADVERSE)
    raw, scaled, third = shown.variance_curve.spread("measured")[:, -1]
    assert shown.variance_curve.dims[-1] == 1024
    assert (raw, scaled, third) == pytest.approx((32, 1, 1 / 32), rel=0.05)
    assert seen(app).startswith("In this draw raw scores spread by 32;")


def test_try_heavier_tails(tried):
    _, shown = tried("score_variance", "heavier_tails", **ADVERSE)
    curve = shown.variance_curve
    for exponents, line in zip((0.5, 0, -0.5), curve.spread("measured"), strict=True):
        slope = np.polyfit(np.log(curve.dims), np.log(line), 1)[0]
        assert slope == pytest.approx(exponents, abs=0.02)


@pytest.mark.parametrize(
    ("d_k", "said"), [(16, "up to 16 products"), (64, "up to 64 products"), (512, "up to 64 products")]
)
def test_picture_of_an_open_bet_says_how_many_products_it_adds(d_k, said):
    view = VIEWS["score_variance"]
    known = view.before({**Address(view.lesson, {"d_k": str(d_k)}).values}, LIGHT)
    assert said in known.figure.layout["annotations"][0]["text"]
