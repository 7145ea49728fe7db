"""The main picture of a lesson: the URL has every control's value, the response is the picture.

No session takes part: any of several servers can answer, and a cache can keep the answer.
"""

import json
from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pages._view import entry, own_seed
from pages._view._streamlit import path_of
from pages._view.address import Address
from pages._view.lessons import LESSONS
from pages._view.routes import MOVING
from pages._view.server.kept import FOR_A_DAY, NOT_KEPT, answer, nothing
from pages._view.server.threads import drawn
from pages._view.stage import Stage


def routes() -> list[Route]:
    """Return the route below the server's base path."""
    return [Route(path_of(f"{MOVING}/{{stem}}"), _answer)]


async def _answer(request: Request) -> Response:
    return await drawn(_picture, request)


def _picture(request):
    stem, query = request.path_params["stem"], request.query_params
    body = _drawn(stem, query)
    if not body:
        return nothing(404 if body is None else 204)
    control = FOR_A_DAY if _is_name(stem, query, request.url.query) else NOT_KEPT
    return answer(request.scope, body, "application/json", control)


def _is_name(stem, query, asked):
    """Return True if the query is the canonical name of a public picture in this version of the code.

    A page of another version asks by another name. It gets this version's picture, which no cache keeps.
    """
    here = Address(LESSONS[stem], query)
    return not entry.is_theirs(query) and asked == entry.name_of(here, query.get(entry.GROUND))


def _drawn(stem: str, query: Mapping[str, str]) -> bytes | None:
    """Return the picture as JSON; b"" if it takes long or only a page may compute it; None without such a picture.

    For the hero, which the browser draws, return its data.
    """
    if stem not in LESSONS or own_seed.is_asked(query):  # open pages have a seed already
        return None
    stage = Stage(Address(LESSONS[stem], query), query.get(entry.GROUND))
    main, values = stage.main, stage.address.values
    if stage.view.hero:
        stops, between = stage.view.hero(values, (values["d_k"],), stage.profile)
        return json.dumps({"stops": stops, "between": between}).encode()
    if stage.address.asks_bet:
        return json.dumps(stage.shown).encode()
    if main is None:
        return None
    return json.dumps(stage.shown).encode() if main.is_unasked(values) and main.is_ready(values) else b""
