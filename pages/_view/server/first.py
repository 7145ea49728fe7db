"""The HTML page of a lesson, which the platform takes over: head and card, words for browsers that run no scripts, and
the stage of its address, which is live before the platform is there.
"""

import json
import re
from functools import cache
from html import escape
from pathlib import Path

from starlette.requests import Request

from pages._view import stills, styles
from pages._view._streamlit import path_of, scripts_of_parts
from pages._view.address import Address
from pages._view.bundle import BUNDLE
from pages._view.lessons import LESSONS, VIEWS, path_of_page
from pages._view.live import HERO, PARTS, PICTURE, SLIDER, text_of
from pages._view.routes import EMBED, NAME, card_of, title_of
from pages._view.server.links import root
from pages._view.stage import LEAST_FRAMED, Stage
from pages._view.theme import WALL

_FORMULA = re.compile(r"\$([^$]+)\$")
_COMMAND = re.compile(r"\\[a-z]+")
_COMMANDS = {r"\sqrt": "√", r"\cdot": "·"}  # the others say how letters look
_AS_LETTERS = {"d_k": "dₖ", "q_i k_i": "qᵢkᵢ", "q_i": "qᵢ", "W_ij": "Wᵢⱼ", "^2": "²"}
_FOLDER = Path(__file__).parent
_LOOK = f"<style>\n{(_FOLDER / 'first.css').read_text(encoding='utf-8')}</style>"
_KNOWN, _STAGE = text_of("lab.js", "streamlit.js"), text_of("stage.js")
_BLOCKED = (
    "This lab draws its pictures with JavaScript, and your browser blocks it. Allow scripts for this address, then "
    "reload the page."
)
_UNSET = "The slider works; the settings are missing, for the page did not load completely. Reload it."
# Where the page begins; what the platform says there of itself is not so here.
_BEGINS = re.compile(r"<body>(\s*<noscript>.*?</noscript>)?", re.DOTALL)
# What the platform needs, and the first picture does not.
_PLATFORM = re.compile(r'<script type="module"[^>]*></script>|<link rel="(?:modulepreload|stylesheet)"[^>]*>')
_FONT = re.compile(r'href="([^"]*/SourceSansVF-Upright[^"]*)"')
_BOXES = {"slider": ".dimension", "picture": ":is([data-picture], [data-hero-host])"}
_MISSING = "This page does not exist. These do:"
# Nothing follows the slider there, and nothing fits the picture to the window.
_STILL = (
    "<style>#lab-first .dimension { display: none; } #lab-first [data-picture] { min-height: 0; contain: none; }"
    "[data-still] { position: static; } [data-still] svg { height: auto; }</style>"
)
# A small window is no wall, whatever its address says.
_SIZE = f"""<script>
(({{ parentElement: {{ classList }} }}) => {{
  if (!matchMedia("(max-width: {WALL - 0.02}px)").matches) return;
  classList.replace("projector", "screen");
  classList.add("small");
}})(document.currentScript);
</script>"""
# Lines of other letters end elsewhere: what stands below would move when the right ones come, so it waits a moment.
_LETTERS = """<script>
(() => {
  const page = document.documentElement;
  const come = () => { delete page.dataset.letters; };
  page.dataset.letters = "coming";
  document.fonts.load('1rem "Source Sans"').then(come, come);
  setTimeout(come, 1500);
})();
</script>"""
_META = (
    '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    '<meta name="color-scheme" content="light dark"><link rel="shortcut icon" href="./favicon.png">'
)
_STYLE = "max-width:45rem;margin:2rem auto;padding:0 1rem;font:1.1rem/1.5 sans-serif"


def page_of(request: Request, page: str, stem: str) -> str:
    """The platform's page with a head of its own, the stage of its address, and words where no scripts run."""
    here = Address(LESSONS[stem], dict(request.query_params))
    framed = here.query.get(EMBED) == "1"
    if framed:
        here = here.without_mode()
    stage = Stage(here, least=LEAST_FRAMED) if framed and not VIEWS[stem].hero else Stage(here)
    address = f"{root(request)}{path_of_page(stem)}{here.shared()}"
    image, lesson = f"{root(request)}{card_of(stem)}", here.lesson
    head = _head(lesson.question, stage.sentence or in_letters(lesson.answer), address, image) + _ahead(stem)
    opened = None if stage.needs_session else stage.opening(alone=framed)
    if framed:
        return _embedded(here, opened, head, _face(page), address)
    page = page.replace("<title>Streamlit</title>", head, 1)
    first = _first(stage, opened, _face(page), _PLATFORM.findall(page))
    page = _BEGINS.sub(lambda _: f"<body>{_LOOK}{first}", _PLATFORM.sub("", page), count=1)
    return page.replace("</body>", f"{_scripts()}</body>", 1)


