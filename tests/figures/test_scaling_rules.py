"""The scaling_rules lesson: its pictures show the measured numbers, its sentences and cards say them."""

from dataclasses import replace

import numpy as np
import pytest

from pages._view.figures.ends import apart
from pages._view.lessons.scaling_rules import figures, work
from pages._view.literal import written
from pages._view.theme import LIGHT, PROJECTOR, number
from sattn_core.lessons.scaling_rules import (
    BUGS,
    EXPONENT_DIMS,
    BugParams,
    ExponentParams,
    RulesParams,
    compare_rules,
    measure_bug,
    measure_exponents,
    rule_curves,
)
from sattn_core.saturation import expected_attention
from sattn_core.scaling_rules import SCALING_RULES
from sattn_core.short_answers import short_answers
from tests.figures.drawing import plotted


def powers(dims=EXPONENT_DIMS, **fields):
    return measure_exponents(ExponentParams(n_samples=200, **fields), dims)


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


# --- exponents -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("exponent", [0.0, 0.25, 0.5, 1.0])
def test_the_exponents_stand_on_their_dashed_theory(exponent):
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
        check_names_at_line_ends(fig, LIGHT)


def test_the_dimension_of_the_slider_is_a_line_with_larger_points_and_the_axes_stay():
    result = powers(exponent=0.25, correlation=0.5, dims=(1, 2, 3, 4, 100, 1024))
    figs = {d_k: plotted(figures.exponents(result, d_k, LIGHT)) for d_k in (1, 100, 1024)}
    assert len({(fig.layout.xaxis.range, fig.layout.yaxis.range) for fig in figs.values()}) == 1
    for d_k, fig in figs.items():
        (line,) = fig.layout.shapes
        assert (line.x0, line.x1, line.line.dash) == (d_k, d_k, "dot")
        for dots in (trace for trace in fig.data if trace.mode == "markers"):
            assert list(dots.x) == sorted({1, 2, 4, d_k, 1024})  # the powers of 2 and where the slider stands
            assert [x for x, size in zip(dots.x, dots.marker.size, strict=True) if size > LIGHT.marker_size] == [d_k]


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
    result = powers(exponent=exponent, correlation=1.0)
    for picture in (figures.exponents(result, 64, PROJECTOR), figures.means(result, PROJECTOR)):
        check_names_at_line_ends(plotted(picture), PROJECTOR)


def test_names_move_as_little_as_they_must_and_stay_between_the_ends():
    assert apart([0, 0.2, 5], 1, 6).tolist() == [0, 1, 5]
    assert apart([5, 6, 5.5], 1, 6).tolist() == [4, 6, 5]
    assert apart([3, 1], 1, 6).tolist() == [3, 1]


def test_each_exponent_has_one_colour_and_fits_on_the_axes():
    fig = plotted(figures.exponents(powers(exponent=0.25, correlation=0.5), 64, LIGHT))
    colours = {trace.name: trace.marker.color for trace in fig.data if trace.mode == "markers"}
    assert colours == {
        "α = 0, raw": LIGHT.raw,
        "½, ÷ √dₖ": LIGHT.scaled,
        "1, ÷ dₖ": LIGHT.third,
        "yours, 0.25": LIGHT.text,
    }
    for exponent, correlation in ((0.0, 1.0), (1.0, 0.05), (0.25, -1.0)):
        result = powers(exponent=exponent, correlation=correlation)
        for what, drawn in (("variance", figures.exponents(result, 64, LIGHT)), ("mean", figures.means(result, LIGHT))):
            fig = plotted(drawn)
            assert tuple(fig.layout.yaxis.range) == (-3.6, 4.1)
            theory = np.log10([abs(getattr(curve, f"{what}_theory")) for curve in result.curves])
            assert theory.min() > -3.6
            assert theory.max() < 4.1
    result = powers(exponent=0.25, correlation=0.001)
    assert any((curve.mean_error > abs(curve.mean)).any() for curve in result.curves)
    for trace in plotted(figures.means(result, LIGHT)).data:
        if trace.mode == "markers":
            assert (trace.y - trace.error_y.arrayminus > 0).all()


