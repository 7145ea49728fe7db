"""The wrong_choice page: the chosen row, long curves that wait for their button, and the promise of each try."""

import json
import time

import numpy as np
import pytest

from pages._view.compute import rates
from pages._view.lessons import LESSONS, VIEWS
from pages._view.literal import plain
from sattn_core.lessons.softmax_saturation import expected_own_share
from sattn_core.lessons.wrong_choice import (
    LEARNING_RATES,
    NEARLY_ALL,
    WrongChoiceParams,
    compare_with_adam,
    measure_learning_rates,
    measure_wrong_choices,
)
from tests.pages.opening import charts, check_page, open_page, traces, turn_to, widget

STEM = "wrong_choice"
RAW, ROOT, WHOLE = range(3)


@pytest.mark.parametrize("stem", [STEM])
def test_chosen_row_is_framed_in_the_matrices(app, stem):
    widget(app, "row").set_value(42).run()
    check_page(app, stem)
    layout = json.loads(charts(app)["matrix_choices"].spec)["layout"]
    assert {(each["x0"], each["y0"]) for each in layout["shapes"]} == {(0.5, 3.5)}


@pytest.mark.parametrize("stem", [STEM])
def test_first_sentence_says_how_few_raw_rows_are_put_right(app, stem):
    raw, root, whole = measure_wrong_choices(WrongChoiceParams(64)).put_right[:, -1]
    assert raw < 30 < whole
    assert root == 100
    assert charts(app)["matrix_choices"].sentence.startswith(
        plain(f"At this rate plain gradient descent puts {raw} right")
    )


@pytest.mark.parametrize(
    ("step", "key"),
    [
        ("rows", "matrix_choices"),
        ("rate", "choice_rates"),
        ("every_size", "choice_dimensions"),
    ],
)
@pytest.mark.parametrize("mode", ["screen", "projector"])
def test_each_step_shows_only_its_picture(step, key, mode):
    assert list(charts(open_page(STEM, step=step, mode=mode))) == [key]


def test_matrices_and_curve_agree_on_the_number_of_correct_rows():
    app = open_page(STEM, d_k="64", learning_rate="10", steps="200")
    cells = [traces(app, "matrix_choices")[name]["z"] for name in ("raw", "÷ √dₖ", "÷ dₖ")]
    counts = [int((np.array(each) > 0.5).sum()) for each in cells]
    curve = traces(open_page(STEM, step="rate", d_k="64", learning_rate="10", steps="200"), "choice_rates")
    at = LEARNING_RATES.index(10.0)
    for name, count in zip(("raw", "÷ √dₖ", "÷ dₖ"), counts, strict=True):
        assert np.array(curve[name]["y"])[at] == count
    shown = app.query_params
    assert "d_k" not in shown or shown["d_k"] in ("64", ["64"])


@pytest.mark.parametrize(("step", "seed"), [("rate", "2"), ("every_size", "2")])
def test_long_curves_wait_for_a_button(monkeypatch, step, seed):
    monkeypatch.setattr(rates, "REFERENCE", 1.0)  # now every computation seems to take long
    key = LESSONS[STEM].step(step).picture
    app = open_page(STEM, step=step, n_keys="2", d_k="4", seed=seed)
    assert key not in charts(app)
    app.button(key="compute_main").click().run()
    while not app.session_state["job"].done:
        time.sleep(0.02)
    assert key in charts(app.run())
    assert key not in charts(app.number_input(key="seed").set_value(5).run())
    assert not app.exception


def test_curves_computed_for_another_visitor_need_no_button(monkeypatch):
    open_page(STEM, step="rate", n_keys="2", d_k="4", seed="3")
    monkeypatch.setattr(rates, "REFERENCE", 1.0)
    assert "choice_rates" in charts(open_page(STEM, step="rate", n_keys="2", d_k="4", seed="3"))


def test_visitor_who_leaves_ends_the_computation(monkeypatch):
    monkeypatch.setattr(rates, "REFERENCE", 1.0)
    app = open_page(STEM, step="rate", n_keys="2", d_k="6", seed="4")
    app.button(key="compute_main").click().run()
    assert "job" in app.session_state
    assert "job" not in turn_to(app, "corrections").run().session_state


def test_truth_of_the_bet_is_known_if_it_is_cheap_or_cached(monkeypatch):
    values = {"d_k": 64, "n_keys": 4, "learning_rate": 10.0, "steps": 200, "loss": "output", "learns": "q", "seed": 3}
    count = measure_wrong_choices(WrongChoiceParams(64, 4, seed=3)).put_right[RAW, -1]
    assert VIEWS[STEM].outcome(values).text == str(count)
    monkeypatch.setattr(rates, "REFERENCE", 1.0)  # now every computation seems to take long
    assert VIEWS[STEM].outcome(values).text == str(count)  # cached by the call above
    assert VIEWS[STEM].outcome(values | {"n_keys": 512}).truth is None


