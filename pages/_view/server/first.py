"""The HTML page of a lesson, which Streamlit later takes over: head, card, text for browsers without scripts, and the
stage of its address, which works before Streamlit has loaded.
"""

import json
import re
from functools import cache

from markupsafe import Markup
from starlette.requests import Request

from pages._view import bet_html, stills, styles, unbroken, way
from pages._view._streamlit import path_of, scripts_of_parts
from pages._view.address import Address, own, renewed
from pages._view.bundle import BUNDLE
from pages._view.figures.base import inks
from pages._view.kinds import Choice, Number, Text
from pages._view.lessons import LESSONS, VIEWS, path_of_page
from pages._view.live import HERO, PAPER, PARTS, PICTURE, SLIDER, text_of
from pages._view.routes import CODE, EMBED, NAME, TEACH, card_of, title_of
from pages._view.server import html
from pages._view.server.links import root
from pages._view.shared import CARRIED, SHARED
from pages._view.stage import LEAST_FRAMED, Stage
from pages._view.theme import WALL, profile

_FORMULA = re.compile(r"\$([^$]+)\$")
_COMMAND = re.compile(r"\\[a-z]+")
_COMMANDS = {r"\sqrt": "√", r"\cdot": "·"}  # all other commands only style letters
_AS_LETTERS = {"d_k": "dₖ", "q_i k_i": "qᵢkᵢ", "q_i": "qᵢ", "W_ij": "Wᵢⱼ", "^2": "²"}
_LIVE = {"dial", "bar", "list", "text", "number"}  # parts beside the slider that are drawn before Streamlit has loaded
_ICONS = {"How sure?": "straighten", "Data, picture and code": "table"}
_KNOWN, _STAGE = text_of("lab.js", "streamlit.js"), text_of("entry.js", "bet.js", "link.js", "onpaper.js", "stage.js")
_BLOCKED = (
    "This lab draws its pictures with JavaScript, and your browser blocks it. Allow scripts for this address, then "
    "reload the page."
)
_UNCOMPUTED = "These settings take longer than a moment to compute, and are not computed here."
_UNSET = "The slider works; the settings are missing, for the page did not load completely. Reload it."
# The beginning of Streamlit's page; its noscript text is not true for the lab.
_BEGINS = re.compile(r"<body>(\s*<noscript>.*?</noscript>)?", re.DOTALL)
# Files that Streamlit needs, but not the first picture.
_PLATFORM = re.compile(r'<script type="module"[^>]*></script>|<link rel="(?:modulepreload|stylesheet)"[^>]*>')
_BELOW = int(re.findall(r"const BELOW = (\d+);", text_of("window.js"))[0])  # px below a picture
_FONT = re.compile(r'href="([^"]*/SourceSansVF-Upright[^"]*)"')
# Three parts of the HTML: before the stills, before the sentence, and the rest.
_PICTURE = [Markup(each) for each in re.split("(?<=<div></div>)|(?<=<p data-sentence>)", PICTURE)]


def page_of(request: Request, page: str, stem: str) -> tuple[str, bool]:
    """Return Streamlit's page with the lesson's head, the stage of its address, and text for browsers without scripts.

    Also return True if the page is final, or False if its picture is not computed yet and may be there next time.
    """
    here = Address(LESSONS[stem], renewed(LESSONS[stem], dict(request.query_params)))
    framed = here.query.get(EMBED) == "1"
    here = here.without(("mode", *CARRIED)) if framed else here.waiting
    stage = Stage(here, least=LEAST_FRAMED) if framed and not VIEWS[stem].hero else Stage(here)
    head = _head(
        stage, f"{root(request)}{path_of_page(stem)}{here.shared()}", f"{root(request)}{card_of(stem, here.step.name)}"
    )
    opened = None if stage.needs_session else stage.opening(alone=framed)
    if framed:
        return _embedded(here, opened, head, _face(page)), stage.is_settled
    page = page.replace("<title>Streamlit</title>", html.render("head.html", **head), 1)
    rests = _rests(stage, opened, request.query_params)
    first = _first(stage, opened, _face(page), _PLATFORM.findall(page), rests=rests)
    page = _BEGINS.sub(lambda _: f"<body>{first}", _PLATFORM.sub("", page), count=1)
    return page.replace("</body>", f"{_scripts()}</body>", 1), stage.is_settled


