"""Pictures of the softmax_saturation lesson: plotted data and stated numbers equal those of the result."""

import re
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from pages._view.lessons import LESSONS
from pages._view.lessons.softmax_saturation import figures, outputs
from pages._view.lessons.softmax_saturation.declaration import MOST_ADDED
from pages._view.theme import DARK, LIGHT, PROJECTOR, number
from sattn_core.laws.components import COMPONENT_LAWS
from sattn_core.lessons import softmax_saturation as core
from tests.figures.drawing import plotted, texts
from tests.pages.opening import too_much

NOTES = ((4.0, 5.0), (1.0, 10.0))
FOUR = (*NOTES, (0.0, 0.0, 1.0), tuple(float(i) for i in range(64)))
ROWS = core.RowsParams(16, figures.DIMS)


@pytest.fixture(scope="module")
def study():
    return core.overflow_study()


def lists_of(lists=NOTES, study=None, profile=LIGHT, **options):
    return figures.lists(core.compare_lists(lists, **options), profile, study, lists)


def bars(trace):
    """Return the left and right ends and the heights of bars that are drawn as one outline."""
    x, y = np.reshape(trace.x, (-1, 4)), np.reshape(trace.y, (-1, 4))
    np.testing.assert_array_equal(y[:, [0, 3]], 0)
    np.testing.assert_array_equal(y[:, 1], y[:, 2])
    return x[:, [0, 2]], y[:, 1]


def weights(profile=LIGHT, exponent=0.0, params=ROWS, expected=None):
    return figures.weights(core.measure_rows(params).divided(exponent), params, profile, expected)


def said(max_weight, spread, exponent=0.3):
    """Return the sentence for rows with these largest weights and spreads."""
    rows = core.measure_rows(ROWS).divided(exponent)
    found = {"max_weight": np.array(max_weight), "spread": np.array(spread), "ratio": max(spread) / min(spread)}
    return figures.weights(replace(rows, **found), ROWS, LIGHT).sentence


def flat(d_k=64, exponent=0.5, profile=LIGHT, n_keys=16, law="normal", seed=0, expected=None):
    params = core.OutputsParams(n_keys, (d_k,), law, seed=seed)
    return outputs.outputs(core.measure_outputs(params), exponent, params, profile, expected)


def divided(d_k=64, exponents=(0.0, 0.5, 1.0), n_keys=16):
    found = core.measure_outputs(core.OutputsParams(n_keys, (d_k,)))
    return [found.divided(each) for each in exponents]


# --- lists ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("profile", [LIGHT, PROJECTOR])
@pytest.mark.parametrize(("lists", "options"), [(NOTES, {}), (NOTES, {"multiplier": 1 / 9, "shift": -4}), (FOUR, {})])
def test_each_bar_has_the_height_of_its_weight_at_its_score(lists, options, profile):
    comparison, drawn = core.compare_lists(lists, **options), plotted(lists_of(lists, profile=profile, **options))
    assert [each.name for each in drawn.data] == [f"list {i + 1}" for i in range(len(lists))] + len(lists) * [
        "difference"
    ]
    for i, scores in enumerate(comparison.scores):
        ends, heights = bars(drawn.data[i])
        np.testing.assert_array_equal(heights, comparison.attention_weights[i])
        assert drawn.data[i].fillcolor == profile.band
        groups = {score: ends[scores == score] for score in scores}
        for score, places in groups.items():
            assert (places.min() + places.max()) / 2 == pytest.approx(score, abs=1e-9)
        order = np.argsort(ends[:, 0], kind="stable")
        assert (ends[order[1:], 0] >= ends[order[:-1], 1] - 1e-9).all()  # no bar covers another


@pytest.mark.parametrize("options", [{}, {"multiplier": 1 / 9}, {"shift": 4}, {"shift": 100}, {"multiplier": 64}])
def test_brackets_above_the_bars_span_the_two_largest_scores(options):
    comparison, drawn = core.compare_lists(FOUR, **options), plotted(lists_of(FOUR, **options))
    for trace, scores, gap in zip(drawn.data[4:], comparison.scores, comparison.gap, strict=True):
        assert [min(trace.x), max(trace.x)] == np.sort(scores)[-2:].tolist()
        assert min(trace.y) > 1.3
        assert any(each.text == f"<b>difference {figures._short(gap)}</b>" for each in drawn.layout.annotations)


