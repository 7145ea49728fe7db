"""The picture of typed examples: their products and spread beside the spread of random products, for any typed text."""

import numpy as np
import pytest

from pages._view.kinds import Text
from pages._view.lessons.small_samples import work
from pages._view.lessons.small_samples.declaration import LESSON
from pages._view.theme import LIGHT, number
from tests.figures.drawing import PROFILES, plotted, texts, trace_of, whole

DEFAULTS = {name: each.default for name, each in LESSON.controls.items() if isinstance(each, Text)}
HUGE = "; ".join([" ".join(["1e6"] * 64)] * 16)
ONE = {"q_2d": "1 2", "k_2d": "3 4"}
TYPED = {
    "defaults": {},
    "one vector": ONE,
    "one vector each": ONE | {"q_3d": "1 2 3", "k_3d": "3 4 5"},
    "equal products": {"q_2d": "1 2; 2 1", "k_2d": "1 1; 1 1"},
    "zeros": dict.fromkeys(DEFAULTS, "0; 0"),
    "huge": {"q_3d": HUGE, "k_3d": HUGE},
    "huge and below 0": {"q_2d": HUGE, "k_2d": HUGE, "q_3d": HUGE, "k_3d": HUGE.replace("1e6", "-1e6")},
    "tiny": {"q_2d": "1e-9; 2e-9", "k_2d": "1; 1", "q_3d": "0 0; 1e-9 0", "k_3d": "1 1; 1 1"},
    "empty": {"q_2d": ""},
    "no numbers": {"k_3d": "a"},
    "two lengths": {"q_2d": "1 2; 3"},
    "two shapes": {"q_3d": "1 2"},
    "nothing at all": dict.fromkeys(DEFAULTS, ""),
}


def drawn(profile=LIGHT, **typed):
    """Return the examples and their picture for these texts in the fields."""
    values = DEFAULTS | typed
    return work.examples(values)[0], work.STEPS["by_hand"].picture(values, profile)


@pytest.mark.parametrize("typed", TYPED.values(), ids=TYPED)
def test_picture_shows_products_their_spread_and_the_random_spread(typed):
    examples, picture = drawn(**typed)
    fig = plotted(picture)
    shown = {trace.name for trace in fig.data}
    assert len(shown) == 3 * sum(each is not None for each in examples.values())
    low, high = fig.layout.xaxis.range
    assert low < high
    for name, each in examples.items():
        if each is None:
            assert f"raw products, {name}" not in shown
            continue
        np.testing.assert_array_equal(trace_of(fig, f"raw products, {name}").x, each.dots)
        spread = trace_of(fig, f"raw spread, {name}").x
        assert [*dict.fromkeys(spread)] == [*dict.fromkeys((each.mean - each.std, each.mean, each.mean + each.std))]
        random = np.array(trace_of(fig, f"random, {name}, theory").x)
        assert {*random[~np.isnan(random)]} == {-(each.d_k**0.5), each.d_k**0.5}
        for trace in fig.data:
            assert low <= np.nanmin(trace.x) <= np.nanmax(trace.x) <= high


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("typed", TYPED.values(), ids=TYPED)
def test_words_are_short_and_give_the_spread_of_every_example(typed, profile):
    examples, picture = drawn(profile, **typed)
    whole(picture)
    assert picture.drawn()
    for name, each in examples.items():
        if each is None:
            assert f"The {name} example gives none." in picture.sentence or "Neither" in picture.sentence
        else:
            assert (number(each.std) if len(each.dots) > 1 else "0 (one product)") in picture.sentence
            assert f"dₖ = {each.d_k}" in " ".join(texts(plotted(picture)))
            assert any(f"variance {number(each.variance, 6)} (ddof = 0)" in line for line in picture.sure)


def test_both_examples_fit_on_one_axis():
    _, picture = drawn()
    assert picture.sentence == "Products picked by hand spread by 38.4 and 82.0. Drawn at random, they spread by √dₖ."
    said = texts(plotted(picture))
    assert "<b>First example</b>, dₖ = 2: 8, 29 and 98" in said
    assert "<b>Second example</b>, dₖ = 3: 10, 86 and 209" in said
    assert {"<b>mean 45.0 ± 38.4</b>", "<b>mean 102 ± 82.0</b>"} < {*said}
    assert {"random N(0, 1)<br>numbers: 0 ± √2", "random N(0, 1)<br>numbers: 0 ± √3"} < {*said}
    assert picture.checks["variance"] == ["1,478.00", "6,722.89"]
    assert picture.table["dot product"] == [8, 29, 98, 10, 86, 209]


@pytest.mark.parametrize("name", ["q_2d", "k_2d", "q_3d", "k_3d"])
def test_older_addresses_with_one_line_per_vector_are_read(name):
    text, problem = LESSON.controls[name].read("1, 2\n3, 4\r\n5, 6")
    assert (text, problem) == ("1, 2;3, 4;5, 6", None)
    assert LESSON.controls[name].read(LESSON.controls[name].default) == (LESSON.controls[name].default, None)
