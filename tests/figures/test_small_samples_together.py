"""The picture of small_samples in a class: empty at first, then the phones' draws and their mean."""

import re

import numpy as np
import pytest
from scipy import stats

from pages._view.address import Address
from pages._view.lessons import LESSONS
from pages._view.lessons.small_samples import together
from pages._view.stage import Stage
from pages._view.theme import number
from sattn_core.draws.phones import phone_draws
from sattn_core.lessons.small_samples import class_draws
from tests.figures.drawing import PROFILES, plotted, run, texts, trace_of, whole


def wall(phones, **more):
    query = {"mode": "projector", "bet": "1", "reveal": "1", "step": "draw", "phones": str(phones)}
    return Stage(Address(LESSONS["small_samples"], query | more))


@pytest.mark.parametrize("profile", PROFILES)
def test_picture_before_the_first_phone_shows_no_draws_and_no_mean(profile):
    shown = together.drawn(class_draws(0), profile)
    whole(shown)
    fig = plotted(shown)
    assert not any(trace_of(fig, "draws").y)
    for name in ("expected", "mean of the class", "mean and its error", "the mean now"):
        assert [each for each in trace_of(fig, name).y if each is not None and np.isfinite(each)] == []
    assert not any("1.5" in each for each in (*texts(fig), shown.sentence, shown.spoken(), *shown.sure))
    assert {"1.6 found", "2 expected"} <= {*texts(fig)}


@pytest.mark.parametrize("ddof", [0, 1])
@pytest.mark.parametrize("n_phones", [1, 24, 40, 100])
def test_mean_and_standard_error_are_those_of_the_draws_on_phones(n_phones, ddof):
    found = class_draws(n_phones, ddof=ddof, seed=3)
    shown = together.drawn(found, PROFILES[2].values[0])
    whole(shown)
    fig = plotted(shown)
    drawn = np.array([phone_draws(i, ddof=ddof, seed=3).variances for i in range(n_phones)])
    np.testing.assert_allclose(trace_of(fig, "draws").y[:-1], np.histogram(drawn, found.edges)[0])
    means = [np.mean(drawn[: i + 1]) for i in range(n_phones)]
    np.testing.assert_allclose(trace_of(fig, "mean of the class").y, means, rtol=1e-12)
    assert trace_of(fig, "the mean now").y == pytest.approx(means[-1:])
    # The picture's standard error is exact. An estimate from n draws has the relative error sqrt((kurtosis - 1) / 4n);
    # the kurtosis is about 20.
    (error,) = trace_of(fig, "the mean now").error_y.array
    off = np.sqrt(20 / (4 * drawn.size))
    assert error == pytest.approx(stats.sem(drawn, axis=None), rel=4 * off)
    band = np.array(trace_of(fig, "mean and its error").y) - np.array(trace_of(fig, "mean of the class").y)
    np.testing.assert_allclose(band, found.std_theory / np.sqrt(10 * np.arange(1, n_phones + 1)))
    assert set(trace_of(fig, "exact mean").y) == {2.0 if ddof else 1.5}
    assert f"average {number(means[-1])} ± {number(error, 2)};" in shown.sentence


def test_code_of_a_class_prints_its_mean_and_standard_error():
    found = class_draws(3, seed=5)
    _, printed = run(together.drawn(found, PROFILES[0].values[0]).code)
    told = [float(each) for each in re.findall(r"[\d.]+", printed)]
    assert told == pytest.approx([found.mean_measured, found.standard_error])


def test_wall_withholds_the_answer_until_the_first_phone_has_drawn():
    before, after = wall(0, **{"class": "2~1.5~1.5"}), wall(1, **{"class": "2~1.5~1.5"})
    assert "In fact" not in before.line.text
    assert before.line.text.startswith("◆ 3 bets.")
    assert LESSONS["small_samples"].together.asks in before.line.text
    told = before.marked(before.picture)
    assert trace_of(plotted(told), "bets").x == (1.5, 2.0)
    assert "In fact" not in told.spoken()
    assert not any("●" in each for each in texts(plotted(told)))
    assert "In fact: 1.5." in after.line.text
    assert "bets" not in [each.name for each in plotted(after.marked(after.picture)).data]
    assert [wall(n).address.shared() for n in (0, 3)] == ["?step=draw", "?step=draw&phones=3"]
    alone = wall(0)
    assert alone.line.text == LESSONS["small_samples"].together.asks


def test_step_that_a_class_draws_has_no_slider():
    """Its draws are 2 × 2 products with d_k = 2, whatever the sliders of other steps say."""
    moved = {"d_k": "88", "size": "8", "class": "1.5~2", "guessed_at": "d_k=64&step=draw"}
    for n in (0, 3):
        here = wall(n, **moved)
        assert (here.slider, here.address.step.dials, here.address.step.tries) == (None, (), ())
        assert (here.address.values["d_k"], here.address.values["size"]) == (2, 2)
        assert here.line.text.startswith("◆ 2 bets")
    for step, query in (("band", moved | {"phones": "3"}), ("draw", {"d_k": "88"})):
        there = Stage(Address(LESSONS["small_samples"], query | {"step": step}))
        assert (there.slider["name"], there.slider["value"]) == ("d_k", 88)


def test_wall_that_asks_the_bet_shows_no_draws():
    asked = wall(0, reveal="0")
    assert asked.address.asks_bet
    assert not any(trace_of(plotted(asked.known), "draws").y)
