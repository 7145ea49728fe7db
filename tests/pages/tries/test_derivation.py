"""What the derivation page promises to whoever clicks a suggestion."""

import numpy as np

from tests.pages.opening import charts

ADVERSE = {
    "broken": "variances not 1",
    "mean_q": "2",
    "mean_k": "-1",
    "correlation": "-0.2",
    "r": "0.1",
    "nu": "1.5",
    "d_k": "7",
    "seed": "5",
}


def test_alignment(tried):
    app, shown = tried("derivation", "alignment", **ADVERSE)
    mean = shown.measure_growth.at(1024)[0]
    assert mean.exact == 512
    assert abs(mean.measured - 512) < 4 * mean.standard_error
    assert abs(shown.measure_derivation.scaled_mean - 16) < 4 * shown.measure_derivation.mean_error / 32
    (said,) = {each.sentence for each in charts(app).values() if "not zero" in each.sentence}
    assert f"the mean is {mean.measured:.0f}, not zero" in said


def test_one_mean(tried):
    _, shown = tried("derivation", "one_mean", **ADVERSE)
    result, (mean, variance, _) = shown.measure_derivation, shown.measure_growth.at(64)
    assert (result.params.mean_q, result.params.mean_k) == (0, 1)
    assert (mean.holds, variance.exact) == (True, 2 * 64)
    assert abs(variance.measured - 2 * 64) < 4 * variance.standard_error
    assert result.first_failing == result.first_seen == 7
    assert result.exact.right_divisor == result.divisor
    assert abs(result.right_within_row_std - 1) < 0.05  # and the scores within a row have that spread


def test_copies(tried):
    _, shown = tried("derivation", "copies", **ADVERSE)
    assert shown.measure_derivation.params.coordinate_correlation == 1
    _, variance, scaled = shown.measure_growth.at(64)
    assert variance.exact == 64**2
    assert abs(variance.measured - 64**2) < 4 * variance.standard_error
    assert scaled.measured > 32  # where 1 is wanted


def test_tails(tried):
    app, shown = tried("derivation", "tails", **ADVERSE)
    result, (_, variance, scaled) = shown.measure_derivation, shown.measure_growth.at(64)
    assert result.exact.variance == variance.exact == 64
    assert np.isfinite(variance.exact)
    assert variance.check == scaled.check == "cannot be checked"
    assert result.checks == {"holds": 5, "fails": 0, "cannot be checked": 4}
    assert not any("holds" in row for row in _rows(app, "| no.") if row.startswith("| 7 "))
    assert [row.split("|")[3].strip()[0] for row in _rows(app, "| line |")[2:]] == ["✓", "?", "?"]


def _rows(app, head):
    (table,) = [each.value for each in app.markdown if each.value.startswith(head)]
    return table.splitlines()
