"""The scaling_rules lesson: its pictures show the measured numbers, its sentences and cards say them."""

from dataclasses import replace

import numpy as np
import pytest

from pages._view.lessons.scaling_rules import figures
from pages._view.theme import LIGHT, PROJECTOR, number
from sattn_core.lessons.scaling_rules import (
    BUGS,
    BugParams,
    ExponentParams,
    RulesParams,
    compare_rules,
    measure_bug,
    measure_exponents,
    rule_curves,
)
from sattn_core.scaling_rules import SCALING_RULES
from tests.figures.drawing import PROFILES, check, run


def powers(**fields):
    return measure_exponents(ExponentParams(n_samples=200, **fields))


@pytest.fixture(scope="module")
def rules():
    return compare_rules(RulesParams(d_k=16, n_keys=8, n_queries=4))


@pytest.fixture(scope="module")
def curves():
    return rule_curves(RulesParams(d_k=16, n_keys=8), dims=(4, 16), n_keys=(4, 8, 16))


@pytest.fixture(scope="module")
def museum():
    return {name: measure_bug(BugParams(name, d_model=32, n_heads=4, n_tokens=6)) for name in BUGS}


def chosen(result, name):
    """The result of one rule."""
    return next(rule for rule in result.rules if rule.name == name)


@pytest.mark.parametrize("profile", PROFILES)
def test_every_picture_is_whole(rules, curves, museum, profile):
    for correlation in (0.0, 0.5):
        check(figures.exponents(powers(exponent=0.25, correlation=correlation), profile))
    for name in ("vaswani", "no_scale", "ssmax"):
        check(figures.rules(rules, name, profile))
        check(figures.curves(curves, name, profile))
    for bug in museum.values():
        check(figures.bug(bug, profile))


# --- exponents -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("exponent", [0.0, 0.25, 0.5, 1.0])
def test_the_exponents_stand_on_their_dashed_theory(profile, exponent):
    result = powers(exponent=exponent, correlation=0.5)
    drawn = figures.exponents(result, profile).figure
    for what, fig in zip(("variance", "mean"), drawn.values(), strict=True):
        measured = [trace for trace in fig.data if trace.mode == "markers"]
        theory = [trace for trace in fig.data if trace.line.dash == "dash"]
        assert len(measured) == len(theory) == len(result.curves)
        for curve, dots, line in zip(reversed(result.curves), measured, theory, strict=True):
            np.testing.assert_array_equal(dots.x, result.dims)
            np.testing.assert_array_equal(dots.y, abs(getattr(curve, what)))
            np.testing.assert_array_equal(line.y, getattr(curve, f"{what}_theory"))
            np.testing.assert_array_equal(dots.error_y.array, getattr(curve, f"{what}_error"))
            assert (dots.y - dots.error_y.arrayminus > 0).all()
        check_names_at_line_ends(fig, profile)


def check_names_at_line_ends(fig, profile):
    """Names stand right of the plot, one under the other, in a margin that holds them: they cover no mark."""
    notes, (low, high) = fig.layout.annotations, fig.layout.yaxis.range
    assert all((note.xref, note.x, note.xanchor) == ("paper", 1, "left") for note in notes)
    assert max(len(note.text) for note in notes) * 0.55 * profile.tick_size < fig.layout.margin.r
    pixels = (fig.layout.height - fig.layout.margin.t - fig.layout.margin.b) / (high - low)
    heights = sorted(note.y * pixels for note in notes)
    assert (np.diff(heights) > 1.2 * profile.tick_size).all()
    assert heights[-1] + profile.tick_size / 2 < high * pixels


@pytest.mark.parametrize("exponent", [0.05, 0.45, 0.55, 0.95])
def test_an_exponent_near_a_named_one_keeps_its_name_apart(exponent):
    for fig in figures.exponents(powers(exponent=exponent, correlation=1.0), PROJECTOR).figure.values():
        check_names_at_line_ends(fig, PROJECTOR)


