"""Absurd addresses: every page opens, and the server answers every request for a moving picture."""

import json
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette

from pages._view.classroom import limits
from pages._view.lessons import LESSONS, ORDER, VIEWS
from pages._view.page import wall
from pages._view.server import moving
from tests.attack.strategies import QUERIES, TEXTS, addresses, examples
from tests.attack.watched import memory_bounded, prices_kept
from tests.pages.asgi import ask
from tests.pages.opening import app_at

FOLLOWING = [stem for stem in ORDER if VIEWS[stem].is_drawn]


@pytest.mark.walk
def test_every_address_opens_its_page():
    @examples(12, 10_000)
    @given(addresses(), st.integers(1, 3))
    def opens(address, times):
        stem, said = address
        app = app_at(stem)
        app.query_params.update({name: [text] * times for name, text in said.items()})
        with prices_kept():
            app.run()
        assert [each.message for each in app.exception] == []
        assert [each.value for each in app.title] == [LESSONS[stem].question]

    with memory_bounded(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(wall, "_network", lambda: limits.network_of("", ""))  # an app under test has no client
        patch.setattr(wall, "_secret", lambda code: "")
        opens()


def answer(path):
    """Return status and figure of the server's answer; fail if its JSON has NaN or Infinity."""
    status, _, body = ask(Starlette(routes=moving.routes()), f"/moving/{path}")
    return status, json.loads(json.loads(body)["figure"], parse_constant=int) if status == 200 else {}


@pytest.mark.walk
def test_every_address_of_a_moving_picture_is_answered():
    @examples(100, 10_000)
    @given(addresses(FOLLOWING))
    def answers(address):
        stem, said = address
        with prices_kept():
            status, figure = answer(f"{stem}?{urlencode(said)}")
        assert (status, bool(figure)) in ((200, True), (204, False), (404, False))

    with memory_bounded():
        answers()


@examples(20, 2_000)
@given(st.sampled_from(FOLLOWING) | TEXTS, QUERIES)
def test_garbled_address_of_a_moving_picture_is_answered(stem, query):
    assert answer(f"{stem}?{query}")[0] in (200, 307, 404)  # 307: a stem that ends in a slash
