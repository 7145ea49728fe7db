"""The hero's script draws the data that Python has computed for the slider's stops, and for values between stops."""

import pytest

from pages._view.live import HERO

pytestmark = pytest.mark.e2e

MARK = {
    "word": "raw",
    "before": "",
    "curves": [0],
    "points": None,
    "colour": "#D55E00",
    "ink": "#A34700",
    "line": "solid",
}


def payload(*stops):
    """Return data for the hero with a stop at each of these d_k; its raw standard deviation is d_k."""
    sigma = [float(each) for each in stops]
    side = {"name": "n", "alt": "a", "weightAlt": "w", "unit": sigma, "spread": [f"± {each}" for each in stops]}
    side |= {"weights": [[0.25, 0.75]] * len(stops), "top": [1] * len(stops), "mean": [0.6] * len(stops)}
    side |= {"largest": [["largest, on average: 60 %", "largest: 60 %", "60 %"]] * len(stops)}
    told = [{"d_k": each, "title": f"dₖ = {each}", "sentence": f"raw at {each}", "marks": [MARK]} for each in stops]
    return {
        "mode": "screen",
        "style": {"panel": "100px", "tick": "12px", "at": "12px", "name": "14px"},
        "headings": {"scores": ["all scores", "scores"], "weights": ["all weights", "weights"]},
        "stops": told,
        "scoreAxis": {"low": -10, "high": 10, "ticks": [-1, 0, 1], "labels": ["−1", "0", "1"]},
        "weightAxis": {"levels": [[0.5, "50 %"], [1, "100 %"]], "names": []},
        "bins": {"first": -1, "width": 1},
        "heights": [[500, 1000]] * len(stops),
        "law": [[400, 400]] * len(stops),
        "raw": side,
        "scaled": side | {"unit": [1.0] * len(stops)},
    }


HAND = """([value, held]) => {
  lab.hands.d_k = {name: 'd_k', value, held};
  dispatchEvent(new CustomEvent('lab:hand', {detail: lab.hands.d_k}));
}"""
SHOWN = """() => [document.querySelector('[data-hero]').dataset.value,
  document.querySelector('.sentence').textContent, document.querySelector('.scores .at').textContent]"""


@pytest.fixture
def hero(mount):
    page = mount("hero", payload(2, 8), HERO)
    page.evaluate(HAND, [8, False])
    return page


def test_hero_shows_the_stop_of_its_slider_and_announces_it_on_release(hero):
    spoken = "() => document.querySelector('.spoken').textContent"
    hero.evaluate(HAND, [2, True])
    assert hero.evaluate(SHOWN) == ["2", "raw at 2", "± 2"]
    assert hero.evaluate(spoken) == ""
    hero.evaluate(HAND, [2, False])
    assert hero.evaluate(spoken) == "raw at 2"


def test_raw_bars_widen_with_their_spread_but_scaled_bars_do_not(hero):
    wide = """() => ['raw', 'scaled'].map(side => {
      const bars = document.querySelector(`[data-part=${side}] .fill`), {width} = bars.ownerSVGElement.viewBox.baseVal;
      return bars.getBBox().width - width / 2;  // from the middle of the axis
    })"""
    raw, scaled = hero.evaluate(wide)
    hero.evaluate(HAND, [2, True])
    narrow, same = hero.evaluate(wide)
    assert raw == pytest.approx(4 * narrow, rel=0.01)
    assert same == scaled


def test_value_between_stops_is_shown_once_its_data_arrive(hero, mount):
    hero.evaluate(HAND, [5, False])
    assert hero.evaluate(SHOWN)[0] == "2"  # the stop below
    mount("between", payload(5))
    assert hero.evaluate(SHOWN) == ["5", "raw at 5", "± 5"]


def test_hovering_a_word_fades_the_other_side(hero):
    hero.locator(".mark").hover()
    faded = """() => Object.fromEntries([...document.querySelectorAll('[data-part]')].map(
      each => [each.dataset.part, each.style.opacity]))"""
    assert hero.evaluate(faded) == {"raw": "", "raw-weights": "", "scaled": "0.15", "scaled-weights": "0.15"}


def test_mean_mark_crosses_the_largest_bar(hero):
    bar, mark, words = hero.evaluate("""() => ['.fill', '.ruler', '.at'].map(each => {
      const {x, y, width, height} = document.querySelector(`[data-part=raw-weights] ${each}`).getBBox();
      return {x, y, width, height};
    })""")
    assert mark["x"] < bar["x"] + bar["width"] / 2 + 5  # the mark is on the second of two bars
    zero, top = bar["y"] + bar["height"], bar["y"]
    assert (zero - mark["y"]) / (zero - top) == pytest.approx(0.6 / 0.75, abs=0.01)
    assert words["x"] + words["width"] <= mark["x"]
    assert words["y"] + words["height"] < zero


def test_saved_hero_needs_no_style_sheet(hero):
    text = hero.evaluate("() => new XMLSerializer().serializeToString(lab.hero.sheet())")
    assert "raw at 8" in text
    assert "all weights" in text
    assert "class=" not in text
    assert text.count('fill="rgb') > 4