@pytest.mark.parametrize("profile", [LIGHT, PROJECTOR])
@pytest.mark.parametrize("added", [0, 1, MOST_ADDED])
def test_outlines_show_the_bars_before_something_is_added(added, profile):
    nudge = core.nudge_lists(FOUR, added)
    drawn = plotted(figures.nudged(nudge, added, profile))
    outlines = [each for each in drawn.data if each.name == "before"]
    assert len(outlines) == len(FOUR)
    for i, outline in enumerate(outlines):
        at = nudge.smallest[i]
        assert max(outline.y) == nudge.before.attention_weights[i][at]
        assert outline.xaxis == drawn.data[i].xaxis
        group = bars(drawn.data[i])[1]
        np.testing.assert_array_equal(group, nudge.after.attention_weights[i])


def test_axis_of_scores_is_the_same_for_every_added_number():
    control = LESSONS["softmax_saturation"].controls["nudge"]
    drawn = [plotted(figures.nudged(core.nudge_lists(NOTES, each), each, LIGHT)) for each in control.stops]
    ((low, high),) = {each.range for one in drawn for each in axes_of(one)}
    assert low < 1 < 4 + control.high <= 10 < high


SURE = ", which passes on hardly any gradient"


@pytest.mark.parametrize(
    ("added", "said"),
    [
        (0, "Nothing is added, and no weight moves."),
        (
            0.25,
            f"Added 0.25: 5.2 % of the weight moves in the first list, 0.0035 % in the second list{SURE}.",
        ),
        (
            1,
            f"Added 1: 23 % of the weight moves in the first list, 0.021 % in the second list{SURE}.",
        ),
        (6, "Added 6: 72 % of the weight moves in the first list, 4.7 % in the second list."),
    ],
)
def test_sentence_gives_the_weight_moved_by_an_added_number(added, said):
    shown = figures.nudged(core.nudge_lists(NOTES, added), added, LIGHT)
    assert shown.sentence == said
    headings = [each["text"] for each in shown.figure.layout["annotations"] if "moves" in each["text"]]
    assert len(headings) == 2
    assert all("nothing" in each for each in headings) is (added == 0)
    for slope, weight in (("0.20", "27"), ("0.00012", "0.012")):  # slopes at the weights before adding
        assert f"gradient p (1 − p) = {slope} at p = {weight} %" in texts(plotted(shown))


def axes_of(drawn):
    return [drawn.layout[name] for name in drawn.layout.to_plotly_json() if name.startswith("xaxis")]


def test_axis_of_scores_is_fixed_for_sliders_but_grows_for_values_in_links():
    controls = LESSONS["softmax_saturation"].controls
    ranges = {
        each.range
        for shift, multiplier in product(controls["shift"].stops, controls["multiplier"].stops)
        for each in axes_of(plotted(lists_of(shift=shift, multiplier=multiplier)))
    }
    assert ranges == {(0.1 - 4.7, 10 + 4.7)}  # scores from 0.1 · 1 to 10, ± a shift of 4 and half a bar
    (there,) = {each.range for each in axes_of(plotted(lists_of(shift=100)))}
    assert there[0] <= 101 < 110 <= there[1]
    (wide,) = {each.range for each in axes_of(plotted(lists_of(multiplier=64)))}
    assert wide[0] <= 64 < 640 <= wide[1]


