"""Pictures of the long_context lesson: plotted data and stated numbers equal those of the result."""

import numpy as np
import pytest

from pages._view.lessons.long_context import figures
from pages._view.lessons.long_context.declaration import LESSON
from pages._view.theme import LIGHT, number
from sattn_core.lessons import long_context as core
from tests.figures.drawing import plotted, trace_of

NAMES = {"vaswani": "1/√dₖ", "softmax1": "softmax1", "log_n": "log n", "ssmax": "SSMax", "yarn": "YaRN",
         "no_scale": "no scale"}  # fmt: skip


@pytest.fixture(scope="module")
def found():
    return core.fading_weights(core.LongContextParams())


@pytest.fixture(scope="module")
def simulated():
    return core.simulate_fading(core.LongContextParams())


def test_every_rule_is_a_line_across_all_lengths_of_the_slider(found):
    fig = plotted(figures.weights(found, 2048, LIGHT))
    for i, name in enumerate(found.names):
        drawn = trace_of(fig, NAMES[name])
        assert tuple(drawn.x) == core.STOPS
        np.testing.assert_array_equal(drawn.y, found.weights[i, -len(core.STOPS) :])
    looks = {(trace.line.color, trace.line.dash) for trace in fig.data if trace.mode == "lines"}
    assert len(looks) == len(core.RULES)


def test_every_line_has_a_point_at_the_chosen_length(found):
    fig = plotted(figures.weights(found, 2048, LIGHT))
    here = trace_of(fig, "at this n")
    assert {*here.x} == {2048}
    assert sorted(here.y) == sorted(found.weight(name, 2048) for name in core.RULES)
    (upright,) = fig.layout.shapes
    assert (upright.x0, upright.x1) == (2048, 2048)


def test_simulated_rows_are_points_with_standard_errors(found, simulated):
    assert "simulated rows" not in {each.name for each in plotted(figures.weights(found, 16, LIGHT)).data}
    shown = figures.weights(found, 16, LIGHT, simulated)
    dots = trace_of(plotted(shown), "simulated rows")
    assert tuple(dots.x) == core.SIMULATED
    np.testing.assert_array_equal(dots.y, simulated.measured[0])
    np.testing.assert_array_equal(dots.error_y.array, simulated.standard_error[0])
    assert shown.checks["rule"] == ["1/√dₖ"] * 5 + ["log n"] * 5
    assert shown.checks["keys"][:2] == ["16", "128"]
    inside = [
        simulated.low[i, j] <= simulated.measured[i, j] <= simulated.high[i, j]
        for i in (simulated.names.index("vaswani"), simulated.names.index("log_n"))
        for j in range(5)
    ]
    assert [each == "yes" for each in shown.checks["inside"]] == inside


@pytest.mark.parametrize(
    ("weight", "said"), [(0.0, "less than 1 %"), (0.0049, "less than 1 %"), (0.006, "1 %"), (0.5, "50 %"),
                         (0.994, "99 %"), (0.996, "more than 99 %"), (1.0, "more than 99 %")]
)  # fmt: skip
def test_a_weight_is_never_rounded_to_0_or_100_per_cent(weight, said):
    assert figures.share(weight) == said


def test_rows_of_a_text_show_the_same_weights_on_a_linear_axis(found):
    fig = plotted(figures.rows(found, 1024, LIGHT))
    drawn = trace_of(fig, "1/√dₖ")
    assert tuple(drawn.x) == tuple(n for n in core.LENGTHS if n <= 1024)
    np.testing.assert_array_equal(drawn.y, found.weights[0, : len(drawn.x)])
    main = plotted(figures.weights(found, 1024, LIGHT))
    assert fig.layout.yaxis.range == main.layout.yaxis.range
    assert (fig.layout.xaxis.type or "linear", main.layout.xaxis.type) == ("linear", "log")


def test_every_rule_has_a_card_with_formula_and_source(found):
    cards = figures.cards(found, core.check_claims(found.params))
    for (title, formula, (_, _, source)), rule in zip(cards, core.RULES.values(), strict=True):
        assert (title, formula, source) == (rule.title, rule.formula, f"{rule.source}.")


def test_sentence_gives_the_weights_at_the_chosen_length(found):
    plain, log_n = (figures.share(found.weight(name, 16_384)) for name in ("vaswani", "log_n"))
    said = figures.weights(found, 16_384, LIGHT).sentence
    assert said.endswith(f"keeps {plain} with ÷ √dₖ, and {log_n} with log n.")


def made(score, n, n_train=512):
    """Return the result for a key's score, and its picture at n keys."""
    found = core.fading_weights(core.LongContextParams(score, n_train=n_train), (*core.LENGTHS,))
    return found, figures.weights(found, n, LIGHT)


@pytest.mark.parametrize(("score", "n"), [(2, 16), (2, 16_384), (8, 16_384), (2, 1_048_576), (14, 1_048_576)])
def test_how_sure_fold_gives_the_expected_number_of_higher_scores(score, n):
    _, picture = made(score, n)
    assert "stands out" not in picture.sentence
    rng = np.random.default_rng(n + score)
    above = [np.count_nonzero(rng.standard_normal(n - 1) > score) for _ in range(20)]
    expected = core.expected_above(n, score)
    assert abs(np.mean(above) - expected) < 4 * np.sqrt(expected / 20) + 1e-3
    said = number(expected) if expected >= 0.01 else "fewer than 0.01"
    assert f"On average {said} of them score higher by chance." in picture.sure[1]


@pytest.mark.parametrize("n_train", [32, 512, 131_072])
def test_log_n_is_called_continued_below_its_training_length(n_train):
    for n in (16, 16_384, 1_048_576):
        found, picture = made(8, n, n_train)
        plain, log_n = (found.weight(name, n) for name in ("vaswani", "log_n"))
        assert ("continued below n₀" in picture.sentence) == (n < n_train) == (log_n < plain)
        assert found.weight("yarn", n) >= plain  # equal up to n₀


def test_a_key_on_top_by_chance_gets_less_than_a_key_of_score_8():
    """Check the lesson's 64 % with new draws: the spread of a query's scores is the query's length."""
    rng = np.random.default_rng(3)
    lengths = np.sqrt(rng.chisquare(64, size=1_000))
    scores = np.sort(lengths[:, None] * rng.standard_normal((1_000, 16_384)), axis=1)
    first = 1 / np.exp(scores - scores[:, -1:]).sum(axis=1)
    assert abs(first.mean() - 0.64) < 4 * first.std() / np.sqrt(first.size) + 0.005
    assert made(8, 16_384)[0].weight("no_scale", 16_384) > 0.9999
    (told,) = (said for myth, said in LESSON.myths if myth == "No scale is best for long texts.")
    assert told.endswith("at $d_k=64$ and 16,384 keys that one gets 64 %.")
