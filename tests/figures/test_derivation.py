"""The derivation lesson: its lines say what was measured, its figures show what was drawn."""

import re
from dataclasses import replace

import numpy as np
import pytest

from pages._view.lessons.derivation import figures
from pages._view.theme import LIGHT, number
from sattn_core.lessons import derivation as core
from tests.figures.drawing import PROFILES, plotted, run, traces_of

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
    return {
        name: core.measure_derivation(core.DerivationParams(16, 1_000, **fields)) for name, fields in BROKEN.items()
    }


@pytest.fixture(scope="module")
def growths():
    return {name: core.measure_growth(core.DerivationParams(1024, 400, **fields)) for name, fields in BROKEN.items()}


def nine(result):
    """The picture with the nine lines behind it."""
    growth = core.measure_growth(replace(result.params, n_samples=100))
    return figures.growing_variance(growth, result.params.d_k, LIGHT, result)


def sure(result):
    return " ".join(nine(result).sure)


def cells(result):
    """The table of the nine lines, as a list of rows of cells."""
    return [[cell.replace("\u00a0", " ") for cell in row] for row in zip(*nine(result).checks.values(), strict=True)]


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
    growth = core.measure_growth(core.DerivationParams(1024, 100, **fields))
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
        result = core.measure_derivation(core.DerivationParams(d_k, 100, **fields))
        assert figures.growing_variance(growth, d_k, LIGHT, result).sure
        assert figures.growth(result, LIGHT).sure


# --- the three lines -------------------------------------------------------------------------------------


def three(growth, d_k, profile=LIGHT):
    """The words of the three lines: each with what is measured, and what it uses."""
    layout = figures.growing_variance(growth, d_k, profile).figure.layout
    words = [each["text"] for each in layout["annotations"] if each.get("yanchor") == "top"]
    return list(zip(words[::2], words[1::2], strict=True))


@pytest.mark.parametrize("name", BROKEN)
def test_each_of_the_three_lines_stands_with_what_is_measured_and_its_verdict(growths, name):
    for (said, _), line in zip(three(growths[name], 64), growths[name].at(64), strict=True):
        verdict = {"h": "✓", "f": "✗", "c": "?"}[line.check[0]]
        assert said == f"<b>{verdict} {figures._SHORT[line.name][0]}</b><br>measured {number(line.measured)}"
    alt = figures.growing_variance(growths[name], 64, LIGHT).alt
    assert all(f"measured {number(line.measured)}, {line.check}" in alt for line in growths[name].at(64))
    assert set(figures._SHORT) == set(figures._USED) == set(core.SCORE_LINES)


