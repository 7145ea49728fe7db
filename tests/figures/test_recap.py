"""Pictures and verdicts of the recap: numbers equal those of the results, and the learner's answer is marked."""

import numpy as np
import pytest

from pages._view.lessons import VIEWS
from pages._view.lessons.recap import figures, work
from pages._view.lessons.recap.answers import CLOSE, MISSED, RIGHT, verdict
from pages._view.lessons.recap.declaration import QUESTIONS
from pages._view.theme import LIGHT, PROJECTOR
from sattn_core.bands.standard_errors import share_interval
from sattn_core.laws.saturation import expected_attention
from sattn_core.layers.softmax import softmax
from sattn_core.lessons import recap as core
from sattn_core.lessons.wrong_choice import NEARLY_ALL, compare_with_adam
from tests.figures.drawing import plotted, trace_of, traces_of, whole

VALUES = {"d_k": 64, "seed": 0}


@pytest.fixture(scope="module")
def corrected():
    every = (
        core.CorrectionParams(core.SMALL),
        core.CorrectionParams(core.LARGE, core.TENTH),
        core.CorrectionParams(core.LARGE),
    )
    return tuple(map(core.measure_correction, every))


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_with_sqrt_d_k_one_rate_fits_all_sizes_for_descent_but_not_adam(seed):
    found = core.compare_divisors(core.DivisorParams(seed=seed))
    low, _ = share_interval(found.put_right, 100)
    assert (found.put_right[1] >= NEARLY_ALL).all()
    assert low[1].min() > 0.94
    assert found.put_right[2].min() < 50
    assert figures.one_rate(found, LIGHT).claim.startswith("With ÷ √dₖ one rate of plain gradient descent")
    adam = compare_with_adam()[0].smallest_rate[:, -4:]  # 16, 64, 256 and 1,024
    assert np.ptp(adam[2]) == 0 < np.ptp(adam[1])


def test_softmax_of_the_largest_floats_does_not_overflow():
    largest = np.finfo(float).max
    with np.errstate(over="raise"):
        assert softmax([largest, 0.0, -largest / 2]).tolist() == [1, 0, 0]
    said = verdict("breaks", "overflow", VALUES, None)[1]
    assert said.endswith("so no exponential overflows.")


@pytest.mark.parametrize(("n_keys", "d_k"), [(16, 64), (1_024, 64), (1_024, 16)])
def test_largest_weight_is_smaller_with_more_keys(n_keys, d_k):
    """Recompute the weight: a given query's scores are independent and normal; their spread is its length."""
    rng = np.random.default_rng(4)
    lengths = np.sqrt(rng.chisquare(d_k, size=2_000))
    scores = lengths[:, None] * rng.standard_normal((2_000, n_keys))
    largest = 1 / np.exp(scores - scores.max(axis=1, keepdims=True)).sum(axis=1)
    error = largest.std() / np.sqrt(largest.size)
    assert abs(expected_attention(n_keys, d_k, 1.0).max_weight - largest.mean()) < 4 * error
    assert largest.mean() < expected_attention(2, d_k, 1.0).max_weight - 4 * error


def test_final_score_is_the_sum_of_the_bars():
    result = core.measure_sum(3)
    shown = plotted(figures.growing_sum(result, 3, LIGHT))
    assert list(trace_of(shown, "product").y) == list(result.products)
    assert list(trace_of(shown, "raw score so far").y) == [0, *result.sums]
    assert f"add up to {result.sums[-1]:.0f}.".replace("-", "−") in figures.growing_sum(result, 3, LIGHT).sentence


def test_answer_is_marked_at_the_end_of_the_axis_if_it_lies_beyond():
    result = core.measure_spread(core.SpreadParams(100))
    shown = {said: plotted(figures.sums_spread(result, said, LIGHT)) for said in ("", 10.0, 1e5)}
    assert traces_of(shown[""], "yours") == []
    assert list(trace_of(shown[10.0], "yours").y) == [10]
    assert 32 < trace_of(shown[1e5], "yours").y[0] < 40
    assert list(trace_of(shown[""], "raw").y) == list(result.std)
    table = figures.sums_spread(result, "", LIGHT).table
    assert (table["standard deviation"], table["predicted"]) == (result.std.tolist(), result.std_theory.tolist())


def test_sentence_at_d_k_1_says_that_nothing_can_cancel():
    assert "nothing to cancel" in figures.sums_spread(core.measure_spread(core.SpreadParams(1)), "", LIGHT).sentence


