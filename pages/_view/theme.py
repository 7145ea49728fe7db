"""Colours by meaning, sizes and number formats, for every picture.

Raw is orange and scaled is blue everywhere. The pair was chosen for colour-blind
readers (Wong, Nature Methods 8, 441, 2011); both colours also differ in line
style or label wherever they meet. A theory line is dashed and in the text colour.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import isfinite, isnan
from typing import Any


@dataclass(frozen=True)
class Profile:
    """The display that a figure is drawn for: its colours and sizes."""

    name: str
    ground: str
    text: str
    grid: str
    raw: str
    scaled: str
    third: str
    band: str
    base_size: int
    title_size: int
    axis_size: int
    tick_size: int
    line_width: float
    marker_size: int
    height: int


_SCREEN: dict[str, Any] = dict(
    base_size=16, title_size=24, axis_size=18, tick_size=14, line_width=2.0, marker_size=8, height=400
)
# Sizes for a window 1,920 pixels wide, 60 times the base size; the browser scales them to other windows.
_PROJECTOR: dict[str, Any] = dict(
    base_size=32, title_size=44, axis_size=38, tick_size=32, line_width=3.5, marker_size=14, height=600
)

LIGHT = Profile("screen", "#ffffff", "#1b1f24", "#d5dae1", "#d55e00", "#0072b2", "#117a55", "#5b6675", **_SCREEN)
DARK = Profile("screen", "#12161c", "#eef1f5", "#39424f", "#ff8a3c", "#5cb8f0", "#3fc796", "#a6b1c0", **_SCREEN)
PROJECTOR = Profile(
    "projector", "#ffffff", "#000000", "#9aa3ae", "#c04f00", "#005a94", "#0b5c3f", "#3d4650", **_PROJECTOR
)


WALL = 900  # pixels: the least width of a wall; in smaller windows its text would be too small to read


def profile(mode: str, ground: str | None) -> Profile:
    """Return the profile for a display mode and the visitor's ground ("light" or "dark")."""
    if mode == "projector":
        return PROJECTOR
    return DARK if ground == "dark" else LIGHT


def number(value: float, digits: int = 3) -> str:
    """Return a number as text: significant digits, separators, a true minus sign, powers of ten."""
    if isnan(value):
        return "undefined"
    if not isfinite(value):
        return "infinite" if value > 0 else "−infinite"
    if value == 0:
        return "0"
    mantissa, _, power = f"{value:.{digits - 1}e}".partition("e")
    exponent = int(power)
    if -4 <= exponent < 7:
        return f"{value:,.{max(0, digits - 1 - exponent)}f}".replace("-", "−")
    return f"{mantissa} × 10{str(exponent).translate(_SUPERSCRIPT)}".replace("-", "−")


def number_of_log10(log10: float, digits: int = 3) -> str:
    """Return a positive number as text, given its log10; it may be outside the range of float64."""
    if -300 < log10 < 300:
        return number(10.0**log10, digits)
    mantissa, _, power = f"{Decimal(10) ** Decimal(log10):.{digits - 1}e}".partition("e")
    return f"{mantissa} × 10{str(int(power)).translate(_SUPERSCRIPT)}"


def typed(value: float) -> str:
    """Return a number as a visitor typed it: without added digits."""
    return f"{value:.10g}".replace("-", "−")


def percent(share: float, places: int = 2) -> str:
    """Return a share as a percentage."""
    return f"{100 * share:.{places}f} %"


def small_percent(share: float) -> str:
    """Return a share as a percentage with two significant digits; below 1 % with one."""
    return f"{number(100 * share, 2 if share >= 0.01 else 1)} %"


def so_many(count: int, of: int) -> str:
    """Return a count as in a sentence: none, a number, or all."""
    return {0: "none", of: "all"}.get(int(count), str(count))


def listed(texts: Sequence[str]) -> str:
    """Return texts joined as in a sentence: a, b and c."""
    *first, last = texts
    return f"{', '.join(first)} and {last}" if first else last


_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
