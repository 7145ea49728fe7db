import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sattn_core.bands.matrix_variance import row_variance_band, score_variance_moments
from sattn_core.files.score_report import measure_scores

RNG = np.random.default_rng(11)
Q, K = RNG.standard_normal((2, 64, 16))


def head(*arrays):
    return measure_scores(*arrays).heads[0]


def few_of_spread(std):
    """Return four queries and four keys whose scaled scores have this standard deviation."""
    return Q[:4] * (std / head(Q[:4], K[:4]).scaled_std), K[:4]


def test_reported_moments_agree_with_numpy():
    report = head(Q + 0.3, K - 0.2)
    scores = (Q + 0.3) @ (K - 0.2).T
    assert abs(report.raw_mean - scores.mean()) < 1e-12
    assert abs(report.raw_std - scores.std()) < 1e-12
    assert abs(report.within_row_std - np.sqrt(scores.var(axis=1).mean())) < 1e-12
    assert abs(report.scaled_std - report.within_row_std / 4) < 1e-14
    assert abs(report.unit_scale * report.within_row_std - math.sqrt(63 / 64)) < 1e-14


def test_component_moments_by_hand():
    moments = head([[1.0, -1.0], [-1.0, 1.0]], [[1.0, 0.0], [0.0, 0.0]]).query
    assert (moments.mean, moments.variance, moments.kurtosis) == (0.0, 1.0, 1.0)
    assert moments.effective_dimension == pytest.approx(1.0, rel=1e-13)  # both rows lie on one line


def test_shifting_all_keys_does_not_change_the_spread():
    plain, shifted = head(Q, K), head(Q, K + 100.0)
    assert shifted.within_row_std == pytest.approx(plain.within_row_std, rel=1e-10)
    assert shifted.code == plain.code


def test_exponent_of_scores_that_add_up_is_one():
    column_q, column_k = RNG.standard_normal((2, 40, 1))
    report = head(np.repeat(column_q, 8, axis=1), np.repeat(column_k, 8, axis=1))
    assert report.row_exponent.value == pytest.approx(1.0, rel=1e-12)
    assert report.row_exponent.low == pytest.approx(1.0, rel=1e-12)


def test_saturation_under_the_four_scales():
    saturation = head(Q, K).saturation
    assert [each.name for each in saturation] == ["1", "1/√d_k", "1/d_k", "1/std"]
    assert [each.scale for each in saturation[:3]] == [1.0, 0.25, 0.0625]
    entropies = [each.entropy_nats for each in saturation[:3]]
    assert entropies == sorted(entropies)
    assert saturation[3].score_std == pytest.approx(math.sqrt(63 / 64), rel=1e-13)


def test_histogram_counts_every_shown_score():
    report = head(Q, K)
    assert report.scaled_counts.sum() + report.scaled_below + report.scaled_above == 64 * 64


CASES = {
    "right": (Q, K),
    "too_strong": (0.5 * Q, K),
    "too_weak": (Q, 3.0 * K),
    "aligned": (Q, Q + 0.3 * K),
    "unclear": few_of_spread(0.65),
    "no_variation": (Q, np.ones((5, 16))),
}


@pytest.mark.parametrize("code", CASES)
def test_each_case_gets_its_verdict(code):
    report = measure_scores(*CASES[code])
    assert report.code == code
    assert report.verdict.endswith(".")
    assert report.reason.endswith(".")


def test_shared_directions_are_named():
    sizes = np.array([4.0] + [0.0] * 15)
    assert "share directions" in measure_scores(Q * sizes, K * sizes).reason


def test_heads_are_measured_one_by_one():
    both = measure_scores(np.stack([Q, Q]), np.stack([K, 3.0 * K]))
    assert both.n_heads == 2
    assert both.scaled_std[1] == pytest.approx(3 * both.scaled_std[0], rel=1e-13)
    assert both.code == "too_weak"
    assert both.verdict.startswith("√d_k is right for 1 of 2 heads; head 2 ")
    assert measure_scores(np.stack([Q, Q]), np.stack([K, K])).verdict.startswith("√d_k is right for all 2 heads")


