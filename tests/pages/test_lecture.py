"""The path of a lecture: its address, and the stops before and after each page."""

import re
from html import unescape
from pathlib import Path
from urllib.parse import urlencode

import pytest

from pages._view import lecture, way
from pages._view.address import Address
from pages._view.lecture import BadPath, Stop, around, beside, stops_of
from pages._view.lessons import LESSONS
from tests.pages.opening import open_page

CLASSROOM = Path(lecture.__file__).parent / "classroom/README.md"


def at(stem, **query):
    return Address(LESSONS[stem], query)


def test_path_lists_lessons_and_steps():
    assert stops_of("start, score_variance.divide,softmax_saturation,recap") == (
        Stop("start", "drag"),
        Stop("score_variance", "divide"),
        Stop("softmax_saturation", "divisor"),  # the step that the lesson opens with
        Stop("recap", ""),
    )
    assert stops_of("") == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("lectures", "names “lectures”, which is no lesson; these are allowed: lecture, start, one_query, "),
        ("start,derivation.roots", "“roots”, which is no step of derivation; its steps are lines, root, broken"),
        ("recap.story", "names “story”, which is no step of recap; it has none: name the lesson alone"),
        ("start,recap,start.drag", "names start.drag twice; name each step once"),
    ],
)
def test_invalid_path_is_explained_in_one_sentence(text, said):
    with pytest.raises(BadPath, match=re.escape(said)):
        stops_of(text)
    assert lecture.stops_at(at("start", path=text)) == ()
    app = open_page("start", path=text)
    (note,) = [each.value for each in app.info]
    assert said.split("“")[-1][:12] in note.replace("\\", "")
    assert "path" not in app.query_params


def test_lecture_path_visits_the_lessons_named_in_the_classroom_readme():
    rows = re.findall(r"^\| [\d–]+ \| `(\w+)` \|", CLASSROOM.read_text(encoding="utf-8"), re.MULTILINE)
    assert [*dict.fromkeys(each.stem for each in stops_of("lecture"))] == rows


def test_previous_and_next_stops_follow_the_path():
    stops = stops_of("start,small_samples.band,wrong_choice,one_query")
    for before, here, after in zip((None, *stops), stops, (*stops[1:], None), strict=False):
        assert around(stops, *here) == (before, after)
    assert around(stops, "small_samples", "draw") == (stops[0], stops[1])  # not on the path, but before "band"
    assert around(stops, "small_samples", "by_hand") == (stops[1], stops[2])
    assert around(stops, "corrections", "")[1] is None


def test_next_stop_skips_steps_that_reveal_an_open_bet():
    path = {"path": "score_variance.draw,score_variance.divide,recap", "step": "draw", "bet": "1"}
    assert beside(at("score_variance", **path))[1] == Stop("recap", "")
    assert beside(at("score_variance", **path, reveal="1"))[1] == Stop("score_variance", "divide")


def test_next_link_keeps_the_path_and_is_missing_at_its_last_stop():
    path = {"path": "softmax_saturation.too_flat,score_variance.divide,softmax_saturation.lists"}
    (link,) = re.findall('<a rel="next"[^>]*>', way.html_of(at("softmax_saturation", step="too_flat", **path)))
    assert (
        unescape(link)
        .split('href="')[1]
        .startswith(f"score_variance?{urlencode({'path': path['path'], 'step': 'divide'})}")
    )
    assert 'rel="next"' not in way.html_of(at("softmax_saturation", step="lists", **path))
    assert way.lessons_beside(at("score_variance", step="divide", **path)) == (
        Stop("softmax_saturation", "too_flat"),
        Stop("softmax_saturation", "lists"),
    )
