"""`seed=mine`: every visitor who opens such an address gets a random seed before anything is drawn."""

import re

import pytest
from starlette.applications import Starlette
from starlette.responses import HTMLResponse
from starlette.routing import Route

from pages._view import own_seed
from pages._view.lessons import LESSONS
from pages._view.server import moving, shell
from tests.pages.asgi import ask
from tests.pages.opening import check_page, open_page, widget
from tests.pages.test_share import shared

OFFERED = [stem for stem, lesson in LESSONS.items() if lesson.each]
LESSON = OFFERED[-1]


@pytest.fixture
def at_each_end(monkeypatch):
    """Make the next two seeds the smallest and the largest possible."""
    ends = iter((0, -1))
    monkeypatch.setattr(own_seed, "randbelow", lambda n: next(ends) % n)


@pytest.mark.parametrize(
    ("asked", "settled"),
    [
        ("seed=mine", "seed=1"),
        ("d_k=8&seed=mine&law=%ff+x;y&law", "d_k=8&seed=1&law=%ff+x;y&law"),
        ("s%65ed=min%65", "seed=1"),
        ("seed=mine&seed=mine", "seed=1&seed=9999"),
        ("seed=5&seed=mine", "seed=5&seed=1"),
        *((each, None) for each in ("", "seed=", "seed", "seed=3", "seed=Mine", "seed=mine1", "a_seed=mine")),
    ],
)
def test_seed_mine_is_replaced_and_the_rest_of_the_query_stays(at_each_end, asked, settled):
    assert own_seed.settled(asked) == settled


def asked_of_the_server(address):
    page = Route("/{stem:path}", lambda _: HTMLResponse("<head><title>Streamlit</title></head><body></body>"))
    status, headers, _ = ask(shell.Shell(Starlette(routes=[page])), address, host="lab.example")
    return status, headers


def test_redirect_to_a_random_seed_is_not_cached(at_each_end):
    for seed in (1, 9999):
        status, headers = asked_of_the_server(f"/{LESSON}?d_k=8&seed=mine&embed=1")
        assert (status, headers["location"]) == (307, f"?d_k=8&seed={seed}&embed=1")
        assert headers["cache-control"] == "private, no-store"
    for address in (f"/{LESSON}?seed=9", "/no_such_page?seed=mine"):
        assert asked_of_the_server(address)[0] in (200, 404)


def test_picture_is_refused_until_its_seed_is_drawn():
    app = Starlette(routes=moving.routes())
    assert [ask(app, f"/moving/{LESSON}?seed={seed}&d_k=8")[0] for seed in ("mine", "7")] == [404, 200]


def test_page_without_our_server_draws_the_seed_without_a_note():
    app = open_page(LESSON, seed="mine", d_k="8")
    check_page(app, LESSON)
    assert len(app.info) == 0
    seed = app.query_params["seed"]
    assert 1 <= int(seed) <= 9999
    assert widget(app, "seed").value == int(seed)
    assert app.run().query_params["seed"] == seed


def test_unreadable_seed_becomes_the_default_with_a_note():
    app = open_page(LESSON, seed="Mine")
    assert re.search("seed is not a number; 0 is used .the link says “Mine”", app.info[0].value)


@pytest.mark.parametrize("stem", OFFERED)
def test_share_dialog_offers_a_seed_for_each_visitor_or_this_seed(stem):
    settings, step = {"d_k": "16", "seed": "5"}, f"step={LESSONS[stem].opens}"
    assert shared(stem, **settings)[0].partition("?")[2] == f"d_k=16&seed=5&{step}"
    link, codes = shared(stem, each=True, **settings)
    assert (link.partition("?")[2], len(codes)) == (f"d_k=16&seed=mine&{step}", 1)
    assert shared(stem, each=True)[0].partition("?")[2] == f"{step}&seed=mine"


def test_other_lessons_do_not_offer_a_seed_for_each_visitor():
    app = open_page("recap")
    app.button(key="share").click().run()
    assert [each.key for each in app.checkbox] == []
