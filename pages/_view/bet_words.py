"""Sentences on the bet of a learner or the bets of a class, on the truth, and on the difference."""

from collections import Counter
from statistics import median_low
from typing import Any

from pages._view.kinds import Choice, Drawing
from pages._view.lesson import Bet
from pages._view.theme import number

BET, TRUTH = "◆", "●"  # the symbols on the picture
RIGHT, CLOSE, MISSED, OPEN = "Right.", "Close.", "Not this time.", "Your bet stands."
_NEAR_ENOUGH = 3  # largest error of a close answer, in multiples of `Bet.near`
_NOTHING = "?"  # shown before there is an answer


def written(bet: Bet, value: Any) -> str:
    """Return an answer as text, with its unit."""
    if value is None:
        return _NOTHING
    if isinstance(bet.answer, Choice):
        return bet.answer.called(value)
    if isinstance(bet.answer, Drawing):
        return "as drawn"
    return f"{number(value) if value % 1 else f'{value:,.0f}'}{bet.suffix}"


def fact(bet: Bet, found: Any) -> str:
    """Return the truth as text."""
    return str(found.text or written(bet, found.truth))


def in_fact(bet: Bet, found: Any) -> str:
    """Return a sentence with the truth; "" before it is known."""
    return "" if found.truth is None else f"{TRUTH} In fact: {fact(bet, found)}."


def said(bet: Bet, guesses: tuple[Any, ...], found: Any) -> str:
    """Return the bet and the truth, in words."""
    if not guesses:
        return in_fact(bet, found)
    return both(bet, guesses[0], found) if len(guesses) == 1 else of_class(bet, guesses, found)


def both(bet: Bet, placed: Any, found: Any) -> str:
    """Return the bet, and the truth once it is known; for a curve, the heights at which both differ most."""
    if isinstance(bet.answer, Drawing):
        most = _farthest(placed, found.truth)
        label = _at(bet, most)
        return f"{label}: {BET} {placed[most]:,} drawn, {TRUTH} {number(found.truth[most])} in fact."
    return f"{BET} Your bet: {written(bet, placed)}. {in_fact(bet, found)}".rstrip()


def of_class(bet: Bet, placed: tuple[Any, ...], found: Any) -> str:
    """Return the bets of a class, the truth once it is known, and how many were right."""
    if found.truth is None:
        return f"{_many(placed)}. {spread(bet, placed)}"
    right = sum(verdict(bet, each, found.truth) == RIGHT for each in placed)
    truth = _last_height(bet, found) if isinstance(bet.answer, Drawing) else in_fact(bet, found)
    return f"{_many(placed)}, {right or 'none'} right. {spread(bet, placed)} {truth}"


def _many(placed):
    return f"{BET} {len(placed)} {'bet' if len(placed) == 1 else 'bets'}"


def spread(bet: Bet, placed: tuple[Any, ...]) -> str:
    """Return counts of the choices, or minimum, median and maximum of the numbers or of the curves' last heights."""
    if isinstance(bet.answer, Choice):
        counts = Counter(placed)
        return " · ".join(f"{bet.answer.called(each)}: {counts[each]}" for each in bet.answer.options) + "."
    if isinstance(bet.answer, Drawing):
        ends = [each[-1] for each in placed]
        return f"{_at(bet, -1)}: {_from_to(f'{each:,}' for each in _three(ends))}."
    return f"{_from_to(written(bet, each) for each in _three(placed))}."


def _three(values):
    return min(values), median_low(values), max(values)


def _from_to(texts):
    low, middle, high = texts
    return f"All {low}" if low == high else f"From {low} to {high}, the middle one {middle}"


def _last_height(bet, found):
    return f"{TRUTH} {number(found.truth[-1])} in fact."


def _at(bet, place):
    return bet.answer.label.format(f"{bet.answer.at[place]:,}")


def verdict(bet: Bet, placed: Any, truth: Any) -> str:
    """Judge an answer: right, close or missed; open while the truth is unknown."""
    if truth is None:
        return OPEN
    if isinstance(bet.answer, Choice):
        return RIGHT if placed == truth else MISSED
    off, near = _off(bet, placed, truth), bet.near
    return RIGHT if off <= near else CLOSE if off <= _NEAR_ENOUGH * near else MISSED


def _off(bet, placed, truth):
    """Return the error of an answer; for a curve, the largest error relative to the last true height."""
    if isinstance(bet.answer, Drawing):
        off = abs(placed[_farthest(placed, truth)] - truth[_farthest(placed, truth)])
        return off / truth[-1] if truth[-1] else off
    return abs(placed - truth)


def _farthest(placed, truth):
    """Return the index at which a curve is farthest from the truth."""
    apart = [abs(height - true) for height, true in zip(placed, truth, strict=True)]
    return apart.index(max(apart))
