"""Pictures of the derivation lesson: three lines of the proof, squares that explain √dₖ, and all nine lines."""

import re
from dataclasses import replace

import numpy as np
import pytest

from pages._view.lessons.derivation import figures, squares
from pages._view.lessons.derivation.declaration import LESSON
from pages._view.theme import LIGHT, number
from sattn_core.lessons import derivation as core
from tests.figures.drawing import PROFILES, plotted, run, texts, trace_of, traces_of, whole

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
    """Return the picture of broken assumptions, with the nine lines in its table."""
    growth = core.measure_growth(replace(result.params, n_samples=100))
    return figures.broken_lines(growth, result.params.d_k, LIGHT, result)


def sure(result):
    return " ".join(nine(result).sure)


def cells(result):
    """Return the rows of the table of the nine lines."""
    return [[cell.replace("\u00a0", " ") for cell in row] for row in zip(*nine(result).checks.values(), strict=True)]


ENDS = [
    {},
    *({"mean_q": q, "mean_k": k} for q in (-4.0, 0.0, 0.25, 4.0) for k in (-4.0, 0.0, 1.0)),
    *({"variance_q": q, "variance_k": k} for q in (0.25, 2.0, 16.0) for k in (0.25, 0.5, 16.0)),
    *({"correlation": rho} for rho in (-1.0, -0.05, 0.0, 0.05, 0.5, 1.0)),
    *({"component_correlation": r} for r in (0.0, 0.05, 0.3, 1.0)),
    *({"nu": nu} for nu in (1.5, 2.0, 2.1, 4.0, 4.5, 30.0)),
]


_PHONE = 358  # px, width of a picture on a phone
_DIGIT, _OTHER = 0.51, 0.43  # widths of a digit and of other letters ÷ font size, in the fallback font


@pytest.mark.parametrize("fields", ENDS, ids=str)
def test_lines_on_a_phone_do_not_overlap_their_assumptions(fields):
    growth = core.measure_growth(core.DerivationParams(1024, 2_000, **fields))
    for d_k in (1, 7, 64, 1024):
        layout = figures.broken_lines(growth, d_k, LIGHT).figure.layout
        rows = [each for each in layout["annotations"] if each["text"].startswith(("<b>✓", "<b>✗", "<b>?", "uses"))]
        plot = _PHONE - layout["margin"]["l"] - layout["margin"]["r"]
        left, right = ([each for each in rows if (each["x"] > 0) == beside] for beside in (False, True))
        start = min(layout["margin"]["l"] + each["x"] * plot + each["xshift"] for each in right)
        assert (len(left), len(right)) == (3, 3)
        for written in (line for each in left for line in each["text"].split("<br>")[1:]):
            letters = sum(_DIGIT if letter.isdigit() else _OTHER for letter in written)
            assert letters * LIGHT.tick_size < start, written
        longest = max(len(re.sub("<.*?>", "", line)) for each in right for line in each["text"].split("<br>"))
        assert start + longest * _OTHER * LIGHT.tick_size < _PHONE


@pytest.mark.parametrize("fields", ENDS, ids=str)
def test_sentence_is_short_and_true_with_any_broken_assumption(fields):
    growth = core.measure_growth(core.DerivationParams(1024, 100, **fields))
    for d_k in (1, 2, 64, 1024):
        picture, lines = figures.broken_lines(growth, d_k, LIGHT), growth.at(d_k)
        said, fails = picture.sentence, [line for line in lines if not line.holds]
        whole(picture)
        assert f"At dₖ = {d_k:,} " in said
        assert ("all three lines hold" in said) == (not fails and all(line.reliable for line in lines[1:])), said
        assert ("No variance exists" in said) == np.isinf(lines[1].exact)
        assert ("too little to be seen" in said) == (
            bool(fails) and bool(np.isfinite(lines[1].exact)) and not any(line.seen_to_fail for line in fails)
        ), said
        assert ("not zero" in said) == (not lines[0].holds and lines[0].seen_to_fail), said
        result = core.measure_derivation(core.DerivationParams(d_k, 100, **fields))
        whole(figures.broken_lines(growth, d_k, LIGHT, result))


# --- the three lines -------------------------------------------------------------------------------------


DRAWN = {"three_lines": figures.three_lines, "broken_lines": figures.broken_lines}


