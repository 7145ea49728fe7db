"""The derivation lesson: its lines say what was measured, its figures show what was drawn."""

import re
from dataclasses import replace

import numpy as np
import pytest

from pages._view.lessons.derivation import figures
from pages._view.theme import LIGHT, PROJECTOR, number
from sattn_core.lessons.derivation import (
    ASSUMPTIONS,
    LINE_FORMULAS,
    LINE_NAMES,
    SCORE_LINES,
    DerivationParams,
    exact_scores,
    measure_derivation,
    measure_growth,
    spread_ratio,
)
from tests.figures.drawing import plotted, run, texts, traces_of

BROKEN = {
    "nothing": {},
    "means": {"mean_q": 1.0, "mean_k": 1.0},
    "variances": {"variance_q": 2.0, "variance_k": 2.0},
    "alignment": {"correlation": 0.5},
    "components": {"component_correlation": 0.3},
    "tails": {"nu": 1.5},
}


@pytest.fixture(scope="module")
def results():
    return {name: measure_derivation(DerivationParams(16, 1_000, **fields)) for name, fields in BROKEN.items()}


@pytest.fixture(scope="module")
def growths():
    return {name: measure_growth(DerivationParams(1024, 400, **fields)) for name, fields in BROKEN.items()}


def sure(result):
    return " ".join(figures.lines(result).sure)


def cells(result):
    """The table of lines, as a list of rows of cells."""
    rows = plotted(figures.lines(result)).replace("\u00a0", " ").split("\n")
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


ENDS = [
    {},
    *({"mean_q": q, "mean_k": k} for q in (-4.0, 0.0, 0.25, 4.0) for k in (-4.0, 0.0, 1.0)),
    *({"variance_q": q, "variance_k": k} for q in (0.25, 2.0, 16.0) for k in (0.25, 0.5, 16.0)),
    *({"correlation": rho} for rho in (-1.0, -0.05, 0.0, 0.05, 0.5, 1.0)),
    *({"component_correlation": r} for r in (0.0, 0.05, 0.3, 1.0)),
    *({"nu": nu} for nu in (1.5, 2.0, 2.1, 4.0, 4.5, 30.0)),
]


@pytest.mark.parametrize("fields", ENDS, ids=str)
def test_every_sentence_is_short_and_true_whatever_is_broken(fields):
    growth = measure_growth(DerivationParams(1024, 100, **fields))
    for d_k in (1, 2, 64, 1024):
        picture, lines = figures.growing_variance(growth, d_k, LIGHT), growth.at(d_k)
        said, fails = picture.sentence, [line for line in lines if not line.holds]
        assert f"At dₖ = {d_k:,} " in said
        assert ("all three lines hold" in said) == (not fails and all(line.reliable for line in lines[1:])), said
        assert ("No variance exists" in said) == np.isinf(lines[1].exact)
        assert ("too little to be seen" in said) == (
            bool(fails) and bool(np.isfinite(lines[1].exact)) and not any(line.seen_to_fail for line in fails)
        ), said
        assert ("not zero" in said) == (not lines[0].holds and lines[0].seen_to_fail), said
        result = measure_derivation(DerivationParams(d_k, 100, **fields))
        assert figures.lines(result).sure
        assert figures.growth(result, LIGHT).sure


# --- the three lines -------------------------------------------------------------------------------------


def three(growth, d_k):
    rows = figures.three_lines(growth, d_k).replace("\u00a0", " ").split("\n")
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


@pytest.mark.parametrize("name", BROKEN)
def test_each_of_the_three_lines_stands_with_what_is_measured_and_its_verdict(growths, name):
    head, _, *rows = three(growths[name], 64)
    assert head == ["line", "measured", "check", "uses"]
    for row, line in zip(rows, growths[name].at(64), strict=True):
        assert row[1:3] == [number(line.measured), {"h": "✓", "f": "✗", "c": "?"}[line.check[0]] + f" {line.check}"]
    assert set(figures._SHORT) == set(figures._USED) == set(SCORE_LINES)