def _embedded(here, opened, head, face):
    """Return the page for a frame on another site: only the stage, which needs no session, and a link to the lab."""
    lesson = here.lesson
    return html.render(
        "embed.html",
        **head,
        **_stage(opened, is_usual=False) | {"beside": None},  # nothing beside the slider
        question=lesson.question,
        answer="" if here.bet_waits else in_letters(lesson.answer),
        waits=[_UNCOMPUTED] if lesson.steps and not opened else [],
        words=[_BLOCKED],
        face=face,
        rules=Markup(styles.rules(lesson, "screen", more=True)),
        told=_facts(lesson, opened),
        scripts=Markup(f"<script>\n{_KNOWN}</script>{_scripts()}"),
    )


def _first(stage, opened, face, platform, *, rests):
    """Return everything that is visible until Streamlit has drawn the lesson: question, answer and stage in place."""
    here, lesson = stage.address, stage.address.lesson
    waits, mode = here.bet_waits, here.values["mode"]
    more = not waits and (mode == "screen" or (here.query.get("rest") == "shown" and not lesson.steps))
    answer = in_letters(lesson.answer)
    unsaid = [] if (opened and not opened.view.hero) or here.asks_bet else [stage.sentence]  # texts outside the stage
    unsaid += [] if waits or more else [answer]
    return html.render(
        "first.html",
        **_stage(opened, is_usual=mode == "screen" and here.is_usual),
        question=lesson.question,
        answer="" if waits or lesson.steps else answer,
        **_of_step(stage, opened),
        words=[*unsaid, _BLOCKED],
        paper=Markup(PAPER),
        **_reached(here),
        mode=mode,
        small=WALL - 0.02,
        face=face,
        looks=_looks(lesson, mode, more, waits),
        platform=[Markup(each) for each in platform],
        further=_further(platform),
        told=_facts(lesson, opened, small=_in_small_window(here) if opened and mode != "screen" else None, rests=rests),
    )


def _reached(here):
    """Return the menu, which is outside the stage, and True if the Settings are beside the stage."""
    is_screen = here.values["mode"] == "screen" and bool(here.lesson.steps)
    return {"menu": _menu(here.lesson), "door": path_of(TEACH), "has_settings": is_screen}


def _rests(stage, opened, asked):
    """Return True if all visible parts work without Streamlit, which then loads only when it is needed.

    Return False for walls and classes, for a picture that waits for a button or has the lesson's own buttons, and for
    a typed text or a link that Streamlit may have to report as unreadable or repaired.
    """
    here = stage.address
    if opened is None or not here.lesson.steps or here.is_wall:
        return False
    beside, placed = _beside(opened.address)
    is_drawn = {each["kind"] for each in beside} <= _LIVE and not placed
    return is_drawn and not _is_typed(opened.address) and _is_clean(here.lesson, asked)


def _is_typed(here):
    """Return True if a visible text may have been typed: only Streamlit says what is wrong with it."""
    controls = here.lesson.controls
    texts = {name: controls[name] for name in here.step.in_sight if isinstance(controls[name], Text)}
    own = [name for name, one in texts.items() if one.when or here.values[name] != one.default]
    return any(_belongs(here, name) for name in own)


def _is_clean(lesson, asked):
    """Return True if a link names each parameter once, and only known parameters with valid values."""
    known = {**CARRIED, **SHARED, **lesson.controls, **lesson.linked, **lesson.unseen, **lesson.of_class}
    said = asked.multi_items()
    return len(dict(said)) == len(said) and all(name in known and not known[name].read(text)[1] for name, text in said)


