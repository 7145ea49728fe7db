"""The summary picture of the path: spread against d_k for the three scales, between two shaded extremes."""

import numpy as np
import pytest

from pages._view.figures import story
from pages._view.figures.base import shade
from pages._view.figures.spreads import D_TICKS
from pages._view.lessons import VIEWS
from pages._view.theme import DARK, LIGHT, PROJECTOR
from sattn_core import story as core
from sattn_core.lessons.wrong_choice import N_ROWS, NEARLY_ALL
from tests.figures.drawing import plotted, texts, trace_of, traces_of, whole

NAMES = {"raw": 0.5, "÷ √dₖ": 0.0, "÷ dₖ": -0.5}


def told(d_k=core.STORY_D_K, seed=0, profile=LIGHT):
    return story.story("between_ends", core.tell_story(core.StoryParams(d_k, seed)), profile)


@pytest.mark.parametrize("profile", [LIGHT, DARK, PROJECTOR])
@pytest.mark.parametrize("d_k", [1, 4, 100, 1024])
def test_three_lines_are_powers_of_d_k_up_to_the_chosen_d_k(profile, d_k):
    shown = plotted(told(d_k, profile=profile))
    for name, power in NAMES.items():
        each = trace_of(shown, name)
        assert list(each.y) == pytest.approx([float(x) ** power for x in each.x], rel=1e-12)
        assert (each.x[0], each.x[-1]) == (1, d_k)
        assert each.line.color == getattr(profile, {0.5: "raw", 0.0: "scaled", -0.5: "third"}[power])
        beyond = [d_k, *(size for size in D_TICKS if size > d_k)]
        for pale in traces_of(shown, f"{name}, beyond"):
            assert (list(pale.x), pale.line.color, pale.opacity) == (beyond, each.line.color, 0.4)
        assert len(traces_of(shown, f"{name}, beyond")) == (d_k < 1024)
    assert f"dₖ = {d_k:,}" in texts(shown)
    whole(told(d_k, profile=profile))


@pytest.mark.parametrize("profile", [LIGHT, DARK])
def test_shade_shows_the_worse_of_both_extremes(profile):
    picture = told(profile=profile)
    bands = [each for each in plotted(picture).layout.shapes if each.type == "rect"]
    spread = np.array(picture.bins["spread"])
    share = np.maximum(core.uncorrected_share(spread), core.flatness(spread))
    edges = [*(each.y0 for each in bands), bands[0].y1]
    np.testing.assert_allclose(np.sqrt(np.array(edges[1:]) * edges[:-1]), spread, rtol=1e-12)
    assert [each.fillcolor for each in bands] == [shade(profile, profile.text, 0.3 * each) for each in share]
    assert share[np.abs(np.log(spread)) < 0.06].max() < 0.1
    assert share[spread > 30].min() > 0.9
    assert share[spread < 1 / 8].min() > 0.9
    assert picture.table["÷ dₖ"] == core.tell_story(core.StoryParams()).weights[2].tolist()


@pytest.mark.parametrize("seed", [0, 9999])
@pytest.mark.parametrize("d_k", [16, 64, 256, 1024])
def test_sentence_says_that_sqrt_d_k_avoids_both_extremes(d_k, seed):
    found, sentence = core.tell_story(core.StoryParams(d_k, seed)), told(d_k, seed).sentence
    raw, root, _ = found.put_right
    assert root >= NEARLY_ALL > raw
    assert found.own_share[1] > 0.5 > 0.1 > found.own_share[2]
    assert f"At dₖ = {d_k:,}, raw: {raw} can be put right." in sentence
    assert f"{100 * found.own_share[2]:.1f} % is a token’s own." in sentence
    assert sentence.endswith("÷ √dₖ avoids both ends.")


def test_sentence_at_small_d_k_says_that_the_scale_hardly_matters():
    assert told(1).sentence == "At dₖ = 1 nothing is divided: all three lines start in one point."
    raw, root, _ = core.tell_story(core.StoryParams(4)).put_right
    assert raw >= root - 5
    assert told(4).sentence.startswith("At dₖ = 4 all three lie near σ = 1")
    assert told(8).sentence.endswith("% is a token’s own. ÷ √dₖ avoids both ends.")  # ÷ dₖ leaves too little


def test_a_count_of_all_rows_is_written_as_all():
    shown = texts(plotted(told(64)))
    assert any("all put right" in text for text in shown)
    assert not any(f"{N_ROWS} put right" in text for text in shown)


def test_step_of_the_lesson_uses_the_current_d_k_and_seed():
    way = VIEWS["training_race"].steps["between"]
    shown = way.picture({"d_k": 100, "seed": 3}, LIGHT)
    assert shown.sentence == told(100, 3).sentence
    assert way.params({"d_k": 100, "seed": 3}) == core.StoryParams(100, 3)
    assert way.is_unasked({"d_k": 1024, "seed": 3})