@pytest.mark.parametrize("profile", [LIGHT, PROJECTOR], ids=lambda each: each.name)
@pytest.mark.parametrize("multiplier", [1, 1 / 2, 1 / 10])
def test_numbers_are_at_their_two_bars_and_do_not_overlap(multiplier, profile):
    drawn = plotted(lists_of(multiplier=multiplier, profile=profile))
    comparison = core.compare_lists(NOTES, multiplier=multiplier)
    for axis, found in zip(("x", "x2"), comparison.attention_weights, strict=True):
        names = [each for each in drawn.layout.annotations if each.xref == axis and "difference" not in each.text]
        assert [each.y for each in names] == found.tolist()
        (corners,) = (np.reshape(each.x, (-1, 4)) for each in drawn.data if each.xaxis == axis and each.fill)
        ends = corners[:, [0, -1]]
        for each, (left, right) in zip(names, ends, strict=True):
            assert left <= each.x <= right
        if np.ptp(ends.mean(axis=1)) < 0.1 * 18.4:  # bars too close for numbers above them on a phone
            assert [(each.xanchor, np.sign(each.xshift)) for each in names] == [("right", -1), ("left", 1)]


def test_lists_are_stacked_on_a_screen_and_side_by_side_on_a_wall():
    for profile, panel in ((LIGHT, "yaxis2"), (PROJECTOR, "xaxis2")):
        layout = plotted(lists_of(profile=profile)).layout
        one, other = (layout[each] for each in (panel[:-1], panel))
        assert sorted([*one.domain, *other.domain]) == [*min(one.domain, other.domain), *max(one.domain, other.domain)]
        assert (layout.yaxis.range, layout.xaxis.range) == (layout.yaxis2.range, layout.xaxis2.range)


@pytest.mark.parametrize(
    ("scores", "heading"),
    [((4, 5), "scores 4 and 5"), ((1000, -0.11111), "scores 1,000 and −0.111"), ((1, 2, 3, 4), "4 scores")],
)
def test_heading_lists_few_scores_but_only_counts_many(scores, heading):
    assert f"<b>{heading}</b>" in [each.text for each in plotted(lists_of((scores, (0, 1)))).layout.annotations]


def test_unreadable_lists_give_an_empty_picture():
    shown = figures.lists(None, LIGHT)
    assert (shown.figure.data, shown.sentence) == ([], "One of the lists cannot be read.")
    assert [*shown.table.values()] == [[], [], []]


@pytest.mark.parametrize(
    ("lists", "said"),
    [
        (NOTES, "73 % of the weight in the first list, and >99 % in the second list."),
        (((5, 5), (0, 0)), "50 % of the weight in the first list, and 50 % in the second list."),
        (FOUR, "58 % of the weight in the third list, and >99 % in the second list."),
        (((0, 0), (1, 1), (2, 2)), "50 % of the weight in the first list, and 50 % in the second list."),
    ],
)
def test_sentence_of_the_lists_names_two_lists(lists, said):
    shown = lists_of(lists)
    assert shown.sentence == f"The largest score takes {said}"
    assert not too_much(shown.sentence)


def test_table_of_the_lists_has_every_weight():
    lists, options = (*NOTES, (0.1, 0.2, 0.7)), {"multiplier": 3.0, "shift": 1.0}
    data = lists_of(lists, **options).table
    assert data["list"] == ["list 1"] * 2 + ["list 2"] * 2 + ["list 3"] * 3
    assert data["key"] == [1, 2, 1, 2, 1, 2, 3]
    assert data["weight"] == np.concatenate(core.compare_lists(lists, **options).attention_weights).tolist()


def test_how_sure_fold_gives_even_tiny_weights_and_norms():
    *_, third, fourth, norms = lists_of((*NOTES, (5.0, 5.0), tuple(0.0 for _ in range(64)))).sure
    assert third == "Softmax turns [5, 5] into [50.00 %, 50.00 %]; the gap is 0."
    assert fourth == "In list 4, of 64 scores, the largest weight is 1.56 %; the gap is 0."
    assert "has norm 0.393224, 0.000246759, 0.500000 and 0.124020." in norms  # 64 equal weights: √63 / 64
    assert "Softmax turns [−8, −7.5] into [37.75 %, 62.25 %]; the gap is 0.5." in (
        lists_of(multiplier=0.5, shift=-10).sure
    )  # 37.75 % = 1 / (1 + e**0.5)
    # 2 e^-744 is subnormal, 3 or 4 times the smallest float; 2 e^-1000 underflows.
    # The norms by mpmath: 2*e**-744 and 2*e**-1000; their ratio: 2*e**-1000 / (2*p*(1-p)) with p = 1/(1+e).
    assert "norm 1.53439 × 10⁻³²³ and" in lists_of(((0, 744), (0, 1))).sure[-1]
    sentence = lists_of(((0, 1000), (0, 1))).sure[-1]
    assert "norm 1.01519 × 10⁻⁴³⁴ and" in sentence
    assert "passes 2.58171 × 10⁻⁴³⁴ times" in sentence


