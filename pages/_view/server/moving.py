"""The main picture of a lesson while a hand moves its slider: an address says every control, the answer is the picture.

No session takes part: a move costs no run of the page, and any of several servers can answer it.
"""

import json
from collections.abc import Mapping

from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pages._view import own_seed
from pages._view._streamlit import path_of
from pages._view.address import Address
from pages._view.lessons import LESSONS
from pages._view.routes import MOVING
from pages._view.server.threads import drawn
from pages._view.stage import Stage

LEVEL = 1  # of compression: the picture is wanted now


def routes() -> list[Route]:
    """The route below the server's base path."""
    packed = [Middleware(GZipMiddleware, compresslevel=LEVEL)]
    return [Route(path_of(f"{MOVING}/{{stem}}"), _answer, middleware=packed)]


async def _answer(request: Request) -> Response:
    body = await drawn(_drawn, request.path_params["stem"], request.query_params)
    if not body:
        return Response(status_code=404 if body is None else 204)
    return Response(body, media_type="application/json", headers={"Cache-Control": "no-store"})


def _drawn(stem: str, query: Mapping[str, str]) -> bytes | None:
    """The picture as JSON, or b"" where Python alone may have it or it takes long, or None: no such lesson.

    Of a picture that draws itself it is what that is told of all its stops.
    """
    if stem not in LESSONS or own_seed.is_asked(query):  # a page that is open knows its seed
        return None
    stage = Stage(Address(LESSONS[stem], query), query.get("ground"))
    main, values = stage.main, stage.address.values
    if stage.view.hero:
        stops, between = stage.view.hero(values, (values["d_k"],), stage.profile)
        return json.dumps({"stops": stops, "between": between}).encode()
    if stage.address.asks_bet:
        return json.dumps(stage.shown).encode()
    if main is None:
        return None
    return json.dumps(stage.shown).encode() if main.is_unasked(values) and main.is_ready(values) else b""