def test_what_is_broken_is_struck_out_where_it_is_used(growths):
    struck = {
        name: [(i, part) for i, row in enumerate(three(growth, 64)[2:]) for part in re.findall("~~(.*?)~~", row[3])]
        for name, growth in growths.items()
    }
    assert struck == {
        "nothing": [],
        "means": [(0, "means 0")],
        "variances": [(1, "variances 1")],
        "alignment": [(0, "qᵢ and kᵢ independent")],
        "components": [(1, "components independent")],
        "tails": [(2, "a finite variance")],
    }
    assert [row[3].startswith("also ") for row in three(growths["nothing"], 64)[2:]] == [False, True, True]
    assert "~~" not in figures.three_lines(measure_growth(DerivationParams(8, 100, nu=2.1)), 8)


def test_the_sentence_has_the_numbers_of_the_moment_and_tells_how_the_variance_grows(growths):
    mean, variance, scaled = growths["nothing"].at(64)
    said = figures.growing_variance(growths["nothing"], 64, LIGHT).sentence
    assert said == (
        f"At dₖ = 64 all three lines hold. The raw variance is {number(variance.measured)}; divided by √dₖ, the scores "
        f"have variance {number(scaled.measured)}."
    )
    mean = growths["alignment"].at(256)[0]
    said = figures.growing_variance(growths["alignment"], 256, LIGHT).sentence
    assert f"the mean is {number(mean.measured)}, not zero. Divided by √dₖ it is {number(mean.measured / 16)}," in said
    said = figures.growing_variance(growths["means"], 64, LIGHT).sentence
    assert f"{number(growths['means'].at(64)[0].measured)}, not zero. All keys share it; within a row" in said
    assert said.endswith("scores spread by 11.3.")  # √(64 · 1 · (1 + 1²))
    grows, stays = (figures.growing_variance(growths[name], 64, LIGHT).sentence for name in ("components", "variances"))
    assert grows.endswith("not one, and more as dₖ grows.")
    assert stays.endswith("not one, whatever dₖ is.")
    scaled = [[exact_scores(DerivationParams(d, **BROKEN[name])).variance / d for d in (64, 128)] for name in
              ("components", "variances")]  # fmt: skip
    assert scaled[0][1] > 1.5 * scaled[0][0]
    assert scaled[1][1] == scaled[1][0]


def test_the_figure_shows_what_is_measured_up_to_this_dimension(growths):
    growth = growths["nothing"]
    figure = plotted(figures.growing_variance(growth, 100, LIGHT))
    dims = np.array([1, 2, 4, 8, 16, 32, 64, 100])
    for name, divisor in (("raw", 1), ("scaled", dims)):
        small, large = traces_of(figure, name)
        np.testing.assert_array_equal([*small.x, *large.x], dims)
        np.testing.assert_allclose([*small.y, *large.y], growth.variance[dims - 1] / divisor, rtol=1e-15)
        band = [*small.error_y.array, *large.error_y.array]
        np.testing.assert_allclose(band, 2 * growth.variance_error[dims - 1] / divisor, rtol=1e-15)
        assert large.marker.size > small.marker.size
    (raw,), (scaled,) = (traces_of(figure, f"predicted, {name}") for name in ("raw", "scaled"))
    assert (list(raw.x), list(raw.y), list(scaled.y)) == ([1, 1024], [1, 1024], [1, 1])
    assert figure.layout.shapes[0].x0 == 100
    assert texts(figure) == ["dₖ", "1"]