def three(growth, d_k, profile=LIGHT, drawn=figures.broken_lines):
    """Return the texts of the three lines: (line with its measured value, assumptions)."""
    layout = drawn(growth, d_k, profile).figure.layout
    words = [each["text"] for each in layout["annotations"] if each.get("yanchor") == "top"][1:]
    return list(zip(words[::2], words[1::2], strict=True))


@pytest.mark.parametrize("name", BROKEN)
def test_each_line_has_its_verdict_and_standard_error(growths, name):
    for (said, _), line in zip(three(growths[name], 64), growths[name].at(64), strict=True):
        verdict = {"h": "✓", "f": "✗", "c": "?"}[line.check[0]]
        start = f"<b>{verdict} {figures._SHORT[line.name][0]}</b><br>"
        assert said.startswith(start)
        measured, *rest = said.removeprefix(start).split(" ± ")
        assert bool(rest) == line.reliable
        value = float(measured.split(", no")[0].replace(",", "").replace("−", "-"))
        assert abs(value - line.measured) <= (0.1 * line.standard_error if line.reliable else 0.01 * abs(line.measured))
    assert set(figures._SHORT) == set(figures._USED) == set(core.SCORE_LINES)


def line_of(measured, error=1.0, *, predicted=64.0, holds=True, reliable=True, exact=64.0):
    return core.ScoreLine("variance_d_k", predicted, exact, measured, error, holds, reliable)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (line_of(0.0512, 0.083, predicted=0.0), "0.05 ± 0.17, so 0 fits"),
        (line_of(1013.2, 32.4, predicted=1024.0), "1,013 ± 65, so 1,024 fits"),
        (line_of(66.0), "66.0 ± 2.0, so 64 fits"),
        (line_of(61.4), "61.4 ± 2.0, 64 is near"),
        (line_of(68.5), "68.5 ± 2.0, 64 is near"),  # chance: one in 150,000 such lines
        (line_of(68.5, holds=False), "68.5 ± 2.0, not 64"),
        (line_of(66.0, holds=False), "66.0 ± 2.0, hard to tell"),
        (line_of(-2.5, 1.4, predicted=0.0), "−2.5 ± 2.8, so 0 fits"),
        (line_of(13.0, reliable=False), "13.0, no usable error"),
        (line_of(13.0, reliable=False, holds=False, exact=np.inf), "13.0, no variance exists"),
    ],
)
def test_conclusion_of_a_line_follows_from_its_standard_error(line, said):
    assert figures._so(line) == said


def test_a_broken_assumption_is_struck_out_at_the_line_that_uses_it(growths):
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


@pytest.mark.parametrize("drawn", DRAWN.values())
@pytest.mark.parametrize("profile", PROFILES)
def test_three_lines_of_text_are_above_the_plot(growths, profile, drawn):
    layout = drawn(growths["nothing"], 64, profile).figure.layout
    _, *rows = [each for each in layout["annotations"] if each.get("yanchor") == "top"]
    lines = max(each["text"].count("<br>") + 1 for each in rows)
    places = sorted({each["yshift"] for each in rows})
    assert places[0] > 1.2 * lines * profile.tick_size
    assert min(np.diff(places)) > 1.2 * lines * profile.tick_size
    assert places[-1] <= layout["margin"]["t"] - (1.2 * layout["title"]["font"]["size"] if layout["title"] else 0)


def test_sentence_on_a_mean_also_gives_the_spread(growths):
    said = figures.broken_lines(growths["means"], 64, LIGHT).sentence
    assert said.endswith("scores spread by 11.3.")  # 11.3 = √(64 · 1 · (1 + 1²))


def test_plot_below_the_three_lines_shows_variances_up_to_d_k(growths):
    growth = growths["nothing"]
    figure = plotted(figures.three_lines(growth, 100, LIGHT))
    check_marks(figure, growth.variance, growth.variance_error, divisors=(1, DIMS))
    (raw,), (scaled,) = (traces_of(figure, f"predicted, {name}") for name in ("raw", "scaled"))
    assert (list(raw.x), list(raw.y), list(scaled.y)) == ([1, 1024], [1, 1024], [1, 1])
    assert figure.layout.shapes[0].x0 == 100
    assert figure.layout.yaxis.ticktext[-1] == "1,024"


DIMS = np.array([1, 2, 4, 8, 16, 32, 64, 100])


