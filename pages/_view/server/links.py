"""What the address of a lesson is to those who do not draw it: browsers' tabs, chats, search engines, missing pages.

Title, description and card stand in the HTML page, for none of these runs its scripts.
"""

import json
from collections.abc import Iterable, Mapping
from html import escape
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from pages._view.server.bundle import path_of

NAME = "Why attention divides by √dₖ"
_OWN = ("mode", "rest")  # how this visitor looks at it, which is no part of what a link is to
_LONGEST = 300  # letters of a description; chats show fewer


def routes() -> list[Route]:
    """What search engines ask for, below the server's base path."""
    return [Route(path_of("robots.txt"), _robots), Route(path_of("sitemap.xml"), _sitemap)]


async def _robots(request: Request) -> Response:
    closed = path_of("moving/")
    return PlainTextResponse(f"User-agent: *\nDisallow: {closed}\nSitemap: {_root(request)}sitemap.xml\n")


async def _sitemap(request: Request) -> Response:
    found = "".join(f"<url><loc>{escape(_root(request) + place)}</loc></url>" for place in _places().values())
    text = f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{found}</urlset>\n'
    return Response(text, media_type="application/xml")


def _places():
    """The address of each lesson by its stem; the first one's is the bare one."""
    from pages._view.lessons import ORDER, PAGES  # not at the top: NumPy is imported after its number of threads is set

    return {stem: "" if stem == ORDER[0] else stem for stem in PAGES}


def _root(request):
    """The address of the first page, as the visitor's browser names it."""
    scheme = request.headers.get("x-forwarded-proto", request.url.scheme).split(",")[0].strip()
    return f"{scheme}://{request.headers.get('host', request.url.netloc)}{path_of('')}"


def lesson_at(path: str) -> str | None:
    """The stem of the lesson whose page has this path, or None: no page has it."""
    place = path.removeprefix(path_of("")).strip("/") if f"{path}/".startswith(path_of("")) else None
    return next((stem for stem, each in _places().items() if each == place), None)


def head(request: Request, stem: str) -> str:
    """The tags that say what the lesson at this address shows, at the settings of the address."""
    lesson, query = _lesson(stem), dict(request.query_params)
    title, text = titled(lesson.question), described(lesson, query)
    address = _root(request) + _places()[stem] + _settings(lesson, query)
    card = {"og:type": "article", "og:site_name": NAME, "og:title": lesson.question, "og:description": text}
    tags = [f"<title>{escape(title)}</title>", f'<link rel="canonical" href="{escape(address)}">']
    tags += [_meta("name", "description", text), *(_meta("property", *each) for each in card.items())]
    tags += [_meta("property", "og:url", address), _meta("name", "twitter:card", "summary")]
    return "\n".join([*tags, _structured(lesson, text, address)])


def _meta(kind, name, text):
    return f'<meta {kind}="{name}" content="{escape(text)}">'


def _structured(lesson, text, address):
    """The same as schema.org has it."""
    told = {
        "@context": "https://schema.org",
        "@type": "LearningResource",
        "name": lesson.question,
        "description": text,
        "url": address,
        "inLanguage": "en",
        "isAccessibleForFree": True,
        "isPartOf": {"@type": "Course", "name": NAME},
    }
    return f'<script type="application/ld+json">{json.dumps(told).replace("<", "\\u003c")}</script>'


def titled(question: str) -> str:
    """The title of a page in the tab of the browser."""
    return question if question == NAME else f"{question} · {NAME}"


def _settings(lesson, query):
    """The settings of an address, without what is the visitor's own."""
    from pages._view import controls

    values = controls.read(lesson, query)
    said = controls.written(lesson, {name: each for name, each in values.items() if name not in _OWN})
    return f"?{urlencode(said)}" if said else ""


def described(lesson: object, query: Mapping[str, str]) -> str:
    """The sentence of the main picture at these settings; the question of a bet, where one is open."""
    raise NotImplementedError


def _lesson(stem):
    from pages._view.lessons import LESSONS

    return LESSONS[stem]
