"""Bets placed without a session: the form's request is redirected to an address that contains the answer."""

from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from pages._view import bet_html
from pages._view._streamlit import path_of
from pages._view.address import Address, query_of
from pages._view.lesson import ANSWERS, GUESS
from pages._view.lessons import LESSONS, path_of_page
from pages._view.routes import BET
from pages._view.server.kept import NOT_KEPT, nothing


def routes() -> list[Route]:
    """Return the route below the server's base path."""
    return [Route(path_of(f"{BET}/{{stem}}"), _answer)]


async def _answer(request: Request) -> Response:
    stem, said = request.path_params["stem"], query_of(request.url.query)
    if stem not in LESSONS:
        return nothing(404)
    query = {name: text for name, text in said.items() if name not in ANSWERS}
    query |= bet_html.placed(Address(LESSONS[stem], query), said.get(GUESS, ""))
    place = path_of(path_of_page(stem))
    return RedirectResponse(f"{place}?{urlencode(query)}", status_code=303, headers={"Cache-Control": NOT_KEPT})