def _embedded(here, opened, head, face, address):
    """What stands in a frame on a page of others: the stage alone, which needs no session, and the way to the lab."""
    lesson = here.lesson
    answer = "" if here.bet_waits else in_letters(lesson.answer)
    said = _stage(opened, is_usual=False) if opened else f"<h1>{escape(lesson.question)}</h1>{_words([answer])}"
    link = (
        f'<p class="way"><a href="{escape(address)}" target="_blank" rel="noopener">{escape(lesson.question)} ↗</a></p>'
    )
    rules = f"{face} {styles.rules(lesson, 'screen', more=True)}"
    inside = f"<main>{said}{link}<noscript>{_words([_BLOCKED])}</noscript></main>"
    head_of_stage, facts = f"<style>{rules}</style>{_LETTERS}", _facts(lesson, opened)
    first = f'<div id="lab-first" class="embed">{head_of_stage}{inside}{facts}</div>'
    scripts = f"<script>\n{_KNOWN}</script>{_scripts()}"
    body = f"<body>{_LOOK}{first}{scripts}</body>"
    return f'<!DOCTYPE html>\n<html lang="en" class="embed"><head>{_META}{head}</head>{body}</html>'


def _first(stage, opened, face, platform):
    """What is seen until the platform has drawn the lesson: its question, answer and stage, where they will stand.

    The rules go with it: those of the lesson, which may be another one by then, come with what is drawn.
    """
    here, lesson = stage.address, stage.address.lesson
    waits, mode = here.bet_waits, here.values["mode"]
    more = not waits and (mode == "screen" or here.query.get("rest") == "shown")
    answer = in_letters(lesson.answer)
    said = f"<h1>{escape(lesson.question)}</h1>" + ("" if waits else f'<p class="answer">{escape(answer)}</p>')
    shown = _stage(opened, is_usual=mode == "screen" and not here.settings) if opened else ""
    unsaid = [] if opened and not opened.view.hero else [stage.sentence]  # where no script says it
    unsaid += [] if waits or more else [answer]
    words = f"<noscript>{_STILL}{_words([*unsaid, _BLOCKED])}{_links()}</noscript>"
    scripts = f'<template id="lab-platform">{"".join([*platform, *_further(platform)])}</template>'
    inside = f'<main>{said}{shown}<p role="alert"></p>{words}</main>'
    facts = _facts(lesson, opened, small=_in_small_window(here) if opened and mode != "screen" else None)
    style = f"{_SIZE if mode != 'screen' else ''}<style>{face}</style>{_rules(lesson, mode, more, waits)}{_LETTERS}"
    return f'<div id="lab-first" class="{mode}">{style}{inside}{scripts}{facts}</div>'


def _rules(lesson, mode, more, is_open):
    """The rules of the lesson as it is shown; of a wall also those of a small window, which shows it as any other."""
    looks = {"all": (mode, more)}
    if mode != "screen":
        looks = {f"(min-width: {WALL}px)": (mode, more), f"(max-width: {WALL - 0.02}px)": ("screen", not is_open)}
    return "".join(
        f'<style media="{window}">{styles.rules(lesson, look, more=rest)} {_room(lesson.stem, look)}'
        f"{'' if rest else ' #lab-first .answer { display: none; }'}</style>"
        for window, (look, rest) in looks.items()
    )


def _further(platform):
    """What the platform would ask for one after another, asked for together."""
    known = "".join(platform)
    wanted = [each for each in scripts_of_parts() if each not in known]
    return [f'<link rel="modulepreload" crossorigin href="{each}" data-further>' for each in wanted]


def _facts(lesson, opened, small=None):
    """What the scripts of the stage are told. small: the stage in a window that is too small for a wall."""
    data = _parts(opened) | {"draws": _draws(lesson.stem), "missing": _UNSET}
    data |= {"small": _parts(small)} if small else {}
    return f'<script type="application/json" id="lab-told">{_as_json(data)}</script>'


def _in_small_window(here):
    return Stage(here.without_mode()).opening()


def _parts(opened):
    if opened is None:
        return {"slider": None, "picture": None}
    told = opened.places() if opened.view.hero else opened.payload(opened.picture, figure=False)
    return {"slider": opened.slider, "picture": told}


def _stage(opened, is_usual):
    """The nodes of the slider and of the picture, which their scripts fill."""
    slider = SLIDER if opened.slider else ""
    if opened.view.hero:
        return f'{slider}<div data-hero-host><template shadowrootmode="open">{HERO}</template></div>'
    stem = opened.address.lesson.stem
    drawn = "".join(f'<div data-still="{size}">{stills.still(stem, size)}</div>' for size in stills.SIZES * is_usual)
    picture = PICTURE.replace("<div></div>", f"<div></div>{drawn}", 1)
    return slider + picture.replace("<p data-sentence>", f"<p data-sentence>{escape(opened.sentence)}", 1)


