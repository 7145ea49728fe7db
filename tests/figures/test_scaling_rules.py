"""Pictures of the scaling_rules lesson: plotted data and stated numbers equal those of the results."""

import re
from dataclasses import replace

import numpy as np
import pytest

from pages._view.figures.ends import apart
from pages._view.lessons.scaling_rules import figures, work
from pages._view.theme import LIGHT, PROJECTOR, number
from sattn_core.draws.short_answers import short_answers
from sattn_core.laws.saturation import expected_attention
from sattn_core.layers.rules import SCALING_RULES
from sattn_core.lessons import scaling_rules as core
from tests.figures.drawing import plotted


def powers(dims=core.EXPONENT_DIMS, **fields):
    return core.measure_exponents(core.ExponentParams(n_samples=200, **fields), dims)


@pytest.fixture(scope="module")
def rules():
    return core.compare_rules(core.RulesParams(d_k=16, n_keys=8, n_queries=4))


@pytest.fixture(scope="module")
def curves():
    return core.rule_curves(core.RulesParams(d_k=16, n_keys=8), dims=(4, 16), n_keys=(4, 8, 16))


@pytest.fixture(scope="module")
def museum():
    return {name: core.measure_bug(core.BugParams(name, d_model=32, n_heads=4, n_tokens=6)) for name in core.BUGS}


def chosen(result, name):
    """Return the result of the rule with this name."""
    return next(rule for rule in result.rules if rule.name == name)


# --- exponents -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("exponent", [0.0, 0.25, 0.5, 1.0])
def test_points_are_measured_moments_and_dashed_lines_are_theory(exponent):
    result = powers(exponent=exponent, correlation=0.5)
    drawn = plotted(figures.exponents(result, 64, LIGHT)), plotted(figures.means(result, LIGHT))
    for what, fig in zip(("variance", "mean"), drawn, strict=True):
        measured = [trace for trace in fig.data if trace.mode == "markers"]
        theory = [trace for trace in fig.data if trace.line.dash == "dash"]
        assert len(measured) == len(theory) == len(result.curves)
        for curve, dots, line in zip(reversed(result.curves), measured, theory, strict=True):
            np.testing.assert_array_equal(dots.x, result.dims)
            np.testing.assert_array_equal(dots.y, abs(getattr(curve, what)))
            np.testing.assert_array_equal(line.y, getattr(curve, f"{what}_theory"))
            np.testing.assert_array_equal(dots.error_y.array, getattr(curve, f"{what}_error"))
            assert (dots.y - dots.error_y.arrayminus > 0).all()
    table = figures.exponents(result, 64, LIGHT).table
    for curve in result.curves:
        assert table[f"exponent {curve.exponent:g}: variance"] == curve.variance.tolist()
        assert table[f"exponent {curve.exponent:g}: mean, error"] == curve.mean_error.tolist()


def test_chosen_d_k_is_marked_by_a_line_and_larger_points():
    result = powers(exponent=0.25, correlation=0.5, dims=(1, 2, 3, 4, 100, 1024))
    for d_k in (1, 100, 1024):
        fig = plotted(figures.exponents(result, d_k, LIGHT))
        assert [(line.x0, line.x1) for line in fig.layout.shapes] == [(d_k, d_k)]
        for dots in (trace for trace in fig.data if trace.mode == "markers"):
            assert list(dots.x) == sorted({1, 2, 4, d_k, 1024})  # the powers of 2 and the slider's value
            assert [x for x, size in zip(dots.x, dots.marker.size, strict=True) if size > LIGHT.marker_size] == [d_k]


def test_labels_are_moved_apart_as_little_as_possible():
    assert apart([0, 0.2, 5], 1, 6).tolist() == [0, 1, 5]
    assert apart([5, 6, 5.5], 1, 6).tolist() == [4, 6, 5]
    assert apart([3, 1], 1, 6).tolist() == [3, 1]


