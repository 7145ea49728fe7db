"""The main picture of a lesson while a hand moves its slider: an address says every control, the answer is the picture.

No session takes part: a move costs no run of the page, and any of several servers can answer it.
"""

import json
from collections.abc import Mapping

from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pages._view.server.bundle import path_of

PLACE = "moving"
LEVEL = 1  # of compression: the picture is wanted now


def routes() -> list[Route]:
    """The route below the server's base path."""
    packed = [Middleware(GZipMiddleware, compresslevel=LEVEL)]
    return [Route(path_of(f"{PLACE}/{{stem}}"), _answer, middleware=packed)]


async def _answer(request: Request) -> Response:
    body = await run_in_threadpool(_drawn, request.path_params["stem"], request.query_params)
    if not body:
        return Response(status_code=404 if body is None else 204)
    return Response(body, media_type="application/json", headers={"Cache-Control": "no-store"})


def _drawn(stem: str, query: Mapping[str, str]) -> bytes | None:
    """The picture as JSON, or b"" where Python alone may have it, or None: no such lesson, or one that takes long.

    Of a picture that draws itself it is what that is told of all its stops.
    """
    # Not at the top: NumPy is imported after its number of threads is set.
    from pages._view import bet_marks, bets, controls, own_seed, theme
    from pages._view.lessons import LESSONS, ORDER, hero_of, main_of
    from pages._view.main_picture import is_ready, is_unasked

    if stem not in ORDER or own_seed.is_asked(query):  # a page that is open knows its seed
        return None
    values, main = controls.read(LESSONS[stem], query), main_of(stem)
    profile = theme.profile(values["mode"], query.get("ground"))
    if hero := hero_of(stem):
        stops, between = hero(values, (values["d_k"],), profile)
        return json.dumps({"stops": stops, "between": between}).encode()
    if main is None:
        return None
    if not is_unasked(main, values):
        return None
    if not is_ready(main, values):
        return b""
    shown = main.picture(values, profile)
    shown = bet_marks.marked(shown, LESSONS[stem], values, bets.placed_at(LESSONS[stem], query), profile)
    return json.dumps(shown.drawn()).encode()
