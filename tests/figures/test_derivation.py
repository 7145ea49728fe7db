"""The derivation lesson: its lines say what was measured, its growth figure shows what was drawn."""

import re
from dataclasses import replace

import numpy as np
import pytest

from pages._view.lessons.derivation import figures
from pages._view.lessons.derivation.declaration import LESSON
from pages._view.theme import LIGHT, number
from sattn_core.lessons.derivation import (
    ASSUMPTIONS,
    LINE_FORMULAS,
    LINE_NAMES,
    RIGHT_RULES,
    DerivationParams,
    measure_derivation,
)
from tests.figures.drawing import PROFILES, check, run

BROKEN = {
    "nothing": {},
    "means": {"mean_q": 1.0, "mean_k": 1.0},
    "variances": {"variance_q": 2.0, "variance_k": 2.0},
    "alignment": {"correlation": 0.5},
    "coordinates": {"coordinate_correlation": 0.3},
    "tails": {"nu": 1.5},
}


@pytest.fixture(scope="module")
def results():
    return {name: measure_derivation(DerivationParams(16, 1_000, **fields)) for name, fields in BROKEN.items()}


def sentence(result):
    return figures.lines(result).sentence


def cells(result):
    """The table of lines, as a list of rows of cells."""
    rows = figures.lines(result).figure.replace("\u00a0", " ").split("\n")
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("name", BROKEN)
def test_every_picture_is_whole(results, name, profile):
    pictures = figures.lines(results[name]), figures.growth(results[name], profile)
    for picture in pictures:
        check(picture)
    assert tuple(picture.key for picture in pictures) == LESSON.pictures
    assert pictures[0].how_to_save == ""  # a table has no camera button


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
    first = {"nothing": None, "means": 4, "variances": 7, "alignment": 3, "coordinates": 5, "tails": 5}
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


def test_no_error_bar_is_shown_where_the_tails_are_too_heavy():
    def with_error(nu):
        rows = cells(measure_derivation(DerivationParams(8, 500, nu=nu)))[2:]
        return [int(row[0]) for row in rows if "±" in row[3]]

    assert with_error(1.5) == []
    assert with_error(3.0) == [1, 2, 3, 4]
    assert with_error(5.0) == list(range(1, 10))


def test_no_formula_breaks_the_table():
    assert all("|" not in formula for formula in LINE_FORMULAS)
    assert set(figures._LINES) == set(LINE_NAMES)
    assert set(figures._USES) == set(ASSUMPTIONS)
    assert set(figures._RULES) == set(figures._REASONS) == set(RIGHT_RULES)


# --- the sentence ----------------------------------------------------------------------------------------


def test_the_sentence_of_an_unbroken_derivation(results):
    result = results["nothing"]
    largest = max(abs(line.z) for line in result.lines)
    assert sentence(result) == (
        f"At d_k = 16 with no assumption broken, all 9 lines hold. In 1,000 pairs their two sides differ by at most "
        f"{number(largest)} standard errors. Divided by √16 = 4.00 the scores have mean "
        f"{number(result.scaled_mean)} and standard deviation {number(result.scaled_std)}."
    )


def test_the_largest_difference_counts_whatever_its_sign(results):
    lines = tuple(replace(line, z=-3.9 if line.number == 7 else 1.0) for line in results["nothing"].lines)
    assert "differ by at most 3.90 standard errors" in sentence(replace(results["nothing"], lines=lines))


def test_a_line_without_a_usable_error_bar_is_never_said_to_hold():
    result = measure_derivation(DerivationParams(16, 500, nu=2.1))
    said, rows = sentence(result), cells(result)[2:]
    assert [int(row[0]) for row in rows if row[6] == "? cannot be checked here"] == [5, 6, 7, 9]
    assert [int(row[0]) for row in rows if row[6] == "✓ holds"] == [1, 2, 3, 4, 8]
    assert "ν = 2.1, 5 hold and 4 cannot be checked here, without a usable error bar. In 500 pairs the two" in said
    table = figures.lines(result).table
    assert table["check"][6] == "cannot be checked: without a usable error bar"
    assert [table[name][6] for name in ("left error", "right error", "error of the difference", "z")] == [None] * 4
    assert (table["left error"][7], table["z"][7]) == (None, 0)  # an identity, of which either side has no error bar
    assert figures.moment_table(result)["standard error"][1:] == ["without a usable error bar"] * 3


@pytest.mark.parametrize("nu", [None, 1.5, 2.1, 4.0, 4.5])
def test_the_sentence_counts_the_marks_in_the_table(nu):
    result = measure_derivation(DerivationParams(16, 500, nu=nu))
    marks = [row[6].strip("*")[0] for row in cells(result)[2:]]
    counted = {mark: marks.count(mark) for mark in "✓✗?"}
    said = sentence(result)
    if counted["✓"] == 9:
        assert "all 9 lines hold." in said
    for mark, words in (("✓", "hold"), ("✗", "fail"), ("?", "cannot be checked here")):
        assert counted["✓"] == 9 or not counted[mark] or f"{counted[mark]} {words}" in said
    assert list(result.checks.values()) == list(counted.values())