def test_names_move_as_little_as_they_must_and_stay_between_the_ends():
    assert figures._apart([0, 0.2, 5], 1, 6).tolist() == [0, 1, 5]
    assert figures._apart([5, 6, 5.5], 1, 6).tolist() == [4, 6, 5]
    assert figures._apart([3, 1], 1, 6).tolist() == [3, 1]


def test_a_bar_longer_than_its_mean_stays_on_the_log_axis():
    result = powers(exponent=0.25, correlation=0.001)
    assert any((curve.mean_error > abs(curve.mean)).any() for curve in result.curves)
    for trace in figures.exponents(result, LIGHT).figure["exponent_mean"].data:
        if trace.mode == "markers":
            assert (trace.y - trace.error_y.arrayminus > 0).all()


def test_each_exponent_has_one_colour_and_the_learner_s_its_own():
    fig = figures.exponents(powers(exponent=0.25, correlation=0.5), LIGHT).figure["exponent_variance"]
    colours = {trace.name: trace.marker.color for trace in fig.data if trace.mode == "markers"}
    assert colours == {
        "α = 0, raw": LIGHT.raw,
        "½, ÷ √dₖ": LIGHT.scaled,
        "1, ÷ dₖ": LIGHT.third,
        "yours, 0.25": LIGHT.text,
    }


def test_without_a_correlation_there_is_no_mean_to_draw_and_that_is_said():
    fig = figures.exponents(powers(), LIGHT).figure["exponent_mean"]
    assert len(fig.data) == 0
    assert "The mean is 0 at every dₖ" in fig.layout.annotations[0].text


def test_the_axes_are_the_same_for_every_exponent_and_hold_every_point():
    for exponent, correlation in ((0.0, 1.0), (1.0, 0.05), (0.25, -1.0)):
        result = powers(exponent=exponent, correlation=correlation)
        for what, fig in zip(("variance", "mean"), figures.exponents(result, LIGHT).figure.values(), strict=True):
            assert tuple(fig.layout.yaxis.range) == (-3.6, 4.1)
            theory = np.log10([abs(getattr(curve, f"{what}_theory")) for curve in result.curves])
            assert theory.min() > -3.6
            assert theory.max() < 4.1


@pytest.mark.parametrize(
    ("exponent", "correlation", "verdict"),
    [
        (0.5, 0.0, "The variance stays: ½ is the exponent for independent q and k."),
        (0.25, 0.0, "The variance does not stay: only ½ is the exponent for independent q and k."),
        (0.5, 0.5, "The variance stays and the mean grows."),
        (1.0, 0.5, "The mean stays and the variance shrinks."),
        (0.25, -0.5, "Neither stays: the variance needs ½, the mean 1."),
    ],
)
def test_the_sentence_says_which_exponent_is_flat(exponent, correlation, verdict):
    result = powers(exponent=exponent, correlation=correlation)
    said, curve = figures.exponents(result, LIGHT).sentence, result.curves[0]
    assert said.endswith(verdict)
    assert f"{number(curve.variance[-1])} ± {number(curve.variance_error[-1], 1)} (predicted " in said
    assert f"(predicted {number(curve.mean_theory[-1])})" in said


def test_the_exponents_table_and_code_are_the_data():
    result = powers(exponent=1.0, correlation=0.5)
    picture = figures.exponents(result, LIGHT)
    table = picture.table
    assert table["exponent 1: variance"] == result.curves[0].variance.tolist()
    assert table["exponent 0.5: mean, error"] == result.curves[2].mean_error.tolist()
    again = run(picture.code)[0]["result"]
    np.testing.assert_array_equal(again.curves[0].mean, result.curves[0].mean)