def test_without_a_correlation_there_is_no_mean_and_with_one_the_sentence_says_where_it_ends():
    picture = figures.means(powers(), LIGHT)
    assert len(plotted(picture).data) == 0
    assert "The mean is 0 at every dₖ" in plotted(picture).layout.annotations[0].text
    assert picture.claim == "Without correlation the mean is 0 at every exponent"
    assert (
        figures.means(powers(correlation=0.5), LIGHT).claim
        == "Of these powers, only ÷ dₖ keeps the mean of correlated pairs"
    )
    result = powers(exponent=0.25, correlation=-0.5)
    mean = {curve.exponent: number(curve.mean[-1], 2) for curve in result.curves}
    sentence = figures.means(result, LIGHT).sentence
    assert f"stays near {mean[1.0]}; " in sentence
    assert f"to {mean[0.5]} at dₖ = 1,024." in sentence
    assert "scatter around 0" in figures.means(powers(), LIGHT).sentence
    result = powers(exponent=1.0, correlation=0.5)
    picture = figures.exponents(result, 64, LIGHT)
    table = picture.table
    assert table["exponent 1: variance"] == result.curves[0].variance.tolist()
    assert table["exponent 0.5: mean, error"] == result.curves[2].mean_error.tolist()


@pytest.mark.parametrize(
    ("exponent", "correlation", "verdict"),
    [
        (0.5, 0.0, "The variance stays the same: ½ is right for independent q and k."),
        (0.25, 0.0, "The variance does not stay the same: only ½ is right for independent q and k."),
        (0.5, 0.5, "The variance stays and the mean runs off."),
        (1.0, 0.5, "The mean stays and the variance shrinks."),
        (0.25, -0.5, "Neither stays the same, for the variance needs ½ and the mean 1."),
    ],
)
def test_how_sure_says_which_exponent_is_flat(exponent, correlation, verdict):
    result = powers(exponent=exponent, correlation=correlation)
    picture, curve = figures.exponents(result, 64, LIGHT), result.curves[0]
    said, i = picture.sure[0], result.dims.index(64)
    assert said.endswith(verdict)
    assert f"{number(curve.variance[-1])} ± {number(curve.variance_error[-1], 1)} (predicted " in said
    assert f"(predicted {number(curve.mean_theory[-1])})" in figures.means(result, LIGHT).sure[0]
    assert picture.checks["predicted"][0] == number(curve.variance_theory[i])
    z = (curve.variance[i] - curve.variance_theory[i]) / curve.variance_error[i]
    assert picture.checks["z"][0] == number(z, 2)
    assert picture.checks["verdict"][0] == f"{'inside' if abs(z) < 1.96 else 'outside'} ± 1.96"
    off = replace(curve, variance=curve.variance_theory + 3 * curve.variance_error)
    assert figures.exponents(replace(result, curves=(off, *result.curves[1:])), 64, LIGHT).checks["verdict"][0] == (
        "outside ± 1.96"
    )


@pytest.mark.parametrize(
    ("exponent", "d_k", "said"),
    [
        (0.0, 64, "At dₖ = 64 the raw scores have variance {here}, which grows with dₖ; divided by √dₖ it stays near"),
        (0.25, 64, "At dₖ = 64, α = 0.25 leaves a variance of {here}, which grows with dₖ; only √dₖ keeps it flat."),
        (0.75, 64, "At dₖ = 64, α = 0.75 leaves a variance of {here}, which shrinks with dₖ; only √dₖ keeps it flat."),
        (1.0, 64, "At dₖ = 64, dividing by dₖ leaves a variance of {here}, which shrinks with dₖ"),
        (0.5, 64, "divided by √dₖ, about the same at every dₖ."),
        (0.25, 1, "At dₖ = 1 the variance is {here} whatever the exponent is"),
    ],
)
def test_the_sentence_says_what_the_exponent_does_to_the_variance(exponent, d_k, said):
    result = powers(exponent=exponent)
    here = number(result.curves[0].variance[result.dims.index(d_k)], 2)
    sentence = figures.exponents(result, d_k, LIGHT).sentence
    assert said.format(here=here) in sentence
    assert here in sentence