def test_bet_is_marked_only_on_its_own_picture():
    app = open_page(STEM, step="rows", bet="1", guess="about 50")
    assert "◆" in charts(app)["matrix_choices"].alt
    app = open_page(STEM, step="every_size", bet="1", guess="about 50")
    assert "◆" not in charts(app)["choice_dimensions"].alt


@pytest.mark.parametrize("d_k", ["4", "64"])
def test_open_bet_shows_a_picture_with_no_row_put_right(d_k):
    app = open_page(STEM, bet="1", d_k=d_k)
    (key,) = charts(app)
    assert key == "matrix_choices_before"
    for name in ("raw", "÷ √dₖ", "÷ dₖ"):
        assert np.max(traces(app, key)[name]["z"]) == 0


def test_optimizer_switch_is_drawn_only_at_its_step_and_sets_the_address():
    app = open_page(STEM, step="every_size", optimizer="Adam")
    check_page(app, STEM)
    assert widget(app, "optimizer").value == "adam"
    assert charts(app)["choice_dimensions"].sentence.startswith("With Adam, ")
    widget(app, "optimizer").set_value("sgd").run()
    assert charts(app)["choice_dimensions"].sentence.startswith("With plain gradient descent, ")
    assert "optimizer" not in app.query_params
    assert not [each for each in open_page(STEM, step="rows").get("button_group") if each.key == "optimizer"]


# --- tries ---------------------------------------------------------------------------------------------

ADVERSE = {"d_k": "9", "n_keys": "4", "seed": "7", "learning_rate": "0.001", "steps": "3", "learns": "K"}


RATE = {"step": "rate"}


def counts(shown):
    return shown.measure_wrong_choices.put_right[:, -1]


def test_try_one_rate(tried):
    app, shown = tried(STEM, "one_rate", **ADVERSE, loss="weights")
    assert (app.session_state["d_k"], app.session_state["learning_rate"]) == (1024, 10.0)
    assert counts(shown)[ROOT] == 100
    assert measure_wrong_choices(WrongChoiceParams(64)).put_right[ROOT, -1] == 100  # also at the default d_k


def test_try_hardly_begun(tried):
    app, shown = tried(STEM, "hardly_begun", **ADVERSE, **RATE)
    assert app.session_state["learning_rate"] == 31.6
    at = LEARNING_RATES.index(31.6)
    assert shown.measure_learning_rates.params.d_k == 1024
    assert shown.measure_learning_rates.put_right[[ROOT, WHOLE], at, -1].tolist() == [100, 0]
    assert measure_learning_rates(WrongChoiceParams(64)).put_right[WHOLE, at, -1] == 100


def test_try_small_dimension(tried):
    _, shown = tried(STEM, "small_dimension", **ADVERSE, **RATE)
    assert shown.measure_learning_rates.params.d_k == 4
    assert np.ptp(shown.measure_learning_rates.best()) == 0


def test_loss_on_the_weights_puts_raw_rows_right():
    app = open_page(STEM, loss="weights", d_k="64")
    assert charts(app)["matrix_choices"].sentence.endswith(": with −ln the gradient does not vanish.")
    assert measure_wrong_choices(WrongChoiceParams(64, loss="weights")).put_right[RAW, -1] >= NEARLY_ALL
    assert measure_wrong_choices(WrongChoiceParams(64)).put_right[RAW, -1] < 30  # the default loss puts few rows right


def test_division_by_d_k_with_adam_needs_one_rate_but_starts_flat():
    app = open_page(STEM, step="every_size", optimizer="adam")
    assert charts(app)["choice_dimensions"].sentence.endswith(
        plain("÷ dₖ needs about one rate, 0.0316, but starts flat. Rates alone do not decide.")
    )
    found = compare_with_adam()[0]
    root, whole = found.smallest_rate[[ROOT, WHOLE], found.dims.index(16) :]
    assert np.ptp(whole) == 0
    assert root[-1] <= root[0] / 10
    left = [expected_own_share(16, 16, d_k, 1.0) for d_k in (4, 64, 1024)]
    assert left[0] > 10 * left[1] > 100 * left[2]  # a token's own share at the start


def test_address_of_the_removed_step_opens_the_one_before_it():
    app = open_page(STEM, step="both")
    assert list(charts(app)) == ["choice_dimensions"]
    assert app.query_params["step"] in ("every_size", ["every_size"])
    assert [*app.info] == []