def test_what_is_broken_is_struck_out_where_it_is_used(growths):
    struck = {
        name: [(i, part) for i, (_, uses) in enumerate(three(growth, 64)) for part in re.findall("<s>(.*?)</s>", uses)]
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
    assert [uses.startswith("uses also ") for _, uses in three(growths["nothing"], 64)] == [False, True, True]
    assert "<s>" not in str(three(core.measure_growth(core.DerivationParams(8, 100, nu=2.1)), 8))


@pytest.mark.parametrize("profile", PROFILES)
def test_the_three_lines_stand_above_the_plot(growths, profile):
    layout = figures.growing_variance(growths["means"], 64, profile).figure.layout
    rows = [each for each in layout["annotations"] if each.get("yanchor") == "top"]
    lines = max(each["text"].count("<br>") + 1 for each in rows)
    places = sorted({each["yshift"] for each in rows})
    assert places[0] > 1.2 * lines * profile.tick_size
    assert min(np.diff(places)) > 1.2 * lines * profile.tick_size
    assert places[-1] < layout["margin"]["t"]


def test_beside_a_mean_the_spread_is_said(growths):
    said = figures.growing_variance(growths["means"], 64, LIGHT).sentence
    assert said.endswith("scores spread by 11.3.")  # √(64 · 1 · (1 + 1²))


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


@pytest.mark.parametrize(
    "fields",
    [*BROKEN.values(), {"nu": 5.0}, {"mean_k": 1.0}, {"component_correlation": 1.0}],
    ids=str,
)
@pytest.mark.parametrize("d_k", [1, 64, 1000])
def test_the_title_has_the_divisor_of_the_moment(fields, d_k):
    picture = figures.growing_variance(core.measure_growth(core.DerivationParams(1024, 100, **fields)), d_k, LIGHT)
    said = plotted(picture).layout.title
    divisor = float(re.split("<br>| ", said.text)[-1].replace(",", ""))
    exact = core.exact_scores(core.DerivationParams(d_k, **fields)).right_divisor
    assert divisor == pytest.approx(exact, rel=5e-3)
    assert ("not √dₖ" in said.subtitle.text) == (abs(exact / d_k**0.5 - 1) > 1e-9)


def test_what_is_true_is_dotted_and_heavy_tails_have_no_band(growths):
    for name, growth in growths.items():
        figure = plotted(figures.growing_variance(growth, 64, LIGHT))
        drawn = traces_of(figure, "exact, raw")
        assert len(drawn) == (name not in ("nothing", "tails"))
        assert ("dotted" in figure.layout.title.subtitle.text) == bool(drawn)
        for trace in drawn:
            exact = [core.exact_scores(core.DerivationParams(d, **BROKEN[name])).variance for d in trace.x]
            np.testing.assert_allclose(trace.y, exact, rtol=1e-12)
            (scaled,) = traces_of(figure, "exact, scaled")
            np.testing.assert_allclose(scaled.y, np.array(exact) / trace.x, rtol=1e-12)
    figure = plotted(figures.growing_variance(growths["tails"], 64, LIGHT))
    assert not any(any(trace.error_y.array) for name in ("raw", "scaled") for trace in traces_of(figure, name))


def test_the_table_and_the_code_of_the_three_lines_give_the_points(growths):
    picture = figures.growing_variance(growths["components"], 6, LIGHT)
    assert picture.table["dₖ"] == [1, 2, 4, 6]
    printed = [row.split() for row in run(picture.code)[1].splitlines()]
    assert [row[0] for row in printed[:3]] == list(core.SCORE_LINES)
    points = zip(*(picture.table[name] for name in ("dₖ", "raw variance", "its error")), strict=True)
    assert [tuple(map(float, row)) for row in printed[3:]] == list(points)
    table = figures.growing_variance(growths["tails"], 2, LIGHT).table
    assert (table["exact variance"], table["its error"]) == ([None, None], [None, None])


def test_how_sure_says_what_is_exact_and_what_has_no_error_bar(growths):
    root, *said = figures.growing_variance(growths["alignment"], 64, LIGHT).sure
    assert "the number is √64 = 8.00. Dividing by 64 itself would leave a variance of 1/64 = 0.0156." in root
    exact = core.exact_scores(core.DerivationParams(64, correlation=0.5))
    for each, value in zip(said, (exact.mean, exact.variance, exact.variance / 64), strict=False):
        assert each.endswith(f"For these settings the exact value is {number(value)}.")
    _, *said = figures.growing_variance(growths["tails"], 64, LIGHT).sure
    assert all("without a usable error bar" in each for each in said[:3])
    assert ["no variance exists" in each for each in said[:3]] == [False, True, True]


# --- the lines -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", BROKEN)
def test_every_line_stands_with_its_formula_its_assumption_and_both_sides(results, name):
    result = results[name]
    rows = cells(result)
    assert list(nine(result).checks) == ["no.", "line", "uses", "left", "right", "z", "check"]
    assert [row[0] for row in rows] == [str(n) for n in range(1, 10)]
    assert [row[1] for row in rows] == [f"${formula}$" for formula in core.LINE_FORMULAS]
    assert len({row[2] for row in rows}) == len(set(core.ASSUMPTIONS))
    for row, line in zip(rows, result.lines, strict=True):
        assert len(row) == 7
        assert row[3].split(" ± ")[0] == number(line.left)
        assert row[4].split(" ± ")[0] == number(line.right)
        assert row[5] == (number(line.z) if line.reliable else "none")


def test_the_first_line_that_fails_is_the_only_bold_one(results):
    first = {"nothing": None, "means": 4, "variances": 7, "alignment": 3, "components": 5, "tails": 5}
    for name, number_of_line in first.items():
        bold = [int(row[0]) for row in cells(results[name]) if row[6].startswith("**")]
        assert bold == ([] if number_of_line is None else [number_of_line])
        result = results[name]
        assert (f"line {number_of_line}, " in sure(result)) == bool(bold)
        assert ("is the first to fail" in sure(result)) == bool(bold)
        assert not bold or f" = {number(result.exact.right_divisor)}" in sure(result)
        assert ("and standard deviation" in sure(result)) == (name != "tails")


def verdict(result, place, **values):
    lines = list(result.lines)
    lines[place] = replace(lines[place], **values)
    return cells(replace(result, lines=tuple(lines)))[place][6]


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
        rows = cells(core.measure_derivation(core.DerivationParams(8, 500, nu=nu)))
        return [int(row[0]) for row in rows if "±" in row[3]]

    assert with_error(1.5) == []
    assert with_error(3.0) == [1, 2, 3, 4]
    assert with_error(5.0) == list(range(1, 10))
    assert all("|" not in formula for formula in core.LINE_FORMULAS)
    assert set(figures._LINES) == set(core.LINE_NAMES)
    assert set(figures._USES) == set(core.ASSUMPTIONS)
    assert set(figures._RULES) == set(figures._REASONS)


# --- the sentence ----------------------------------------------------------------------------------------


def test_the_largest_difference_is_said_whatever_its_sign(results):
    lines = tuple(replace(line, z=-3.9 if line.number == 7 else 1.0) for line in results["nothing"].lines)
    changed = replace(results["nothing"], lines=lines)
    assert "differ by at most 3.90 standard errors" in sure(changed)


def test_a_failure_that_is_not_seen_is_said_to_be_too_little():
    result = core.measure_derivation(core.DerivationParams(16, 500, correlation=1e-4))
    assert cells(result)[2][6] == "**✗ fails first, too little to be seen in 500 pairs**"


def test_a_line_without_a_usable_error_bar_is_never_said_to_hold():
    result = core.measure_derivation(core.DerivationParams(16, 500, nu=2.1))
    said, rows, picture = sure(result), cells(result), nine(result)
    assert [int(row[0]) for row in rows if row[6] == "? cannot be checked here"] == [5, 6, 7, 9]
    assert [int(row[0]) for row in rows if row[6] == "✓ holds"] == [1, 2, 3, 4, 8]
    assert "ν = 2.1, 5 hold and 4 cannot be checked here, without a usable error bar. In 500 pairs the two" in said
    table = picture.bins
    assert table["check"][6] == "cannot be checked: without a usable error bar"
    assert [table[name][6] for name in ("left error", "right error", "error of the difference", "z")] == [None] * 4
    assert (table["left error"][7], table["z"][7]) == (None, 0)  # an identity, of which either side has no error bar
    assert [each.endswith(", without a usable error bar.") for each in picture.sure[-4:]] == [False, True, True, True]


@pytest.mark.parametrize("nu", [None, 1.5, 2.1, 4.0, 4.5])
def test_the_marks_in_the_table_are_counted(nu):
    result = core.measure_derivation(core.DerivationParams(16, 500, nu=nu))
    marks = [row[6].strip("*")[0] for row in cells(result)]
    counted = {mark: marks.count(mark) for mark in "✓✗?"}
    said = sure(result)
    if counted["✓"] == 9:
        assert "all 9 lines hold." in said
    for mark, words in (("✓", "hold"), ("✗", "fail"), ("?", "cannot be checked here")):
        assert counted["✓"] == 9 or not counted[mark] or f"{counted[mark]} {words}" in said
    assert list(result.checks.values()) == list(counted.values())


def test_the_lines_stand_in_their_table(results):
    result = results["alignment"]
    table = nine(result).bins
    for column, name in (("left", "left"), ("right", "right"), ("z", "z"), ("check", "check")):
        assert table[column] == [getattr(line, name) for line in result.lines]


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
    assert fig.layout.annotations[0].text.endswith(figures._RULES[result.exact.right_rule])


def title_of(result):
    return figures.growth(result, LIGHT).figure.layout["title"]["text"].replace("<br>", " ")


# A divisor is right if it leaves scores of one size at every dₖ: what is said is compared with their exact sizes.
@pytest.mark.parametrize("nu", [1.5, 1.9, 2.0, 2.1, 4.0, 30.0])
def test_root_d_k_is_called_right_for_tails_only_where_scores_grow_like_it(nu):
    said = title_of(core.measure_derivation(core.DerivationParams(64, 1_000, nu=nu)))
    assert said.endswith("√dₖ is the right divisor") == (core.spread_ratio(core.DerivationParams(64, nu=nu), 16) < 4.01)


def test_the_growth_names_the_right_divisor_that_is(results):
    for name, result in results.items():
        right = abs(result.exact.right_divisor - 4) < 1e-9
        here = "Without a variance" if name == "tails" else "Here"
        assert title_of(result) == f"{here} √dₖ is {'' if right else 'not '}the right divisor"
        assert right == (name == "nothing")
    one = core.measure_derivation(core.DerivationParams(1, 1_000, correlation=0.5))
    assert title_of(one) == "At dₖ = 1 every power of dₖ is 1"
