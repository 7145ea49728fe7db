"""The one_query page: seven steps, each with its address, and a picture that follows d_k."""

import re

import numpy as np
import pytest

from pages._view.lessons import LESSONS
from pages._view.lessons.one_query import work
from pages._view.lessons.one_query.bet import before, outcome
from pages._view.theme import LIGHT
from sattn_core.example import KEY_WORDS
from sattn_core.lessons.one_query import EXAMPLE_KEY, STEPS, OneQueryParams, measure_one_query
from tests.pages.opening import charts, open_page, settle, widget


def alt(app):
    (shown,) = charts(app).values()
    return shown.alt


def go_to(app, step):
    """Go to another step by its dot."""
    widget(app, "step").set_value(step)
    return settle(app)


def test_every_step_has_its_own_sentence():
    app = open_page("one_query")
    told = [alt(app)]
    for step in STEPS[1:]:
        told.append(alt(go_to(app, step)))
        assert app.query_params["step"] == step
    assert len(set(told)) == len(STEPS)


@pytest.mark.parametrize("step", STEPS[:3])
def test_first_steps_are_the_same_at_any_d_k(step):
    seen = [open_page("one_query", step=step, d_k=d_k) for d_k in ("4", "64", "1024")]
    assert len({(alt(app), next(iter(charts(app).values())).spec) for app in seen}) == 1
    assert "slider" not in [each.key for each in seen[-1].get("bidi_component")]
    assert seen[-1].session_state["d_k"] == 1024
    after = go_to(seen[-1], "wander")
    assert "dₖ = 1,024" in alt(after) or "1,020 random products" in alt(after)


@pytest.mark.parametrize("step", STEPS[3:])
def test_link_opens_a_step_whose_picture_follows_d_k(step):
    app = open_page("one_query", step=step)
    assert app.session_state["step"] == widget(app, "step").value == step
    (before,) = charts(app).values()
    widget(app, "d_k").set_value(256).run()
    (after,) = charts(app).values()
    assert after.spec != before.spec
    assert after.alt != before.alt


def test_how_sure_fold_shows_the_arithmetic_except_on_a_projector():
    app = open_page("one_query", step="add")
    assert app.table[0].value["products"].tolist()[1] == "1.5 + 0.5 − 0.5 + 0.5"
    assert len(open_page("one_query", step="add", mode="projector").table) == 0


def test_link_with_larger_invented_numbers_opens_the_last_step():
    assert open_page("one_query", emphasis="8").session_state["step"] == "grow"
    assert open_page("one_query", emphasis="8", d_k="4").session_state["step"] == "grow"  # 4: the d_k of the first step
    assert open_page("one_query").session_state["step"] == STEPS[0]


@pytest.mark.parametrize("d_k", [2, 64])
def test_open_bet_shows_only_the_invented_products(d_k):
    values = {"d_k": d_k, "seed": 0, "emphasis": 1}
    result, there = work.result(values, "wander"), work.STEPS["wander"].picture(values, LIGHT).figure.layout
    known = before(values, LIGHT)
    *walks, ends, strip = known.figure.data
    assert [list(walk["y"]) for walk in walks] == result.walk.sums[:, :4].tolist()
    assert list(ends["y"]) == [walk["y"][-1] for walk in walks]
    assert strip["x"] == [None]
    for name in ("xaxis", "yaxis", "xaxis2", "yaxis2"):
        assert [known.figure.layout[name][each] for each in ("range", "domain")] == [
            there[name][each] for each in ("range", "domain")
        ]
    said = [known.figure.layout["title"]["text"], *(each["text"] for each in known.figure.layout["annotations"])]
    assert d_k == 2 or {"<b>The sums wander</b>", "slept −2", "tired 0", "mat 1", "<b>cat 2</b>"} <= {*said}
    assert not re.search(r"mat 13|%|outvotes", known.figure.to_json() + known.sentence)


@pytest.mark.parametrize(("d_k", "why"), [(1, "nothing is random"), (4, "nothing is random"), (5, "1 product of ±1")])
def test_reason_counts_the_random_products_at_a_small_d_k(d_k, why):
    found = outcome({"d_k": d_k, "seed": 0, "emphasis": 1})
    assert why in found.why
    assert (found.truth == 100) == (d_k <= 4)


def test_the_invented_numbers_grow_only_at_the_last_step():
    app = open_page("one_query", step="grow", emphasis="8")
    assert widget(app, "emphasis").value == 8
    assert "Invented numbers 8 times as large" in alt(app)
    go_to(app, "divide")
    assert "emphasis_dial" not in [each.key for each in app.get("bidi_component")]
    assert "not 99.3 %" in alt(app)
    assert "Invented numbers 8 times as large" in alt(go_to(app, "grow"))


# --- tries ---------------------------------------------------------------------------------------------


def test_try_invented_only(tried):
    for seed in ("0", "7"):
        app, shown = tried("one_query", "invented_only", d_k="512", seed=seed, step="wander")
        weights = dict(zip(KEY_WORDS, shown.measure_one_query.raw.weights, strict=True))
        assert app.session_state["step"] == "softmax"
        assert abs(weights["cat"] - 2 / 3) < 0.02
        assert abs(weights["mat"] - 1 / 4) < 0.02


def test_try_larger_numbers(tried):
    app, shown = tried("one_query", "larger_numbers", d_k="8", seed="7")
    result = shown.measure_one_query
    assert (app.session_state["d_k"], app.session_state["emphasis"], app.session_state["step"]) == (64, 16, "grow")
    assert result.params.emphasis == 16
    assert result.sentences.on_top[EXAMPLE_KEY] > 0.9


def test_another_word_wins_in_two_of_three_sentences_at_d_k_64():
    """Draw the sums of ±1 products as binomial numbers; "cat" starts at 2, the other words at 1, -2 and 0."""
    rng, n = np.random.default_rng(9), 100_000
    lost = {}
    for d_k in (4, 8, 64, 1024):
        drawn = 2 * rng.binomial(d_k - 4, 0.5, size=(n, 4)) - (d_k - 4)
        scores = drawn + np.array([1, 2, -2, 0])
        lost[d_k] = (scores[:, 1] < scores.max(axis=1)).mean()
    assert lost[4] == 0
    assert lost[8] < 0.45
    assert abs(lost[64] - 2 / 3) < 0.03
    assert lost[1024] > 0.7
    assert EXAMPLE_KEY not in measure_one_query(OneQueryParams(64, 0)).raw.largest
    assert LESSONS["one_query"].assumed.endswith("as in two of three at dₖ = 64.")


def test_try_large_dimension(tried):
    app, shown = tried("one_query", "large_dimension", seed="7")
    result = shown.measure_one_query
    assert (app.session_state["d_k"], app.session_state["step"]) == (1024, "divide")
    assert result.raw.top_weight > 0.9995
    assert result.scaled.weights.min() >= 0.02


def test_try_another_draw(tried):
    app, shown = tried("one_query", "another_draw", d_k="8")
    assert EXAMPLE_KEY not in measure_one_query(OneQueryParams(64, 0)).raw.largest
    assert (app.session_state["d_k"], app.session_state["seed"]) == (64, 1)
    assert shown.measure_one_query.raw.largest == (EXAMPLE_KEY,)
