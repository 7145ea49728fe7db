"""The scaling_rules page: its steps, one at a time, and the old links that open them."""

import numpy as np
import pytest

from pages._view.lessons.scaling_rules.declaration import LESSON
from sattn_core.layers.rules import SCALING_RULES
from sattn_core.lessons.scaling_rules import BUGS
from tests.pages.opening import charts, check_page, open_page, settle, step_of, traces, widget

DRAWN = {
    "exponents": "exponents",
    "means": "exponent_means",
    "rules": "rules",
    "query": "rule_scores",
    "entropy": "rule_curves",
    "museum": "bug_weights",
}
OWN = {"exponents": {"exponent", "correlation"}, "means": {"exponent", "correlation"}, "museum": {"bug"}}
ASKED = {"entropy": {"rule_curves", "compare_rules"}, "museum": {"measure_museum"}}
POWERS, RULES = {"measure_exponents", "short_answers"}, {"compare_rules"}


@pytest.mark.parametrize("step", DRAWN)
def test_only_the_open_step_is_drawn_and_computed(step, asked):
    app = open_page("scaling_rules", step=step)
    check_page(app, "scaling_rules")
    assert list(charts(app)) == [DRAWN[step]]
    assert {name for name, *_ in asked} == ASKED.get(step, POWERS if step in ("exponents", "means") else RULES)


@pytest.mark.parametrize(
    ("link", "step"),
    [
        ({"rule": "mup"}, "rules"),
        ({"pairs": "aligned", "d_k": "256"}, "rules"),
        ({"bug": "twice"}, "museum"),
        ({"exponent": "1"}, "exponents"),
        ({"rho": "0.2"}, "exponents"),
        ({"exponent": "1", "rule": "mup"}, "exponents"),
        ({"rule": "no such rule"}, "rules"),
        ({"rule": "mup", "part": "museum"}, "museum"),
        ({"part": "rules"}, "rules"),
        ({"part": "Bug museum", "bug": "twice"}, "museum"),
        ({"part": "no such part", "bug": "twice"}, "museum"),
        ({"d_k": "256", "n_keys": "64"}, "exponents"),
    ],
)
def test_settings_in_an_old_link_choose_the_step(link, step):
    app = open_page("scaling_rules", **link)
    assert step_of(app).name == step
    assert list(charts(app)) == [DRAWN[step]]
    assert "part" not in app.query_params
    for name in set(link) & OWN.get(step, {"rule", "pairs"}):
        control = LESSON.controls[name]
        assert widget(app, name).value == control.read(link[name])[0]


def fold_of(app):
    (own,) = [each for each in app.expander if each.key == "own"]
    return own.label, [each.value for each in own.markdown]


def test_fold_at_the_rules_step_describes_all_rules():
    title, said = fold_of(open_page("scaling_rules", step="rules", rule="mup"))
    assert title == "The rules, card by card"
    assert said[0].startswith(f"${SCALING_RULES['mup'].formula}$")
    assert len(SCALING_RULES) == sum("$" in each and each.startswith("**") for each in said)
    assert sum(each.startswith("**QKNorm**") for each in said) == 1


def test_fold_at_the_museum_step_says_where_the_bug_was_seen():
    title, said = fold_of(open_page("scaling_rules", step="museum", bug="twice"))
    assert title == "Where the bug was seen"
    assert BUGS["twice"].url in said[0]


def test_fold_at_the_means_step_contains_short_answers():
    title, said = fold_of(open_page("scaling_rules", step="means"))
    assert title.startswith("Short answers")
    assert "**Causal mask**" in said[1]


@pytest.mark.parametrize("step", ["rules", "query", "entropy"])
def test_every_sentence_about_rules_names_the_chosen_rule(step):
    app = open_page("scaling_rules", step=step)
    widget(app, "rule").set_value("mup")
    settle(app)
    assert all("muP" in chart.sentence for chart in charts(app).values())


# --- tries ---------------------------------------------------------------------------------------------


ADVERSE = {"seed": "7", "exponent": "0.1", "correlation": "-0.5", "n_keys": "2", "d_k": "3"}
ADVERSE |= {"pairs": "independent", "rule": "t5"}


def keys_in_use(app, name):
    (keys,) = traces(app, "rules")[SCALING_RULES[name].title]["x"]
    return keys


def test_try_half_keeps_the_variance(tried):
    app, shown = tried("scaling_rules", "half_keeps_the_variance", **ADVERSE, step="exponents")
    assert step_of(app).name == "exponents"
    curve = shown.measure_exponents.curves[0]
    assert (shown.measure_exponents.dims[0], shown.measure_exponents.dims[-1]) == (1, 1024)
    assert np.abs(curve.variance - 1).max() < 0.1


def test_try_one_keeps_the_mean(tried):
    _, shown = tried("scaling_rules", "one_keeps_the_mean", **ADVERSE)
    curves = {curve.exponent: curve for curve in shown.measure_exponents.curves}
    assert shown.measure_exponents.curves[0].exponent == 1.0
    assert np.abs(curves[1.0].mean - 1).max() < 0.1
    assert abs(curves[0.5].mean[-1] - 32) < 0.5


def test_try_aligned_pairs(tried):
    app, _ = tried("scaling_rules", "aligned_pairs", **ADVERSE)
    assert app.session_state["rule"] == "mup"
    (shown,) = charts(app).values()
    assert shown.values == {"d_k": 1024}
    assert "Keys in use, of 64" in shown.spec
    assert keys_in_use(app, "vaswani") < 1.05
    assert keys_in_use(app, "mup") > 60


def test_try_fused_matrix(tried):
    app, shown = tried("scaling_rules", "fused_matrix", bug="forgotten", seed="7")
    bug = next(each for each in shown.measure_museum if each.bug.name == app.session_state["bug"])
    right, wrong = (side.attention_weights for side in (bug.right, bug.wrong))
    np.testing.assert_array_equal(right.argsort(axis=1), wrong.argsort(axis=1))
    assert bug.params.bug == "fused_qkv"
    assert bug.output_error > 0.5
