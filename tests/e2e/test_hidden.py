"""A tab hidden for ten minutes closes its session, unless the session holds state that is found nowhere else."""

import pytest
from dashboard import field, wait_until_in_place
from hand import MAIN
from harness import open_page, page_url, query_parameters, wait_until_idle
from sampling import MATRIX
from test_leaving import LONG, offer
from test_reconnect import choose

pytestmark = [pytest.mark.e2e, pytest.mark.walk]

HIDE = """hidden => {
  Object.defineProperty(document, 'hidden', {value: hidden, configurable: true});
  document.dispatchEvent(new Event('visibilitychange'));
}"""
NEARLY, LONG_ENOUGH, A_MINUTE = "09:59", "00:02", "01:00"  # min:s; NEARLY + LONG_ENOUGH > 10 min
FOLD = ".st-key-score_histograms_data"
KEY = ".st-key-dimension input"
SCROLLED = "[data-testid=stMain]"


@pytest.fixture
def lonely(new_page):
    """Return a page whose clock a test may advance; `sockets` lists its connections."""
    page = new_page(alone=True)
    page.sockets = []
    page.on("websocket", lambda socket: page.sockets.append(socket))
    page.clock.install()
    return page


def connections(page):
    """Count the open connections."""
    return sum(not each.is_closed() for each in page.sockets)


def hide(page):
    """Hide the page for a little more than ten minutes."""
    page.evaluate(HIDE, True)
    page.clock.fast_forward(NEARLY)
    assert connections(page) == 1
    page.clock.fast_forward(LONG_ENOUGH)


def lets_go(page, act):
    """Call `act` and check that it closes the connection."""
    (socket,) = page.sockets
    with socket.expect_event("close"):
        act()
    assert page.evaluate("() => lab.away")


def looks(page):
    """Return the address, the picture, the slider's value, the scroll position and the open folds."""
    return page.evaluate(
        """([main, key, scrolled]) => [
          location.href, document.querySelector(main).innerHTML, document.querySelector(key).value,
          document.querySelector(scrolled).scrollTop,
          [...document.querySelectorAll('details[open]')].map(each => each.querySelector('summary').textContent)]""",
        [MAIN, KEY, SCROLLED],
    )


@pytest.fixture
def asleep(lonely, server):
    """Return a page with an open fold after its session was closed; the server no longer knows the session."""
    open_page(lonely, server, "score_variance", d_k="16")
    fold = lonely.locator(f"{FOLD} summary").first
    fold.click()
    lonely.locator(f"{FOLD} table").wait_for()
    wait_until_idle(lonely)
    lonely.mouse.move(640, 500)
    lonely.mouse.wheel(0, 300)
    wait_until_in_place(fold)
    lonely.before = looks(lonely)
    assert lonely.before[3] > 0
    lets_go(lonely, lambda: hide(lonely))
    lonely.evaluate("() => { lab.page.session = 'forgotten'; }")
    return lonely


def wakes(page):
    page.wait_for_function("() => !lab.away")
    wait_until_idle(page)
    assert connections(page) == 1
    assert page.locator("#lab-away").text_content() == ""


def test_a_page_shown_again_looks_the_same_without_a_session(asleep):
    asleep.evaluate(HIDE, False)
    asleep.clock.fast_forward(A_MINUTE)
    assert looks(asleep) == asleep.before
    assert asleep.locator("#lab-away").text_content() == ""
    assert connections(asleep) == 0


def test_moving_the_slider_opens_a_session_and_keeps_the_page(asleep):
    asleep.evaluate(HIDE, False)
    asleep.locator(KEY).focus()
    asleep.keyboard.press("ArrowRight")
    wakes(asleep)
    asleep.wait_for_function("() => location.search.includes('d_k=18')")
    wait_until_idle(asleep)
    assert query_parameters(asleep) == {"d_k": "18"}
    assert asleep.locator(MAIN).get_attribute("data-value") == "18"
    assert asleep.locator(f"{FOLD} details[open] table").count() == 1


def test_a_table_can_be_saved_after_the_session_was_reopened(asleep):
    asleep.evaluate(HIDE, False)
    asleep.locator(KEY).focus()
    asleep.keyboard.press("ArrowRight")
    wakes(asleep)
    with asleep.expect_download() as download:
        asleep.locator(FOLD).get_by_role("button", name="Download this table (CSV)").click()
    assert download.value.path().read_text().count("\n") > 1


def test_a_page_shown_again_within_ten_minutes_keeps_its_session(lonely, server):
    open_page(lonely, server, "score_variance")
    lonely.evaluate(HIDE, True)
    lonely.clock.fast_forward(NEARLY)
    lonely.evaluate(HIDE, False)
    lonely.clock.fast_forward(NEARLY)
    lonely.clock.fast_forward(LONG_ENOUGH)
    assert lonely.evaluate("() => lab.away") is not True
    assert connections(lonely) == 1


# --- what keeps its session -----------------------------------------------------------------------------


def wall(page, server):
    open_page(page, server, "score_variance", mode="projector")


def computation(page, server):
    page.goto(page_url(server, "score_variance", **LONG), wait_until="domcontentloaded")
    offer(page).click()
    page.locator("[data-testid=stProgress]").wait_for()


def computed(page, server):
    """Start a computation and cancel it, so that the page no longer shows it."""
    computation(page, server)
    page.get_by_role("button", name="Cancel").click()
    offer(page).wait_for()


def file(page, server):
    open_page(page, server, "your_scores", sample="aligned")
    choose(page, "mine.npz")


def draft(page, server):
    open_page(page, server, "recap")
    page.locator(".st-key-card_score").get_by_text("a sum of").click()


def text(page, server):
    """Type a text too long for the address."""
    open_page(page, server, "attention_steps")
    page.locator(".st-key-own summary").first.click()
    field(page, "Q").fill("1, 2\n" * 300)
    field(page, "Q").blur()
    wait_until_idle(page)


def bet(page, server):
    open_page(page, server, "derivation", bet=1)
    page.locator("form.bet label").first.click()


@pytest.mark.parametrize(
    "kept", [wall, computation, file, text, *(pytest.param(each, marks=MATRIX) for each in (computed, draft, bet))]
)
def test_session_stays_open_while_it_holds_state_found_nowhere_else(lonely, server, kept):
    kept(lonely, server)
    hide(lonely)
    lonely.clock.fast_forward(A_MINUTE)
    assert lonely.evaluate("() => lab.away") is not True
    assert connections(lonely) == 1


def test_typed_text_in_the_address_does_not_keep_the_session_open(lonely, server):
    open_page(lonely, server, "score_variance")
    lonely.locator(".st-key-settings summary").click()
    field(lonely, "seed").fill("7")
    field(lonely, "seed").press("Enter")
    lonely.wait_for_function("() => location.search.includes('seed=7')")
    wait_until_idle(lonely)
    lets_go(lonely, lambda: hide(lonely))


def test_a_running_race_keeps_the_session_open_until_its_end(lonely, server):
    open_page(lonely, server, "score_variance")
    bar = "<i data-testid=stProgress>"
    lonely.evaluate("bar => document.querySelector('.stApp').insertAdjacentHTML('beforeend', bar)", bar)
    hide(lonely)
    lonely.evaluate("() => document.querySelector('i[data-testid=stProgress]').remove()")
    assert connections(lonely) == 1
    lets_go(lonely, lambda: lonely.clock.fast_forward(A_MINUTE))
