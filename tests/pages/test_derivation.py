"""The derivation page: each assumption broken, the first line that fails."""

import numpy as np
import pytest

from pages._view.lessons import LESSONS
from pages._view.shared import SHARED
from tests.pages.opening import charts, check_page, claims, drawn_controls, open_page, rows_of, widget

FIRST_FAILING = {
    "means not 0": 4,
    "variances not 1": 7,
    "q and k aligned": 3,
    "components correlated": 5,
    "heavy tails": 5,
}


def claim_of(app):
    """What the page says of the nine lines."""
    return next(each for each in claims(app) if "of nine" in each or "nine lines" in each)


def test_the_three_lines_stand_beside_their_figure_and_the_nine_below():
    app = open_page("derivation")
    assert list(charts(app)) == ["three_lines", "score_growth"]
    assert charts(app)["three_lines"].sentence.startswith("At dₖ = 64 all three lines hold.")
    assert [len(rows_of(app, head)) for head in ("| line |", "| no.")] == [3, 9]
    assert claims(app) == ["All nine lines hold", "Here √dₖ is the right divisor"]
    assert [each.key for each in app.expander if each.key.endswith("_sure")] == [
        "three_lines_sure",
        "derivation_sure",
        "score_growth_sure",
    ]


def test_the_three_lines_are_measured_once_for_every_dimension(asked):
    app = open_page("derivation", d_k="8")
    widget(app, "d_k").set_value(512).run()
    growths = {args[0] for name, args, _ in asked if name == "measure_growth"}
    assert [(each.d_k, each.n_samples) for each in growths] == [(1024, 2_000)]


@pytest.mark.parametrize(("broken", "number"), FIRST_FAILING.items())
def test_an_assumption_is_broken_by_its_own_controls_and_the_first_line_that_fails_is_named(broken, number):
    controls = LESSONS["derivation"].controls
    strengths = {name for name, control in controls.items() if control.when == ("broken", broken)}
    app = open_page("derivation", broken=broken)
    check_page(app, "derivation")
    assert strengths
    assert drawn_controls(app) == {*SHARED, "broken", *strengths} - {"rest"}
    assert any("~~" in row for row in rows_of(app, "| line |"))
    assert claim_of(app) == f"Line {number} of nine is the first to fail"
    rows = rows_of(app, "| no.")
    assert [row.split()[1] for row in rows if "**" in row] == [str(number)]
    assert len(rows) == 9
    widget(app, "broken").set_value("all hold").run()
    check_page(app, "derivation")
    assert claim_of(app) == "All nine lines hold"


# --- tries ---------------------------------------------------------------------------------------------


ADVERSE = {"broken": "variances not 1", "mean_q": "2", "mean_k": "-1", "correlation": "-0.2", "d_k": "7", "seed": "5"}
ADVERSE |= {"r": "0.1", "nu": "1.5"}


def test_try_alignment(tried):
    app, shown = tried("derivation", "alignment", **ADVERSE)
    mean = shown.measure_growth.at(1024)[0]
    assert mean.exact == 512
    assert abs(mean.measured - 512) < 4 * mean.standard_error
    assert abs(shown.measure_derivation.scaled_mean - 16) < 4 * shown.measure_derivation.mean_error / 32
    (said,) = {each.sentence for each in charts(app).values() if "not zero" in each.sentence}
    assert f"the mean is {mean.measured:.0f}, not zero" in said


def test_try_one_mean(tried):
    _, shown = tried("derivation", "one_mean", **ADVERSE)
    result, (mean, variance, _) = shown.measure_derivation, shown.measure_growth.at(64)
    assert (result.params.mean_q, result.params.mean_k) == (0, 1)
    assert (mean.holds, variance.exact) == (True, 2 * 64)
    assert abs(variance.measured - 2 * 64) < 4 * variance.standard_error
    assert result.first_failing == result.first_seen == 7
    assert result.exact.right_divisor == result.divisor
    assert abs(result.right_within_row_std - 1) < 0.05  # and the scores within a row have that spread


def test_try_copies(tried):
    _, shown = tried("derivation", "copies", **ADVERSE)
    assert shown.measure_derivation.params.component_correlation == 1
    _, variance, scaled = shown.measure_growth.at(64)
    assert variance.exact == 64**2
    assert abs(variance.measured - 64**2) < 4 * variance.standard_error
    assert scaled.measured > 32  # where 1 is wanted


def test_try_tails(tried):
    app, shown = tried("derivation", "tails", **ADVERSE)
    result, (_, variance, scaled) = shown.measure_derivation, shown.measure_growth.at(64)
    assert result.exact.variance == variance.exact == 64
    assert np.isfinite(variance.exact)
    assert variance.check == scaled.check == "cannot be checked"
    assert result.checks == {"holds": 5, "fails": 0, "cannot be checked": 4}
    assert not any("holds" in row for row in rows_of(app, "| no.") if row.startswith("| 7 "))
    assert [row.split("|")[3].strip()[0] for row in rows_of(app, "| line |")] == ["✓", "?", "?"]