@pytest.mark.parametrize(
    ("exponent", "correlation", "said", "verdict"),
    [
        (0.0, 0.0, "grows with dₖ", "does not stay the same: only ½ is right for independent q and k."),
        (0.25, 0.0, "grows with dₖ", "does not stay the same: only ½ is right for independent q and k."),
        (0.5, 0.0, "about the same at every dₖ", "stays the same: ½ is right for independent q and k."),
        (0.75, 0.0, "shrinks with dₖ", "does not stay the same: only ½ is right for independent q and k."),
        (0.5, 0.5, "", "The variance stays and the mean runs off."),
        (1.0, 0.5, "", "The mean stays and the variance shrinks."),
        (0.25, -0.5, "", "Neither stays the same, for the variance needs ½ and the mean 1."),
    ],
)
def test_words_describe_the_effect_of_the_exponent_on_the_moments(exponent, correlation, said, verdict):
    result = powers(exponent=exponent, correlation=correlation)
    picture, curve = figures.exponents(result, 64, LIGHT), result.curves[0]
    assert said in picture.sentence
    assert number(curve.variance[result.dims.index(64)], 2) in picture.sentence
    assert picture.sure[0].endswith(verdict)
    for off, inside in ((0, "inside"), (3, "outside")):
        moved = replace(curve, variance=curve.variance_theory + off * curve.variance_error)
        shown = figures.exponents(replace(result, curves=(moved, *result.curves[1:])), 64, LIGHT)
        assert shown.checks["verdict"][0] == f"{inside} ± 1.96"


# --- the rules -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["vaswani", "no_scale", "mup", "ssmax"])
def test_every_rule_has_a_point_and_its_number_of_keys(rules, name):
    fig = plotted(figures.rules(rules, name, LIGHT))
    keys = [rule.effective_keys for rule in rules.rules]
    assert [trace.x[0] for trace in fig.data] == keys
    assert [re.sub("</?b>", "", note.text) for note in fig.layout.annotations] == [number(each) for each in keys]
    large = [trace.name for trace in fig.data if trace.marker.size == 2 * LIGHT.marker_size]
    assert large == [SCALING_RULES[name].title]
    assert figures.rules(rules, name, LIGHT).table["entropy (nats)"] == [rule.entropy_nats for rule in rules.rules]


@pytest.mark.parametrize("name", ["vaswani", "qk_norm"])
def test_picture_of_a_rule_shows_raw_scores_scaled_scores_and_weights(rules, name):
    fig = plotted(figures.one_rule(rules, name, LIGHT))
    here = chosen(rules, name)
    raw, after, weights, *usual = fig.data
    for trace, values in ((raw, rules.raw_scores), (after, here.scores), (weights, here.attention_weights)):
        np.testing.assert_array_equal(trace.y[:-1], values)
    assert fig.layout.yaxis.range == fig.layout.yaxis2.range
    assert fig.layout.yaxis.range[1] > max(abs(rules.raw_scores).max(), abs(here.scores).max())
    assert len(usual) == (name != "vaswani")
    for trace in usual:
        np.testing.assert_array_equal(trace.y[:-1], chosen(rules, "vaswani").attention_weights)


@pytest.mark.parametrize("n_keys", [8, 16, 64])
@pytest.mark.parametrize("correlation", [0.0, 1.0])
def test_label_of_the_dotted_weights_covers_no_weight(n_keys, correlation):
    for d_k in (1, 64, 1024):
        params = core.RulesParams(d_k=d_k, n_keys=n_keys, n_queries=8, correlation=correlation)
        result = core.compare_rules(params)
        for name in ("no_scale", "mup", "ssmax"):
            fig = plotted(figures.one_rule(result, name, LIGHT))
            *_, weights, usual = fig.data
            note = fig.layout.annotations[3]
            assert note.text == "÷ √dₖ"
            assert note.y <= 0.7
            for trace in (weights, usual):
                keys = np.arange(1, n_keys + 1)
                assert note.y >= np.asarray(trace.y)[:-1][abs(keys - note.x) < 0.1 * n_keys].max()


