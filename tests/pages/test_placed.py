"""A bet placed without a session: its form, the address that it redirects to, and that page."""

from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from starlette.applications import Starlette

from pages._view import bet_html
from pages._view.address import Address
from pages._view.kinds import Choice, Drawing
from pages._view.lessons import LESSONS
from pages._view.server import bets
from pages._view.stage import Stage
from tests.pages.asgi import ask
from tests.pages.opening import ANSWERED

WITH_BETS = [stem for stem, lesson in LESSONS.items() if lesson.bet]


def sent(stem, **query):
    status, headers, _ = ask(Starlette(routes=bets.routes()), f"/bet/{stem}?{urlencode(query)}")
    return status, dict(parse_qsl(urlsplit(headers.get("location", "")).query)), headers


@pytest.mark.parametrize("stem", WITH_BETS)
def test_answer_redirects_to_an_address_that_keeps_its_settings(stem):
    bet = LESSONS[stem].bet
    step, answer = bet.when[1], bet.answer
    choices = answer.options if isinstance(answer, Choice) else [(1,) * 5] if isinstance(answer, Drawing) else [1]
    text = answer.write(choices[0])
    status, query, headers = sent(stem, bet="1", step=step, d_k="96", guess=text, reveal="1")
    assert (status, headers["cache-control"]) == (303, "private, no-store")
    assert (query["guess"], "reveal" in query) == (text, False)
    there = Address(LESSONS[stem], query | {"d_k": "5"})
    assert there.judged.said["d_k"] == (96 if "d_k=96" in query.get("guessed_at", "") else 5)
    assert not there.bet_waits


def test_bet_is_judged_at_the_settings_of_the_session():
    """The session may already have the next try's settings while the query still has the previous try's."""
    said = {"step": "rows", "bet": "1", "guess": "about 50", "guessed_at": "d_k=16", "loss": "weights"}
    here = Address(LESSONS["wrong_choice"], said, {"loss": "output", "d_k": 1024})
    assert here.judged.said["loss"] == "output"
    assert (here.judged.said["d_k"], here.judged.guesses) == (16, here.guesses)


@pytest.mark.parametrize("text", ["", "a lot", "101", "-1"])
def test_an_invalid_answer_leaves_the_bet_open(text):
    status, query, _ = sent("softmax_saturation", bet="1", step="divisor", guess=text)
    assert (status, query) == (303, {"bet": "1", "step": "divisor"})


def test_only_lessons_with_a_bet_accept_an_answer():
    assert sent("nope", guess="1")[0] == 404
    assert sent("recap", guess="1", **ANSWERED["recap"])[1].get("guess") is None


@pytest.mark.parametrize("stem", WITH_BETS)
def test_form_without_scripts_sends_the_address_along(stem):
    here = Address(LESSONS[stem], {"bet": "1", "step": LESSONS[stem].bet.when[1], "d_k": "5", "guess": "<"})
    form = bet_html.html_of(Stage(here), kept=here.query)
    assert '<input type="hidden" name="d_k" value="5">' in form
    assert 'name="guess" value="&lt;"' not in form
    assert "hidden" not in bet_html.html_of(Stage(here))


def test_tally_counts_each_lesson_once_and_waits_for_the_truth():
    def tally(**said):
        query = {"bet": "1", "step": "divisor", "guess": "85", **said}
        return bet_html.tally_of(Stage(Address(LESSONS["softmax_saturation"], query)))

    assert tally() == "1-1-e"
    assert tally(guess="0") == "0-1-e"
    assert tally(tally="2-3-ab") == "3-4-abe"
    assert tally(tally="2-3-ae") == "2-3-ae"
    assert tally(tally="2-3") == "3-4-e"  # an older link
    assert tally(**{"class": "10~20"}) == ""
    waiting = Stage(
        Address(LESSONS["softmax_saturation"], {"bet": "1", "step": "divisor", "guess": "85"}), is_told=False
    )
    assert bet_html.tally_of(waiting) == ""