def check_marks(figure, values, errors, divisors, what=""):
    """Check the small points below d_k and the large one at it, each with error bars of two standard errors."""
    for name, divisor in zip(("raw", "scaled"), divisors, strict=True):
        small, large = traces_of(figure, f"{name}{what}")
        np.testing.assert_array_equal([*small.x, *large.x], DIMS)
        np.testing.assert_allclose([*small.y, *large.y], values[DIMS - 1] / divisor, rtol=1e-15)
        band = [*small.error_y.array, *large.error_y.array]
        np.testing.assert_allclose(band, 2 * errors[DIMS - 1] / divisor, rtol=1e-15)
        assert large.marker.size > small.marker.size


def test_plot_for_aligned_q_and_k_shows_mean_and_spread(growths):
    growth = growths["alignment"]
    figure = plotted(figures.broken_lines(growth, 100, LIGHT))
    check_marks(figure, growth.spread, growth.spread_error, divisors=(1, np.sqrt(DIMS)))
    check_marks(figure, growth.mean, growth.mean_error, divisors=(1, np.sqrt(DIMS)), what=" mean")
    assert all("open" in each.marker.symbol for name in ("raw mean", "scaled mean") for each in traces_of(figure, name))
    (raw,), (scaled,) = (traces_of(figure, f"exact, {name} mean") for name in ("raw", "scaled"))
    np.testing.assert_allclose(raw.y, 0.5 * np.array(raw.x), rtol=1e-12)  # mean = ρ dₖ
    np.testing.assert_allclose(scaled.y, 0.5 * np.sqrt(scaled.x), rtol=1e-12)
    ends = [each for each in texts(figure) if "grows" in each or "stays" in each]
    assert [re.sub("<[^>]*>", " ", each).split() for each in ends] == [
        "raw spread grows like √dₖ".split(),
        "÷ √dₖ: spread stays at 1.12".split(),  # 1.12 = √(1 + ρ²)
        "raw mean grows like dₖ".split(),
        "÷ √dₖ: mean grows like √dₖ".split(),
    ]


@pytest.mark.parametrize("name", BROKEN)
def test_a_mean_is_drawn_only_if_it_is_not_zero(growths, name):
    figure = plotted(figures.broken_lines(growths[name], 64, LIGHT))
    shown = name in ("means", "alignment")
    for mean in (*traces_of(figure, "raw mean"), *traces_of(figure, "scaled mean")):
        assert np.isfinite(mean.y).all() == shown
    assert any("raw mean" in each for each in texts(figure)) == shown


@pytest.mark.parametrize("fields", ENDS, ids=str)
def test_range_of_the_axes_changes_in_factors_of_16(fields):
    growth = core.measure_growth(core.DerivationParams(1024, 100, **fields))
    low, high = figures._reach(growth)
    assert (np.log([0.25 / low, high / 1024]) / np.log(16) % 1).tolist() == pytest.approx([0, 0], abs=1e-9)
    assert low <= (growth.spread / np.sqrt(np.arange(1, 1025))).min()
    assert growth.spread.max() <= high


def test_a_mean_that_falls_below_the_axis_by_chance_is_left_out():
    growth = core.measure_growth(core.DerivationParams(64, 100, mean_q=0.25, mean_k=0.25))
    hidden = replace(growth, mean=np.where(np.arange(64) == 3, 1e-9, growth.mean))
    small, _ = traces_of(plotted(figures.broken_lines(hidden, 64, LIGHT)), "raw mean")
    assert [x for x, y in zip(small.x, small.y, strict=True) if np.isnan(y)] == [4]


@pytest.mark.parametrize(
    "fields",
    [*BROKEN.values(), {"nu": 5.0}, {"mean_k": 1.0}, {"component_correlation": 1.0}],
    ids=str,
)
@pytest.mark.parametrize("d_k", [1, 64, 1000])
def test_title_gives_the_right_divisor_at_the_chosen_d_k(fields, d_k):
    picture = figures.broken_lines(core.measure_growth(core.DerivationParams(1024, 100, **fields)), d_k, LIGHT)
    said, *root = re.sub("<[^>]*>", " ", plotted(picture).layout.title.text).split(", not ")
    exact = core.exact_scores(core.DerivationParams(d_k, **fields)).right_divisor
    if fields.get("correlation") and d_k > 1:  # the exact divisor is that of one aligned key
        assert "The mean grows like dₖ" in said
        assert core.exact_scores(core.DerivationParams(d_k, **fields)).right_rule == "d_k"
        return
    assert float(said.split()[-1].replace(",", "")) == pytest.approx(exact, rel=5e-3)
    assert bool(root) == (abs(exact / d_k**0.5 - 1) > 1e-9)
    assert not root or float(root[0].split()[-1]) == pytest.approx(d_k**0.5, rel=5e-3)