DIVISORS = [
    ({}, 64, "Divide by √dₖ = 8", "the root of the variance, dₖ"),
    ({}, 1, "Divide by √dₖ = 1", "the root of the variance, dₖ"),
    ({"nu": 5.0}, 1024, "Divide by √dₖ = 32", "the root of the variance, dₖ"),
    ({"mean_k": 1.0}, 64, "Divide by √dₖ = 8", "all that softmax sees is the spread within a row"),
    ({"mean_q": 1.0, "mean_k": 1.0}, 64, "Divide by √128 = 11.3", "not √dₖ = 8: all that softmax sees"),
    ({"variance_q": 2.0, "variance_k": 2.0}, 64, "Divide by √256 = 16", "not √dₖ = 8: the root of dₖ Var(qᵢ) Var(kᵢ)"),
    ({"correlation": 0.5}, 1000, "Divide by dₖ = 1,000", "not √dₖ = 31.6: the mean grows like dₖ"),
    ({"component_correlation": 1.0}, 64, "Divide by √4,096 = 64", "not √dₖ = 8: components move together"),
    ({"nu": 1.5}, 64, "Divide by about 16", "not √dₖ = 8: no variance: the ν-th root of dₖ"),
]


@pytest.mark.parametrize(("fields", "d_k", "headline", "why"), DIVISORS, ids=str)
def test_the_divisor_of_the_moment_and_why_stand_above_the_figure_in_its_largest_letters(fields, d_k, headline, why):
    picture = figures.growing_variance(measure_growth(DerivationParams(1024, 100, **fields)), d_k, LIGHT)
    said = plotted(picture).layout.title
    assert said.text == headline
    assert said.subtitle.text.startswith(why)
    assert picture.alt.startswith(f"{picture.sentence} {headline}. ")
    divisor = float(headline.split()[-1].replace(",", ""))
    assert divisor == pytest.approx(exact_scores(DerivationParams(d_k, **fields)).right_divisor, rel=2e-3)
    assert said.font.size > LIGHT.title_size > said.subtitle.font.size


def test_on_a_wall_the_marks_are_named_at_the_ends_of_their_lines_and_not_in_a_key_above(growths):
    for profile, ends in ((LIGHT, ("dₖ", "1")), (PROJECTOR, ("raw: dₖ", "÷ √dₖ: 1"))):
        layout = plotted(figures.growing_variance(growths["nothing"], 64, profile)).layout
        assert tuple(each.text for each in layout.annotations) == ends
        key = layout.title.subtitle.text
        assert ("● raw" in key) == (profile is LIGHT)
        assert "dashed: predicted" in key
        assert ("<br>" in key) == (profile is LIGHT)


def test_what_is_true_is_dotted_and_heavy_tails_have_no_band(growths):
    for name, growth in growths.items():
        figure = plotted(figures.growing_variance(growth, 64, LIGHT))
        drawn = traces_of(figure, "exact, raw")
        assert len(drawn) == (name not in ("nothing", "tails"))
        assert ("dotted" in figure.layout.title.subtitle.text) == bool(drawn)
        for trace in drawn:
            exact = [exact_scores(DerivationParams(d, **BROKEN[name])).variance for d in trace.x]
            np.testing.assert_allclose(trace.y, exact, rtol=1e-12)
            (scaled,) = traces_of(figure, "exact, scaled")
            np.testing.assert_allclose(scaled.y, np.array(exact) / trace.x, rtol=1e-12)
    figure = plotted(figures.growing_variance(growths["tails"], 64, LIGHT))
    assert not any(any(trace.error_y.array) for name in ("raw", "scaled") for trace in traces_of(figure, name))


@pytest.mark.parametrize("name", BROKEN)
def test_the_axes_stay_while_the_dimension_moves_and_hold_every_mark(growths, name):
    ranges = set()
    for d_k in (1, 64, 1024):
        figure = plotted(figures.growing_variance(growths[name], d_k, LIGHT))
        ranges.add((tuple(figure.layout.xaxis.range), tuple(figure.layout.yaxis.range)))
        low, high = figure.layout.yaxis.range
        shown = [np.log10(trace.y) for name in ("raw", "scaled") for trace in traces_of(figure, name) if len(trace.y)]
        assert all((low < each).all() and (each < high).all() for each in shown)
    assert len(ranges) == 1
    assert high % 1 > 0.35  # the number at the last decade would stand in the key
    if name in ("nothing", "means", "variances", "alignment"):
        assert figure.layout.yaxis.range == figures._RANGE