# --- the rules -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["vaswani", "no_scale", "mup", "ssmax"])
def test_every_rule_has_a_point_and_its_number_in_one_row(rules, name):
    fig = plotted(figures.rules(rules, name, LIGHT))
    assert [trace.x[0] for trace in fig.data] == [rule.effective_keys for rule in rules.rules]
    assert len({trace.y[0] for trace in fig.data}) == len(SCALING_RULES)
    assert [note.y for note in fig.layout.annotations] == [trace.y[0] for trace in fig.data]
    numbers = [number(rule.effective_keys) for rule in rules.rules]
    assert [note.text.removeprefix("<b>").removesuffix("</b>") for note in fig.layout.annotations] == numbers
    assert [note.text.startswith("<b>") for note in fig.layout.annotations] == [
        rule.name == name for rule in rules.rules
    ]
    assert all(note.x == 1 and note.xanchor == "left" for note in fig.layout.annotations)  # right of the plot
    assert 0.6 * LIGHT.tick_size * max(map(len, numbers)) < fig.layout.margin.r
    large = [trace.name for trace in fig.data if trace.marker.size == 2 * LIGHT.marker_size]
    assert large == [SCALING_RULES[name].title]
    assert fig.data[0].marker.color == LIGHT.scaled
    assert fig.data[1].marker.color == LIGHT.raw


@pytest.mark.parametrize("name", ["vaswani", "qk_norm"])
def test_one_query_goes_from_raw_scores_to_weights(rules, name):
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


def test_the_rule_s_sentence_table_and_code(rules):
    here, picture = chosen(rules, "soft_cap"), figures.rules(rules, "soft_cap", LIGHT)
    assert picture.sentence.startswith(
        f"At dₖ = 16 about {number(here.effective_keys, 2)} keys are in use with Soft-cap"
    )
    said = picture.sure[0]
    assert said.startswith("At dₖ = 16 with 8 keys (independent), Soft-cap leaves scores with standard deviation ")
    assert f"entropy {number(here.entropy_nats)} nats and {number(here.effective_keys)} keys in use" in said
    aligned = compare_rules(RulesParams(correlation=0.5))
    assert "correlation 0.5" in figures.rules(aligned, "mup", LIGHT).sure[0]
    assert picture.table["entropy (nats)"] == [rule.entropy_nats for rule in rules.rules]


def with_keys(rules, **keys):
    """The same result with other numbers of keys in use."""
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
def test_the_sentence_compares_the_rule_with_the_usual_one(rules, name, keys, said):
    assert figures.rules(with_keys(rules, **keys), name, LIGHT).sentence.endswith(said)


@pytest.mark.parametrize(("peak", "said"), [(0.9, "sharper than"), (0.5, "as sharp as"), (0.2, "flatter than")])
def test_the_claim_compares_the_largest_weights_of_the_query(rules, peak, said):
    changed = {"mup": np.full(8, peak), "vaswani": np.full(8, 0.5)}
    others = [replace(each, attention_weights=changed.get(each.name, each.attention_weights)) for each in rules.rules]
    picture = figures.one_rule(replace(rules, rules=tuple(others)), "mup", LIGHT)
    assert picture.claim == f"On this query muP 1/dₖ is {said} 1/√dₖ"
    assert picture.sentence == f"On this query the largest weight is {number(peak, 2)} with muP and 0.50 with ÷ √dₖ."


def test_every_rule_has_its_card_and_nothing_is_left_out(rules):
    cards = figures.cards(rules)
    assert [title for title, *_ in cards] == [rule.title for rule in SCALING_RULES.values()]
    assert "Starting gain at L = 100: 13.2732" in next(texts for title, _, texts in cards if title == "QKNorm")
    for rule, (_, latex, texts) in zip(rules.rules, cards, strict=True):
        assert latex == rule.formula
        assert texts[0] == rule.fixes
        assert texts[2] == f"{rule.source}."
    said = {rule.name: " ".join(texts) for rule, (_, _, texts) in zip(rules.rules, figures.cards(rules), strict=True)}
    assert "0.43 is the value of the paper's illustrative figure, not a trained one" in said["ssmax"]
    assert "a head with keys of its own" in said["qk_clip"]
    assert "share a rotary key" in said["qk_clip"]
    for words in said.values():
        assert "memory" not in words
        assert "not confirmed" not in words


