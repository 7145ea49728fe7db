"""What the address of a lesson is to those who run no scripts of it: tabs, chats, search engines, missing pages.

All of it stands in the HTML page; the sentence is that of the settings in the address.
"""

import json
import re
from html import escape
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from pages._view.server.bundle import BUNDLE, path_of

NAME = "Why attention divides by √dₖ"
_BLOCKED = (
    "This lab draws its pictures with JavaScript, and your browser blocks it. Allow scripts for this address, then "
    "reload the page."
)
# Where the page begins; what the platform says there of itself is not so here.
_BEGINS = re.compile(rb"<body>(\s*<noscript>.*?</noscript>)?", re.DOTALL)
_FONT = re.compile(r'href="([^"]*/SourceSansVF-Upright[^"]*)"')
_MISSING = "This page does not exist. These do:"
_STYLE = "max-width:45rem;margin:2rem auto;padding:0 1rem;font:1.1rem/1.5 sans-serif"


def routes() -> list[Route]:
    """What search engines ask for, below the server's base path."""
    places = {"robots.txt": _robots, "sitemap.xml": _sitemap}
    return [Route(path_of(place), answer) for place, answer in places.items()]


async def _robots(request: Request) -> Response:
    closed = path_of("moving/")
    return PlainTextResponse(f"User-agent: *\nDisallow: {closed}\nSitemap: {_root(request)}sitemap.xml\n")


async def _sitemap(request: Request) -> Response:
    found = "".join(f"<url><loc>{escape(_root(request) + place)}</loc></url>\n" for place in _places().values())
    rows = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{found}</urlset>\n'
    return Response(f'<?xml version="1.0" encoding="UTF-8"?>\n{rows}', media_type="application/xml")


def first_by_name(request: Request) -> str | None:
    """Where to find the first lesson, if it is asked for by its name: the platform says that there is no such page."""
    from pages._view.lessons import ORDER

    query = request.url.query
    return path_of("") + (f"?{query}" if query else "") if request.url.path == path_of(ORDER[0]) else None


def lesson_at(path: str) -> str | None:
    """The stem of the lesson whose page has this path; None if no page has it."""
    base = path_of("")
    place = path.removeprefix(base) if path.startswith(base) else ("" if f"{path}/" == base else None)
    return next((stem for stem, each in _places().items() if each == place), None)


def page_of(request: Request, page: bytes, stem: str) -> bytes:
    """The platform's page with a head of its own, and with words for browsers that run no scripts."""
    from pages._view import styles, told
    from pages._view.lessons import LESSONS

    lesson, query = LESSONS[stem], dict(request.query_params)
    answer, sentence = told.in_letters(lesson.answer), told.sentence_at(lesson, query)
    address = f"{_root(request)}{_places()[stem]}{_settings(lesson, query)}"
    head = _head(lesson.question, sentence or answer, address) + _ahead(stem)
    is_open, wall = _is_open(lesson, query), query.get("mode") == "projector"
    shown = [*([] if is_open else [answer]), sentence, _BLOCKED]
    words = f"<noscript>{_body(lesson.question, shown)}</noscript>"
    more = not is_open and (not wall or query.get("rest") == "shown")
    rules = styles.rules(lesson, "projector" if wall else "screen", more=more)
    page = page.replace(b"<title>Streamlit</title>", head.encode(), 1)
    page = _BEGINS.sub(lambda _: f"<body>{words}".encode(), page, count=1)
    face, draws = _face(page.decode()), _draws(stem)
    first = _first(lesson.question, answer * more, f"{face} {rules}", wall=wall, draws=draws)
    return page.replace(b"</body>", f"{first}</body>".encode(), 1)


def _first(question, answer, rules, *, wall, draws):
    """What is seen until the platform has drawn the lesson: its question and its answer, where they will stand.

    The rules go with it: those of the lesson, which may be another one by then, come with what is drawn.
    """
    said = f"<h1>{escape(question)}</h1>" + (f"<p>{escape(answer)}</p>" if answer else "")
    marks = f"{' class=wall' * wall}{' data-draws' * draws}"
    seen = "<script>document.getElementById('lab-first').hidden = false;</script>"  # where scripts run
    return f'<div id="lab-first"{marks} hidden><style>{rules}</style><div>{said}</div></div>{seen}'


def _face(page):
    """The letters of the platform."""
    font = _FONT.search(page)
    return f'@font-face {{ font-family: "Source Sans"; font-weight: 100 900; src: url("{font[1]}"); }}' if font else ""


def missing_page() -> bytes:
    """What stands at an address that is no page's."""
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{NAME}</title>'
    head += '<meta name="color-scheme" content="light dark">'
    body = _body(NAME, [_MISSING])
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head><body>{body}</body></html>'.encode()


def title_of(question: str) -> str:
    """The title of a lesson's page in the tab of the browser."""
    return f"{question} · {NAME}"


def _places():
    """The address of each lesson by its stem; the first one's is the bare one."""
    from pages._view.lessons import ORDER, PAGES  # not at the top: NumPy is imported after its number of threads is set

    return {stem: "" if stem == ORDER[0] else stem for stem in PAGES}


def _root(request):
    """The address of the first page, as the visitor's browser names it."""
    scheme = request.headers.get("x-forwarded-proto", request.url.scheme).split(",")[0].strip()
    return f"{scheme}://{request.headers.get('host', request.url.netloc)}{path_of('')}"


def _settings(lesson, query):
    from pages._view import controls

    said = controls.settings_at(lesson, query)
    return f"?{urlencode(said)}" if said else ""


def _is_open(lesson, query):
    from pages._view import bets

    return bets.is_open_at(lesson, query)


def _head(question, text, address):
    card = {"type": "article", "site_name": NAME, "title": question, "description": text, "url": address}
    tags = [f"<title>{escape(title_of(question))}</title>", f'<link rel="canonical" href="{escape(address)}">']
    tags += [f'<meta name="description" content="{escape(text)}">', '<meta name="twitter:card" content="summary">']
    tags += [f'<meta property="og:{name}" content="{escape(each)}">' for name, each in card.items()]
    return "\n    ".join([*tags, _structured(question, text, address)])


def _ahead(stem):
    """The script of the pictures is fetched while the platform loads, where the lesson opens on a picture it draws."""
    return f'\n    <link rel="preload" as="script" fetchpriority="low" href="{BUNDLE}">' if _draws(stem) else ""


def _draws(stem):
    from pages._view.lessons import ORDER, main_of

    return stem in ORDER and main_of(stem) is not None


def _structured(question, text, address):
    """The same in the words of schema.org."""
    course = {"@type": "Course", "name": NAME}
    told = {"@context": "https://schema.org", "@type": "LearningResource", "name": question, "description": text}
    told |= {"url": address, "inLanguage": "en", "isAccessibleForFree": True, "isPartOf": course}
    return f'<script type="application/ld+json">{json.dumps(told).replace("<", chr(92) + "u003c")}</script>'


def _body(title, texts):
    """A heading, some lines, and the way to every lesson."""
    from pages._view.lessons import LESSONS

    lines = "".join(f"<p>{escape(text)}</p>" for text in texts if text)
    links = [
        f'<li><a href="{path_of(place)}">{escape(LESSONS[stem].question)}</a></li>' for stem, place in _places().items()
    ]
    return f'<div style="{_STYLE}"><h1>{escape(title)}</h1>{lines}<ul>{"".join(links)}</ul></div>'
