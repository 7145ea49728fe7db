"""Labels at the ends of lines, instead of a legend."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pages._view.figures.base import label, on_a_wall
from pages._view.picture import Figure, Part
from pages._view.theme import Profile

_SEEN_OF_WALL = 0.6  # share of a plot's height that is visible on a wall
_LETTER = 0.56  # width of a letter, in font sizes


def name_ends(
    fig: Figure,
    names: Sequence[tuple[str, float]],
    profile: Profile,
    *,
    low: float,
    high: float,
    colours: Sequence[str] = (),
    off: float = 0.5,
) -> Figure:
    """Write each line's name to the right of the plot, at the height of the line's end, without overlaps.

    low and high: the ends of the vertical axis, in its own units. colours: the lines' colours, adjusted to be readable
    as text. off: the gap between plot and names, in font sizes.
    """
    top, bottom = fig.layout["margin"]["t"], fig.layout["margin"]["b"]
    seen = _SEEN_OF_WALL if on_a_wall(profile) else 1
    gap = 1.25 * profile.tick_size * (high - low) / (seen * (fig.layout["height"] - top - bottom))
    places = apart([height for _, height in names], gap, high - gap / 2)
    fig.layout["margin"]["r"] = round((0.5 + off + _LETTER * max(len(word) for word, _ in names)) * profile.tick_size)
    place: Part = {"xref": "paper", "x": 1, "xanchor": "left", "xshift": off * profile.tick_size, "bgcolor": None}
    ends = zip(names, places, colours or [""] * len(names), strict=True)
    fig.layout["annotations"] = [label(word, profile, y=float(y), colour=ink, **place) for (word, _), y, ink in ends]
    return fig


def apart(heights: Sequence[float], gap: float, high: float) -> NDArray[np.float64]:
    """Return the heights moved apart until neighbours differ by at least `gap`, none above `high`."""
    order = np.argsort(heights)
    placed = np.array(heights, dtype=float)[order]
    for i in range(1, len(placed)):
        placed[i] = max(placed[i], placed[i - 1] + gap)
    placed[-1] = min(placed[-1], high)
    for i in range(len(placed) - 2, -1, -1):
        placed[i] = min(placed[i], placed[i + 1] - gap)
    return placed[np.argsort(order)]
