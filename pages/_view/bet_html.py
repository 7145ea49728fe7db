"""A bet as plain HTML for both front ends: the form that asks, and the result."""

from collections.abc import Mapping
from html import escape
from typing import Any
from urllib.parse import urlencode

from pages._view import unbroken
from pages._view.address import Address
from pages._view.bet_words import OPEN, RIGHT, written
from pages._view.kinds import Choice, Drawing, Number
from pages._view.lesson import ANSWERS, CLASS, GUESS, GUESSED_AT, REVEAL, STEP
from pages._view.lessons import ORDER
from pages._view.routes import BET
from pages._view.stage import Stage

_SWEEP = "Sweep over the picture, or move its points with the arrow keys."


def placed(here: Address, text: str) -> dict[str, str]:
    """Return the parameters of a placed bet: its answer, and the settings at that time; {} without a valid answer.

    The value of the large slider is always among the settings, because a verdict names it.
    """
    answer = here.bet.answer if here.bet else None
    if answer is None or answer.read(text)[1]:
        return {}
    is_first = here.bet == here.lesson.bet  # no step is stored: an answer without a step belongs to the first bet
    settings = {name: each for name, each in here.settings.items() if name != STEP or not is_first}
    slider = here.step.slider
    at = {slider: here.known(slider).write(here.values[slider])} if slider else {}
    said = {GUESS: answer.write(answer.read(text)[0]), GUESSED_AT: urlencode(at | settings)}
    return {name: each for name, each in said.items() if each or name == GUESS}


def tally_of(stage: Stage) -> str:
    """Return the tally of right and placed bets, in which this bet counts only once."""
    here = stage.address
    said = str(here.linked("tally"))
    verdict = stage.verdict
    if verdict in ("", OPEN):
        return said
    right, of, lessons = [*said.split("-"), "", "", ""][:3]
    letter = chr(ord("a" if here.bet == here.lesson.bet else "A") + ORDER.index(here.lesson.stem))
    if letter in lessons:
        return said
    return f"{int(right or 0) + (verdict == RIGHT)}-{int(of or 0) + 1}-{''.join(sorted(lessons + letter))}"


def counted(stage: Stage) -> Address:
    """Return the stage's address with its bet counted in the tally, for the link to the next lesson."""
    here, tally = stage.address, tally_of(stage)
    return Address(here.lesson, {**here.query, **({"tally": tally} if tally else {})}, here.held)


def html_of(stage: Stage, *, kept: Mapping[str, str] | None = None) -> str:
    """Return the form of a bet that waits, or the link to bet again; "" where no bet is shown.

    kept: parameters that the form sends along, for pages without a script that reads the address.
    """
    here = stage.address
    if not here.shows_bet:
        return ""
    if not here.bet_waits:
        return _told(stage)
    return reveal(here, "Reveal") if here.is_wall else _form(here, kept or {})


def reveal(here: Address, label: str) -> str:
    """Return the link by which a wall shows the truth, or hides it again."""
    shown = "1" if label == "Reveal" else ""
    query = {**here.without(ANSWERS).query, **({REVEAL: shown} if shown else {})}
    link = f'data-reveal data-sets="{REVEAL}={shown}" href="{escape(f"?{urlencode(query)}")}"'
    return f'<p class="bet"><a class="go" {link}>{label}</a></p>'


def _form(here, kept):
    bet: Any = here.bet
    hidden = "".join(
        f'<input type="hidden" name="{escape(name)}" value="{escape(text)}">'
        for name, text in kept.items()
        if name not in ANSWERS
    )
    action = f"{BET}/{here.lesson.stem}"
    draws = " data-draws" if isinstance(bet.answer, Drawing) else ""
    kind = " number" if isinstance(bet.answer, Number) else ""
    button = '<button class="on" disabled>Place my bet</button>'
    return f'<form class="bet{kind}" data-bet{draws} action="{action}">{hidden}{_answers(bet)}{button}</form>'


def _answers(bet):
    """Return the input fields of a bet: choices, a slider for a number, or instructions for drawing a curve."""
    answer = bet.answer
    label = unbroken.html_of(answer.label if not isinstance(answer, Drawing) else _SWEEP)
    if isinstance(answer, Choice):
        options = (
            f'<label><input type="radio" name="{GUESS}" value="{escape(each)}"><span><span>{said}</span></span></label>'
            for each, said in ((each, unbroken.html_of(written(bet, each))) for each in answer.options)
        )
        return f"<fieldset><legend>{label}</legend>{''.join(options)}</fieldset>"
    if isinstance(answer, Drawing):
        return f"<span>{label}</span>"
    low, high, step = answer.low, answer.high, round(answer.stops[1] - answer.stops[0], 9)
    reach = f'min="{low:g}" max="{high:g}" step="{step:g}" value="{answer.default:g}"'
    return (
        f'<label class="amount"><span>{label}</span> <output>?</output>'
        f'<input type="range" name="{GUESS}" {reach} data-suffix="{escape(bet.suffix)}"></label>'
    )


def _told(stage):
    """Return the count of right bets with a link to bet again; on a wall, the link that hides the truth."""
    here = stage.address
    if here.is_wall or not here.guesses:
        return reveal(here, "Hide") if here.is_wall or here.linked(REVEAL) == "1" else ""
    if CLASS in here.query:
        return ""
    right, _, rest = tally_of(stage).partition("-")
    of = rest.partition("-")[0]
    count = f"{right} of {of} {'bet' if of == '1' else 'bets'} right so far." if of else ""
    href = escape(f"?{urlencode(here.without(ANSWERS).query)}")
    again = f'<a data-sets="{GUESS}=&amp;{GUESSED_AT}=" href="{href}">Bet again</a>'
    return f'<p class="bet">{count} {again}</p>'