def _of_step(stage, opened):
    """Return the links to the steps, the step's line, the switch of its bet, and the parts below its picture."""
    here = stage.address
    line = way.line_html(stage.line, asks=here.step.bet is not None) if here.lesson.steps else ""
    drawn = {
        "way": way.html_of(bet_html.counted(stage)),
        "line": line,
        "switch": way.switch_html(here),
        "under": _under(stage) if opened else "",
    }
    return {name: Markup(text) for name, text in drawn.items()}


def _under(stage):
    """Return the parts below the picture: its bet, the tries, and the titles of the folds."""
    here = stage.address
    titles = ["How sure?", "Data, picture and code", here.lesson.fold(here.step.name), "Background"]
    folds = html.render("folds.html", folds=[(each, _ICONS.get(each, "right")) for each in titles if each])
    closed = "" if here.bet_waits or here.is_wall else folds
    under = f'<div class="under">{way.tries_html(here)}{closed}</div>'
    return f"{bet_html.html_of(stage, kept=here.query)}{under}"


def _looks(lesson, mode, more, is_open):
    """Yield the lesson's style rules; for a wall also those of a small window, which shows an ordinary page."""
    looks = {"all": (mode, more)}
    if mode != "screen":
        looks = {f"(min-width: {WALL}px)": (mode, more), f"(max-width: {WALL - 0.02}px)": ("screen", not is_open)}
    for window, (look, rest) in looks.items():
        hidden = "" if rest else " #lab-first .answer { display: none; }"
        yield window, Markup(f"{styles.rules(lesson, look, more=rest)}{hidden}")


def _further(platform):
    """Return the files that Streamlit would request later, one after another."""
    known = "".join(platform)
    return [each for each in scripts_of_parts() if each not in known]


def _facts(lesson, opened, small=None, *, rests=False):
    """Return the data for the scripts of the stage. small: the stage for a window too small for a wall."""
    data = _parts(opened) | {"draws": _draws(lesson.stem), "missing": _UNSET, "rests": rests, "code": path_of(CODE)}
    data |= {"own": own(lesson), "inks": [list(pair) for pair in inks(profile("screen", "dark"))]}
    data |= {"small": _parts(small)} if small else {}
    return _as_json(data)


def _in_small_window(here):
    return Stage(here.without(("mode",))).opening()


def _parts(opened):
    if opened is None:
        return {"slider": None, "dials": [], "picture": None}
    told = opened.places() if opened.view.hero else opened.payload(opened.seen, figure=False)
    return {"slider": opened.slider, "dials": [_dial(opened, name) for name in _dials(opened.address)], "picture": told}


def _dial(opened, name):
    return opened.dial(name) | {"usual": opened.number(name).default}


def _stage(opened, is_usual):
    """Return the template's values for the slider and the picture."""
    if not opened:
        return {"staged": False}
    slider, here = Markup(SLIDER if opened.slider else ""), opened.address
    if opened.view.hero:
        return {
            "staged": True,
            "slider": slider,
            "hero": Markup(HERO),
            "below": _BELOW,
            "beside": [],
            "placed": 0,
            "dial": "",
        }
    sizes = stills.SIZES * (is_usual and not here.asks_bet)
    drawn = [(size, Markup(stills.still(here.lesson.stem, size, here.step.name))) for size in sizes]
    beside, placed = _beside(here)
    around = {"beside": beside, "placed": placed, "dial": Markup(SLIDER)}
    sentence = "" if here.asks_bet else Markup(unbroken.html_of(opened.picture.sentence))
    picture = {"picture": _PICTURE, "stills": drawn, "sentence": sentence}
    return {"staged": True, "slider": slider, "hero": "", **around, **picture}


def _beside(here):
    """Return the controls in the slider's row, and the number of dials in a row of their own."""
    step = here.step
    names = [name for name in step.in_sight if _belongs(here, name)] + ["scaling"] * ("scaling" in here.lesson.shared)
    return [{"kind": "dial"}] * len(_dials(here)) + [_field(here, name) for name in names], len(step.placed)