# --- the rules -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("name", ["vaswani", "no_scale", "mup", "ssmax"])
def test_every_rule_has_a_point_and_its_number_in_one_row(rules, profile, name):
    fig = figures.rules(rules, name, profile).figure["rule_comparison"]
    assert [trace.x[0] for trace in fig.data] == [rule.effective_keys for rule in rules.rules]
    assert len({trace.y[0] for trace in fig.data}) == len(SCALING_RULES)
    assert [note.y for note in fig.layout.annotations] == [trace.y[0] for trace in fig.data]
    numbers = [number(rule.effective_keys) for rule in rules.rules]
    assert [note.text.removeprefix("<b>").removesuffix("</b>") for note in fig.layout.annotations] == numbers
    assert [note.text.startswith("<b>") for note in fig.layout.annotations] == [
        rule.name == name for rule in rules.rules
    ]
    assert all(note.x == 1 and note.xanchor == "left" for note in fig.layout.annotations)  # right of the plot
    assert 0.6 * profile.tick_size * max(map(len, numbers)) < fig.layout.margin.r
    large = [trace.name for trace in fig.data if trace.marker.size == 2 * profile.marker_size]
    assert large == [SCALING_RULES[name].title]
    assert fig.data[0].marker.color == profile.scaled
    assert fig.data[1].marker.color == profile.raw


@pytest.mark.parametrize("name", ["vaswani", "qk_norm"])
def test_one_query_goes_from_raw_scores_to_weights(rules, name):
    fig = figures.rules(rules, name, LIGHT).figure["rule_scores"]
    here = chosen(rules, name)
    raw, after, weights, *usual = fig.data
    for trace, values in ((raw, rules.raw_scores), (after, here.scores), (weights, here.attention_weights)):
        np.testing.assert_array_equal(trace.y[:-1], values)
    assert fig.layout.yaxis.range == fig.layout.yaxis2.range
    assert fig.layout.yaxis.range[1] > max(abs(rules.raw_scores).max(), abs(here.scores).max())
    assert len(usual) == (name != "vaswani")
    for trace in usual:
        np.testing.assert_array_equal(trace.y[:-1], chosen(rules, "vaswani").attention_weights)


def test_the_rule_s_sentence_table_and_code(rules):
    here, picture = chosen(rules, "soft_cap"), figures.rules(rules, "soft_cap", LIGHT)
    said = picture.sentence
    assert said.startswith("At dₖ = 16 with 8 keys (independent), Soft-cap leaves scores with standard deviation ")
    assert f"entropy {number(here.entropy_nats)} nats and {number(here.effective_keys)} keys in use" in said
    aligned = compare_rules(RulesParams(correlation=0.5))
    assert "correlation 0.5" in figures.rules(aligned, "mup", LIGHT).sentence
    assert picture.table["entropy (nats)"] == [rule.entropy_nats for rule in rules.rules]
    assert run(picture.code)[0]["result"].rules[5].entropy_nats == rules.rules[5].entropy_nats


def test_every_rule_has_its_card_with_its_number_and_its_source(rules):
    cards = figures.cards(rules)
    assert [title for title, *_ in cards] == [rule.title for rule in SCALING_RULES.values()]
    assert "Starting gain at L = 100: 13.2732" in next(texts for title, _, texts in cards if title == "QKNorm")
    for rule, (_, latex, texts) in zip(rules.rules, cards, strict=True):
        assert latex == rule.formula
        assert texts[0] == rule.fixes
        assert texts[2] == f"{rule.source}."


def test_what_a_card_must_not_leave_out(rules):
    said = {rule.name: " ".join(texts) for rule, (_, _, texts) in zip(rules.rules, figures.cards(rules), strict=True)}
    assert "0.43 is the value of the paper's illustrative figure, not a trained one" in said["ssmax"]
    assert "a head with keys of its own" in said["qk_clip"]
    assert "share a rotary key" in said["qk_clip"]
    for words in said.values():
        assert "memory" not in words
        assert "not confirmed" not in words


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("name", ["vaswani", "ssmax"])
def test_the_entropy_curves_are_the_data_and_the_chosen_one_stands_out(curves, profile, name):
    drawn = figures.curves(curves, name, profile).figure
    for fig, x, values in (
        (drawn["rule_entropy_d_k"], curves.dims, curves.against_d_k),
        (drawn["rule_entropy_n_keys"], curves.n_keys, curves.against_n_keys),
    ):
        top, *lines = fig.data
        np.testing.assert_allclose(top.y, np.log(8 if fig is drawn["rule_entropy_d_k"] else x))
        assert {line.name for line in lines} == set(SCALING_RULES)
        for line in lines:
            np.testing.assert_array_equal(line.x, x)
            np.testing.assert_array_equal(line.y, values[curves.names.index(line.name)])
        assert lines[-1].name == name
        assert lines[-1].line.width > max(line.line.width for line in lines[:-1])
        assert len(fig.layout.annotations) == len({name, "vaswani", "no_scale", "mup"})
        check_names_at_line_ends(fig, profile)