# A divisor is right if it gives scores the same spread at every dₖ. The title is compared with exact spreads.
@pytest.mark.parametrize("nu", [1.5, 1.9, 2.0, 2.1, 4.0, 30.0])
def test_title_suggests_sqrt_d_k_only_if_spreads_grow_like_sqrt_d_k(nu):
    growth = core.measure_growth(core.DerivationParams(64, 100, nu=nu))
    said = figures.broken_lines(growth, 64, LIGHT).figure.layout["title"]["text"]
    grows_like_it = core.spread_ratio(core.DerivationParams(64, nu=nu), 16) < 4.01
    assert ("Divide by √dₖ" in said) == (grows_like_it or nu == 2)  # at ν = 2 up to a logarithmic factor


def test_exact_values_are_dotted_and_heavy_tails_have_no_error_bars(growths):
    for name, growth in growths.items():
        figure = plotted(figures.broken_lines(growth, 64, LIGHT))
        drawn = [each for each in traces_of(figure, "exact, raw") if not np.isnan(each.y).all()]
        assert len(drawn) == (name not in ("nothing", "tails"))
        for trace in drawn:
            exact = [core.exact_scores(core.DerivationParams(d, **BROKEN[name])).variance for d in trace.x]
            np.testing.assert_allclose(trace.y, np.sqrt(exact), rtol=1e-12)
            (scaled,) = traces_of(figure, "exact, scaled")
            np.testing.assert_allclose(scaled.y, np.sqrt(exact / np.array(trace.x)), rtol=1e-12)
            assert trace.line.dash == scaled.line.dash == "dot"
    figure = plotted(figures.broken_lines(growths["tails"], 64, LIGHT))
    assert not any(any(trace.error_y.array) for name in ("raw", "scaled") for trace in traces_of(figure, name))


def test_tables_and_code_give_the_plotted_points(growths):
    for drawn, columns in (
        (figures.three_lines, ("dₖ", "raw variance", "its error")),
        (figures.broken_lines, ("dₖ", "raw spread", "error of the spread")),
    ):
        picture = drawn(growths["components"], 6, LIGHT)
        assert picture.table["dₖ"] == [1, 2, 4, 6]
        printed = [row.split() for row in run(picture.code)[1].splitlines()]
        assert [row[0] for row in printed[:3]] == list(core.SCORE_LINES)
        points = zip(*(picture.table[name] for name in columns), strict=True)
        assert [tuple(map(float, row[:3])) for row in printed[3:]] == list(points)
    table = figures.three_lines(growths["tails"], 2, LIGHT).table
    assert (table["exact variance"], table["its error"]) == ([None, None], [None, None])
    assert figures.broken_lines(growths["tails"], 2, LIGHT).table["error of the spread"] == [None, None]


def test_how_sure_fold_gives_exact_values_and_names_missing_error_bars(growths):
    said = figures.broken_lines(growths["alignment"], 64, LIGHT).sure
    exact = core.exact_scores(core.DerivationParams(64, correlation=0.5))
    for each, value in zip(said, (exact.mean, exact.variance, exact.variance / 64), strict=False):
        assert each.endswith(f"For these settings the exact value is {number(value)}.")
    said = figures.broken_lines(growths["tails"], 64, LIGHT).sure
    assert all("without a usable error bar" in each for each in said[:3])
    assert ["no variance exists" in each for each in said[:3]] == [False, True, True]


# --- the root --------------------------------------------------------------------------------------------


def corners(trace):
    """Return the left, lower, right-hand and upper edge of a square."""
    return min(trace.x), min(trace.y), max(trace.x), max(trace.y)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("d_k", [1, 2, 20, 64, 1024])