@pytest.mark.parametrize("name", ["vaswani", "ssmax"])
def test_the_entropy_curves_are_the_data_and_the_chosen_one_stands_out(curves, name):
    drawn = plotted(figures.curves(curves, name, LIGHT))
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
        check_names_at_line_ends(fig, LIGHT)


def test_the_curves_sentence_table_and_code(curves):
    here = curves.names.index("ssmax")
    picture = figures.curves(curves, "ssmax", LIGHT)
    said, table = picture.sure[0], picture.table
    assert said.startswith("Entropy in nats with SSMax: from dₖ = 4 to 16 with 8 keys ")
    for values, errors in (
        (curves.against_d_k, curves.against_d_k_error),
        (curves.against_n_keys, curves.against_n_keys_error),
    ):
        ends = (f"{number(values[here, end])} ± {number(errors[here, end], 1)}" for end in (0, -1))
        assert " to ".join(ends) in said
    assert f"stays near {number(curves.against_d_k[here].mean(), 2)} nats" in picture.sentence
    assert table["value"] == [4, 16, 4, 8, 16]
    assert table["ssmax"] == [*curves.against_d_k[here], *curves.against_n_keys[here]]


def with_curves(curves, name, d_k, keys, error=0.0):
    """The curves of one rule set by hand."""
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
def test_the_claim_of_the_curves_says_which_way_they_run(curves, d_k, keys, error, d_k_said, keys_said):
    picture = figures.curves(with_curves(curves, "ssmax", d_k, keys, error), "ssmax", LIGHT)
    assert picture.claim == f"Under SSMax entropy {d_k_said}{keys_said}"


@pytest.mark.parametrize(
    ("d_k", "said"),
    [
        ((1.2, 0.5), "goes from 1.2 to 0.50 nats as dₖ grows"),
        ((1.2, 1.21), "stays near 1.2 nats as dₖ grows"),
        ((0.5, 1.2), "goes from 0.50 to 1.2 nats as dₖ grows"),
    ],
)
def test_the_sentence_of_the_curves_says_where_they_run(curves, d_k, said):
    assert said in figures.curves(with_curves(curves, "mup", d_k, (1, 2, 3)), "mup", LIGHT).sentence


# Rules that multiply the scores of independent pairs have exact averages; SSMax and log n look at the number of keys.
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
def test_no_seed_says_of_the_entropy_what_exact_averages_deny(n_keys):
    dims, lengths = work.CURVES["dims"], (4, 64, 256)
    for seed in range(8):
        found = rule_curves(RulesParams(64, n_keys, seed=seed), dims=dims, n_keys=lengths)
        for name, factor in FACTORS.items():
            claim = figures.curves(found, name, LIGHT).claim
            d_k_said, keys_said = claim.split(" entropy ")[1].split(" with dₖ")
            keys_said = d_k_said if keys_said.startswith(" and") else keys_said.removeprefix(", ")
            for said, places in ((d_k_said, [(d, n_keys) for d in dims]), (keys_said, [(64, n) for n in lengths])):
                exact = [expected_attention(n, d, factor(d, n)).entropy_nats for d, n in places]
                step = exact[-1] - exact[0]  # all of these run one way
                if said.startswith("hardly"):
                    assert abs(step) < 0.2, (seed, name, exact)
                else:
                    assert said.startswith("grows" if step > 0 else "falls"), (seed, name, said, exact)
                    assert abs(step) > 0.03, (seed, name, said, exact)