def test_how_sure_has_every_line_with_its_error_its_prediction_and_z(growths):
    mean, _, scaled = growths["alignment"].at(64)
    said = figures.growing_variance(growths["alignment"], 64, LIGHT).sure
    assert said[0] == (
        f"Mean of q·k: measured {number(mean.measured)} ± {number(mean.standard_error, 2)}, predicted 0, "
        f"z = {number(mean.z)}. For these settings the exact value is 32.0."
    )
    assert said[1].endswith("For these settings the exact value is 80.0.")
    assert f"predicted 1.00, z = {number(scaled.z)}. For these settings the exact value is 1.25." in said[2]
    assert "400 independent pairs" in said[3]
    said = figures.growing_variance(growths["tails"], 64, LIGHT).sure
    assert all("without a usable error bar" in each for each in said[:3])
    assert "no variance exists" not in said[0].lower()
    assert all(each.endswith("For these settings no variance exists.") for each in said[1:3])


def test_the_table_and_the_code_of_the_three_lines_give_the_points(growths):
    picture = figures.growing_variance(growths["components"], 6, LIGHT)
    assert picture.table["dₖ"] == [1, 2, 4, 6]
    printed = [row.split() for row in run(picture.code)[1].splitlines()]
    assert [row[0] for row in printed[:3]] == list(SCORE_LINES)
    points = zip(*(picture.table[name] for name in ("dₖ", "raw variance", "its error")), strict=True)
    assert [tuple(map(float, row)) for row in printed[3:]] == list(points)
    table = figures.growing_variance(growths["tails"], 2, LIGHT).table
    assert (table["exact variance"], table["its error"]) == ([None, None], [None, None])


def test_why_the_divisor_is_the_root_and_not_the_dimension():
    latex, said = figures.why_root(64)
    assert latex == r"\operatorname{Var}(c\,X) = c^2 \operatorname{Var}(X)"
    assert "so the number is √64 = 8.00. Dividing by 64 itself would leave a variance of 1/64 = 0.0156." in said
    assert "down to 1, that" in said
    assert figures.why_root(1)[1].endswith("At dₖ = 1 there is nothing to divide: √1 is 1.")


# --- the lines -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", BROKEN)
def test_every_line_stands_with_its_formula_its_assumption_and_both_sides(results, name):
    result = results[name]
    head, _, *rows = cells(result)
    assert head == ["no.", "line", "uses", "left", "right", "z", "check"]
    assert [row[0] for row in rows] == [str(n) for n in range(1, 10)]
    assert [row[1] for row in rows] == [f"${formula}$" for formula in LINE_FORMULAS]
    assert len({row[2] for row in rows}) == len(set(ASSUMPTIONS))
    for row, line in zip(rows, result.lines, strict=True):
        assert len(row) == 7
        assert row[3].split(" ± ")[0] == number(line.left)
        assert row[4].split(" ± ")[0] == number(line.right)
        assert row[5] == (number(line.z) if line.reliable else "none")


def test_the_first_line_that_fails_is_the_only_bold_one(results):
    first = {"nothing": None, "means": 4, "variances": 7, "alignment": 3, "components": 5, "tails": 5}
    for name, number_of_line in first.items():
        bold = [int(row[0]) for row in cells(results[name])[2:] if row[6].startswith("**")]
        assert bold == ([] if number_of_line is None else [number_of_line])


def verdict(result, place, **values):
    lines = list(result.lines)
    lines[place] = replace(lines[place], **values)
    return cells(replace(result, lines=tuple(lines)))[place + 2][6]


