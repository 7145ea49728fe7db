"""The score_variance page: pairs and matrices, broken assumptions, vectors by hand."""

import json

import pytest

from pages._view.lessons.score_variance import work
from pages._view.shared import SHARED
from pages._view.show import plain
from sattn_core.lessons.score_variance import ScoreVarianceParams, measure_score_variance
from tests.pages.opening import charts, check_page, open_page, widget

STEM = "score_variance"
SAID = {
    "score_histograms": "raw scores spread by about",
    "variance_curve": "raw scores have variance",
}  # what each picture's sentence speaks of


def test_each_picture_says_what_it_is_of():
    shown = charts(open_page("score_variance"))
    assert list(shown) == list(SAID)
    assert all(words in shown[key].alt for key, words in SAID.items())


@pytest.mark.parametrize("stem", ["score_variance"])
@pytest.mark.parametrize("law", SHARED["law"].options)
def test_every_law_is_measured_in_pairs_and_in_a_matrix(app, stem, law):
    widget(app, "law").set_value(law)
    drawn = {
        "pairs": "histograms of 10,000 independent pairs",
        "matrix": "histograms of the 64 × 16 entries of one Q Kᵀ",
    }
    for sampling in ("matrix", "pairs"):
        widget(app, "sampling").set_value(sampling).run()
        check_page(app, stem)
        assert drawn[sampling] in charts(app)["score_histograms"].alt
        moments = app.table[0].value
        assert moments["quantity"].tolist() == [
            f"{side} {moment}" for side in ("raw", "scaled") for moment in ("mean", "variance", "excess kurtosis")
        ]
        raw, scaled = moments["predicted"][1], moments["predicted"][4]
        assert (raw, scaled) == {"pairs": ("64.00", "1.000"), "matrix": ("63.94", "0.9990")}[sampling]  # × 1 − 1/1024


def test_an_older_link_to_axes_of_their_own_still_has_them():
    shared, own = (open_page(STEM, **query) for query in ({}, {"axis": "own"}))
    assert widget(own, "axis").value == "own"
    shared, own = (json.loads(charts(app)["score_histograms"].spec)["layout"] for app in (shared, own))
    assert shared["yaxis3"]["range"] == [-112, 112]
    assert own["yaxis3"]["range"] == [-5, 5]


def test_the_vectors_typed_by_hand_stand_under_a_claim():
    assert "A few vectors picked by hand say little about dₖ" in [each.value for each in open_page(STEM).header]


def test_projector_mode_shows_the_main_picture_alone_until_asked():
    app = open_page(STEM, mode="projector")
    assert list(charts(app)) == ["score_histograms"]
    assert [each.value for each in app.header] == []
    assert list(charts(open_page(STEM, mode="projector", rest="shown"))) == list(SAID)


def test_constant_scores_leave_a_working_page():
    app = open_page("score_variance", law="rademacher", correlation="1", d_k="1")
    check_page(app, "score_variance")
    verdicts = app.table[0].value["verdict"].tolist()
    assert verdicts == ["nothing to compare"] * 6
    assert app.table[0].value["measured"].tolist()[2] == "undefined"


def test_a_correlation_asked_of_a_matrix_is_said_not_to_count():
    app = open_page("score_variance", sampling="matrix", correlation="0.5")
    check_page(app, "score_variance")
    said = "The correlation pairs each q with its own k: it counts for pairs, not for a matrix."
    assert widget(app, "correlation").help == said
    assert app.table[0].value["predicted"][1] == "63.94"  # 64 * (1 - 1/1024), without 1 + 0.5**2


def test_the_examples_made_by_hand_give_the_numbers_of_the_notes():
    said = {each.value for each in open_page("score_variance").markdown}
    assert "The dot products are 8, 29 and 98. The mean is 45.0000 and the variance 1,478.00 (ddof = 0)." in said
    assert "The dot products are 10, 86 and 209. The mean is 101.667 and the variance 6,722.89 (ddof = 0)." in said


BAD_VECTORS = [
    ("q_2d", "1, 2\n1, x\n8, 9", 'q: "x" (line 2, item 2) is not a number.'),
    ("q_2d", "", "There are no numbers: write one vector per line, for example 1, 2."),
    ("k_2d", "2, 3\n5, 6, 7\n10, 2", "Line 2 has 3 numbers, but line 1 has 2: all vectors need the same length."),
    ("k_2d", ", ".join(["1"] * 1_000), "k: Line 1 has 1000 numbers, but at most 64 are allowed."),
    ("q_3d", "1, 2, 3\n3, 4, 1e400\n10, 9, 11", '"1e400" (line 2, item 3) is not a finite number.'),
    ("k_3d", "3, 2, 1\n6, 7, 8", "vectors of one length, at least one each, but q is 3 × 3 and k is 2 × 3"),
    ("k_3d", "\n".join(["1, 2, 3"] * 17), "There are 17 vectors, but at most 16 lines are allowed."),
]


@pytest.mark.parametrize("stem", ["score_variance"])
@pytest.mark.parametrize(("name", "text", "part"), BAD_VECTORS)
def test_vectors_that_cannot_be_read_get_a_sentence_and_stay(app, stem, name, text, part):
    widget(app, name).set_value(text).run()
    check_page(app, stem)
    assert len(app.error) == 1
    assert plain(part) in app.error[0].value
    assert widget(app, name).value == text


def test_hand_made_example_gives_the_dots_or_the_sentence():
    example, problems = work.hand_made_example("1, 2\n1, 4\n8, 9", "2, 3\n5, 6\n10, 2")
    assert (example.dots.tolist(), example.variance, problems) == ([8.0, 29.0, 98.0], 1478.0, [])
    example, (problem,) = work.hand_made_example("1, 2", "2, x")
    assert example is None
    assert '"x" (line 1, item 2) is not a number.' in problem


# --- tries ---------------------------------------------------------------------------------------------


ADVERSE = {
    "sampling": "matrix", "d_k": "3", "mean_q": "-2", "mean_k": "0.5", "correlation": "0.3",
    "n_samples": "1000", "n_queries": "64", "n_keys": "128", "law": "sparse", "seed": "77",
}  # fmt: skip


def seen(app):
    return charts(app)["score_histograms"].sentence


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