@pytest.mark.parametrize("place", [0, 1, 2])
def test_overflow_is_reported_beside_the_lists(study, place):
    curve, sure = study.curves[place], lists_of(study=study).sure
    assert curve.largest_exponent == pytest.approx((11.0899, 88.7228, 709.7827)[place], abs=5e-5)
    assert sure[-5].endswith("with the subtraction it never breaks here.")
    said = sure[-4:-1][place]
    assert said.startswith(f"{curve.dtype}: ")
    assert f"NaN from s = {number(curve.first_failing_score, 5)}. " in said
    assert f"largest number, {number(curve.largest_exponent, 5)}. With the subtraction the weight is finite" in said
    assert lists_of().sure == sure[:-5]


def test_an_overflow_of_the_stable_softmax_is_reported(study):
    broken = lists_of(study=replace(study, curves=(replace(study.curves[0], stable_is_finite=False),))).sure
    assert broken[-3].endswith("with the subtraction it still breaks.")
    assert "not finite everywhere" in broken[-2]


# --- rows with an adjustable divisor ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("exponent", "name", "colour"),
    [
        (0.0, "raw", LIGHT.raw),
        (0.48, "÷ dₖ^0.48", LIGHT.band),
        (0.5, "÷ √dₖ", LIGHT.scaled),
        (1.0, "÷ dₖ", LIGHT.third),
    ],
)
def test_bars_of_three_rows_share_one_scale(exponent, name, colour):
    rows, fig = core.measure_rows(ROWS).divided(exponent), plotted(weights(exponent=exponent))
    for i, (trace, panel) in enumerate(zip(fig.data[:3], ("x", "x2", "x3"), strict=True)):
        ends, heights = bars(trace)
        np.testing.assert_array_equal(heights, rows.weights[i])
        np.testing.assert_allclose(ends.mean(axis=1), np.arange(16), atol=1e-12)
        assert (trace.xaxis, trace.yaxis, trace.line.color, trace.fillcolor) == (panel, "y", colour, colour)
        assert (trace.name, trace.fill) == (f"{name}, dₖ = {rows.dims[i]:,}", "tozeroy")


@pytest.mark.parametrize("n_keys", [2, 16, 512])
def test_outline_in_later_panels_is_the_row_of_the_smallest_d_k(n_keys):
    params = core.RowsParams(n_keys, figures.DIMS)
    rows, fig = core.measure_rows(params).divided(0.3), plotted(weights(exponent=0.3, params=params))
    assert [(each.name, each.xaxis) for each in fig.data[3:]] == [("outline: dₖ = 4", "x2"), ("outline: dₖ = 4", "x3")]
    for trace in fig.data[3:]:
        np.testing.assert_array_equal(np.reshape(trace.y[1:-1], (-1, 2)).T, [rows.weights[0]] * 2)
        np.testing.assert_array_equal(np.reshape(trace.x, (-1, 2))[1:, 0], np.arange(n_keys) + 0.5)
        assert (trace.line.color, trace.fill) == (LIGHT.text, None)