def _field(here, name):
    """Return the visible part of a control beside the sliders: all options of a bar, or its current value."""
    one, value = here.known(name), here.values[name]
    told = {"name": name, "label": in_letters(one.label)}
    if isinstance(one, Number):
        return told | {"kind": "number", "value": one.shown(value), "ends": (value <= one.low, value >= one.high)}
    if not isinstance(one, Choice):
        return told | {"kind": "text", "value": value}
    if one.bar:
        options = [(in_letters(one.called(each)), each == value) for each in one.options]
        return told | {"kind": "bar", "options": options}
    return told | {"kind": "list", "value": in_letters(one.called(value))}


def _dials(here):
    """Return the names of the dials beside the large slider."""
    return [name for name in here.step.dials if _belongs(here, name)]


def _belongs(here, name):
    when = here.known(name).when
    held = here.bet.usual if here.bet and here.bet_waits else ()
    return name not in held and (when is None or here.values[when[0]] == when[1])


@cache
def _scripts():
    parts = [f"lab.parts.{name} = {_as_function(text)}" for name, text in PARTS.items()]
    return f"<script>\n{''.join(parts)}\n{_STAGE}</script>"


def _as_function(module):
    """Return a component's module as a JavaScript expression for its default export."""
    head, found, rest = module.partition("export default function")
    if not found:
        raise ValueError("a part of the stage exports no function")
    return f"(() => {{\n{head}const part = function{rest}\nreturn part; }})();\n"


def _face(page):
    """Return the CSS rule for Streamlit's font."""
    font = _FONT.search(page)
    rule = '@font-face { font-family: "Source Sans"; font-weight: 100 900; src: url("%s"); }'
    return Markup(rule % font[1] if font else "")


def _as_json(data):
    """Return data as JSON for a script element, escaped so that no text can close the element."""
    return Markup(json.dumps(data).replace("<", chr(92) + "u003c"))


def missing_page() -> str:
    """Return the page for an address that does not exist."""
    return html.render("missing.html", lessons=_lessons())


def _menu(here):
    """Return the lessons by section, each with address, question, and True if it is the open one."""
    sections: dict[str, list[tuple[str, str, bool]]] = {}
    for stem, each in LESSONS.items():
        sections.setdefault(each.section, []).append((path_of(path_of_page(stem)), each.question, each is here))
    return sections.items()


def _lessons():
    """Return address and question of every lesson."""
    return [(path_of(path_of_page(stem)), each.question) for stem, each in LESSONS.items()]


def _head(stage, address, image):
    """Return the page's title and card, and both in the vocabulary of schema.org. image: the URL of the card."""
    lesson = stage.address.lesson
    question, text = lesson.question, stage.sentence or in_letters(lesson.answer)
    card = {"type": "article", "site_name": NAME, "title": question, "description": text, "url": address}
    width, height = stills.CARD
    card |= {"image": image, "image:width": width, "image:height": height, "image:alt": question}
    course = {"@type": "Course", "name": NAME}
    told = {"@context": "https://schema.org", "@type": "LearningResource", "name": question, "description": text}
    told |= {"url": address, "inLanguage": "en", "isAccessibleForFree": True, "isPartOf": course}
    ahead = {"draws": _draws(lesson.stem), "bundle": BUNDLE}
    return {"title": title_of(question), "card": card, "structured": _as_json(told), **ahead}


def _draws(stem):
    return VIEWS[stem].is_drawn


def in_letters(markdown: str) -> str:
    r"""Return Markdown with its formulas as plain text: $\sqrt{d_k}$ as √dₖ."""
    return _FORMULA.sub(lambda found: _written(found[1]), markdown).replace("*", "")


def _written(formula):
    text = re.sub("[{}]", "", _COMMAND.sub(lambda found: _COMMANDS.get(found[0], ""), formula))
    for name, letters in _AS_LETTERS.items():
        text = text.replace(name, letters)
    return text
