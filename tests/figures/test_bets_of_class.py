"""The bets of a class on a wall: a panel beside the picture, with the bets and the answer."""

import re
from collections import Counter

import numpy as np
import pytest

from pages._view import bets_of_class
from pages._view.address import Address
from pages._view.kinds import Choice, Drawing
from pages._view.lesson import Bet
from pages._view.lessons import LESSONS
from pages._view.stage import Stage
from tests.figures.drawing import plotted, texts, trace_of, traces_of

PLACED = [stem for stem, lesson in LESSONS.items() if lesson.bet and lesson.bet.place]
CHOICES = [stem for stem, lesson in LESSONS.items() if lesson.bet and isinstance(lesson.bet.answer, Choice)]
NUMBERS = [stem for stem in PLACED if not isinstance(LESSONS[stem].bet.answer, Drawing)]


def stage(stem, bets, **more):
    lesson = LESSONS[stem]
    query = {"mode": "projector", "bet": "1", "reveal": "1", "step": lesson.bet.when[1], "class": "~".join(bets)}
    return Stage(Address(lesson, query | more))


def shown_of(here):
    return here.marked(here.picture_at_rest)


def bets_on(stem, n=24):
    stops = LESSONS[stem].bet.answer.stops
    return [f"{stops[i * 7 % len(stops)]:g}" for i in range(n)]


@pytest.mark.parametrize("stem", NUMBERS)
def test_bars_count_the_bets_on_an_axis_with_units(stem):
    answer, bets = LESSONS[stem].bet.answer, bets_on(stem)
    shown = shown_of(stage(stem, bets))
    assert shown.drawn()["marks"]  # words still light parts of the picture
    fig = plotted(shown)
    bars, axis = trace_of(fig, "bets"), fig.layout.xaxis9
    width = bars.width / 0.9
    edges = np.arange(len(answer.stops) + 1) * width + answer.low - width / 2
    counts = np.histogram([float(each) + 1e-9 for each in bets], edges)[0]
    assert dict(zip(np.round(bars.x, 9), bars.y, strict=True)) == {
        round(middle, 9): n for middle, n in zip(edges + width / 2, counts, strict=False) if n
    }
    assert axis.range[0] < answer.low < answer.high < axis.range[1]
    assert axis.ticksuffix == (LESSONS[stem].bet.suffix or None) or not LESSONS[stem].bet.suffix
    assert f"24 bets, {answer.label[0].lower()}{answer.label[1:]}" in [each.replace("<b>", "").replace("</b>", "")
                                                                      for each in texts(fig)]  # fmt: skip
    assert fig.layout.yaxis9.range[1] > max(bars.y)


@pytest.mark.parametrize("stem", NUMBERS)
def test_line_of_the_answer_is_behind_the_bars_and_taller(stem):
    truth = stage(stem, ["1"]).found.truth
    answer = LESSONS[stem].bet.answer
    nearest = min(answer.stops, key=lambda each: abs(each - truth))
    fig = plotted(shown_of(stage(stem, [f"{nearest:g}"] * 40)))
    (line,) = (each for each in fig.layout.shapes if each.xref == "x9")
    bars = trace_of(fig, "bets")
    assert (line.x0, line.x1, line.layer) == (truth, truth, "below")
    assert max(bars.y) == 40 < 0.95 * line.y1 * fig.layout.yaxis9.range[1]
    assert abs(bars.x[0] - truth) <= bars.width / 0.9
    (name,) = (each for each in fig.layout.annotations if each.xref == "x9" and "●" in each.text)
    assert (name.x, name.y) == (truth, 1)


def test_number_bets_before_a_second_vote_are_hollow_bars():
    fig = plotted(shown_of(stage("gradient_flow", ["20", "25", "25"], first="20~20~80")))
    first, bets = trace_of(fig, "first bets"), trace_of(fig, "bets")
    assert (dict(zip(first.x, first.y, strict=True)), dict(zip(bets.x, bets.y, strict=True))) == (
        {20: 2, 80: 1}, {20: 1, 25: 2}
    )  # fmt: skip
    assert first.width > bets.width
    assert (first.marker.line.color, fig.data.index(first) < fig.data.index(bets)) == (bets.marker.color, True)
    assert any("hollow: the first 3" in each for each in texts(fig))


