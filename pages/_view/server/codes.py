"""QR codes of addresses, for a page that is printed."""

from functools import lru_cache
from urllib.parse import urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pages._view._streamlit import path_of
from pages._view.codes import code_of
from pages._view.routes import CODE

_SVG = "http://www.w3.org/2000/svg"  # a picture in a file of its own must say that it is one
KEPT = 256  # codes: a class prints one address


def routes() -> list[Route]:
    """The route below the server's base path."""
    return [Route(path_of(CODE), _answer)]


async def _answer(request: Request) -> Response:
    link = request.query_params.get("at", "")
    drawn = await run_in_threadpool(_code_of, link) if _is_ours(link, request.headers.get("host")) else ""
    if not drawn:
        return Response(status_code=404)
    return Response(drawn, media_type="image/svg+xml", headers={"Cache-Control": "max-age=86400"})


def _is_ours(link, host):
    """Codes are drawn of this server's own addresses, and of no other text."""
    try:
        parts = urlsplit(link)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and parts.netloc == host and parts.path.startswith(path_of(""))


@lru_cache(maxsize=KEPT)
def _code_of(link):
    return code_of(link).replace("<svg", f'<svg xmlns="{_SVG}"', 1)