def test_aligned_head_is_reported_rather_than_a_head_farther_from_1():
    # The other head, judged right, has a spread farther from 1.
    report = measure_scores(np.stack([Q, Q]), np.stack([0.85 * K, Q + 0.3 * K]))
    assert report.heads[0].code == "right"
    assert abs(math.log(report.scaled_std[0])) > abs(math.log(report.scaled_std[1]))
    assert report.code == "aligned"


@pytest.mark.parametrize("sign", [1, -1])
def test_aligned_heads_are_reported_by_their_alignment(sign):
    """Check that the verdict names the largest alignment, because every spread is near 1."""
    keys = [sign * (Q + each * K) for each in (0.1, 0.2, 0.3, 0.4)]
    report = measure_scores(np.stack([Q] * 4), np.stack(keys))
    assert {head.code for head in report.heads} == {"aligned"}
    lifts = []
    for key in keys:
        scaled = Q @ key.T / 4
        own = np.diag(scaled)
        others = (scaled.sum(axis=1) - own) / (len(Q) - 1)
        lifts.append((own - others).mean() / scaled.std(axis=1).mean())
    largest = int(np.argmax(np.abs(lifts)))
    start, end = report.verdict.split("; ")
    assert start == "√d_k is right for 0 of 4 heads, though the spread suits 4 of the others"
    found = re.fullmatch(r"in head (\d) query i scores ([\d.]+) standard deviations (\w+) with key i\.", end)
    assert int(found[1]) == largest + 1
    assert float(found[2]) == pytest.approx(abs(lifts[largest]), rel=0.1)
    assert found[3] == ("higher" if sign > 0 else "lower")
    mixed = measure_scores(np.stack([Q] * 3), np.stack([K, keys[0], 3.0 * K])).verdict
    assert mixed.startswith("√d_k is right for 1 of 3 heads, though the spread suits 1 of the others; head 3 has stand")


def test_verdict_numbers_heads_from_1_and_counts_unclear_ones_separately():
    few = [np.stack(rows) for rows in zip(*map(few_of_spread, (1.0, 0.65, 4.0)), strict=True)]
    report = measure_scores(*few)
    assert [head.code for head in report.heads] == ["right", "unclear", "too_weak"]
    assert report.verdict.startswith("√d_k is right for 1 of 3 heads, unclear for 1; head 3 has standard deviation ")
    assert report.code == "too_weak"
    report = measure_scores(few[0][:2], few[1][:2])
    assert report.verdict.startswith("√d_k is right for 1 of 2 heads, unclear for 1; head 2 ")
    assert report.code == "unclear"
    round_ = Q[:4] / np.linalg.norm(Q[:4], axis=1, keepdims=True)
    round_ /= math.sqrt(head(round_, round_).scaled_std)
    report = measure_scores(np.stack([few[0][1], round_]), np.stack([few[1][1], round_]))
    assert [head.code for head in report.heads] == ["unclear", "aligned"]
    assert report.code == "aligned"  # the aligned head's spread is nearer to 1, but √d_k is certainly wrong for it


def test_ideal_data_inside_their_band_are_not_called_wrong():
    rng = np.random.default_rng(0)
    for _ in range(60):
        report = head(*rng.standard_normal((2, 4, 8)))
        inside = report.scaled_band[0] <= report.scaled_std <= report.scaled_band[1]
        assert not inside or report.code in ("right", "aligned", "unclear")
        if report.code == "unclear":
            assert "too few rows to tell" in report.verdict