def test_dividing_by_sqrt_d_k_divides_the_area_of_the_square_by_d_k(growths, d_k, profile):
    figure = plotted(squares.squares(growths["nothing"], d_k, profile))
    sizes = {}
    for name, inside in (("raw", None), ("÷ √dₖ, one cell", "raw"), ("÷ √dₖ", None), ("÷ dₖ", "÷ √dₖ")):
        left, low, right, high = corners(trace_of(figure, name))
        assert right - left == pytest.approx(high - low, rel=1e-12)
        sizes[name] = (right - left) ** 2
        if inside:  # it shares the lower right-hand corner
            outer = corners(trace_of(figure, inside))
            assert (right, low) == (outer[2], outer[1])
            assert sizes[name] / sizes[inside] == pytest.approx(1 / d_k, rel=1e-12)
    assert figure.layout.yaxis.scaleanchor == "x"


@pytest.mark.parametrize(("d_k", "lines"), [(1, 0), (2, 2), (4, 2), (20, 8), (64, 14), (1024, 62)])
def test_squares_are_divided_into_cells_of_area_one(growths, d_k, lines):
    figure = plotted(squares.squares(growths["nothing"], d_k, LIGHT))
    unit = 8 / d_k**0.5
    for name in ("raw", "÷ √dₖ"):
        left, low, right, high = corners(trace_of(figure, name))
        grid = trace_of(figure, f"cells of {name}")
        ends = list(zip(grid.x, grid.y, strict=True))
        pieces = [ends[i : i + 2] for i in range(0, len(ends) - 1, 3)]
        assert len(pieces) == lines
        upright = sorted(right - a[0] for a, b in pieces if a[0] == b[0])
        level = sorted(a[1] - low for a, b in pieces if a[1] == b[1])
        np.testing.assert_allclose(upright, unit * np.arange(1, lines // 2 + 1), rtol=1e-9)
        np.testing.assert_allclose(level, upright, rtol=1e-9)
        assert all({a[0], b[0]} == {left, right} or {a[1], b[1]} == {low, high} for a, b in pieces)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("d_k", [1, 20, 64, 1024])
def test_words_at_the_squares_give_side_and_variance(growths, d_k, profile):
    picture = squares.squares(growths["nothing"], d_k, profile)
    whole(picture)
    side, area = (
        f"{number(d_k**0.5)}".rstrip("0").rstrip(".") if d_k % 4 or d_k == 20 else f"{d_k**0.5:.0f}",
        f"{d_k:,}",
    )
    said = " ".join(re.sub("<[^>]*>", " ", each) for each in texts(plotted(picture)))
    assert f"side = spread = {side}" in said
    assert f"variance {area}" in said
    assert d_k == 1 or f"÷ {side} twice" in said
    assert d_k == 1 or picture.sentence.endswith(f"variance 1/{area}.")
    assert "area" in said.split("variance")[0] if d_k == 20 else "squares’ area" not in said


def test_table_of_the_squares_gives_the_variances_of_divided_scores(growths):
    growth = growths["nothing"]
    picture = squares.squares(growth, 64, LIGHT)
    assert picture.table["c"] == [1, 1 / 8, 1 / 64]
    assert picture.table["variance"] == [64, 1, 1 / 64]
    assert picture.table["spread"] == [8, 1, 1 / 8]
    np.testing.assert_allclose(picture.table["measured variance"], growth.variance[63] / np.array([1, 64, 4096]))
    root, *measured = picture.sure
    assert "the number is √64 = 8.00. Dividing by 64 itself would leave a variance of 1/64 = 0.0156." in root
    for each, value in zip(measured, picture.table["measured variance"], strict=False):
        assert f"measured variance {number(value)} ± " in each


# --- the lines -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", BROKEN)
def test_each_of_nine_lines_has_formula_assumption_and_both_sides(results, name):
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


def test_only_the_first_failing_line_is_bold(results):
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


def test_verdicts_distinguish_failure_chance_and_missing_error_bars(results):
    result = results["means"]  # line 4 fails first
    assert verdict(result, 0, holds=True, seen_to_fail=False) == "✓ holds"
    assert verdict(result, 0, holds=True, seen_to_fail=True) == "✓ holds; beyond 4 errors by chance"
    assert verdict(result, 6, holds=True, reliable=False) == "? cannot be checked here"
    assert verdict(result, 3, holds=False, seen_to_fail=True) == "**✗ fails first**"
    assert verdict(result, 6, holds=False, seen_to_fail=True) == "✗ fails"
    assert verdict(result, 6, holds=False, seen_to_fail=False) == "✗ fails, too little to be seen in 1,000 pairs"
    assert verdict(result, 6, holds=False, seen_to_fail=False, reliable=False) == "✗ fails: no error bar"
    assert verdict(results["tails"], 6, holds=False) == "✗ fails: no variance"


def test_error_bars_depend_on_the_tails_of_the_distribution():
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


def test_largest_difference_is_named_by_its_absolute_value(results):
    lines = tuple(replace(line, z=-3.9 if line.number == 7 else 1.0) for line in results["nothing"].lines)
    changed = replace(results["nothing"], lines=lines)
    assert "differ by at most 3.90 standard errors" in sure(changed)


def test_a_failure_that_is_too_small_to_see_is_reported_as_such():
    result = core.measure_derivation(core.DerivationParams(16, 500, correlation=1e-4))
    assert cells(result)[2][6] == "**✗ fails first, too little to be seen in 500 pairs**"


def test_lines_without_error_bars_cannot_be_checked():
    result = core.measure_derivation(core.DerivationParams(16, 500, nu=2.1))
    said, rows, picture = sure(result), cells(result), nine(result)
    assert [int(row[0]) for row in rows if row[6] == "? cannot be checked here"] == [5, 6, 7, 9]
    assert [int(row[0]) for row in rows if row[6] == "✓ holds"] == [1, 2, 3, 4, 8]
    assert "ν = 2.1, 5 hold and 4 cannot be checked here, without a usable error bar. In 500 pairs the two" in said
    table = picture.bins
    assert table["check"][6] == "cannot be checked: without a usable error bar"
    assert [table[name][6] for name in ("left error", "right error", "error of the difference", "z")] == [None] * 4
    assert (table["left error"][7], table["z"][7]) == (None, 0)  # an identity: equal sides without error bars
    assert [each.endswith(", without a usable error bar.") for each in picture.sure[-4:]] == [False, True, True, True]


@pytest.mark.parametrize("nu", [None, 1.5, 2.1, 4.0, 4.5])
def test_how_sure_fold_counts_the_lines_by_verdict(nu):
    result = core.measure_derivation(core.DerivationParams(16, 500, nu=nu))
    marks = [row[6].strip("*")[0] for row in cells(result)]
    counted = {mark: marks.count(mark) for mark in "✓✗?"}
    said = sure(result)
    if counted["✓"] == 9:
        assert "all 9 lines hold." in said
    for mark, words in (("✓", "hold"), ("✗", "fail"), ("?", "cannot be checked here")):
        assert counted["✓"] == 9 or not counted[mark] or f"{counted[mark]} {words}" in said
    assert list(result.checks.values()) == list(counted.values())


def test_long_table_has_the_values_of_the_lines(results):
    result = results["alignment"]
    table = nine(result).bins
    for column, name in (("left", "left"), ("right", "right"), ("z", "z"), ("check", "check")):
        assert table[column] == [getattr(line, name) for line in result.lines]


@pytest.mark.parametrize("d_k", [1, 2, 64, 1024])
def test_dividing_by_sqrt_d_k_gives_variance_1_at_every_d_k(d_k):
    growth = core.measure_growth(core.DerivationParams(1024, 100))
    picture = squares.squares(growth, d_k, LIGHT)
    raw, scaled, third = picture.table["variance"]
    assert LESSON.step("root").line == "Divide scores by √dₖ: their variance is divided by dₖ, and is 1."
    assert (scaled, raw / scaled) == pytest.approx((1, d_k))
    assert scaled / third == pytest.approx(d_k)  # divided by √dₖ twice
    words = [each["text"] for each in (*picture.figure.layout["annotations"], *picture.figure.narrow["annotations"])]
    assert any("twice" in each for each in (*words, picture.sentence)) == (d_k > 1)


@pytest.mark.parametrize(("broken", "lines"), [("nothing", 2), ("alignment", 4)])
def test_picture_of_broken_lines_is_lower_with_short_names_on_a_phone(growths, broken, lines):
    figure = figures.broken_lines(growths[broken], 64, LIGHT).figure
    assert figure.narrow["height"] < figure.layout["height"]
    assert figure.narrow["margin"] == figure.layout["margin"]
    said = [each["text"] for each in figure.narrow["annotations"]]
    assert sum("raw" in each or ": " in each.partition("</b>")[0] for each in said[:4]) == lines
    assert any("grows" in each for each in said) == (lines == 2)
