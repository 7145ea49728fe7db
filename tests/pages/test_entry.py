"""The name of a picture: it has all that the picture depends on, in one order, and the version of the code.

A cache keyed by this name gives one visitor's picture to another. So a control that is not in the name must change
nothing, and nothing else of an address may be read.
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
    """Return texts of a control in an address, other than its default: the ends, the middle, and each option."""
    if isinstance(one, Choice):
        return [one.write(each) for each in one.options if each != one.default]
    if isinstance(one, Number):
        stops = sorted({one.low, one.high, *one.stops} - {one.default})
        return [f"{each:g}" for each in {stops[0], stops[len(stops) // 2], stops[-1]}]
    return ["1, 2; 3, 4", "~ é *+&"] if isinstance(one, Text) else []


@pytest.mark.parametrize(("stem", "step"), DRAWN)
def test_a_control_that_is_not_in_the_name_changes_no_picture(stem, step):
    here = at(stem, step)
    usual = moving._drawn(stem, here.query)
    for name in here.said.keys() - {*entry.depends_on(here)}:
        for text in other_texts(here.known(name)):
            assert moving._drawn(stem, at_step(step) | {name: text}) == usual, f"{name}={text}"


@pytest.mark.parametrize(("stem", "step"), DRAWN)
def test_the_name_leaves_out_only_declared_controls(stem, step):
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
def test_a_picture_reads_no_parameter_that_is_not_in_its_name(stem, step, bet):
    said = Heard(at_step(step) | bet)
    moving._drawn(stem, said)
    assert said.asked <= {*at(stem, step).said, entry.GROUND, "bet", *entry.THEIRS}


@pytest.mark.parametrize(("stem", "step"), DRAWN)
def test_the_name_has_the_parameters_of_the_address(stem, step):
    usual = entry.name_of(at(stem, step), None)
    for name in entry.depends_on(at(stem, step)):
        for text in () if name == STEP else other_texts(at(stem, step).known(name)):
            here = at(stem, step, **{name: text})
            named = entry.name_of(here, "dark")
            read = Address(here.lesson, dict(parse_qsl(named, keep_blank_values=True, strict_parsing=True)))
            assert read.values == here.values
            assert (entry.name_of(here, None) == usual) == (here.said[name] == here.known(name).default)


@pytest.mark.parametrize(("stem", "step"), DRAWN)
def test_one_setting_has_one_name_from_any_link(stem, step):
    here = at(stem, step)
    usual = {name: here.known(name).write(each) for name, each in here.said.items()}
    named = entry.name_of(here, "light")
    unused = SHARED.keys() - {*here.lesson.shared, *here.step.followed, "mode"}  # as other lessons have set them
    elsewhere = at_step(step) | {name: other_texts(SHARED[name])[0] for name in unused} | {"utm_source": "x"}
    for said in (usual, dict(reversed(usual.items())), elsewhere):
        assert entry.name_of(Address(here.lesson, said), "light") == named
    parts = [name for name, _ in parse_qsl(named)]
    assert parts == sorted(set(parts))
    assert {entry.GROUND, entry.VERSION_OF} <= set(parts) <= {entry.GROUND, entry.VERSION_OF, STEP}


def test_a_number_is_in_the_name_with_all_its_digits():
    here = at("scaling_rules", "exponents", exponent="0.123456789")
    assert "exponent=0.123456789&" in entry.name_of(here, None)
    assert "exponent=1&" in entry.name_of(at("scaling_rules", "exponents", exponent="1.0"), None)


@pytest.mark.parametrize(("stem", "step"), FOLLOWING)
def test_the_server_counts_an_address_as_the_name_if_it_equals_it(stem, step):
    slider = LESSONS[stem].step(step).followed[0]
    here = at(stem, step, **{slider: other_texts(at(stem, step).known(slider))[0]})
    named = entry.name_of(here, "dark")
    assert moving._is_name(stem, dict(parse_qsl(named)), named)


# --- the version ----------------------------------------------------------------------------------------


@pytest.fixture
def code(tmp_path):
    """Return a small folder of code."""
    for name in ("pages/a.py", "pages/live/b.js", "pages/still/card.png", "sattn_core/c.py", "requirements.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    return tmp_path


@pytest.mark.parametrize("name", ["pages/a.py", "pages/live/b.js", "sattn_core/c.py", "requirements.txt"])
def test_other_code_has_another_version(code, name):
    before = version.version_of(code)
    (code / name).write_text("other")
    after = version.version_of(code)
    (code / name).rename(code / "pages/moved.py")
    assert len({before, after, version.version_of(code)}) == 3


def test_files_that_draw_nothing_keep_the_version(code):
    before = version.version_of(code)
    (code / "pages/still/card.png").write_text("other")
    for name in ("pages/__pycache__/a.pyc", "tests/a.py", "README.md"):
        (code / name).parent.mkdir(exist_ok=True)
        (code / name).write_text("other")
    (code / "pages/a.py").touch()
    assert version.version_of(code) == before


def test_the_stage_asks_for_the_version_of_this_code():
    assert version.VERSION == version.version_of(version._ROOT)
    assert entry.name_of(at("score_variance", "draw"), None) == f"v={version.VERSION}"


def test_settings_of_a_try_end_with_its_step_after_another_try():
    query = {"step": "straighten", "correlation": "1", "sampling": "matrix", "n_queries": "2", "d_k": "64", "seed": "3"}
    ended = way.ended(Address(LESSONS["score_variance"], query))
    assert ended["correlation"] == "0"
    assert ended["sampling"] == "pairs"
    assert not {"d_k", "seed", "n_keys"} & {*ended}  # shared settings stay as the learner has them
    assert "correlation" not in way.ended(Address(LESSONS["score_variance"], query | {"correlation": "0.3"}))
