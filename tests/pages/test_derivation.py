"""The derivation page: each broken assumption, and the first line that fails."""

import re

import pytest

from pages._view.address import Address
from pages._view.lessons import LESSONS, VIEWS
from pages._view.shared import SHARED
from pages._view.theme import LIGHT
from tests.pages.opening import charts, check_page, checks_of, drawn_controls, open_page, settle, sure_of, widget

FIRST_FAILING = {
    "means not 0": 4,
    "variances not 1": 7,
    "q and k aligned": 3,
    "components correlated": 5,
    "heavy tails": 5,
}


STEPS = {"lines": "three_lines", "root": "root", "broken": "broken_lines"}


@pytest.mark.parametrize(("step", "key"), STEPS.items())
@pytest.mark.parametrize("mode", ["screen", "projector"])
def test_each_step_shows_only_its_picture(step, key, mode):
    assert list(charts(open_page("derivation", step=step, mode=mode))) == [key]


def test_first_step_breaks_nothing_and_checks_all_nine_lines():
    app = open_page("derivation", step="lines", broken="means not 0")
    assert charts(app)["three_lines"].sentence.startswith("At dₖ = 64 all three lines hold.")
    assert len(checks_of(app, "three_lines")) == 9
    assert "all 9 lines hold" in sure_of(app, "three_lines")


def test_settings_pinned_by_the_first_step_return_at_the_next_step():
    app = open_page("derivation", step="broken", broken="means not 0", mean_k="3")
    for step, said in (("lines", "three lines hold"), ("root", "one of 64 squares"), ("broken", "the mean is")):
        settle(widget(app, "step").set_value(step))
        assert app.query_params == {"step": step, "broken": "means not 0", "mean_k": "3"}
        assert said in next(iter(charts(app).values())).sentence


def test_address_drops_the_setting_of_an_assumption_that_holds_again():
    app = open_page("derivation", step="broken", broken="heavy tails", nu="30")
    assert widget(app, "nu").value == 30
    settle(widget(app, "broken").set_value("all hold").run())
    assert app.query_params == {"step": "broken"}
    settle(widget(app, "broken").set_value("heavy tails").run())
    assert app.query_params == {"step": "broken", "broken": "heavy tails"}
    assert widget(app, "nu").value == 1.5


def test_settings_in_an_old_address_without_a_step_choose_the_picture():
    assert list(charts(open_page("derivation"))) == ["three_lines"]
    assert list(charts(open_page("derivation", d_k="8"))) == ["three_lines"]
    for said in ({"broken": "means not 0"}, {"broken": "heavy tails", "nu": "4"}, {"correlation": "-0.2"}):
        app = open_page("derivation", **said)
        assert list(charts(app)) == ["broken_lines"]
        assert app.session_state["broken"] == said.get("broken", "q and k aligned")


def test_address_of_the_removed_step_opens_the_step_of_broken_lines():
    app = open_page("derivation", step="growth", broken="components correlated", r="1")
    assert list(charts(app)) == ["broken_lines"]
    assert app.query_params == {"step": "broken", "broken": "components correlated", "r": "1"}
    assert len(app.info) == 0


@pytest.mark.parametrize("d_k", [1, 7, 1024])
def test_open_bet_shows_only_the_variance_of_one_product(d_k):
    view = VIEWS["derivation"]
    known = view.before({**Address(view.lesson, {"d_k": str(d_k)}).values}, LIGHT)
    points = [(x, y) for each in known.figure.data for x, y in zip(each["x"], each["y"], strict=True) if y is not None]
    assert [x for x, _ in points] == [1]
    bars = [each["error_y"] for each in known.figure.data if "error_y" in each]
    assert sum(size is not None for each in bars for size in each["array"]) == 1
    assert [each["x0"] for each in known.figure.layout["shapes"]] == [d_k]


def test_three_lines_are_measured_once_for_all_dimensions(asked):
    app = open_page("derivation", d_k="8")
    widget(app, "d_k").set_value(512).run()
    growths = {args[0] for name, args, _ in asked if name == "measure_growth"}
    assert [(each.d_k, each.n_samples) for each in growths] == [(1024, 2_000)]


@pytest.mark.parametrize(("broken", "number"), FIRST_FAILING.items())
def test_broken_assumption_has_controls_and_names_the_failing_line(broken, number):
    controls = LESSONS["derivation"].controls
    strengths = {name for name, control in controls.items() if control.when == ("broken", broken)}
    app = open_page("derivation", step="broken", broken=broken)
    check_page(app, "derivation")
    assert strengths
    assert drawn_controls(app) == {*SHARED, "broken", *strengths} - {"rest"}
    assert "<s>" in charts(app)["broken_lines"].spec
    assert f"line {number}, " in sure_of(app, "broken_lines")
    verdicts = checks_of(app, "broken_lines")["check"].tolist()
    assert len(verdicts) == 9
    assert [i + 1 for i, each in enumerate(verdicts) if "**" in each] == [number]
    widget(app, "broken").set_value("all hold").run()
    check_page(app, "derivation")
    assert "all 9 lines hold" in sure_of(app, "broken_lines")


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


def test_try_four(tried):
    app, shown = tried("derivation", "four", **ADVERSE)
    assert [shown.measure_growth.divided(4, power).variance for power in (0, 0.5, 1)] == [4, 1, 0.25]
    said = "÷ √dₖ leaves one of 4 squares. ÷ dₖ divides by √dₖ twice, and leaves variance 1/4."
    assert charts(app)["root"].sentence == said


def test_try_thousand(tried):
    app, shown = tried("derivation", "thousand", **ADVERSE)
    found = [shown.measure_growth.divided(1024, power) for power in (0, 0.5, 1)]
    assert [1 / each.multiplier for each in found] == [1, 32, 32 * 32]
    assert found[1].variance / found[2].variance == 1024
    assert all(abs(each.measured - each.variance) < 4 * each.standard_error for each in found)
    assert "1/1,024." in charts(app)["root"].sentence


def test_try_small_start(tried):
    app, shown = tried("derivation", "small_start", **ADVERSE)
    result = shown.measure_derivation
    assert (result.params.variance_q, result.params.variance_k, result.params.d_k) == (0.25, 0.25, 16)
    assert result.exact.variance == 1
    assert abs(result.variance - 1) < 4 * result.variance_error
    assert (
        "spread by 0.9" in charts(app)["broken_lines"].sentence or "spread by 1" in charts(app)["broken_lines"].sentence
    )


def test_variance_of_heavy_tails_cannot_be_checked():
    app = open_page("derivation", step="broken", broken="heavy tails", nu="2.1", d_k="64")
    assert "holds" not in checks_of(app, "broken_lines")["check"].tolist()[6]
    marks = re.findall("<b>(.) ", charts(app)["broken_lines"].spec.replace("\\u2713", "✓"))
    assert marks == ["✓", "?", "?"] * 2  # the wide layout, then the phone's