def test_a_wall_has_rules_in_three_columns_and_panels_side_by_side(rules, museum):
    fig = plotted(figures.rules(rules, "mup", PROJECTOR))
    assert [trace.x[0] for trace in fig.data] == [rule.effective_keys for rule in rules.rules]
    assert len({trace.xaxis for trace in fig.data}) == 3
    for picture in (figures.one_rule(rules, "mup", PROJECTOR), figures.bug(list(museum.values()), "twice", PROJECTOR)):
        layout = plotted(picture).layout
        ends = [layout[name].domain for name in ("xaxis", "xaxis2")]
        assert ends[0][1] < ends[1][0]


def with_keys(rules, **keys):
    """Return a result with other effective numbers of keys for some rules."""
    changed = [replace(rule, effective_keys=keys.get(rule.name, rule.effective_keys)) for rule in rules.rules]
    return replace(rules, rules=tuple(changed))


@pytest.mark.parametrize(
    ("name", "keys", "said"),
    [
        ("mup", {"mup": 1.01, "vaswani": 4.0}, "about one key is in use with muP, fewer than with ÷ √dₖ."),
        ("mup", {"mup": 4.01, "vaswani": 4.0}, "about 4.0 keys are in use with muP, as many as with ÷ √dₖ."),
        ("t5", {"t5": 7.0, "vaswani": 4.0}, "about 7.0 keys are in use with T5, more than with ÷ √dₖ."),
        ("vaswani", {"vaswani": 4.0, "no_scale": 1.5}, "with ÷ √dₖ, and about 1.5 without the scale."),
        ("vaswani", {"vaswani": 4.0, "no_scale": 4.0}, "with ÷ √dₖ, and as many without the scale."),
    ],
)
def test_sentence_compares_the_rule_with_the_usual_one(rules, name, keys, said):
    assert figures.rules(with_keys(rules, **keys), name, LIGHT).sentence.endswith(said)


@pytest.mark.parametrize(("peak", "said"), [(0.9, "sharper than"), (0.5, "as sharp as"), (0.2, "flatter than")])
def test_how_sure_fold_compares_the_largest_weight_with_the_usual_one(rules, peak, said):
    changed = {"mup": np.full(8, peak), "vaswani": np.full(8, 0.5)}
    others = [replace(each, attention_weights=changed.get(each.name, each.attention_weights)) for each in rules.rules]
    picture = figures.one_rule(replace(rules, rules=tuple(others)), "mup", LIGHT)
    assert picture.sure == (f"On this query muP 1/dₖ is {said} 1/√dₖ.",)


def test_every_rule_has_a_card(rules):
    assert [formula for _, formula, _ in figures.cards(rules)] == [rule.formula for rule in rules.rules]
    assert "Starting gain at L = 100: 13.2732" in next(
        texts for name, _, texts in figures.cards(rules) if name == "QKNorm"
    )


@pytest.mark.parametrize("name", ["vaswani", "ssmax"])
def test_entropy_curves_show_the_data_and_the_chosen_one_is_wider(curves, name):
    drawn = plotted(figures.curves(curves, name, LIGHT))
    for panel, x, values in (("x", curves.dims, curves.against_d_k), ("x2", curves.n_keys, curves.against_n_keys)):
        top, *lines = [trace for trace in drawn.data if trace.xaxis == panel]
        np.testing.assert_allclose(top.y, np.log(8 if panel == "x" else x))
        assert {line.name for line in lines} == set(SCALING_RULES)
        for line in lines:
            np.testing.assert_array_equal(line.x, x)
            np.testing.assert_array_equal(line.y, values[curves.names.index(line.name)])
        assert lines[-1].name == name
        assert lines[-1].line.width > max(line.line.width for line in lines[:-1])
    here, table = curves.names.index(name), figures.curves(curves, name, LIGHT).table
    assert table[name] == [*curves.against_d_k[here], *curves.against_n_keys[here]]


