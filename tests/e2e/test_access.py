"""Accessibility: touch targets, zoom to 200 %, axe-core in every look, and use by keyboard alone.

`test_every_lesson.py` scans every page in light colours with all folds open, and presses Tab through it.
The walk makes one of the three checks on every second lesson, in turn; `-m matrix` makes the rest.
"""

from itertools import pairwise

import pytest
from dashboard import LESSONS, SETTINGS, SLIDER, open_everything
from harness import check_accessibility, open_page, query_parameters, wait_until_idle, wait_until_still
from sizes import PHONE, SCREEN, resize
from tabbing import stops_by_tab
from touching import too_small

from pages._view.kinds import Choice, Drawing
from pages._view.lessons import LESSONS as DECLARED

pytestmark = pytest.mark.e2e

DRAWER = ".st-key-settings [data-testid=stExpanderDetails]"
WIDE = [(720, 450), SCREEN[PHONE], (320, 640)]  # 200 % zoom of 1440 by 900, a phone, a small phone
TOO_WIDE = """() => [document.documentElement, document.querySelector('[data-testid=stMain]')]
  .map(each => each.scrollWidth - each.clientWidth).filter(over => over > 0)"""
# Return the texts that their own element cuts off.
CLIPPED = """() => {
  const main = document.querySelector('[data-testid=stMain]');
  const cut = each => getComputedStyle(each).overflowX === 'hidden' && each.scrollWidth > each.clientWidth + 1;
  return [...main.querySelectorAll('h1, h2, p, button, summary, label, a, td, th')]
    .filter(each => each.checkVisibility() && each.clientWidth > 1 && each.innerText?.trim() && cut(each))
    .map(each => each.innerText.slice(0, 40));
}"""


def guess_on(bet):
    """Return an answer to a bet, as written in an address."""
    answer = bet.answer
    if isinstance(answer, Drawing):
        return "-".join("1" for _ in answer.at)
    return answer.write(answer.options[-1] if isinstance(answer, Choice) else answer.stops[1])


def bets_of(lesson):
    """Return the query parameters of a lesson with an open bet and with a placed one; [] if it has no bet."""
    bet = DECLARED[lesson or "start"].bet
    return [{"bet": "1"}, {"bet": "1", "guess": guess_on(bet)}] if bet else []


def in_turn(looks, kind):
    """Return each lesson in each look; `is_walked` chooses those of the walk, the others need `-m matrix`.

    kind: the number of the check (0 touch, 1 zoom, 2 rules).
    """
    return [
        pytest.param(
            lesson, look, marks=pytest.mark.walk if is_walked(turn, kind, place, looks) else pytest.mark.matrix
        )
        for turn, lesson in enumerate(LESSONS)
        for place, look in enumerate(looks)
    ]


def is_walked(turn, kind, place, looks):
    return turn % 6 == 2 * kind + 1 and turn // 6 % len(looks) == place


# --- touch ----------------------------------------------------------------------------------------------


def check_touch(page, server, lesson, look):
    open_page(page, server, lesson, **look)
    open_everything(page, apart=["settings"])
    n_seen, wrong = too_small(page)
    page.locator(SETTINGS).click()
    wait_until_still(page)
    n_more, more = too_small(page, inside=DRAWER)
    assert n_seen > 3
    assert n_more > 3
    assert wrong + more == [], look


@pytest.mark.parametrize(("lesson", "look"), in_turn([(PHONE, 0), ("1440", 2), (PHONE, 1), ("1440", 0)], 0))
def test_every_control_is_large_enough_for_a_finger(new_page, server, lesson, look):
    size, bet = look
    looks = [{}, *bets_of(lesson)]
    check_touch(new_page(*SCREEN[size]), server, lesson, looks[bet % len(looks)])


def test_controls_too_small_for_a_finger_are_found(page):
    page.set_content(
        "<button style='width: 60px; height: 30px'>low</button><button style='width: 60px; height: 60px'>large</button>"
        "<p style='height: 50px'></p><a href='#' style='display: block; width: 30px; height: 60px'>narrow</a>"
        "<div style='position: relative'><button style='width: 60px; height: 60px'>covered</button>"
        "<p style='position: absolute; inset: 5px auto auto 0; margin: 0; width: 60px; height: 20px'></p></div>"
    )
    n_seen, small = too_small(page)
    assert n_seen == 4
    assert [each.split("“")[1].split("”")[0] for each in small] == ["low", "narrow", "covered"]


