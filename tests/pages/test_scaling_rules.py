"""The scaling_rules page: its three parts, one at a time, and the links that open them."""

import numpy as np
import pytest

from pages._view.lessons.scaling_rules.declaration import LESSON
from sattn_core.layers.rules import SCALING_RULES
from tests.pages.opening import charts, check_page, drawn_controls, open_page, settle, widget

DRAWN = {
    "exponents": ["exponents", "exponent_means"],
    "rules": ["rules", "rule_scores", "rule_entropy_d_k", "rule_entropy_n_keys"],
    "museum": ["bug_weights"],
}
OWN = {"exponents": {"exponent", "correlation"}, "rules": {"rule", "pairs"}, "museum": {"bug"}}
ASKED = {"exponents": {"measure_exponents"}, "rules": {"compare_rules", "rule_curves"}, "museum": {"measure_museum"}}


@pytest.mark.parametrize("part", DRAWN)
def test_only_the_open_part_is_drawn_and_computed_and_its_picture_follows_the_slider(part, asked):
    app = open_page("scaling_rules", part=part)
    check_page(app, "scaling_rules")
    assert list(charts(app)) == DRAWN[part]
    assert drawn_controls(app) & set().union(*OWN.values()) == OWN[part]
    assert {name for name, *_ in asked} == ASKED[part] | {"short_answers"}
    assert [each.key for each in app.get("bidi_component")].count("dimension") == (part != "museum")


@pytest.mark.parametrize(
    ("link", "part"),
    [
        ({"rule": "mup"}, "rules"),
        ({"pairs": "aligned", "d_k": "256"}, "rules"),
        ({"bug": "twice"}, "museum"),
        ({"exponent": "1"}, "exponents"),
        ({"rho": "0.2"}, "exponents"),
        ({"exponent": "1", "rule": "mup"}, "exponents"),
        ({"rule": "no such rule"}, "rules"),
        ({"rule": "mup", "part": "museum"}, "museum"),
        ({"d_k": "256", "n_keys": "64"}, "exponents"),
    ],
)
def test_an_older_link_opens_the_part_that_it_is_about(link, part):
    app = open_page("scaling_rules", **link)
    assert app.session_state["part"] == part
    assert list(charts(app)) == DRAWN[part]
    for name in set(link) & OWN[part]:
        control = LESSON.controls[name]
        assert widget(app, name).value == control.read(link[name])[0]


def test_the_cards_of_the_rules_open():
    app = open_page("scaling_rules", part="rules")
    assert not any(each.value.startswith("**QKNorm**") for each in app.markdown)
    app.session_state["cards"] = True
    app.run()
    check_page(app, "scaling_rules")
    assert sum(each.value.startswith("**QKNorm**") for each in app.markdown) == 1
    assert len(SCALING_RULES) == sum("$" in each.value and each.value.startswith("**") for each in app.markdown)


@pytest.mark.parametrize("stem", ["scaling_rules"])
def test_another_rule_is_in_every_picture_of_its_part(app, stem):
    widget(app, "part").set_value("rules")
    settle(app)
    widget(app, "rule").set_value("mup")
    settle(app)
    assert all("muP" in chart.sentence for chart in charts(app).values())


# --- tries ---------------------------------------------------------------------------------------------


ADVERSE = {"seed": "7", "exponent": "0.1", "correlation": "-0.5", "n_keys": "2", "d_k": "3"}
ADVERSE |= {"pairs": "independent", "rule": "t5"}


def keys_in_use(result, name):
    return next(rule.effective_keys for rule in result.rules if rule.name == name)


def test_try_half_keeps_the_variance(tried):
    app, shown = tried("scaling_rules", "half_keeps_the_variance", **ADVERSE, part="rules")
    assert app.session_state["part"] == "exponents"
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
    app, shown = tried("scaling_rules", "aligned_pairs", **ADVERSE)
    assert app.session_state["rule"] == "mup"
    rules = shown.compare_rules
    assert (rules.params.d_k, rules.params.n_keys) == (1024, 64)
    assert keys_in_use(rules, "vaswani") < 1.05
    assert keys_in_use(rules, "mup") > 60


def test_try_fused_matrix(tried):
    app, shown = tried("scaling_rules", "fused_matrix", bug="forgotten", seed="7")
    bug = next(each for each in shown.measure_museum if each.bug.name == app.session_state["bug"])
    right, wrong = (side.attention_weights for side in (bug.right, bug.wrong))
    np.testing.assert_array_equal(right.argsort(axis=1), wrong.argsort(axis=1))
    assert bug.params.bug == "fused_qkv"
    assert bug.output_error > 0.5