def test_the_verdicts_tell_a_truth_from_what_the_draws_show(results):
    result = results["means"]  # line 4 fails first
    assert verdict(result, 0, holds=True, seen_to_fail=False) == "✓ holds"
    assert verdict(result, 0, holds=True, seen_to_fail=True) == "✓ holds; beyond 4 errors by chance"
    assert verdict(result, 6, holds=True, reliable=False) == "? cannot be checked here"
    assert verdict(result, 3, holds=False, seen_to_fail=True) == "**✗ fails first**"
    assert verdict(result, 6, holds=False, seen_to_fail=True) == "✗ fails"
    assert verdict(result, 6, holds=False, seen_to_fail=False) == "✗ fails, too little to be seen in 1,000 pairs"
    assert verdict(result, 6, holds=False, seen_to_fail=False, reliable=False) == "✗ fails: no error bar"
    assert verdict(results["tails"], 6, holds=False) == "✗ fails: no variance"


def test_no_error_bar_for_heavy_tails_and_no_formula_that_breaks_the_table():
    def with_error(nu):
        rows = cells(measure_derivation(DerivationParams(8, 500, nu=nu)))[2:]
        return [int(row[0]) for row in rows if "±" in row[3]]

    assert with_error(1.5) == []
    assert with_error(3.0) == [1, 2, 3, 4]
    assert with_error(5.0) == list(range(1, 10))
    assert all("|" not in formula for formula in LINE_FORMULAS)
    assert set(figures._LINES) == set(LINE_NAMES)
    assert set(figures._USES) == set(ASSUMPTIONS)
    assert set(figures._RULES) == set(figures._REASONS)


# --- the sentence ----------------------------------------------------------------------------------------


def test_an_unbroken_derivation_is_said_with_its_largest_difference(results):
    result, picture = results["nothing"], figures.lines(results["nothing"])
    largest = number(max(abs(line.z) for line in result.lines))
    assert picture.claim == "All nine lines hold"
    assert picture.sentence == f"In 1,000 pairs the two sides of a line differ by at most {largest} standard errors."
    assert picture.sure[0] == (
        "At dₖ = 16 with no assumption broken, all 9 lines hold. In 1,000 pairs their two sides differ by at most "
        f"{largest} standard errors."
    )
    assert picture.sure[1] == (
        f"Divided by √16 = 4.00 the scores have mean {number(result.scaled_mean)} and standard deviation "
        f"{number(result.scaled_std)}."
    )
    lines = tuple(replace(line, z=-3.9 if line.number == 7 else 1.0) for line in results["nothing"].lines)
    changed = replace(results["nothing"], lines=lines)
    for said in (sure(changed), figures.lines(changed).sentence):
        assert "differ by at most 3.90 standard errors" in said


def test_a_line_without_a_usable_error_bar_is_never_said_to_hold():
    result = measure_derivation(DerivationParams(16, 500, nu=2.1))
    said, rows, picture = sure(result), cells(result)[2:], figures.lines(result)
    assert [int(row[0]) for row in rows if row[6] == "? cannot be checked here"] == [5, 6, 7, 9]
    assert [int(row[0]) for row in rows if row[6] == "✓ holds"] == [1, 2, 3, 4, 8]
    assert "ν = 2.1, 5 hold and 4 cannot be checked here, without a usable error bar. In 500 pairs the two" in said
    assert picture.claim == "Five of nine lines hold; four cannot be checked"
    assert picture.sentence.endswith("has no usable error bar.")
    table = picture.table
    assert table["check"][6] == "cannot be checked: without a usable error bar"
    assert [table[name][6] for name in ("left error", "right error", "error of the difference", "z")] == [None] * 4
    assert (table["left error"][7], table["z"][7]) == (None, 0)  # an identity, of which either side has no error bar
    assert [each.endswith(", without a usable error bar.") for each in picture.sure[2:]] == [False, True, True, True]


@pytest.mark.parametrize("nu", [None, 1.5, 2.1, 4.0, 4.5])
def test_the_marks_in_the_table_are_counted(nu):
    result = measure_derivation(DerivationParams(16, 500, nu=nu))
    marks = [row[6].strip("*")[0] for row in cells(result)[2:]]
    counted = {mark: marks.count(mark) for mark in "✓✗?"}
    said = sure(result)
    if counted["✓"] == 9:
        assert "all 9 lines hold." in said
    for mark, words in (("✓", "hold"), ("✗", "fail"), ("?", "cannot be checked here")):
        assert counted["✓"] == 9 or not counted[mark] or f"{counted[mark]} {words}" in said
    assert list(result.checks.values()) == list(counted.values())


