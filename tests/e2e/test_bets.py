"""Bet, then see, in a browser: by keyboard, on one lesson of each kind; open and revealed without a broken rule.

Without a browser every lesson is tried.
"""

import pytest
from dashboard import CHARTS, LESSONS, SLIDER, sentences
from harness import check_accessibility, open_page, query_parameters, wait_until_idle

from pages._view.kinds import Choice
from pages._view.lessons import LESSONS as DECLARED
from pages._view.lessons import ORDER

pytestmark = pytest.mark.e2e

WITH_BETS = [stem for stem in ORDER if DECLARED[stem].bet]
CARD = ".st-key-bet_card"
PLACE = ".st-key-place_bet button"
REST = ".st-key-assumed"  # the first of what every lesson ends with


def kind(stem):
    """A choice, or a number and the axis on which it is marked."""
    bet = DECLARED[stem].bet
    return "choice" if isinstance(bet.answer, Choice) else bet.place.along


FIRST_OF_KIND = list({kind(stem): stem for stem in reversed(WITH_BETS)}.values())


def place_by_keyboard(page, stem):
    """Move the marker by a step, or choose the first answer, and press the button."""
    chosen = isinstance(DECLARED[stem].bet.answer, Choice)
    marker = page.locator(f"{CARD} input[type={'radio' if chosen else 'range'}]").first
    marker.press("Space" if chosen else "ArrowRight")
    page.locator(f"{PLACE}:not([disabled])").wait_for()
    wait_until_idle(page)
    page.locator(PLACE).press("Enter")
    page.wait_for_function("() => location.search.includes('guess=')")
    wait_until_idle(page)


@pytest.mark.parametrize("stem", FIRST_OF_KIND)
def test_a_bet_is_hidden_placed_and_revealed(page, server, stem):
    asked = []
    watch = lambda request: "/moving/" in request.url and asked.append(request.url)  # noqa: E731
    open_page(page, server, stem, bet=1, n_keys=32)
    page.context.on("request", watch)
    assert sentences(page) == []
    assert page.locator(CHARTS).count() == 1
    assert page.locator(REST).count() == 0
    assert page.get_by_text(DECLARED[stem].answer[:30]).count() == 0
    page.locator(SLIDER).press("ArrowRight")
    page.wait_for_function("() => location.search.includes('d_k=72')")
    wait_until_idle(page)
    page.context.remove_listener("request", watch)
    assert asked == []
    assert ("dₖ = 72" in page.locator(CARD).inner_text()) == ("{d_k}" in DECLARED[stem].bet.question)
    check_accessibility(page)

    place_by_keyboard(page, stem)
    assert sentences(page) != []
    assert page.locator(REST).count() == 1
    assert "In fact" in page.locator(CARD).inner_text()
    main = page.locator(CHARTS).first
    assert "your bet" in main.text_content()
    assert "Your bet" in main.get_attribute("aria-label")
    check_accessibility(page)
    before = page.locator(CARD).inner_text()
    page.reload()
    wait_until_idle(page)
    assert page.locator(CARD).inner_text() == before


def test_the_way_on_carries_the_bets_and_the_settings_and_the_menu_does_not(page, server):
    first, second = WITH_BETS[1], WITH_BETS[2]
    open_page(page, server, first, bet=1, tally="1-2", guess=95, n_keys=32, d_k=100)
    page.locator(".st-key-way").get_by_role("link", name=LESSONS[second]).click()
    page.get_by_role("heading", level=1, name=LESSONS[second]).wait_for()
    wait_until_idle(page)
    assert query_parameters(page) == {"bet": "1", "tally": "1-2", "n_keys": "32", "d_k": "100"}
    page.locator(PLACE).wait_for()
    page.get_by_test_id("stSidebar").get_by_role("link", name=LESSONS[first]).click()
    page.get_by_role("heading", level=1, name=LESSONS[first]).wait_for()
    wait_until_idle(page)
    assert not {"bet", "tally", "guess"} & query_parameters(page).keys()
    assert page.locator(CARD).count() == 0
