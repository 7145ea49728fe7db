"""The name of a picture: all that the picture depends on, in a fixed order, and the version of the code.

A cache keyed by this name gives one visitor's picture to another. So a control that is not in the name must change
nothing, and no other parameter may be read.
"""

from urllib.parse import parse_qsl

import pytest

from pages._view import entry, version, way
from pages._view.address import Address
from pages._view.kinds import Choice, Number, Text
from pages._view.lesson import STEP
from pages._view.lessons import LESSONS
from pages._view.server import moving
from pages._view.shared import SHARED
from tests.pages.opening import DRAWN, FOLLOWING, at_step


def at(stem, step, **query):
    return Address(LESSONS[stem], at_step(step) | query)


def other_texts(one):
    """Return texts that set a control to other values than its default: ends and middle, or every option."""
    if isinstance(one, Choice):
        return [one.write(each) for each in one.options if each != one.default]
    if isinstance(one, Number):
        stops = sorted({one.low, one.high, *one.stops} - {one.default})
        return [f"{each:g}" for each in {stops[0], stops[len(stops) // 2], stops[-1]}]
    return ["1, 2; 3, 4", "~ é *+&"] if isinstance(one, Text) else []


@pytest.mark.parametrize(("stem", "step"), DRAWN)
def test_controls_missing_from_the_name_change_no_picture(stem, step):
    here = at(stem, step)
    usual = moving._drawn(stem, here.query)
    for name in here.said.keys() - {*entry.depends_on(here)}:
        for text in other_texts(here.known(name)):
            assert moving._drawn(stem, at_step(step) | {name: text}) == usual, f"{name}={text}"


@pytest.mark.parametrize(("stem", "step"), DRAWN)
def test_name_omits_only_controls_that_the_step_does_not_use(stem, step):
    here = at(stem, step)
    dropped = here.said.keys() - {*entry.depends_on(here)}
    unused = SHARED.keys() - {*here.lesson.shared, *here.step.followed}
    assert dropped <= unused | here.step.pinned.keys() | {*entry.CHANGES_NOTHING}
    assert here.lesson.controls.keys() - here.step.pinned.keys() <= {*entry.depends_on(here)}


class Heard(dict):
    """A query that records which parameters are read."""

    def __init__(self, *said):
        super().__init__(*said)
        self.asked = set()

    def __contains__(self, name):
        self.asked.add(name)
        return super().__contains__(name)

    def __getitem__(self, name):
        self.asked.add(name)
        return super().__getitem__(name)

    def get(self, name, default=None):
        self.asked.add(name)
        return super().get(name, default)


@pytest.mark.parametrize("bet", [{}, {"bet": "1"}])
@pytest.mark.parametrize(("stem", "step"), DRAWN)
def test_picture_reads_no_parameter_missing_from_its_name(stem, step, bet):
    said = Heard(at_step(step) | bet)
    moving._drawn(stem, said)
    assert said.asked <= {*at(stem, step).said, entry.GROUND, "bet", *entry.THEIRS}


@pytest.mark.parametrize(("stem", "step"), DRAWN)
def test_parsed_name_gives_the_values_of_the_address(stem, step):
    usual = entry.name_of(at(stem, step), None)
    for name in entry.depends_on(at(stem, step)):
        for text in () if name == STEP else other_texts(at(stem, step).known(name)):
            here = at(stem, step, **{name: text})
            named = entry.name_of(here, "dark")
            read = Address(here.lesson, dict(parse_qsl(named, keep_blank_values=True, strict_parsing=True)))
            assert read.values == here.values
            assert (entry.name_of(here, None) == usual) == (here.said[name] == here.known(name).default)


@pytest.mark.parametrize(("stem", "step"), DRAWN)
def test_all_links_to_the_same_settings_give_the_same_name(stem, step):
    here = at(stem, step)
    usual = {name: here.known(name).write(each) for name, each in here.said.items()}
    named = entry.name_of(here, "light")
    unused = SHARED.keys() - {*here.lesson.shared, *here.step.followed, "mode"}  # set in other lessons
    elsewhere = at_step(step) | {name: other_texts(SHARED[name])[0] for name in unused} | {"utm_source": "x"}
    for said in (usual, dict(reversed(usual.items())), elsewhere):
        assert entry.name_of(Address(here.lesson, said), "light") == named
    parts = [name for name, _ in parse_qsl(named)]
    assert parts == sorted(set(parts))
    assert {entry.GROUND, entry.VERSION_OF} <= set(parts) <= {entry.GROUND, entry.VERSION_OF, STEP}


def test_numbers_keep_all_their_digits_in_the_name():
    here = at("scaling_rules", "exponents", exponent="0.123456789")
    assert "exponent=0.123456789&" in entry.name_of(here, None)
    assert "exponent=1&" in entry.name_of(at("scaling_rules", "exponents", exponent="1.0"), None)


@pytest.mark.parametrize(("stem", "step"), FOLLOWING)
def test_server_recognises_a_query_that_equals_the_name(stem, step):
    slider = LESSONS[stem].step(step).followed[0]
    here = at(stem, step, **{slider: other_texts(at(stem, step).known(slider))[0]})
    named = entry.name_of(here, "dark")
    assert moving._is_name(stem, dict(parse_qsl(named)), named)


# --- the version ----------------------------------------------------------------------------------------


@pytest.fixture
def code(tmp_path):
    """Return a folder with a few files of code."""
    for name in ("pages/a.py", "pages/live/b.js", "pages/still/card.png", "sattn_core/c.py", "requirements.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    return tmp_path


@pytest.mark.parametrize("name", ["pages/a.py", "pages/live/b.js", "sattn_core/c.py", "requirements.txt"])
def test_changing_or_moving_a_file_of_code_changes_the_version(code, name):
    before = version.version_of(code)
    (code / name).write_text("other")
    after = version.version_of(code)
    (code / name).rename(code / "pages/moved.py")
    assert len({before, after, version.version_of(code)}) == 3


def test_files_that_pictures_do_not_use_leave_the_version_unchanged(code):
    before = version.version_of(code)
    (code / "pages/still/card.png").write_text("other")
    for name in ("pages/__pycache__/a.pyc", "tests/a.py", "README.md"):
        (code / name).parent.mkdir(exist_ok=True)
        (code / name).write_text("other")
    (code / "pages/a.py").touch()
    assert version.version_of(code) == before


def test_stage_requests_pictures_of_the_running_version():
    assert version.VERSION == version.version_of(version._ROOT)
    assert entry.name_of(at("score_variance", "draw"), None) == f"v={version.VERSION}"


def test_hidden_settings_of_a_try_are_reset_after_its_step():
    query = {"step": "straighten", "correlation": "1", "sampling": "matrix", "n_queries": "2", "d_k": "64", "seed": "3"}
    ended = way.ended(Address(LESSONS["score_variance"], query))
    assert ended["correlation"] == "0"
    assert ended["sampling"] == "pairs"
    assert not {"d_k", "seed", "n_keys"} & {*ended}  # shared settings stay as the learner has them
    assert "correlation" not in way.ended(Address(LESSONS["score_variance"], query | {"correlation": "0.3"}))