def test_what_is_broken_is_named_and_judged_by_what_is_seen(results):
    wanted = {
        "means": ("means 1 and 1, line 4, E[s] = 0, is the first to fail. ", "√(dₖ Var(kᵢ) (Var(qᵢ) + E[qᵢ]²)) = 5.66"),
        "variances": ("variances 2 and 2, line 7, Var(s) = dₖ, is the first to fail. ", "√(dₖ Var(qᵢ) Var(kᵢ)) = 8.00"),
        "alignment": ("correlation 0.5 of qᵢ with kᵢ, line 3, E[qᵢ kᵢ]", "is dₖ = 16.0"),
        "components": ("correlation 0.3 between components, line 5, Var(s)", "√(effective dimension) = 6.13"),
        "tails": ("Student t components, ν = 1.5, line 5, Var(s)", "the ν-th root of dₖ = 6.35"),
    }
    for name, parts in wanted.items():
        said, picture = sure(results[name]), figures.lines(results[name])
        for part in parts:
            assert part in said, name
        first = results[name].first_failing
        assert picture.claim == f"Line {first} of nine is the first to fail"
        assert picture.sentence.startswith(f"Line {first} fails first")
    line = results["means"].lines[3]
    sides = f"its left side is {number(line.left)}, its right side 0."
    assert figures.lines(results["means"]).sentence == f"Line 4 fails first: {sides}"
    assert figures.lines(results["tails"]).sentence == "Line 5 fails first, because no variance exists."
    result = measure_derivation(DerivationParams(16, 500, correlation=1e-4))
    assert figures.lines(result).sentence == "Line 3 fails first, but by too little to be seen in 500 pairs."
    means, tails = results["means"], results["tails"]
    within = number(means.right_within_row_std)
    assert figures.lines(means).sure[1].endswith(f"standard deviation {within} within a row, where 1 is predicted.")
    assert figures.lines(tails).sure[1].endswith(f"median size {number(tails.right_typical)}.")
    assert "standard deviation" not in sure(tails)
    assert "too heavy for an error bar" in sure(tails)


def test_the_moments_and_the_lines_stand_in_their_tables(results):
    means = results["means"]
    mean, variance, within = figures.lines(means).sure[2:]
    assert mean.startswith("The mean of s is 16.0 for these settings; measured ")  # d
    error = f"{number(means.variance)} ± {number(means.variance_error, 2)}"
    assert variance == f"The variance of s is 48.0 for these settings; measured {error}."  # d (1 + 1 + 1)
    assert within.startswith("The variance within a row is 32.0 for these settings; measured ")  # d (1 + 1)
    line = cells(means)[2 + 6]  # Var(s) = d_k, the same number with the same digits
    assert line[3] == error
    components = results["components"]
    measured = number(components.effective_dimension), number(components.effective_dimension_error, 2)
    assert figures.lines(components).sure[5] == (
        f"The effective dimension is {number(16 / (1 + 15 * 0.09))} for these settings; "
        f"measured {' ± '.join(measured)}."
    )
    tails = figures.lines(results["tails"]).sure[2:]
    assert ["does not exist" in each for each in tails] == [False, True, True]
    assert all(each.endswith(", without a usable error bar.") for each in tails)
    result = results["alignment"]
    table = figures.lines(result).table
    assert table["left"] == [line.left for line in result.lines]
    assert table["right"] == [line.right for line in result.lines]
    assert table["z"] == [line.z for line in result.lines]
    assert table["check"] == [line.check for line in result.lines]