# --- bugs ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", BUGS)
def test_a_bug_stands_under_the_right_computation_on_one_axis(museum, name):
    result = museum[name]
    fig = plotted(figures.bug(list(museum.values()), name, LIGHT))
    for trace, side in zip(fig.data, (result.right, result.wrong), strict=True):
        np.testing.assert_array_equal(trace.y[:-1], side.attention_weights[0])
        assert max(trace.y) < fig.layout.yaxis.range[1]
    assert fig.layout.yaxis.range == fig.layout.yaxis2.range


@pytest.mark.parametrize("name", BUGS)
def test_a_bug_is_said_in_numbers_and_linked_to_its_public_issue(museum, name):
    result = museum[name]
    picture = figures.bug(list(museum.values()), name, LIGHT)
    said, checks = picture.sure[0], picture.checks
    assert said.startswith(f"{written(BUGS[name].title)}, in 4 heads of 8 dimensions: ")
    for side in (result.right, result.wrong):
        assert f"{number(side.score_std)} (predicted {number(side.predicted_std)})" in said
    assert f"off by {100 * result.output_error:.0f} % of its length" in said
    assert figures.bug_lines(name)[3].startswith("https://github.com/")
    assert checks["wrong"][3] == number(result.wrong.entropy_nats)
    for side, shown in ((result.right, "right"), (result.wrong, "wrong")):  # one number, the same digits everywhere
        spread = checks[shown][1]
        assert f" {spread} " in said
        assert any(note.text.endswith(f" {spread}") for note in plotted(picture).layout.annotations)
        assert number(side.score_std) == spread
    assert picture.table["wrong"] == result.wrong.attention_weights[0].tolist()
    result, picture = museum[name], figures.bug(list(museum.values()), name, LIGHT)
    flat = result.wrong.entropy_nats > result.right.entropy_nats
    title = plotted(picture).layout.title.text.replace("<br>", " ")
    assert title == f"{written(BUGS[name].title)}: attention is too {'flat' if flat else 'sharp'}"
    ratio = result.wrong.score_std / result.right.score_std
    said = f"{number(1 / ratio, 2)} times too little" if flat else f"{number(ratio, 2)} times too far"
    assert picture.sentence.startswith(f"The scores spread {said}, and the output is off by ")
    off = picture.sentence.split("off by ")[1]
    if result.output_error < 1:
        assert off == f"{100 * result.output_error:.0f} % of its length."
    else:
        assert off == f"{number(result.output_error, 2)} times its length."


def test_the_museum_says_whether_a_bug_could_go_unseen(museum):
    results = list(museum.values())
    least, most = (pick(results, key=lambda each: each.output_error) for pick in (min, max))
    assert figures.bug(results, "twice", LIGHT).sure[1] == (
        "None of the 7 bugs leaves the output within 10 % of what it should be: it is off by "
        f"{100 * least.output_error:.0f} % of its length ({written(least.bug.title)}) to "
        f"{100 * most.output_error:.0f} % of its length ({written(most.bug.title)})."
    )
    harmless = [replace(results[0], output_error=0.03), replace(results[1], output_error=0.09), *results[2:]]
    said = figures.bug(harmless, "twice", LIGHT).sure[1]
    assert said.startswith("The model width in place of dₖ and Scale forgotten leave the output within 10 %")
    assert "off by 3 % of its length (The model width in place of dₖ) to" in said


# --- short answers ---------------------------------------------------------------------------------------


def test_every_short_answer_is_one_line_with_the_numbers_of_its_result():
    found = short_answers()
    lines = figures.answers(found)
    assert len(lines) == 8
    said = {name.strip("*"): text for name, text in lines}
    for name, values in {
        "Causal mask": (found.plain, found.causal),
        "Rotary positions": (found.plain, found.rotary),
        "Grouped queries": (found.plain, found.grouped),
        "RMSNorm, QK-norm": (found.normed,),
        "FlashAttention": (),
    }.items():
        assert all(number(each) in said[name] for each in values), name
    assert number(found.tiled, 2) in said["FlashAttention"]
    assert "0.58 times" in said["MLA"]
    assert "4.0 % beside 16 keys, 5.8 × 10⁻⁵ % beside a million" in said["Attention sinks"]
    assert all(len(text.split()) <= 30 for text in said.values())
