"""QR codes of addresses, for printed pages."""

from functools import lru_cache
from urllib.parse import urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pages._view._streamlit import path_of
from pages._view.address import query_of
from pages._view.codes import code_of
from pages._view.entry import is_theirs
from pages._view.routes import CODE
from pages._view.server.kept import FOR_A_DAY, NOT_KEPT, OF_HOST, answer, nothing
from pages._view.server.origin import origin
from pages._view.server.rooms import is_place_of_rooms

_SVG = "http://www.w3.org/2000/svg"  # XML namespace, which an SVG in its own file must declare
KEPT = 256  # codes in the cache; a whole class prints the same address


def routes() -> list[Route]:
    """Return the route below the server's base path."""
    return [Route(path_of(CODE), _answer)]


async def _answer(request: Request) -> Response:
    link = request.query_params.get("at", "")
    control = _kept(link, request.headers.get("host"))
    drawn = await run_in_threadpool(_code_of, link) if control else ""
    return answer(request.scope, drawn.encode(), "image/svg+xml", control) if drawn else nothing(404)


def _kept(link, host):
    """Return the Cache-Control for the QR code of a link; "" if the link is no address of this server."""
    try:
        parts = urlsplit(link)
    except ValueError:
        return ""
    is_named = f"{parts.scheme}://{parts.netloc}" == origin()
    is_asked = parts.scheme in {"http", "https"} and parts.netloc == host
    if not (is_named or is_asked) or not parts.path.startswith(path_of("")):
        return ""
    if is_place_of_rooms(parts.path) or is_theirs(query_of(parts.query)):
        return NOT_KEPT
    return FOR_A_DAY if is_named else OF_HOST


@lru_cache(maxsize=KEPT)
def _code_of(link):
    return code_of(link).replace("<svg", f'<svg xmlns="{_SVG}"', 1)