@pytest.mark.parametrize(
    "keys", [np.tile(RNG.standard_normal((1, 16)), (4096, 1)), np.full((7, 16), 0.1), 1.0 + 1e-16 * K, 3 + 0 * K]
)
def test_equal_keys_have_no_variation_despite_rounding(keys):
    report = measure_scores(Q, keys)
    assert report.code == "no_variation"
    assert (report.heads[0].within_row_std, report.heads[0].size_factor) == (0.0, 0.0)


def test_queries_orthogonal_to_key_differences_have_no_variation():
    for _ in range(8):  # rounding may have either sign
        turn = np.linalg.qr(RNG.standard_normal((16, 16)))[0]
        assert measure_scores(Q * ([1] * 8 + [0] * 8) @ turn, K * ([0] * 8 + [1] * 8) @ turn).code == "no_variation"


def test_constants_have_no_kurtosis():
    for rows in range(2, 12):
        key = head(Q, np.full((rows, 16), 0.1)).key
        assert key.variance == 0
        assert math.isnan(key.kurtosis)
    assert math.isnan(key.effective_dimension)


def test_keys_opposite_to_their_queries_are_called_aligned():
    report = measure_scores(Q, -Q + 0.3 * K)
    assert report.heads[0].paired_lift < -1
    assert report.code == "aligned"
    assert f"query i scores {-report.heads[0].paired_lift:.3f} of them lower with key i" in report.verdict
    assert "opposite ways" in report.reason
    assert "of them higher with key i" in measure_scores(Q, Q + 0.3 * K).verdict


@pytest.mark.parametrize("size", [1e-100, 1e-170, 1e25])
def test_sizes_whose_squares_overflow_or_underflow_are_measured(size):
    plain, other = measure_scores(5 + Q, K), measure_scores(size * (5 + Q), K)
    assert other.heads[0].within_row_std == pytest.approx(size * plain.heads[0].within_row_std, rel=1e-12)
    assert other.heads[0].shape_factor == pytest.approx(plain.heads[0].shape_factor, rel=1e-12)
    assert other.heads[0].query.kurtosis == pytest.approx(plain.heads[0].query.kurtosis, rel=1e-12)
    assert np.allclose(other.heads[0].row_exponent.sizes, size * plain.heads[0].row_exponent.sizes, rtol=1e-12, atol=0)
    assert other.exponent_interval == pytest.approx(plain.exponent_interval, rel=1e-12)
    assert other.code == ("too_strong" if size < 1 else "too_weak")
    assert "wrong size" in other.reason


@pytest.mark.parametrize("size", [1e-100, 1e-160])
def test_tiny_spread_is_reported_unless_it_underflows(size):
    report = measure_scores(size * (5 + Q), size * K)
    assert report.code == ("too_strong" if size > 1e-150 else "no_variation")
    assert "equal up to rounding" in report.verdict or "divides too much" in report.verdict


def test_unpaired_rows_have_no_pair_statistics():
    report = head(Q, K[:40])
    assert math.isnan(report.paired_correlation)
    assert math.isnan(report.paired_exponent.value)
    assert report.code == "right"


def test_one_dimension_has_no_exponent():
    assert math.isnan(head(Q[:, :1], K[:, :1]).row_exponent.value)


@pytest.mark.parametrize(
    ("arrays", "error", "message"),
    [
        ((Q[0], K), ValueError, r"Q must have shape \(n, d_k\) or \(heads, n, d_k\), but got \(16,\)"),
        ((Q, K[:, :3]), ValueError, r"same d_k \(last axis\)"),
        ((Q, K[None]), ValueError, "both be 2-D or both 3-D"),
        ((Q[:1], K), ValueError, "Q must have at least 2 rows"),
        ((Q, K * np.nan), ValueError, "K must hold finite numbers only, but got nan"),
        ((Q, K * 1e40), ValueError, r"at most 1e\+30 in size"),
        ((Q, np.zeros((4097, 16))), ValueError, "K may have at most 4,096 rows"),
        ((Q + 1j, K), TypeError, "Q must hold real numbers"),
        (([[1.0], [1.0, 2.0]], K), ValueError, "Q must be a rectangular array"),
    ],
)
def test_bad_arguments_are_refused(arrays, error, message):
    with pytest.raises(error, match=message):
        measure_scores(*arrays)


