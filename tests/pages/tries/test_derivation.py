"""What the derivation page promises to whoever clicks a suggestion."""

ADVERSE = {
    "broken": "variances",
    "mean_q": "2",
    "mean_k": "-1",
    "correlation": "-0.2",
    "nu": "1.5",
    "d_k": "7",
    "seed": "5",
}


def test_one_mean(tried):
    _, shown = tried("derivation", "one_mean", **ADVERSE)
    result = shown.measure_derivation
    assert (result.params.mean_q, result.params.mean_k) == (0, 1)
    assert result.first_failing == result.first_seen == 7
    assert result.exact.right_divisor == result.divisor
    assert abs(result.right_within_row_std - 1) < 0.05  # and the scores within a row have that spread


def test_alignment(tried):
    _, shown = tried("derivation", "alignment", **ADVERSE)
    result = shown.measure_derivation
    assert result.params.d_k == 1024
    assert abs(result.scaled_mean - 16) < 4 * result.mean_error / 32


def test_tails(tried):
    app, shown = tried("derivation", "tails", **ADVERSE)
    result = shown.measure_derivation
    assert result.exact.variance == 64
    assert result.checks == {"holds": 5, "fails": 0, "cannot be checked": 4}
    assert not any("holds" in row for row in _rows(app) if row.startswith("| 7 "))


def _rows(app):
    (table,) = [each.value for each in app.markdown if each.value.startswith("| no.")]
    return table.splitlines()