def test_the_sentence_names_what_is_broken_the_first_failing_line_and_the_right_divisor(results):
    wanted = {
        "means": ("means 1 and 1, line 4 fails first, E[s] = 0: ", "√(d_k Var(k_i) (Var(q_i) + E[q_i]²)) = 5.66"),
        "variances": ("variances 2 and 2, line 7 fails first, Var(s) = d_k: ", "√(d_k Var(q_i) Var(k_i)) = 8.00"),
        "alignment": ("correlation 0.5 of q_i with k_i, line 3 fails first", "is d_k = 16.0"),
        "coordinates": ("correlation 0.3 between coordinates, line 5 fails first", "√(d_k²/d_eff) = 6.13"),
        "tails": ("Student t components, ν = 1.5, line 5 fails first", "d_k^(1/ν) = 6.35"),
    }
    for name, parts in wanted.items():
        said = sentence(results[name])
        for part in parts:
            assert part in said, name


def test_non_zero_means_are_judged_within_a_row_and_tails_by_their_median(results):
    means, tails = results["means"], results["tails"]
    within = number(means.right_within_row_std)
    assert sentence(means).endswith(f"standard deviation within a row {within}, where 1 is predicted.")
    assert sentence(tails).endswith(f"median size {number(tails.right_typical)}.")
    assert "standard deviation" not in sentence(tails)
    assert "too heavy for an error bar" in sentence(tails)


def test_no_sentence_has_a_hyphen_for_a_minus():
    result = measure_derivation(DerivationParams(16, 500, correlation=-0.5))
    assert "−0.5" in sentence(result)
    assert not re.search(r"-\d", sentence(result) + figures.lines(result).figure.split("\n", 2)[2])


# --- tables ----------------------------------------------------------------------------------------------


def test_the_moments_stand_beside_their_predictions(results):
    table = figures.moment_table(results["means"])
    assert table["quantity"] == ["mean of s", "variance of s", "variance within a row"]
    assert table["predicted"] == ["16.0", "48.0", "32.0"]  # d, d (1 + 1 + 1), d (1 + 1)
    assert table["measured"][1] == number(results["means"].variance)
    line = cells(results["means"])[2 + 6]  # Var(s) = d_k, the same number with the same digits
    assert line[3] == f"{table['measured'][1]} ± {table['standard error'][1]}"
    table = figures.moment_table(results["coordinates"])
    assert table["quantity"][3] == "effective dimension"
    assert table["predicted"][3] == number(16 / (1 + 15 * 0.09))
    assert table["measured"][3] == number(results["coordinates"].effective_dimension)
    assert table["standard error"][3] == number(results["coordinates"].effective_dimension_error, 2)
    table = figures.moment_table(results["tails"])
    assert table["predicted"][1:] == ["does not exist", "does not exist"]
    assert table["standard error"] == ["without a usable error bar"] * 3


def test_the_line_table_is_the_data(results):
    result = results["alignment"]
    table = figures.lines(result).table
    assert table["left"] == [line.left for line in result.lines]
    assert table["right"] == [line.right for line in result.lines]
    assert table["z"] == [line.z for line in result.lines]
    assert table["check"] == [line.check for line in result.lines]


def test_the_code_gives_the_lines(results):
    names, printed = run(figures.lines(results["coordinates"]).code)
    assert names["result"].lines == results["coordinates"].lines
    assert printed.count("\n") == 10


def test_the_growth_code_gives_the_points_of_the_figure(results):
    result = results["coordinates"]
    picture = figures.growth(result, LIGHT)
    printed, table = run(picture.code)[1], picture.table
    points = zip(*(table[name] for name in table if name != "sqrt(d_k)"), strict=True)
    assert [tuple(map(float, row.split())) for row in printed.splitlines()] == list(points)


# --- growth ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("name", BROKEN)
def test_the_growth_stands_beside_the_root_and_the_right_divisor(results, profile, name):
    result = results[name]
    fig = figures.growth(result, profile).figure
    std, typical, root, right = fig.data
    for trace, values in (
        (std, result.growth_std),
        (typical, result.growth_typical),
        (root, [1, 2**0.5, 2, 8**0.5, 4]),
        (right, result.growth_right_divisor),
    ):
        np.testing.assert_array_equal(trace.x, [1, 2, 4, 8, 16])
        np.testing.assert_allclose(trace.y, values, rtol=1e-15)
    assert (std.marker.color, typical.marker.symbol) == (profile.raw, "diamond-open")
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
        layout = figures.growth(result, LIGHT).figure.layout
        assert tuple(layout.yaxis.range) == (-2.1, 5.2)
        shown = np.log10([result.growth_std, result.growth_typical, result.growth_right_divisor])
        assert layout.yaxis.range[0] < shown.min()
        assert shown.max() < layout.yaxis.range[1]


def test_the_growth_s_sentence_and_table(results):
    result = results["nothing"]
    std, typical = result.growth_std, result.growth_typical
    picture = figures.growth(result, LIGHT)
    assert picture.sentence == (
        f"From 1 coordinate to d_k = 16 the standard deviation of the raw scores goes from {number(std[0])} to "
        f"{number(std[-1])} and their median size from {number(typical[0])} to {number(typical[-1])}; √d_k goes from "
        f"1 to 4.00, the right divisor from 1.00 to 4.00."
    )
    assert picture.table["coordinates"] == [1, 2, 4, 8, 16]
    assert picture.table["median size"] == typical.tolist()