@pytest.mark.parametrize(
    ("max_weight", "spread", "exponent", "takes", "end"),
    [
        ((0.4, 0.6, 0.996), (1.0, 2.0, 4.0), 0.3, "40 %, 60 % and >99 %", "most at the largest"),
        ((0.6, 0.5, 0.4), (1.0, 1.2, 1.3), 0.44, "60 %, 50 % and 40 %", "most at the smallest"),
        ((0.5, 0.6, 0.4), (1.0, 1.2, 1.3), 0.44, "50 %, 60 % and 40 %", "most at the middle"),
        ((0.4, 0.3, 0.002), (4.0, 2.0, 1.0), 0.7, "40 %, 30 % and 0.20 %", "least at the largest"),
    ],
)
def test_sentence_names_the_row_that_differs(max_weight, spread, exponent, takes, end):
    assert said(max_weight, spread, exponent) == (
        f"Not alike: the strongest key takes {takes} of the weight on average, the {end} dₖ."
    )


@pytest.mark.parametrize(("exponent", "where"), [(0.42, ", close to √dₖ:"), (0.58, ", close to √dₖ:"), (0.62, ":")])
def test_equal_rows_are_called_close_to_sqrt_d_k_only_near_one_half(exponent, where):
    assert said((0.4, 0.4, 0.4), (1.0, 1.0, 1.24), exponent) == (
        f"Found{where} the three rows look alike; on average the strongest key takes 40 %, 40 % and 40 % of the weight."
    )


@pytest.mark.parametrize(("n_keys", "law"), list(product((2, 16, 512), COMPONENT_LAWS)))
def test_sentence_is_short_and_true_at_every_exponent(n_keys, law):
    params = core.RowsParams(n_keys, figures.DIMS, law, seed=3)
    drawn, found = core.measure_rows(params), []
    for exponent in LESSONS["softmax_saturation"].controls["exponent"].stops:
        rows = drawn.divided(exponent)
        sentence = figures.weights(rows, params, LIGHT).sentence
        assert not too_much(sentence), sentence
        within = drawn.scores.std(axis=-1, ddof=1) / np.array(rows.dims)[:, None, None] ** exponent
        spread = np.sqrt((within**2).mean(axis=(1, 2)))
        assert ("alike;" in sentence) == (max(spread) <= 1.25 * min(spread))
        assert (", close to √dₖ:" in sentence) == ("alike;" in sentence and 1e-9 < abs(exponent - 0.5) < 0.1)
        numbers = [float(each) for each in re.findall(r"([0-9.]+) %", sentence.replace(">99 %", "100 %"))]
        np.testing.assert_allclose(numbers, 100 * rows.max_weight, rtol=0.06)
        if place := re.search(r"the (most|least) at the (smallest|middle|largest) dₖ\.", sentence):
            best = {"most": max, "least": min}[place[1]](rows.max_weight)
            assert rows.max_weight[("smallest", "middle", "largest").index(place[2])] == best
        found += [exponent] * rows.alike
    assert found == [] or found[-1] - found[0] < 0.12  # all found exponents are close together


def test_table_of_the_rows_has_every_weight():
    rows, data = core.measure_rows(ROWS).divided(0.5), weights(exponent=0.5).table
    assert data["row"] == [f"÷ √dₖ, dₖ = {d_k:,}" for d_k in (4, 64, 1024) for _ in range(16)]
    assert data["key"] == 3 * [*range(1, 17)]
    assert data["weight"] == rows.weights.ravel().tolist()


def test_a_mean_is_called_inside_its_band_only_if_it_is():
    checks = weights(expected=np.array([0.4, 0.84, 0.9])).checks
    assert checks["in its 95 % band"] == ["inside", "inside", "outside"]


@pytest.mark.parametrize("profile", [LIGHT, PROJECTOR])
def test_largest_weights_are_written_above_their_panels(profile):
    rows = core.measure_rows(ROWS).divided(0.0)
    named = [each.text for each in plotted(weights(profile=profile)).layout.annotations]
    for d_k, weight in zip(rows.dims, rows.max_weight, strict=True):
        assert f"<b>dₖ = {d_k:,}</b>" in named
        assert f"<b>{100 * weight:.0f} %</b>" in named


