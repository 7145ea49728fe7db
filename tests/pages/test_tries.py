"""The tries of every lesson: valid settings, plain links, and a test for every promise."""

import ast
import re
from html import unescape
from pathlib import Path
from urllib.parse import parse_qsl

import pytest

from pages._view.address import Address
from pages._view.lessons import LESSONS, ORDER
from pages._view.way import ended, html_of, tries_html
from tests.pages.opening import controls_of, open_page, sets_of, tries_of

HERE = Path(__file__).parent
ALL = [(stem, each) for stem, lesson in LESSONS.items() for each in lesson.tries]
IDS = [f"{stem}-{each.key}" for stem, each in ALL]


@pytest.mark.parametrize(("stem", "each"), ALL, ids=IDS)
def test_settings_of_a_try_are_accepted_by_their_controls(stem, each):
    for name, value in each.settings.items():
        assert controls_of(stem)[name].read(str(value)) == (value, None)


@pytest.mark.parametrize("stem", ORDER)
def test_every_promise_of_a_try_has_a_test(stem):
    tests = ast.parse((HERE / f"test_{stem}.py").read_text(encoding="utf-8")).body
    names = {each.name for each in tests if isinstance(each, ast.FunctionDef)}
    assert {f"test_try_{each.key}" for each in LESSONS[stem].tries} <= names


@pytest.mark.parametrize(("stem", "each"), ALL, ids=IDS)
def test_link_of_a_try_leads_to_its_settings(stem, each):
    step = each.settings["step"]
    html = tries_html(Address(LESSONS[stem], {"step": step, "d_k": "5"}))
    (link,) = re.findall(f'<a [^>]*data-try="{each.key}".*?</a>', html)
    there = Address(LESSONS[stem], dict(parse_qsl(unescape(re.search('href=".(.*?)"', link)[1]))))
    assert there.step.name == step
    assert {name: there.values[name] for name in each.settings} == dict(each.settings)
    assert there.said["d_k"] == each.settings.get("d_k", 5)  # in `values`, a step may pin d_k
    (done,) = re.findall(f'<a [^>]*data-try="{each.key}"[^>]*>', tries_html(there))
    assert 'aria-current="true"' in done


def test_page_after_a_try_has_the_settings_of_the_try_and_the_same_tries():
    app = open_page("small_samples", seed="3", size="4", step="draw")
    assert "aria-current" not in tries_html(Address(LESSONS["small_samples"], {"seed": "3", "size": "4"}))
    there = open_page("small_samples", step="draw", **sets_of(app, 'data-try="large_matrices"'))
    assert [*tries_of(there)] == [*tries_of(app)]
    assert there.session_state["size"] == 64


def test_no_try_is_offered_on_a_wall_or_while_a_bet_waits():
    for said in ({"mode": "projector"}, {"bet": "1"}):
        assert tries_html(Address(LESSONS["small_samples"], said)) == ""


ALIGNED = {"step": "straighten", "d_k": "256", "correlation": "1.0"}


def test_links_to_other_steps_reset_the_hidden_settings_of_a_try():
    here = Address(LESSONS["score_variance"], ALIGNED)
    links = {
        step: dict(parse_qsl(unescape(said)))
        for said, step in re.findall(r'href="\?(.*?)" data-step="(\w+)"', html_of(here))
    }
    assert links["divide"] == {"step": "divide", "d_k": "256"}
    assert links["straighten"] == ALIGNED
    assert ended(here) == {"correlation": "0"}


def test_leaving_a_step_keeps_settings_visible_there_or_not_from_a_try():
    said = [
        ("score_variance", {"step": "straighten", "correlation": "0.5"}),
        ("score_variance", {"step": "divide", "correlation": "1.0"}),
        ("derivation", {"step": "broken", "broken": "q and k aligned"}),
        ("softmax_saturation", {"step": "flat", "d_k": "1024"}),
    ]
    assert [ended(Address(LESSONS[stem], query)) for stem, query in said] == [{}] * 4