# --- zoom -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("lesson", "look"), in_turn([{}], 1))
def test_a_zoomed_page_does_not_scroll_sideways_or_cut_off_text(new_page, server, lesson, look):
    page, wrong = new_page(*WIDE[0]), {}
    open_page(page, server, lesson, **look)
    open_everything(page, apart=["settings"])
    for size in WIDE:
        resize(page, size)
        wait_until_still(page)
        if found := page.evaluate(TOO_WIDE) + page.evaluate(CLIPPED):
            wrong[size] = found
    assert wrong == {}


# --- rules ----------------------------------------------------------------------------------------------


# (bet: 0 none, 1 open, 2 placed; colour scheme; query parameters)
LOOKS = [(0, "dark", {}), (1, "light", {"mode": "projector"}), (2, "dark", {}), (1, "dark", {}), (2, "light", {}),
         (0, "light", {"mode": "projector", "rest": "shown"}), (2, "light", {"mode": "projector"}),
         (1, "light", {})]  # fmt: skip


@pytest.mark.parametrize(("lesson", "look"), in_turn(LOOKS, 2))
def test_no_axe_rule_is_broken_in_any_look(new_page, server, lesson, look):
    bet, scheme, mode = look
    bets = [{}, *bets_of(lesson)]
    page = new_page(color_scheme=scheme)
    open_page(page, server, lesson, **bets[bet % len(bets)], **mode)
    open_everything(page)
    assert page.locator(".st-key-settings details[open]").count() == 1
    check_accessibility(page)


@pytest.mark.walk
def test_settings_on_a_dark_phone_break_no_axe_rule(new_page, server):
    page = new_page(*SCREEN[PHONE], color_scheme="dark")
    open_page(page, server)
    page.locator(SETTINGS).click()
    wait_until_still(page)
    check_accessibility(page)


# --- keys -----------------------------------------------------------------------------------------------


def is_before(one, other):
    """Return True if `one` ends above `other` and is not in a column to its right."""
    return one["top"] + one["height"] < other["top"] and one["left"] < other["left"] + 50


@pytest.mark.parametrize("lesson", ["", pytest.param("wrong_choice", marks=pytest.mark.walk)])
def test_tab_goes_down_the_page_and_the_focus_is_always_visible(new_page, server, lesson):
    page = new_page(*SCREEN["1440"], reduced_motion="reduce")
    open_page(page, server, lesson)
    stops = stops_by_tab(page)
    assert len(stops) > 8
    assert [each["name"] for each in stops if not each["seen"]] == [], "the focus is not seen on these"
    back = [(one["name"], other["name"]) for one, other in pairwise(stops) if is_before(other, one)]
    assert back == [], "the focus goes back up the page"


def test_next_link_works_by_keyboard_and_keeps_the_setting(page, server):
    open_page(page, server)
    page.locator(SLIDER).focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => location.search.includes('d_k=72')")
    wait_until_idle(page)
    page.locator("[data-way] a[rel=next]").focus()
    page.keyboard.press("Enter")
    page.get_by_role("heading", level=1, name=LESSONS["one_query"]).wait_for()
    wait_until_idle(page)
    assert query_parameters(page)["d_k"] == "72"
    assert page.evaluate("() => document.activeElement.tagName") == "H1"


@pytest.mark.walk
def test_menu_on_a_phone_closes_by_its_button_and_by_a_link(new_page, server):
    page = new_page(*SCREEN[PHONE], reduced_motion="reduce")
    open_page(page, server, "score_variance")
    menu, opener = page.get_by_test_id("stSidebar"), page.get_by_test_id("stExpandSidebarButton")
    for leave in (
        lambda: menu.get_by_test_id("stSidebarCollapseButton").get_by_role("button").click(),
        lambda: menu.get_by_role("link", name=LESSONS["derivation"]).click(),
    ):
        opener.click()
        opener.wait_for(state="hidden")
        wait_until_still(page)
        leave()
        opener.wait_for()
    page.get_by_role("heading", level=1, name=LESSONS["derivation"]).wait_for()