def test_freezing_threshold_is_called_a_limit_for_many_keys():
    # threshold √(2 ln 64) = 2.88; raw scores pass it at dₖ = 2 ln 64 = 8.32
    sure = weights(params=core.RowsParams(64, figures.DIMS)).sure[-1]
    assert sure.startswith("With very many keys")
    assert "√(2 ln 64) = 2.88. Raw scores pass it at dₖ = 8.32, " in sure


# --- a token's own share ---------------------------------------------------------------------------------


@pytest.mark.parametrize("profile", [LIGHT, DARK, PROJECTOR])
@pytest.mark.parametrize(("exponent", "colour"), [(0.0, "raw"), (0.3, "band"), (0.5, "scaled"), (1.0, "third")])
def test_values_outputs_and_lines_to_outputs_are_those_of_the_result(exponent, colour, profile):
    panels, fig = divided(exponents=(0.0, exponent, 1.0)), plotted(flat(exponent=exponent, profile=profile))
    wanted = ("raw", colour, "third")
    for i, (found, meaning) in enumerate(zip(panels, wanted, strict=True)):
        rings, rays, dots = fig.data[3 * i : 3 * i + 3]
        np.testing.assert_array_equal(np.stack([rings.x, rings.y], axis=1), found.values[:, :2])
        np.testing.assert_array_equal(np.stack([dots.x, dots.y], axis=1), found.output[: outputs.SHOWN, :2])
        np.testing.assert_array_equal([rays.x[1::2], rays.y[1::2]], [dots.x, dots.y])
        middle = found.output[:, :2].mean(axis=0)
        np.testing.assert_array_equal(np.stack([rays.x[::2], rays.y[::2]], axis=1), [middle] * outputs.SHOWN)
        assert dots.marker.color == rays.line.color == getattr(profile, meaning)
        assert {each.xaxis for each in (rings, rays, dots)} == {f"x{figures.NUMBERS[i]}"}
        named = " ".join(each.text for each in fig.layout.annotations)
        assert f"<b>{outputs.share(found)}</b>" in named


def test_panels_of_outputs_share_axes_at_every_d_k():
    ranges = set()
    for d_k, exponent in product((1, 64, 1024), (0.0, 0.5, 1.0)):
        layout = plotted(flat(d_k, exponent)).layout
        ranges |= {(layout[f"xaxis{i}"].range, layout[f"yaxis{i}"].range) for i in ("", "2", "3")}
        ranges.add((layout.height, layout.margin.t))
    assert len(ranges) == 2


@pytest.mark.parametrize("profile", [LIGHT, PROJECTOR])
def test_first_panel_labels_one_value_and_one_output(profile):
    panels = divided()
    named = {
        each.text: each for each in plotted(flat(profile=profile)).layout.annotations if each.xref == "x" and each.text
    }
    assert named.keys() == {"a value", "an output"}
    for name, places in (("a value", panels[0].values), ("an output", panels[0].output[: outputs.SHOWN])):
        at = [named[name].x, named[name].y]
        assert np.isclose(places[:, :2], at, atol=1e-12).all(axis=1).any()


@pytest.mark.parametrize("room", [outputs._ON_A_SCREEN, outputs._IN_A_ROW, outputs._ON_A_WALL])
@pytest.mark.parametrize("seed", range(4))
def test_labels_of_points_cover_no_point_and_stay_in_the_panel(seed, room):
    for d_k in (1, 8, 64, 1024):
        found = core.measure_outputs(core.OutputsParams(16, (d_k,), seed=seed)).divided(0.0)
        low, high = outputs._reach(found.values[:, :2]).T
        marks = (np.concatenate([found.values[:, :2], found.output[: outputs.SHOWN, :2]]) - low) / (high - low)
        for text, spot in outputs._spots(found, room):
            if spot is None:
                continue
            left, right, bottom, top = outputs._box(*spot, len(text), room)
            assert 0 <= left < right <= 1
            assert 0 <= bottom < top <= 1
            x, y = marks.T
            assert not ((x > left) & (x < right) & (y > bottom) & (y < top)).any()
            assert np.isclose(marks, spot[0]).all(axis=1).any()