def test_curves_and_bars_are_the_counts_of_rows_put_right(corrected):
    few, start, large = corrected
    curves = plotted(figures.put_right_or_not(large, LIGHT))
    assert list(trace_of(curves, "raw").y) == list(large.put_right[0])
    assert list(trace_of(curves, "÷ √dₖ").y) == list(large.put_right[1])
    bars = plotted(figures.no_difference(corrected, LIGHT))
    for i, name in enumerate(("raw", "÷ √dₖ")):
        assert list(trace_of(bars, name).y) == list(each.put_right[i, -1] for each in (few, start, large))


def test_only_an_unusual_power_adds_a_curve():
    other = core.compare_divisors(core.DivisorParams(0.2))
    assert list(trace_of(plotted(figures.one_rate(other, LIGHT)), "yours").y) == list(other.put_right[3])
    usual = core.compare_divisors(core.DivisorParams(1.0))
    shown = plotted(figures.one_rate(usual, LIGHT))
    assert traces_of(shown, "yours") == []
    assert list(trace_of(shown, "÷ dₖ").y) == list(usual.put_right[2])
    assert list(trace_of(shown, "÷ dₖ").x) == list(core.RACED)


def test_sentence_names_the_size_with_the_fewest_rows_put_right():
    found = core.compare_divisors(core.DivisorParams())
    assert found.put_right[2, -1] == found.put_right[2].min() == 0
    assert figures.one_rate(found, LIGHT).sentence.endswith(f"; ÷ dₖ puts none right at dₖ = {core.RACED[-1]:,}.")


@pytest.mark.parametrize("profile", [LIGHT, PROJECTOR])
def test_picture_of_every_answer_is_complete_and_not_too_tall(profile):
    for name in QUESTIONS:
        for seed in (0, 9999):
            picture = work.picture(name, "", VALUES | {"seed": seed}, profile)
            whole(picture)
            assert picture.figure.layout["height"] < 0.6 * profile.height + 3 * profile.axis_size


def test_story_is_the_picture_of_the_path_at_the_largest_d_k():
    """The step `between` of training_race shows this picture at every d_k."""
    told = work.story(VALUES, LIGHT)
    values = {"d_k": 1024, "seed": 0}
    assert told.sentence == VIEWS["training_race"].steps["between"].picture(values, LIGHT).sentence


# --- verdicts ------------------------------------------------------------------------------------------

VERDICTS = [
    ("score", "sum", 64, RIGHT, "sum"), ("score", "share", 64, MISSED, "softmax"),
    ("score", "distance", 64, MISSED, "agree"),
    ("spread", 8.0, 64, RIGHT, "√dₖ"), ("spread", 8.3, 64, RIGHT, "√dₖ"), ("spread", 9.0, 64, CLOSE, "square root"),
    ("spread", 64.0, 64, MISSED, "variance"), ("spread", 1.0, 64, MISSED, "one product"),
    ("spread", 200.0, 64, MISSED, "agreed"), ("spread", 20.0, 64, MISSED, "add up"),
    ("spread", 0.0, 64, MISSED, "add up"), ("spread", 1.0, 1, RIGHT, "√dₖ"), ("spread", 8.0, 1024, MISSED, "add up"),
    ("breaks", "stuck", 64, RIGHT, "winner"), ("breaks", "overflow", 64, MISSED, "subtracts"),
    ("breaks", "choice", 64, MISSED, "choose better"),
    ("power", 0.5, 64, RIGHT, "√dₖ"), ("power", 0.6, 64, CLOSE, "shrink"), ("power", 0.0, 64, MISSED, "grow"),
    ("power", 1.0, 64, MISSED, "shrink"), ("power", 0.2, 64, MISSED, "1,024"),
    ("alike", "small", 64, RIGHT, "spread by 2 or less, as up to dₖ = 4."), ("alike", "many", 64, MISSED, "71 %"),
    ("alike", "adam", 64, MISSED, "helps"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "said", "d_k", "verdict", "word"), VERDICTS)
def test_verdict_is_short_and_gives_the_reason(name, said, d_k, verdict, word):
    told, why = work.verdict(name, said, VALUES | {"d_k": d_k})
    assert told == verdict
    assert word in why
    assert why.endswith(".")
    assert len(why.split()) <= 25


@pytest.mark.parametrize("tenths", range(11))
def test_a_power_is_judged_wrong_only_if_its_curve_falls_below_99(tenths):
    result = core.compare_divisors(core.DivisorParams(tenths / 10))
    told, _ = work.verdict("power", tenths / 10, VALUES)
    assert (told == MISSED) == (result.chosen.min() < 99)


def test_each_question_has_one_correct_option():
    for name, question in QUESTIONS.items():
        told = [work.verdict(name, option, VALUES)[0] for option in question.options]
        assert not told or sorted(told) == sorted([RIGHT, MISSED, MISSED])