def test_target_spread_of_few_keys_is_below_1():
    # Components of one size give a spread of exactly √(1/2), the target for two keys.
    queries, keys = np.sign(Q), np.array([[1.0], [-1.0]]) * np.ones(16) / math.sqrt(2)
    queries *= math.sqrt(16) / head(queries, keys).within_row_std / math.sqrt(2)
    two = head(queries, keys)
    assert (two.target_std, two.scaled_std) == pytest.approx((math.sqrt(0.5), math.sqrt(0.5)), rel=1e-13)
    assert two.code == "right"
    assert two.unit_scale == pytest.approx(0.25, rel=1e-13)
    assert "close to the 0.71 that ideal q and k give with 2 keys: √d_k is right" in two.verdict
    assert head(1.24 * queries, keys).code == "right"
    assert head(1.26 * queries, keys).code != "right"
    assert head(0.81 * queries, keys).code == "right"
    assert head(0.79 * queries, keys).code != "right"


@pytest.mark.parametrize(("n", "aim"), [(2, "the 0.71"), (16, "the 0.97"), (100, "the 0.99"), (101, "1")])
def test_verdict_names_the_target_unless_it_is_1(n, aim):
    keys = np.random.default_rng(0).standard_normal((n, 16))
    for size, way in ((0.1, "below"), (10.0, "above")):
        verdict = measure_scores(size * Q, keys).verdict
        assert f"{way} {aim}" in verdict
        assert verdict.endswith("would give 1." if aim == "1" else "would give that.")


def test_divisor_in_the_verdict_gives_the_target_spread():
    for n in (3, 64):
        report = measure_scores(Q, 3.0 * K[:n]).heads[0]
        divisor = float(report.verdict.partition("too little, ")[2].partition(" ")[0])
        assert report.within_row_std / divisor == pytest.approx(report.target_std, rel=1e-3)  # the verdict has 4 digits
        assert 1 / report.unit_scale == pytest.approx(divisor, rel=1e-3)
    assert "mean square of q times variance of k is" in report.reason
    assert report.reason.endswith(f"{report.size_factor:.3f} instead of 0.98.")


def test_bands_agree_with_row_variance_band():
    report = head(Q, K[:3])
    kurtosis = {"kurtosis_q": report.query.kurtosis, "kurtosis_k": report.key.kurtosis}
    for band, options in ((report.scaled_band, {}), (report.tail_band, kurtosis)):
        wanted = np.sqrt(np.array(row_variance_band(64, 3, 16, **options)) / 16)
        assert band == pytest.approx(wanted, rel=1e-14)


def heavy(spread, n=64, share=0.1):
    """Return queries and keys with this share of non-zero components, and scores with this spread inside a row."""
    rng = np.random.default_rng(1)
    rows = np.where(rng.random((2, n, 16)) < share, rng.standard_normal((2, n, 16)), 0.0)
    return rows[0] * spread / head(*rows).scaled_std, rows[1]


SMALL = "Chance seldom makes such a difference, but it is small enough to count as close to 1."


def test_heavy_tails_are_blamed_for_a_spread_outside_the_ideal_band():
    report = head(*heavy(1.15))
    low, high = report.tail_band
    assert report.code == "right"
    assert report.scaled_band[1] < 1.15 < high
    assert report.chance.startswith("The spread is outside the 95 % band of ideal q and k, ")
    kurtosis = f"(kurtosis {report.query.kurtosis:.2f} and {report.key.kurtosis:.2f} instead of 3)"
    assert report.chance.endswith(
        f"Those are normal; tails as heavy as here {kurtosis} give a wider one, {low:.4f} to {high:.3f}, "
        "and the spread is inside that."
    )
    report = head(*heavy(1.24, n=256))
    low, high = report.tail_band
    assert report.code == "right"
    assert high < 1.24
    assert report.chance.endswith(
        f"give a wider one, {low:.4f} to {high:.3f}, and the spread is outside that too. {SMALL}"
    )
    inside = head(*heavy(1.0))
    low, high = inside.scaled_band
    assert inside.chance == f"The spread is inside the 95 % band of ideal q and k, {low:.4f} to {high:.3f}."


