"""Addresses of lessons: redirects, cards for chats, and the files for search engines."""

from html import escape
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pages._view import own_seed, stills
from pages._view._streamlit import path_of
from pages._view.address import query_of
from pages._view.lessons import LESSONS, ORDER, PAGES, path_of_page
from pages._view.routes import BET, JOIN, MOVING, TEACH, card_of
from pages._view.server.kept import FOR_A_DAY, answer, for_page, nothing
from pages._view.server.origin import origin


def routes() -> list[Route]:
    """Return the routes for search engines and chats, below the server's base path."""
    answers = {
        "robots.txt": _robots,
        "sitemap.xml": _sitemap,
        card_of("{stem}"): _card,
        card_of("{stem}", "{step}"): _card,
    }
    return [Route(path_of(place), answer) for place, answer in answers.items()]


async def _card(request: Request) -> Response:
    """Send the card of a lesson's step, by default of the opening step."""
    stem, asked = request.path_params["stem"], request.path_params.get("step")
    lesson = LESSONS.get(stem)
    step = lesson.opens if lesson and asked is None else asked or ""
    if lesson is None or (asked and asked not in [each.name for each in lesson.steps]):
        return nothing(404)
    picture = await run_in_threadpool(stills.card(stem, step).read_bytes)
    return answer(request.scope, picture, "image/png", FOR_A_DAY)


async def _robots(request: Request) -> Response:
    closed = "".join(f"Disallow: {path_of(place)}\n" for place in (f"{MOVING}/", f"{BET}/", f"{JOIN}/", TEACH))
    text = f"User-agent: *\n{closed}Sitemap: {root(request)}sitemap.xml\n"
    return answer(request.scope, text.encode(), "text/plain", for_page(()))


async def _sitemap(request: Request) -> Response:
    found = "".join(f"<url><loc>{escape(root(request) + place)}</loc></url>\n" for place in map(path_of_page, PAGES))
    rows = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{found}</urlset>\n'
    text = f'<?xml version="1.0" encoding="UTF-8"?>\n{rows}'
    return answer(request.scope, text.encode(), "application/xml", for_page(()))


def first_by_name(request: Request) -> str | None:
    """Return the canonical address of the first lesson if it is requested by name, which Streamlit does not know."""
    query = request.url.query
    return path_of("") + (f"?{query}" if query else "") if request.url.path == path_of(ORDER[0]) else None


def own_draw(request: Request) -> str | None:
    """Return the query with a random seed in place of `seed=mine`, to redirect to; None if it has no `seed=mine`."""
    if not request.url.query or lesson_at(request.url.path) is None:
        return None
    query = own_seed.settled(request.url.query)
    return None if query is None else f"?{query}"


def moved(request: Request) -> str | None:
    """Return the address of the lesson to which a link's control has moved, without parameters of the old lesson."""
    stem, query = lesson_at(request.url.path), query_of(request.url.query)
    if stem is None or not (elsewhere := [to for name, to in LESSONS[stem].moved.items() if name in query]):
        return None
    lesson = LESSONS[stem]
    own = {*lesson.controls, *lesson.unseen, *lesson.linked, "bet"}
    kept = urlencode({name: text for name, text in query.items() if name not in own})
    return f"{path_of(path_of_page(elsewhere[0]))}?{kept}"


def lesson_at(path: str) -> str | None:
    """Return the stem of the lesson whose page has this path; None if no page has it."""
    base = path_of("")
    place = path.removeprefix(base) if path.startswith(base) else ("" if f"{path}/" == base else None)
    return next((stem for stem in PAGES if path_of_page(stem) == place), None)


def scheme_of(request: Request) -> str:
    """Return the scheme that the visitor uses, http or https, whatever a proxy uses."""
    said = request.headers.get("x-forwarded-proto", request.url.scheme).split(",")[0].strip()
    return "https" if said == "https" else "http"


def host_of(request: Request) -> str:
    """Return scheme and host of the lab as in the visitor's browser."""
    return f"{scheme_of(request)}://{request.headers.get('host', request.url.netloc)}"


def root(request: Request) -> str:
    """Return the URL of the first page: at the lab's configured origin, else at the request's host."""
    return f"{origin() or host_of(request)}{path_of('')}"