def with_curves(curves, name, d_k, keys, error=0.0):
    """Return curves with other values for one rule."""
    here, changed = curves.names.index(name), {}
    for what, values in (("against_d_k", d_k), ("against_n_keys", keys)):
        for field, value in ((what, values), (f"{what}_error", error)):
            changed[field] = getattr(curves, field).copy()
            changed[field][here] = value
    return replace(curves, **changed)


@pytest.mark.parametrize(
    ("d_k", "keys", "error", "d_k_said", "keys_said"),
    [
        ((1.0, 0.5), (1.0, 5.0, 1.02), 0.0, "falls with dₖ", ", peaks with more keys"),
        ((1.0, 0.5), (1.0, 0.2, 0.4), 0.0, "falls with dₖ", ", dips with more keys"),
        ((1.0, 0.5), (0.95, 1.06, 0.62), 0.0, "falls with dₖ", ", peaks with more keys"),
        ((1.0, 0.5), (0.62, 0.5, 1.0), 0.0, "falls with dₖ", ", dips with more keys"),
        ((1.0, 0.95), (1.0, 1.05, 1.02), 0.0, "hardly changes with dₖ", " and with more keys"),
        ((1.0, 1.4), (1.0, 1.5, 3.0), 0.0, "grows with dₖ", " and with more keys"),
        ((1.0, 1.4), (1.0, 1.5, 3.0), 0.2, "hardly changes with dₖ", ", grows with more keys"),
        ((1.0, 1.4), (1.0, 1.5, 3.0), np.nan, "grows with dₖ", " and with more keys"),
    ],
)
def test_how_sure_fold_says_if_the_curves_grow_fall_peak_or_dip(curves, d_k, keys, error, d_k_said, keys_said):
    picture = figures.curves(with_curves(curves, "ssmax", d_k, keys, error), "ssmax", LIGHT)
    assert picture.sure[0] == f"Under SSMax entropy {d_k_said}{keys_said}."


# Rules that multiply scores by a factor have exact averages for independent q and k. n: number of keys.
FACTORS = {
    "vaswani": lambda d_k, n: d_k**-0.5,
    "no_scale": lambda d_k, n: 1.0,
    "mup": lambda d_k, n: 1 / d_k,
    "granite": lambda d_k, n: 1 / 128,
    "gemma_2_27b": lambda d_k, n: 1 / 12,
    "sigma_reparam": lambda d_k, n: d_k**-0.5 / 4,
    "t5": lambda d_k, n: d_k**-0.5,
    "log_n": lambda d_k, n: d_k**-0.5 * np.log(n) / np.log(512),
    "ssmax": lambda d_k, n: d_k**-0.5 * 0.43 * np.log(n),
}


@pytest.mark.parametrize("n_keys", [2, 16, 64])
def test_words_on_the_curves_agree_with_exact_entropies_for_every_seed(n_keys):
    dims, lengths = work.CURVES["dims"], (4, 64, 256)
    for seed in range(8):
        found = core.rule_curves(core.RulesParams(64, n_keys, seed=seed), dims=dims, n_keys=lengths)
        for name, factor in FACTORS.items():
            claim = figures.curves(found, name, LIGHT).sure[0]
            d_k_said, keys_said = claim.split(" entropy ")[1].split(" with dₖ")
            keys_said = d_k_said if keys_said.startswith(" and") else keys_said.removeprefix(", ")
            for said, places in ((d_k_said, [(d, n_keys) for d in dims]), (keys_said, [(64, n) for n in lengths])):
                exact = [expected_attention(n, d, factor(d, n)).entropy_nats for d, n in places]
                step = exact[-1] - exact[0]  # all exact curves are monotonic
                if said.startswith("hardly"):
                    assert abs(step) < 0.2, (seed, name, exact)
                else:
                    assert said.startswith("grows" if step > 0 else "falls"), (seed, name, said, exact)
                    assert abs(step) > 0.03, (seed, name, said, exact)


