"""The long_context page: a slider for the number of keys, the weight under each rule, the tries."""

import json

import pytest

from pages._view.lessons.long_context.bet import outcome
from pages._view.literal import plain
from sattn_core.lessons.long_context import RULES, STOPS
from tests.pages.opening import charts, large_slider, open_page, settle, traces, widget

ADVERSE = {"context_length": "64", "key_score": "12", "n_train": "65536", "d_k": "1", "seed": "9"}


def open_lesson(**query):
    return open_page("long_context", **query)


def weight(shown, rule, n):
    return shown.fading_weights.weight(rule, n)


def test_number_of_keys_is_the_large_slider_and_can_be_typed():
    app = open_lesson(context_length="1000", d_k="300")
    assert (large_slider(app).value, large_slider(app).large) == (1000, True)
    assert large_slider(app).shown[large_slider(app).stops.index(1000)] == "n = 1,000"
    assert widget(app, "d_k").value == 300
    (typed,) = [each for each in app.number_input if each.label == "Keys n, typed"]
    typed.set_value(5000)
    settle(app)
    assert large_slider(app).value == app.session_state["context_length"] == 5000
    assert charts(app)["key_weights"].sentence.startswith("Among 5,000 keys")
    assert app.session_state["d_k"] == 300


def test_next_lesson_keeps_d_k_but_not_the_number_of_keys():
    app = open_lesson(context_length="64", d_k="300")
    app.switch_page("../score_variance.py").run()
    assert large_slider(app).value == 300
    assert "context_length" not in app.query_params
    app.switch_page("../long_context.py").run()
    assert large_slider(app).value == 16_384


def test_log_n_rule_equals_the_usual_scale_at_the_training_length():
    sentences = [charts(open_lesson(n_train=n))["key_weights"].sentence for n in ("512", "16384")]
    assert "10 % with ÷ √dₖ, and 82 % with log n" in sentences[0]
    assert "10 % with ÷ √dₖ, and 10 % with log n" in sentences[1]


@pytest.mark.parametrize(("step", "key"), [("keys", "key_weights"), ("text", "text_rows")])
@pytest.mark.parametrize("mode", ["screen", "projector"])
def test_each_step_shows_only_its_picture(step, key, mode):
    assert list(charts(open_lesson(step=step, mode=mode))) == [key]


def test_fold_describes_all_rules():
    (fold,) = [each for each in open_lesson().expander if each.key == "own"]
    heads = [each.value.split("\n")[0] for each in fold.markdown]
    assert heads == [f"**{plain(each.title)}**" for each in RULES.values()]


@pytest.mark.parametrize(("n", "last"), [("16384", 256), ("1024", 16), ("1000", 0), ("16", 0)])
def test_open_bet_shows_the_weight_only_at_far_fewer_keys(n, last):
    app = open_lesson(bet="1", context_length=n)
    line = traces(app, "key_weights_before")["1/√dₖ"]
    assert [x for x, y in zip(line["x"], line["y"], strict=True) if y is not None] == [x for x in STOPS if x <= last]
    shown = charts(app)["key_weights_before"]
    assert shown.sentence.startswith(f"Among {last} keys it keeps" if last else "The lines are hidden")
    assert not any(trace["y"] != [None] for name, trace in traces(app, "key_weights_before").items() if name != "1/√dₖ")
    assert json.loads(shown.spec)["layout"]["annotations"] == []


def test_truth_of_the_bet_is_the_weight_with_the_usual_scale():
    told = open_lesson(bet="1", guess="10")
    assert "In fact: 10 %." in charts(told)["key_weights"].alt
    settings = {"context_length": 16_384, "key_score": 8, "d_k": 64, "n_train": 512}
    assert outcome(settings).truth == pytest.approx(9.94, abs=0.01)


# --- tries ---------------------------------------------------------------------------------------------


def test_try_half(tried):
    _, shown = tried("long_context", "half", **ADVERSE)
    assert weight(shown, "vaswani", 1808) == pytest.approx(0.5, abs=0.001)


def test_try_short(tried):
    _, shown = tried("long_context", "short", **ADVERSE)
    assert weight(shown, "vaswani", 16) == pytest.approx(0.99, abs=0.005)
    assert weight(shown, "log_n", 16) == pytest.approx(0.68, abs=0.005)


def test_try_million(tried):
    _, shown = tried("long_context", "million", **ADVERSE)
    assert weight(shown, "log_n", 1_048_576) == pytest.approx(0.81, abs=0.005)
    assert weight(shown, "vaswani", 1_048_576) < 0.01


def test_try_weak(tried):
    _, shown = tried("long_context", "weak", **ADVERSE)
    assert shown.fading_weights.weights[:, -1].max() < 0.01