# --- growth ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", BROKEN)
def test_the_growth_stands_beside_the_root_and_the_right_divisor(results, name):
    result = results[name]
    fig = plotted(figures.growth(result, LIGHT))
    std, typical, root, right = fig.data
    for trace, values in (
        (std, result.growth_std),
        (typical, result.growth_typical),
        (root, [1, 2**0.5, 2, 8**0.5, 4]),
        (right, result.growth_right_divisor),
    ):
        np.testing.assert_array_equal(trace.x, [1, 2, 4, 8, 16])
        np.testing.assert_allclose(trace.y, values, rtol=1e-15)
    assert (std.marker.color, typical.marker.symbol) == (LIGHT.raw, "diamond-open")
    assert (root.line.dash, right.line.dash) == ("dash", "dot")
    assert fig.layout.annotations[0].text.endswith(figures._RULES[result.exact.right_rule])


def test_the_growth_axis_is_the_same_at_every_dimension_and_holds_every_point():
    for d_k, fields in (
        (1, {}),
        (64, {"nu": 2.1}),
        (1024, {"nu": 1.5}),
        (1024, {"correlation": 1.0}),
        (1024, {"variance_q": 0.25}),
    ):
        result = measure_derivation(DerivationParams(d_k, 200, **fields))
        layout = plotted(figures.growth(result, LIGHT)).layout
        assert tuple(layout.yaxis.range) == (-2.1, 5.2)
        shown = np.log10([result.growth_std, result.growth_typical, result.growth_right_divisor])
        assert layout.yaxis.range[0] < shown.min()
        assert shown.max() < layout.yaxis.range[1]


def test_the_growth_s_sentence_and_table(results):
    result = results["nothing"]
    std, typical = result.growth_std, result.growth_typical
    picture = figures.growth(result, LIGHT)
    assert picture.claim == "Here √dₖ is the right divisor"
    assert picture.sentence == f"At dₖ = 16 raw scores have standard deviation {number(std[-1])}, and √dₖ is 4.00."
    assert picture.sure == (
        f"From 1 component to dₖ = 16 the standard deviation of the raw scores goes from {number(std[0])} to "
        f"{number(std[-1])} and their median size from {number(typical[0])} to {number(typical[-1])}; √dₖ goes from "
        f"1 to 4.00, the right divisor from 1.00 to 4.00.",
    )
    assert picture.table["components"] == [1, 2, 4, 8, 16]
    assert picture.table["median size"] == typical.tolist()


# A divisor is right if it leaves scores of one size at every dₖ: what is said is compared with their exact sizes.
@pytest.mark.parametrize("nu", [1.5, 1.9, 2.0, 2.1, 4.0, 30.0])
def test_root_d_k_is_called_right_for_tails_only_where_scores_grow_like_it(nu):
    claim = figures.growth(measure_derivation(DerivationParams(64, 1_000, nu=nu)), LIGHT).claim
    assert claim.endswith("√dₖ is the right divisor") == (spread_ratio(DerivationParams(64, nu=nu), 16) < 4.01)


def test_the_growth_claims_the_right_divisor_that_is(results):
    for name, result in results.items():
        picture = figures.growth(result, LIGHT)
        right = abs(result.exact.right_divisor - 4) < 1e-9
        here = "Without a variance" if name == "tails" else "Here"
        assert picture.claim == f"{here} √dₖ is {'' if right else 'not '}the right divisor"
        assert right == (name == "nothing")
    one = measure_derivation(DerivationParams(16, 1_000, mean_k=1.0))
    picture = figures.growth(one, LIGHT)
    assert picture.claim == "Here √dₖ is the right divisor"
    spread = number(one.within_row_variance**0.5)
    assert picture.sentence == f"At dₖ = 16 scores within one row have standard deviation {spread}, and √dₖ is 4.00."
    assert (
        figures.growth(results["alignment"], LIGHT).sentence == "At dₖ = 16 the right divisor is 16.0, and √dₖ is 4.00."
    )
    one = measure_derivation(DerivationParams(1, 1_000, correlation=0.5))
    assert figures.growth(one, LIGHT).claim == "At dₖ = 1 every power of dₖ is 1"