@pytest.mark.parametrize(("share", "kurtosis", "named"), [(0.8, 3.7, True), (0.93, 3.1, False)])
def test_heavy_tails_are_named_if_they_widen_the_band_by_a_tenth(share, kurtosis, named):
    report = head(*heavy(1.2, share=share))
    wider = np.diff(report.tail_band).item() / np.diff(report.scaled_band).item()
    assert report.query.kurtosis == pytest.approx(kurtosis, abs=0.05)
    assert 1.15 < wider < 1.2 if named else 1.05 < wider < 1.1
    assert ("tails as heavy as here" in report.chance) == named


def test_normal_tails_are_not_blamed_for_a_spread_outside_the_band():
    rows = np.random.default_rng(1).standard_normal((2, 1024, 16))
    size = 1 / head(*rows).scaled_std
    report = head(rows[0] * 1.15 * size, rows[1])
    low, high = report.scaled_band
    outside = f"The spread is outside the 95 % band of ideal q and k, {low:.4f} to {high:.3f}."
    assert (report.code, report.chance) == ("right", f"{outside} {SMALL}")
    assert head(rows[0] * 3 * size, rows[1]).chance == outside


def test_equal_queries_have_no_band_for_their_tails():
    report = head(np.ones((8, 16)), K)
    assert all(map(math.isnan, report.tail_band))
    assert report.chance.startswith("The spread is ")


def test_lift_that_chance_can_explain_is_not_called_aligned():
    # Six queries that resemble their keys a little: the lift is above 1, but less than 6 standard errors from 0.
    queries, noise = np.random.default_rng(3).standard_normal((2, 6, 16))
    report = head(queries, 0.35 * queries + 0.9 * noise)
    assert report.paired_lift > 1
    assert 4 < report.paired_z < 6
    assert report.code == "right"


@pytest.mark.parametrize(("sign", "z"), [(1.0, math.inf), (-1.0, -math.inf)])
def test_pairs_with_equal_scores_have_an_infinite_z(sign, z):
    rows = np.array([[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]])
    report = head(rows, sign * rows)
    assert report.paired_z == z
    assert report.paired_lift == pytest.approx(sign * math.sqrt(2), rel=1e-13)
    assert report.code == "aligned"
    assert math.isnan(head(np.zeros((4, 2)), rows).paired_z)


def test_check_is_called_several_times_for_each_head():
    asked = []
    measure_scores(np.stack([Q] * 3), np.stack([K] * 3), check=lambda: asked.append(1))
    assert len(asked) == 15

    def leave():
        raise InterruptedError

    with pytest.raises(InterruptedError):
        measure_scores(Q, K, check=leave)


# --- properties --------------------------------------------------------------------------------------


ENTRIES = st.floats(-10, 10).map(lambda x: x if abs(x) > 1e-3 else 0.0)


@st.composite
def pairs(draw):
    d_k, n, m = draw(st.integers(1, 6)), draw(st.integers(2, 6)), draw(st.integers(2, 6))
    return draw(arrays(np.float64, (n, d_k), elements=ENTRIES)), draw(arrays(np.float64, (m, d_k), elements=ENTRIES))


