"""Words that light parts of a picture: found in their sentence, in the traces' colour, readable on the background."""

import re
from collections import Counter

import pytest

from pages._view.lessons import ORDER
from pages._view.marks import Mark, contrast, found, readable
from pages._view.theme import DARK, LIGHT, PROJECTOR
from tests.figures.pictures import pictures
from tests.figures.test_every_picture import EVERYTHING, at

LAYOUT = {"paper_bgcolor": LIGHT.ground, "font": {"color": LIGHT.text}}


def trace(name, kind="scatter", **parts):
    return {"type": kind, "name": name, **parts}


RAW = trace("raw", mode="lines", line={"color": LIGHT.raw, "dash": "dot"})
BARS = trace("weights", "bar", marker={"color": [LIGHT.text, LIGHT.scaled, LIGHT.scaled]})
MATRIX = trace("scores", "heatmap")
NAMED = [RAW, BARS, MATRIX, RAW | {"name": "theory", "line": {"color": LIGHT.text}}]


def told(sentence, *marks):
    return found(sentence, marks, NAMED, LAYOUT)


def test_a_mark_has_its_preceding_text_traces_colour_and_line_style():
    one, two = told("Raw and raw, then scores.", Mark("scores", ("scores",)), Mark("raw", ("raw", "theory")))
    assert one == {"word": "raw", "before": "Raw and ", "curves": [0, 3], "points": None, "colour": LIGHT.raw,
                   "ink": readable(LIGHT.raw, LIGHT.ground, LIGHT.text), "line": "dotted"}  # fmt: skip
    assert (two["before"], two["curves"], two["colour"], two["line"]) == (", then ", [2], LIGHT.text, "solid")


def test_a_word_for_points_has_the_colour_of_the_points():
    (one,) = told("The tallest bar.", Mark("tallest bar", ("weights",), (1, 2)))
    assert (one["curves"], one["points"], one["colour"]) == ([1], [1, 2], LIGHT.scaled)


def test_only_whole_words_are_found_and_missing_ones_are_left_out():
    assert told("Drawings are drawn.", Mark("raw", ("raw",))) == []
    assert [each["before"] for each in told("Drawn raw.", Mark("raw", ("raw",)))] == ["Drawn "]


@pytest.mark.parametrize(
    ("sentence", "marks", "said"),
    [
        ("raw", [Mark("raw", ("gone",))], "missing: {'gone'}"),
        ("raw", [Mark("raw", ("raw", "gone"))], "missing: {'gone'}"),
        ("bars", [Mark("bars", ("weights",))], "of one colour"),
        ("the raw line", [Mark("the raw", ("raw",)), Mark("raw line", ("raw",))], "share the words “raw line”"),
    ],
)
def test_missing_ambiguous_and_overlapping_marks_are_refused(sentence, marks, said):
    with pytest.raises(ValueError, match=said):
        told(sentence, *marks)


def test_contrast_equals_known_wcag_values():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#ffffff", "#777777") == pytest.approx(4.478, abs=5e-4)  # WebAIM's contrast checker
    assert contrast("#d55e00", "#d55e00") == 1


@pytest.mark.parametrize("profile", [LIGHT, DARK, PROJECTOR])
def test_readable_colours_stay_and_pale_ones_are_changed(profile):
    assert readable(profile.text, profile.ground, profile.text) == profile.text
    for colour in (profile.raw, profile.scaled, profile.third, profile.band, profile.grid):
        ink = readable(colour, profile.ground, profile.text)
        assert contrast(ink, profile.ground) >= 4.5
        assert ink == colour or contrast(colour, profile.ground) < 4.5
    assert readable(LIGHT.raw, LIGHT.ground, LIGHT.text) != LIGHT.raw


SEEDED = [{"step": "wander", "seed": seed} for seed in range(1, 13)]  # each word of one_query is on top for some seed
PLACES = [{}, *({"d_k": d_k} for d_k in (1, 2, 8, 256, 1024)), {"seed": 3}]


@pytest.mark.walk
@pytest.mark.parametrize("stem", ORDER)
def test_every_mark_has_its_word_in_the_sentence_at_some_setting(stem):
    settings = [*PLACES, *(chosen for each in EVERYTHING for name, chosen in each.values if name == stem)]
    said = Counter()
    for chosen in [*settings, *(SEEDED if stem == "one_query" else ())]:
        for picture in pictures(stem, at(stem, **chosen), LIGHT):
            words = {each["word"] for each in picture.drawn()["marks"]} if picture.marks else set()
            named = {name_of(picture, each): 0 for each in picture.marks}
            said.update(named | {name_of(picture, each): 1 for each in picture.marks if each.word in words})
    assert not [mark for mark, count in said.items() if not count]


def name_of(picture, mark):
    """Return a name of a mark that is the same at every setting: without points and numbers."""
    return picture.key, re.sub(r"[\d,.]+", "", mark.traces[0])
