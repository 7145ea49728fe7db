"""Pictures of the long_context lesson: their data are the result's, their words are its numbers."""

import numpy as np
import pytest

from pages._view.lessons.long_context import figures
from pages._view.theme import DARK, LIGHT, PROJECTOR
from sattn_core.lessons.long_context import (
    LENGTHS,
    RULES,
    SIMULATED,
    STOPS,
    LongContextParams,
    check_claims,
    fading_weights,
    simulate_fading,
)
from tests.figures.drawing import plotted, trace_of

NAMES = {"vaswani": "1/√dₖ", "softmax1": "softmax1", "log_n": "log n", "ssmax": "SSMax", "yarn": "YaRN",
         "no_scale": "no scale"}  # fmt: skip


CAMERA = 24  # pixels from the top of a figure down to where the camera ends, on a phone


@pytest.fixture(scope="module")
def found():
    return fading_weights(LongContextParams())


@pytest.fixture(scope="module")
def simulated():
    return simulate_fading(LongContextParams())


def test_every_rule_is_a_line_at_the_lengths_of_the_slider(found):
    fig = plotted(figures.weights(found, 2048, LIGHT))
    for i, name in enumerate(found.names):
        drawn = trace_of(fig, NAMES[name])
        assert tuple(drawn.x) == STOPS
        np.testing.assert_array_equal(drawn.y, found.weights[i, -len(STOPS) :])
    looks = {(trace.line.color, trace.line.dash) for trace in fig.data if trace.mode == "lines"}
    assert len(looks) == len(RULES)


def test_the_marks_stand_where_the_slider_does_on_every_line(found):
    fig = plotted(figures.weights(found, 2048, LIGHT))
    here = trace_of(fig, "at this n")
    assert {*here.x} == {2048}
    assert sorted(here.y) == sorted(found.weight(name, 2048) for name in RULES)
    (upright,) = fig.layout.shapes
    assert (upright.x0, upright.x1) == (2048, 2048)


@pytest.mark.parametrize("profile", [LIGHT, DARK, PROJECTOR], ids=["light", "dark", "projector"])
@pytest.mark.parametrize("score", [2.0, 8.0, 14.0])
def test_the_names_stand_at_the_ends_of_their_lines_and_none_over_another(score, profile):
    fig = plotted(figures.weights(fading_weights(LongContextParams(score)), 64, profile))
    places = {each.text: each.y for each in fig.layout.annotations}
    assert {*places} == {*NAMES.values()}
    height = fig.layout.height - fig.layout.margin.t - fig.layout.margin.b
    gap = profile.tick_size / height * (fig.layout.yaxis.range[1] - fig.layout.yaxis.range[0])
    assert np.diff(sorted(places.values())).min() >= gap
    low, high = fig.layout.yaxis.range
    assert low <= min(places.values()) <= max(places.values()) <= high
    under = fig.layout.margin.t + height * (high - max(places.values())) / (high - low) - profile.tick_size / 2
    assert under >= (0 if profile is PROJECTOR else CAMERA)


def test_the_simulated_rows_are_points_with_their_errors_and_stand_under_how_sure(found, simulated):
    assert "simulated rows" not in {each.name for each in plotted(figures.weights(found, 16, LIGHT)).data}
    shown = figures.weights(found, 16, LIGHT, simulated)
    dots = trace_of(plotted(shown), "simulated rows")
    assert tuple(dots.x) == SIMULATED
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
def test_a_weight_never_rounds_to_all_or_to_nothing(weight, said):
    assert figures.share(weight) == said


def test_the_sentences_say_the_weights_of_the_moment(found):
    assert figures.weights(found, 16_384, LIGHT).sentence == (
        "Among 16,384 keys the one that stands out keeps 10 % with ÷ √dₖ, and 82 % with log n."
    )
    assert figures.rows(found, 16_384, LIGHT).sentence == (
        "With ÷ √dₖ the key keeps 31 % of a row a quarter into this text, and 10 % of the last."
    )
    sure = " ".join(figures.weights(found, 16_384, LIGHT).sure)
    assert "less than half from 1,810 keys on" in sure
    assert "is 1,809." in sure
    assert "like one key of score 10.2" in sure


def test_the_rows_of_a_text_are_the_same_weights_on_a_linear_axis(found):
    fig = plotted(figures.rows(found, 1024, LIGHT))
    drawn = trace_of(fig, "1/√dₖ")
    assert tuple(drawn.x) == tuple(n for n in LENGTHS if n <= 1024)
    np.testing.assert_array_equal(drawn.y, found.weights[0, : len(drawn.x)])
    main = plotted(figures.weights(found, 1024, LIGHT))
    assert fig.layout.yaxis.range == main.layout.yaxis.range
    assert (fig.layout.xaxis.type or "linear", main.layout.xaxis.type) == ("linear", "log")


def test_every_rule_has_a_card_with_its_claim_its_number_and_its_source(found):
    claims = check_claims(found.params)
    cards = figures.cards(found, claims)
    assert [title for title, *_ in cards] == [rule.title for rule in RULES.values()]
    for (_, formula, (claim, here, source)), rule in zip(cards, RULES.values(), strict=True):
        assert formula == rule.formula
        assert claim.startswith("Claim")
        assert here.startswith("Here: ")
        assert source == f"{rule.source}."
    said = {title: texts[1] for title, _, texts in cards}
    assert "less than 1 % together at 16 keys, 98 % at 1,048,576" in said["softmax1"]
    assert "more than 99 %, with softmax less than 1 %" in said["SSMax"]
    assert "keeps 78 % to 83 %" in said["log n"]
