"""HTML of the pages of a room: one file each, without anything to fetch, in the visitor's light or dark."""

from collections.abc import Iterable, Sequence
from html import escape as escape
from pathlib import Path

from pages._view.routes import NAME

_FOLDER = Path(__file__).parent
_STYLE = (_FOLDER / "room.css").read_text(encoding="utf-8")
_SCRIPT = (_FOLDER / "room.js").read_text(encoding="utf-8")
_AWAY = "The connection is lost. This page goes on as soon as it is back."


def document(title: str, main: str, *, news: bool = False, refresh: int = 0, footer: str = "") -> str:
    """A whole page. news: it follows its room by itself. refresh: seconds after which it does without scripts."""
    again = f'<noscript><meta http-equiv="refresh" content="{refresh}"></noscript>' if refresh else ""
    away = f'<p id="away" class="wrong" role="status" hidden>{_AWAY}</p>' if news else ""
    script = f"<script>\n{_SCRIPT}</script>" if news else ""
    foot = f"<footer>{footer}</footer>" if footer else ""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">'
        '<link rel="icon" href="data:,">'
        f"<title>{escape(title)} · {NAME}</title>{again}<style>{_STYLE}</style></head>"
        f"<body>{main}{away}{foot}{script}</body></html>"
    )


def main_part(inside: str, *, mark: str = "", news: str = "", asked: str = "") -> str:
    """What changes when the room does. mark: what it shows; news: where to ask for more; asked: of which question."""
    return (
        f'<main data-mark="{mark}" data-news="{news}" data-asked="{escape(asked)}" aria-live="polite">{inside}</main>'
    )


def form(action: str, token: str, do: str, inside: str) -> str:
    """A form that changes something; only its own page can send it."""
    hidden = f'<input type="hidden" name="token" value="{token}"><input type="hidden" name="do" value="{escape(do)}">'
    return f'<form method="post" action="{action}">{hidden}{inside}</form>'


def button(label: str, *, first: bool = False) -> str:
    """A button that sends its form. first: the one thing to do here."""
    return f"<button{' class=first' if first else ''}>{escape(label)}</button>"


def paragraphs(texts: Iterable[str], kind: str = "") -> str:
    """Sentences, one paragraph each."""
    named = f' class="{kind}"' if kind else ""
    return "".join(f"<p{named}>{escape(text)}</p>" for text in texts if text)


def options(name: str, legend: str, choices: Sequence[tuple[str, str]], chosen: str = "") -> str:
    """Options of which one is chosen, each with its value and label; none is chosen beforehand."""
    rows = "".join(
        f'<label class="option"><input type="radio" name="{name}" value="{escape(value)}" required'
        f"{' checked' if value == chosen else ''}>{escape(label)}</label>"
        for value, label in choices
    )
    return f"<fieldset><legend>{escape(legend)}</legend>{rows}</fieldset>"


def field(name: str, label: str, low: float, high: float, value: str = "") -> str:
    """A field for a number; what was typed stays in it."""
    return (
        f'<label class="above" for="{name}">{escape(label)}</label><input id="{name}" name="{name}" type="number" '
        f'inputmode="decimal" step="any" min="{low:g}" max="{high:g}" value="{escape(value)}" required '
        'autocomplete="off">'
    )


def matrices(named: Sequence[tuple[str, Sequence[Sequence[str]]]]) -> str:
    """Small matrices side by side, each under its name."""
    each = "".join(
        f'<figure><figcaption>{escape(name)}</figcaption><table class="matrix">{_rows(rows)}</table></figure>'
        for name, rows in named
    )
    return f'<div class="row">{each}</div>' if each else ""


def _rows(rows):
    return "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