@pytest.mark.parametrize(
    ("d_k", "exponent", "said"),
    [
        (1, 0.5, "At dₖ = 1 no exponent changes anything: {0} of an output is its token’s own in all three."),
        (64, 0.5, "At dₖ = 64, ÷ dₖ leaves {2} of an output to its token; ÷ √dₖ leaves {1}."),
        (1024, 0.5, "At dₖ = 1,024, ÷ dₖ leaves {2} of an output to its token; ÷ √dₖ leaves {1}."),
        (64, 0.3, "÷ dₖ leaves {2} of an output to its token; exponent 0.3 leaves {1}."),
        (64, 0.0, "At dₖ = 64, ÷ dₖ leaves {2} of an output to its token; raw leaves {0}."),
        (64, 1.0, "At dₖ = 64, ÷ dₖ leaves {2} of an output to its token; raw leaves {0}."),
    ],
)
def test_sentence_gives_the_share_left_to_a_token(d_k, exponent, said):
    shares = [outputs.share(each) for each in divided(d_k, (0.0, exponent, 1.0))]
    shown = flat(d_k, exponent)
    assert shown.sentence == said.format(*shares)
    assert f"dₖ = {d_k:,}" in shown.alt


@pytest.mark.parametrize(("n_keys", "law"), [(2, "normal"), (512, "sparse"), *((16, law) for law in COMPONENT_LAWS)])
def test_sentence_on_outputs_is_short_and_panel_labels_are_true(n_keys, law):
    for d_k, exponent in product((1, 2, 9, 64, 1024), (0.0, 0.02, 0.5, 0.98, 1.0)):
        params = core.OutputsParams(n_keys, (d_k,), law, seed=3)
        drawn = core.measure_outputs(params)
        shown = outputs.outputs(drawn, exponent, params, LIGHT)
        assert not too_much(shown.sentence), shown.sentence
        for each in (0.0, exponent, 1.0):
            found = drawn.divided(each)
            word = " ".join(outputs._what_it_is(found))
            assert (word == "nearly the same for all") == (found.own_share <= 0.1)
            assert word != "nearly one value by chance" or found.max_weight >= 0.75


@pytest.mark.parametrize(("share", "said"), [(0.9049, "90 %"), (0.0151, "1.5 %"), (0.00097, "0.1 %"), (0.0098, "1 %")])
def test_a_share_has_two_digits_and_a_tiny_share_one(share, said):
    assert outputs.share(replace(divided()[0], own_share=share)) == said


def test_how_sure_fold_gives_standard_errors_predictions_and_the_limit():
    panels, expected = divided(), (0.9, 0.52, 0.2)
    shown = flat(expected=expected)
    assert "Each percentage is a mean over 20 draws of 64 tokens and of values with 64 numbers." in shown.sure[1]
    assert "two of the numbers" in shown.sure[1]
    assert "At α = 0.5 this is 63.2 %: the limit, no prediction for 16 keys." in shown.sure[3]
    checks = shown.checks
    for found, drawn in zip(panels, checks["a token’s own"], strict=True):
        assert drawn == f"{outputs.share(found)} ± {number(100 * found.standard_error, 2)} %"
    assert checks["predicted"] == ["90.0 %", "52.0 %", "20.0 %"]
    assert checks["in its 95 % band"] == ["inside", "inside", "outside"]
    assert checks["limit of many keys and dimensions"] == ["100 %", "63.2 %", "1.55 %"]
    assert "normal queries" not in " ".join(shown.sure)
    assert "It is for normal queries and keys." in flat(law="uniform").sure[2]


def test_table_of_the_outputs_has_every_point():
    panels, table = divided(), flat().table
    assert [*dict.fromkeys(table["mark"])] == ["value", "output, raw", "output, ÷ √dₖ", "output, ÷ dₖ"]
    places = np.concatenate([panels[0].values[:, :2], *(each.output[:12, :2] for each in panels)])
    np.testing.assert_array_equal(np.stack([table["first number"], table["second number"]], axis=1), places)