def _room(stem, mode):
    """Where answer, slider and picture will stand, in windows of a few widths; the same at those between."""
    widths = sorted(stills.places(stem).get(mode, {}).items(), key=lambda each: int(each[0]))
    said = [(width, _boxes(found, mode, int(width))) for width, found in widths]
    return " ".join(f"@media (min-width: {width if i else 0}px) {{ {text} }}" for i, (width, text) in enumerate(said))


def _boxes(found, mode, width):
    named = {name: found[part] for part, name in _BOXES.items() if found[part]}
    return " ".join(f"#lab-first {name} {{ {_box(box, mode, width)} }}" for name, box in named.items())


def _box(box, mode, width):
    above, left, right, height = (_length(box[name], mode, width) for name in ("above", "left", "right", "height"))
    return f"margin: {above} {right} 0 {left}; min-height: {height};"


def _length(pixels, mode, width):
    """In a classroom all sizes are shares of the window's width."""
    return f"{100 * pixels / width:.3f}vw" if mode == "projector" else f"{pixels:.2f}px"


@cache
def _scripts():
    parts = [f"lab.parts.{name} = {_as_function(text)}" for name, text in PARTS.items()]
    return f"<script>\n{''.join(parts)}\n{_STAGE}</script>"


def _as_function(module):
    """The function that a script of a component exports, made in a script of the page."""
    head, found, rest = module.partition("export default function")
    if not found:
        raise ValueError("a part of the stage exports no function")
    return f"(() => {{\n{head}const part = function{rest}\nreturn part; }})();\n"


def _face(page):
    """The letters of the platform."""
    font = _FONT.search(page)
    return f'@font-face {{ font-family: "Source Sans"; font-weight: 100 900; src: url("{font[1]}"); }}' if font else ""


def _as_json(data):
    """Data in a script element, which no text can leave."""
    return json.dumps(data).replace("<", chr(92) + "u003c")


def missing_page() -> str:
    """What stands at an address that is no page's."""
    head = f"{_META}<title>{NAME}</title>"
    body = f'<div style="{_STYLE}"><h1>{NAME}</h1>{_words([_MISSING])}{_links()}</div>'
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head><body>{body}</body></html>'


def _head(question, text, address, image):
    """Title and card. image: its address."""
    card = {"type": "article", "site_name": NAME, "title": question, "description": text, "url": address}
    width, height = stills.CARD
    card |= {"image": image, "image:width": width, "image:height": height, "image:alt": question}
    tags = [f"<title>{escape(title_of(question))}</title>", f'<link rel="canonical" href="{escape(address)}">']
    tags += [
        f'<meta name="description" content="{escape(text)}">',
        '<meta name="twitter:card" content="summary_large_image">',
    ]
    tags += [f'<meta property="og:{name}" content="{escape(str(each))}">' for name, each in card.items()]
    return "\n    ".join([*tags, _structured(question, text, address)])


def _ahead(stem):
    """The script of the pictures is fetched at once, where the lesson opens on a picture it draws."""
    return f'\n    <link rel="preload" as="script" href="{BUNDLE}">' if _draws(stem) else ""


def _draws(stem):
    return VIEWS[stem].main is not None


def _structured(question, text, address):
    """The same in the words of schema.org."""
    course = {"@type": "Course", "name": NAME}
    told = {"@context": "https://schema.org", "@type": "LearningResource", "name": question, "description": text}
    told |= {"url": address, "inLanguage": "en", "isAccessibleForFree": True, "isPartOf": course}
    return f'<script type="application/ld+json">{_as_json(told)}</script>'


def _words(texts):
    return "".join(f"<p>{escape(text)}</p>" for text in texts if text)


def _links():
    """The way to every lesson."""
    links = [
        f'<li><a href="{path_of(path_of_page(stem))}">{escape(each.question)}</a></li>'
        for stem, each in LESSONS.items()
    ]
    return f"<ul>{''.join(links)}</ul>"


def in_letters(markdown: str) -> str:
    r"""Markdown with its formulas as letters: $\sqrt{d_k}$ as √dₖ."""
    return _FORMULA.sub(lambda found: _written(found[1]), markdown).replace("*", "")


def _written(formula):
    text = re.sub("[{}]", "", _COMMAND.sub(lambda found: _COMMANDS.get(found[0], ""), formula))
    for name, letters in _AS_LETTERS.items():
        text = text.replace(name, letters)
    return text