@given(pairs())
def test_any_queries_and_keys_get_a_report(pair):
    Q, K = pair
    report = measure_scores(Q, K)
    head = report.heads[0]
    assert report.code in {"right", "aligned", "too_weak", "too_strong", "unclear", "no_variation"}
    row_variance = (Q @ K.T).var(axis=1).mean()
    assert math.isclose(head.within_row_std**2, row_variance, rel_tol=1e-9, abs_tol=1e-9)
    if head.size_factor:
        factors = head.size_factor * head.shape_factor
        assert math.isclose(factors, head.scaled_std**2, rel_tol=1e-12, abs_tol=1e-300)
    for each in head.saturation:
        assert 0 <= each.entropy_nats <= math.log(len(K)) + 1e-12
        assert 1 / len(K) - 1e-12 <= each.max_weight <= 1


@settings(max_examples=30)
@given(pairs(), st.permutations(range(6)))
def test_order_of_keys_and_components_does_not_matter(pair, order):
    Q, K = pair
    keys = [i for i in order if i < len(K)]
    components = [i for i in order if i < Q.shape[1]]
    one, two = measure_scores(Q, K).heads[0], measure_scores(Q[:, components], K[keys][:, components]).heads[0]
    assert math.isclose(one.within_row_std, two.within_row_std, rel_tol=1e-9, abs_tol=1e-7)
    assert np.allclose(one.row_exponent.sizes, two.row_exponent.sizes, rtol=1e-6, atol=1e-6)


# --- oracles -----------------------------------------------------------------------------------------


ORACLE_RNG = np.random.default_rng(21)


def test_ideal_density_agrees_with_formulas_for_d_k_2_and_4():
    # q·k has a Laplace law at d_k = 2; at 4 it is the difference of two Erlang variables.
    # Dividing scores by √d_k multiplies their density by √d_k.
    for d_k, law in ((2, lambda s: np.exp(-s) / 2), (4, lambda s: (1 + s) * np.exp(-s) / 4)):
        report = measure_scores(*ORACLE_RNG.standard_normal((2, 8, d_k)))
        centres = (report.scaled_edges[1:] + report.scaled_edges[:-1]) / 2
        root = math.sqrt(d_k)
        assert np.allclose(report.ideal_density, root * law(root * np.abs(centres)), rtol=1e-9, atol=0)


def test_correlated_components_have_the_predicted_variance():
    # Var(q·k) = tr(Σ Σ) = d² / d_eff for q, k ~ N(0, Σ), tr Σ = d.
    d, n = 12, 1500
    sizes = np.linspace(0.2, 1.8, d)
    turn = np.linalg.qr(ORACLE_RNG.standard_normal((d, d)))[0]
    Q, K = (ORACLE_RNG.standard_normal((n, d)) * np.sqrt(sizes) @ turn for _ in range(2))
    head = measure_scores(Q, K).heads[0]
    expected = np.sum(sizes**2) / d
    # Relative standard error of d_eff independent components, doubled because directions differ in size.
    mean, variance = score_variance_moments(n, n, int(d / expected))
    assert abs(head.scaled_std**2 / expected - 1) < 4 * 2 * math.sqrt(variance) / mean
    assert abs(head.query.effective_dimension / (sizes.sum() ** 2 / np.sum(sizes**2)) - 1) < 4 * math.sqrt(2 / n)


def test_aligned_scores_have_the_predicted_correlation_and_growth():
    rho, n, d = 0.5, 2000, 32
    A, B = ORACLE_RNG.standard_normal((2, n, d))
    head = measure_scores(A, rho * A + math.sqrt(1 - rho**2) * B).heads[0]
    assert abs(head.paired_correlation - rho) < 4 * math.sqrt((1 + rho**2) / (n * d))
    # E s² over m components is m (1 + 2 ρ²) + m (m − 1) ρ².
    m = np.array(head.paired_exponent.dims, dtype=float)
    assert np.allclose(head.paired_exponent.sizes, np.sqrt(m * (1 + 2 * rho**2) + m * (m - 1) * rho**2), rtol=0.03)
    assert abs(head.paired_lift - rho * d / head.within_row_std) < 0.1