@pytest.mark.parametrize("stem", CHOICES)
def test_bar_of_each_answer_has_its_count_and_only_the_correct_one_a_mark(stem):
    answer = LESSONS[stem].bet.answer
    here = stage(stem, [answer.options[i] for i, n in enumerate((2, 0, 5)) for _ in range(n)])
    fig = plotted(shown_of(here))
    bars, axis = trace_of(fig, "bets"), fig.layout.yaxis9
    assert np.allclose(np.array(bars.x) / max(bars.x), [0.4, 0, 1])
    assert list(bars.y) == list(axis.tickvals) == [0, 1, 2]
    names = [each.replace("<br>", " ") for each in axis.ticktext]
    right = [each == here.found.truth for each in answer.options]
    called = [answer.called(each) for each in answer.options]
    assert names == [f"<b>● {each}</b>" if marked else each for each, marked in zip(called, right, strict=True)]
    counts = [each for each in fig.layout.annotations if each.xref == "x9"]
    assert [(each.text, each.x) for each in counts] == [
        (f"<b>{n}</b>", x) for n, x in zip((2, 0, 5), bars.x, strict=True)
    ]
    assert any("7 bets" in each for each in texts(fig))
    assert not traces_of(fig, "first bets")


@pytest.mark.parametrize("stem", CHOICES)
def test_picture_beside_the_bars_ends_before_the_labels_of_the_bars(stem):
    """Compute in pixels of a wall with a join code, which leaves the least width."""
    here = stage(stem, [LESSONS[stem].bet.answer.options[0]] * 24)
    shown, whole = shown_of(here), here.picture_at_rest
    layout, before = shown.figure.layout, whole.figure.layout
    plot = 1520 - layout["margin"]["l"] - layout["margin"]["r"]
    ends = [layout[name].get("domain", [0, 1])[1] for name in before if name.startswith("xaxis")]
    longest = max(
        len(each) for name in layout["yaxis9"]["ticktext"] for each in re.sub("</?b>", "", name).split("<br>")
    )
    names = layout["xaxis9"]["domain"][0] * plot - 0.54 * 32 * longest
    assert max(ends) * plot + before["margin"]["r"] < names
    assert layout["xaxis9"]["domain"][1] == 1
    assert 1520 - layout["margin"]["l"] - names > 1520 / 3
    assert len(shown.figure.data) == len(whole.figure.data) + 1
    assert layout["height"] - layout["margin"]["t"] - layout["margin"]["b"] >= 0.97 * (
        before["height"] - before["margin"]["t"] - before["margin"]["b"]
    )


def test_no_answer_has_a_mark_before_the_truth_is_known():
    here = stage("training_race", ["all", "root"])
    assert here.found.truth is None  # nothing is trained yet
    assert "●" not in str(shown_of(here).figure.layout["yaxis9"]["ticktext"])


def test_second_votes_of_a_class_are_drawn_beside_the_first():
    here = stage("scaling_rules", ["0.5"] * 6 + ["1"], first="0~0~0~0.5~1~1")
    fig, shown = plotted(shown_of(here)), shown_of(here)
    first, bets = trace_of(fig, "first bets"), trace_of(fig, "bets")
    assert np.allclose(6 * np.array([first.x, bets.x]) / max(bets.x), [[3, 1, 2], [0, 6, 1]])
    assert [old < new for old, new in zip(first.y, bets.y, strict=True)] == [True] * 3
    counts = [each for each in fig.layout.annotations if each.xref == "x9"]
    assert [each.text for each in counts] == ["3 → <b>0</b>", "1 → <b>6</b>", "2 → <b>1</b>"]
    assert [each.x for each in counts] == [max(ends) for ends in zip(first.x, bets.x, strict=True)]
    assert any("7 bets" in each and "hollow: the first 6" in each for each in texts(fig))
    assert shown.alt.endswith("The first vote: 0: 3 · ½: 1 · 1: 2.")