# --- bugs ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", core.BUGS)
def test_weights_with_and_without_a_bug_share_one_axis(museum, name):
    result, picture = museum[name], figures.bug(list(museum.values()), name, LIGHT)
    fig = plotted(picture)
    for trace, side in zip(fig.data, (result.right, result.wrong), strict=True):
        np.testing.assert_array_equal(trace.y[:-1], side.attention_weights[0])
        np.testing.assert_array_equal(picture.table[trace.name], side.attention_weights[0])
    assert fig.layout.yaxis.range == fig.layout.yaxis2.range
    flat = result.wrong.entropy_nats > result.right.entropy_nats
    assert f"attention is too {'flat' if flat else 'sharp'}" in picture.sentence
    ratio = result.wrong.score_std / result.right.score_std
    assert (
        f"{number(1 / ratio, 2)} times too little" if flat else f"{number(ratio, 2)} times too far"
    ) in picture.sentence


def test_how_sure_fold_names_bugs_that_could_go_unnoticed(museum):
    results = list(museum.values())
    assert figures.bug(results, "twice", LIGHT).sure[1].startswith("None of the 7 bugs leaves the output within 10 %")
    harmless = [replace(results[0], output_error=0.03), replace(results[1], output_error=0.09), *results[2:]]
    said = figures.bug(harmless, "twice", LIGHT).sure[1]
    assert said.startswith("The model width in place of dₖ and Scale forgotten leave the output within 10 %")


# --- short answers ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("correlation", [-1.0, -0.05, 0.05, 0.5, 1.0])
def test_mean_stays_constant_only_if_divided_by_d_k(correlation):
    """Compare the mean with its theory, E[q·k] = ρ dₖ."""
    result = core.measure_exponents(core.ExponentParams(exponent=0.25, correlation=correlation), core.EXPONENT_DIMS)
    for curve in result.curves:
        theory = correlation * np.array(result.dims, dtype=float) ** (1 - curve.exponent)
        assert (np.abs(curve.mean - theory) < 4.5 * curve.mean_error).all()
        assert curve.mean_is_flat == (np.ptp(theory) == 0)
    assert figures.means(result, LIGHT).sentence.startswith("Divided by dₖ the mean stays near ")


def test_scores_after_rms_norm_are_bounded_only_at_gain_1():
    q = np.random.default_rng(0).standard_normal(64)
    q /= np.sqrt(np.mean(q**2))
    said = dict(figures.answers(short_answers()))["**RMSNorm, QK-norm**"]
    assert q @ q / 8 == pytest.approx(8)
    assert (1.5 * q) @ (1.5 * q) / 8 > 8
    assert said.endswith("with a gain of 1 no score exceeds √dₖ = 8.")


def test_every_short_answer_gives_the_numbers_of_its_result():
    found = short_answers()
    said = {name.strip("*"): text for name, text in figures.answers(found)}
    assert len(said) == 8
    for name, values in {
        "Causal mask": (found.plain, found.causal),
        "Rotary positions": (found.plain, found.rotary),
        "Grouped queries": (found.plain, found.grouped),
        "RMSNorm, QK-norm": (found.normed,),
    }.items():
        assert all(number(each) in said[name] for each in values), name
    assert all(number(each, 2) in said[name] for name, each in (("FlashAttention", found.tiled), ("MLA", found.latent)))


def test_card_of_mup_claims_nothing_about_random_q_and_k():
    """In wrong_choice q and k are random, and ÷ dₖ needs another rate at each size: the card must not deny this."""
    said = SCALING_RULES["mup"].fixes
    assert "align while training" in said
    assert "of random q and k it says nothing" in said
    assert "one learning rate" not in said
    assert 8 / 64 == 1 / np.sqrt(64)
    rng = np.random.default_rng(0)
    for d_k in (64, 1024):
        q = rng.standard_normal((20_000, d_k))
        aligned = 0.5 * q + np.sqrt(0.75) * rng.standard_normal(q.shape)
        assert (q * aligned).sum(axis=1).mean() / d_k == pytest.approx(0.5, abs=0.01)  # the mean grows like dₖ