def test_the_curves_sentence_table_and_code(curves):
    here = curves.names.index("ssmax")
    picture = figures.curves(curves, "ssmax", LIGHT)
    said, table = picture.sentence, picture.table
    assert said.startswith("Entropy in nats under SSMax: from dₖ = 4 to 16 with 8 keys ")
    assert f"at dₖ = 16 {number(curves.against_n_keys[here, 0])} to {number(curves.against_n_keys[here, -1])}." in said
    assert table["value"] == [4, 16, 4, 8, 16]
    assert table["ssmax"] == [*curves.against_d_k[here], *curves.against_n_keys[here]]
    np.testing.assert_array_equal(run(picture.code)[0]["curves"].against_d_k, curves.against_d_k)


# --- bugs ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("name", BUGS)
def test_a_bug_stands_under_the_right_computation_on_one_axis(museum, profile, name):
    result = museum[name]
    fig = figures.bug(result, profile).figure
    for trace, side in zip(fig.data, (result.right, result.wrong), strict=True):
        np.testing.assert_array_equal(trace.y[:-1], side.attention_weights[0])
        assert max(trace.y) < fig.layout.yaxis.range[1]
    assert fig.layout.yaxis.range == fig.layout.yaxis2.range


@pytest.mark.parametrize("name", BUGS)
def test_a_bug_is_said_in_numbers_and_linked_to_its_public_issue(museum, name):
    result = museum[name]
    picture = figures.bug(result, LIGHT)
    said = picture.sentence
    assert said.startswith(f"{BUGS[name].title}, in 4 heads of 8 dimensions: ")
    for side in (result.right, result.wrong):
        assert f"{number(side.score_std)} (predicted {number(side.predicted_std)})" in said
    assert f"off by {100 * result.output_error:.0f} % of its length" in said
    assert figures.bug_lines(result)[3].startswith("https://github.com/")
    assert figures.bug_table(result)["wrong"][3] == number(result.wrong.entropy_nats)
    for side, shown in ((result.right, "right"), (result.wrong, "wrong")):  # one number, the same digits everywhere
        spread = figures.bug_table(result)[shown][1]
        assert f" {spread} " in said
        assert any(note.text.endswith(f" {spread}") for note in picture.figure.layout.annotations)
        assert number(side.score_std) == spread
    assert picture.table["wrong"] == result.wrong.attention_weights[0].tolist()
    assert run(picture.code)[0]["result"].output_error == result.output_error


def test_the_museum_says_whether_a_bug_could_go_unseen(museum):
    results = list(museum.values())
    least, most = (pick(results, key=lambda each: each.output_error) for pick in (min, max))
    assert figures.museum_sentence(results) == (
        "None of the 6 bugs leaves the output within 10 % of what it should be: it is off by "
        f"{100 * least.output_error:.0f} % of its length ({least.bug.title}) to "
        f"{100 * most.output_error:.0f} % of its length ({most.bug.title})."
    )
    harmless = [replace(results[0], output_error=0.03), replace(results[1], output_error=0.09), *results[2:]]
    said = figures.museum_sentence(harmless)
    assert said.startswith("d_model in place of d_k and Scale forgotten leave the output within 10 %")
    assert "off by 3 % of its length (d_model in place of d_k) to" in said