@pytest.mark.parametrize("bets", [["0.5"], ["1"] * 100])
def test_one_bet_or_a_hundred_equal_bets_are_one_full_bar(bets):
    fig = plotted(shown_of(stage("scaling_rules", bets)))
    lengths = trace_of(fig, "bets").x
    assert sorted(lengths)[:2] == [0, 0]
    longest = len(str(len(bets))) * 0.54 * 32
    assert max(lengths) + longest < fig.layout.xaxis9.range[1]
    assert ("<b>1 bet</b>" if len(bets) == 1 else "<b>100 bets</b>") in str(texts(fig))


def test_a_bet_equal_to_the_answer_is_drawn_at_the_answer():
    here = stage("small_samples", ["1.5", "1.5", "2"])
    assert here.found.truth == 1.5
    assert trace_of(plotted(shown_of(here)), "bets").x == (1.5, 2.0)


@pytest.mark.parametrize("stem", PLACED)
def test_one_panel_of_the_picture_is_kept_beside_the_bets(stem):
    bets = ["11-16-23-28-32"] if stem not in NUMBERS else bets_on(stem)
    here = stage(stem, bets * 2)
    fig, place = plotted(shown_of(here)), LESSONS[stem].bet.place
    kept = set(place.keeps or (place.across, place.along))
    axes = {name.replace("axis", "") for name in fig.layout.to_plotly_json() if "axis" in name}
    assert axes == kept | {"x9", "y9"}
    seen = [each for each in fig.data if each.visible is not False]
    assert {each.xaxis or "x" for each in seen} | {each.yaxis or "y" for each in seen} == axes
    parts = [*fig.layout.annotations, *fig.layout.shapes]
    assert {ref.removesuffix(" domain") for each in parts for ref in (each.xref, each.yref) if ref} <= axes | {"paper"}
    x = next(each for each in kept if each[0] == "x")
    assert fig.layout[f"xaxis{x[1:]}"].domain[1] < fig.layout.xaxis9.domain[0]
    assert len(fig.data) >= len(here.picture.figure.data)  # no trace is removed: words refer to them


def test_true_curve_is_dashed_and_in_front_of_the_curves_of_a_class():
    fig = plotted(shown_of(stage("score_variance", ["11-16-23-28-32", "10-20-30-40-50"])))
    bets, true = traces_of(fig, "a bet"), trace_of(fig, "in fact")
    assert [each.y for each in bets] == [(0, 11, 16, 23, 28, 32), (0, 10, 20, 30, 40, 50)]
    assert [fig.data.index(each) < fig.data.index(true) for each in bets] == [True, True]
    assert (true.line.dash, [each.line.dash for each in bets]) == ("dash", [None, None])
    assert {each.xaxis for each in (*bets, true)} == {"x9"}


def test_a_screen_keeps_its_panels_and_marks_bets_at_the_axis():
    shown = shown_of(stage("gradient_flow", ["20", "25", "25"], mode="screen"))
    fig, before = plotted(shown), stage("gradient_flow", ["20"], mode="screen").picture.figure.layout
    added = fig.layout.shapes[len(before.get("shapes", ())) :]
    assert "xaxis9" not in fig.layout.to_plotly_json()
    assert [(each.y0, each.y1 == 1) for each in added] == [(0, True), (1, False), (1, False)]


@pytest.mark.parametrize(("stops", "width"), [(range(77), 2), (range(0, 101, 5), 5), (range(41), 1)])
def test_bins_are_one_or_more_stops_wide(stops, width):
    from pages._view.kinds import Number

    bet = Bet("?", Number("n", 0, 0, max(stops), tuple(stops)))
    assert Counter(bets_of_class.bins(bet, tuple(map(float, stops))).values()).most_common(1)[0][0] == (
        1 if width == stops[1] - stops[0] else width
    )
