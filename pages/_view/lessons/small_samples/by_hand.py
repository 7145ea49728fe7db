"""The picture of the examples made by hand: their dot products, beside the spread of random ones."""

from collections.abc import Mapping

import numpy as np

from pages._view.figures import base
from pages._view.figures.code import code
from pages._view.marks import Mark
from pages._view.picture import Picture
from pages._view.theme import Profile, listed, number
from sattn_core.lessons import small_samples as core

_HIGH = 3  # height of each example on the axis; the first is at the top
_HEADING, _SPREAD, _DOTS, _RANDOM = 2.95, 1.5, 1.05, (0.1, 1.62)  # heights inside an example
_CAP, _ABOVE = 0.12, 0.16  # half the height of a bracket's ends; distance of its label
_AROUND, _LETTER, _BESIDE = 0.05, 0.021, 0.35  # shares of a phone's axis: room at its ends, a letter, a label
_FEW, _LETTERS = 3, 16  # products in a heading, and their letters, at most

Examples = Mapping[str, core.ExampleDots | None]


def hand_made(examples: Examples, profile: Profile) -> Picture:
    """Return the picture of two typed examples: dot products on one axis, their spread and that of random numbers.

    examples: "first" and "second"; None for one that cannot be read, whose place stays empty.
    """
    known = {name: each for name, each in examples.items() if each}
    sentence = _sentence(examples)
    return Picture(
        "hand_made",
        _figure(examples, profile),
        sentence,
        {
            "example": [name for name, each in known.items() for _ in each.dots],
            "dot product": [dot for each in known.values() for dot in each.dots.tolist()],
        },
        "".join(_code(name, each) for name, each in known.items()),
        alt=f"{sentence} One axis of dot products. {' '.join(_said(*each) for each in known.items())}".strip(),
        sure=(*(_said(*each) for each in known.items()), *_ON_SAMPLES),
        checks=_table(known) if known else None,
        marks=(
            Mark("picked by hand", tuple(f"raw products, {name}" for name in known)),
            Mark("Drawn at random", tuple(f"random, {name}, theory" for name in known)),
        ) if known else (),
    )  # fmt: skip


_ON_SAMPLES = (
    "Nobody drew these numbers, so their mean and variance estimate nothing, and no standard error can be given.",
)


def _figure(examples, profile):
    """Return one example above the other, on one axis that has room for both."""
    reach = _reach([each for each in examples.values() if each])
    traces, names = [], []
    for i, (name, each) in enumerate(examples.items()):
        foot = _HIGH * (len(examples) - 1 - i)
        names.append(_heading(name, each, foot + _HEADING, profile))
        if each:
            traces += _marks(name, each, foot, profile)
            names += _names(each, foot, reach, profile)
    ticks = {"nticks": 6, "separatethousands": True, "exponentformat": "power", "minexponent": 6}
    fig = base.figure(
        profile,
        traces,
        height=0.8 if base.on_a_wall(profile) else 1.0,
        xaxis=base.axis(profile, "dot product q · k", near=True, grid=True, range=reach, **ticks),
        yaxis=base.axis(profile, visible=False, range=[0, _HIGH * len(examples)]),
        annotations=names,
    )
    side = _side(profile)
    fig.layout["margin"] |= {"l": side, "r": side, "t": 4, "b": round(3 * profile.axis_size)}
    return fig


def _side(profile):
    """Return the margin on either side of the axis, for the numbers at its ends."""
    return round(1.2 * profile.axis_size)


def _reach(found):
    """Return an axis range that holds all products, their spreads, and the spread of random numbers."""
    ends = [end for each in found for end in (*each.dots, *_spread(each), each.std_theory, -each.std_theory)]
    low, high = min(ends, default=-1.0), max(ends, default=1.0)
    return [float(low - _AROUND * (high - low)), float(high + _AROUND * (high - low))]


def _spread(found):
    return found.mean - found.std, found.mean, found.mean + found.std


def _marks(name, found, foot, profile):
    """Return the products, above them their mean ± σ, and lines at ± the σ of random numbers."""
    marker = {"color": profile.raw, "symbol": "circle", "size": 1.5 * profile.marker_size}
    dots = base.line(found.dots, np.full(len(found.dots), foot + _DOTS), {}, f"raw products, {name}")
    spread, caps = np.repeat(_spread(found), 4), np.tile([0, _CAP, -_CAP, 0], 3)
    ends, low_and_high = found.std_theory * np.array([-1, -1, np.nan, 1, 1]), np.array([*_RANDOM, np.nan, *_RANDOM])
    return [
        base.line(ends, foot + low_and_high, base.dashed(profile), f"random, {name}, theory"),
        base.line(spread, foot + _SPREAD + caps, base.solid(profile, profile.raw), f"raw spread, {name}"),
        dots | {"mode": "markers", "marker": marker},
    ]


def _heading(name, each, height, profile):
    text = f"<b>{name.capitalize()} example</b>{f', dₖ = {each.d_k}: {_dots(each)}' if each else ''}"
    place = {"x": 0, "xref": "paper", "y": height, "yref": "y", "xanchor": "left", "yanchor": "top"}
    return base.label(text, profile, size=profile.axis_size, xshift=-_side(profile), **place)


def _dots(found):
    """Return the products as text, or only their count if they do not fit."""
    n, texts = len(found.dots), [_exact(dot) for dot in found.dots[:_FEW]]
    written = listed(texts)
    if n <= _FEW and len(written) <= _LETTERS:
        return written
    return "1 product" if n == 1 else f"{n} products"


def _exact(dot):
    """Return a product with all its digits."""
    return f"{dot:,.10g}".replace("-", "−")


def _names(found, foot, reach, profile):
    """Return mean and spread as a label above their bracket, inside the axis, and the label of the dashed lines."""
    spread = f" ± {number(found.std)}" if len(found.dots) > 1 else ""
    text = f"mean {number(found.mean)}{spread}"
    share, half = (found.mean - reach[0]) / (reach[1] - reach[0]), _LETTER * len(text) / 2
    side = "left" if share < half else "right" if share > 1 - half else "center"
    place = {"x": found.mean, "y": foot + _SPREAD + _ABOVE, "xanchor": side, "yanchor": "bottom", "bgcolor": None}
    return base.label(f"<b>{text}</b>", profile, **place), _name_of_random(found, foot, reach, profile)


def _name_of_random(found, foot, reach, profile):
    """Return the label of the dashed lines, on the side that has room, or between them."""
    end, room = found.std_theory, _BESIDE * (reach[1] - reach[0])
    x, side = (end, "left") if reach[1] - end > room else (-end, "right") if -end - reach[0] > room else (0, "center")
    between = " " if base.on_a_wall(profile) else "<br>"
    place = {"x": x, "y": foot + _RANDOM[0], "xanchor": side, "yanchor": "bottom", "align": "left", "bgcolor": None}
    text = f"random N(0, 1){between}numbers: 0 ± √{found.d_k}"
    return base.label(text, profile, xshift={"left": 4, "right": -4}.get(side, 0), **place)


def _sentence(examples):
    """Return the sentence: the spread of each example's products, and of random ones."""
    said = [_spreads(each) for each in examples.values() if each]
    unread = [name for name, each in examples.items() if not each]
    if not said:
        return "Neither example gives products: vectors are missing, or cannot be read."
    without = f"The {unread[0]} example gives none. " if unread else ""
    return f"Products picked by hand spread by {listed(said)}. {without}Drawn at random, they spread by √dₖ."


def _spreads(found):
    """Return the spread of an example as text; a single product has none."""
    return number(found.std) if len(found.dots) > 1 else "0 (one product)"


def _said(name, each):
    """Return sentences with an example's products, mean and variance, and with those of random numbers."""
    are = "product is" if len(each.dots) == 1 else "products are"
    mean, variance = number(each.mean, 6), number(each.variance, 6)
    return (
        f"{name.capitalize()} example: the dot {are} {listed([_exact(dot) for dot in each.dots])}. The mean is {mean} "
        f"and the variance {variance} (ddof = 0). For independent N(0, 1) numbers they would be 0 and dₖ = {each.d_k}."
    )


def _table(known):
    """Return a table with each example's mean and variance, and with those of random numbers."""
    found = known.values()
    return {
        "example": [f"{name}, dₖ = {each.d_k}" for name, each in known.items()],
        "mean": [number(each.mean, 6) for each in found],
        "of drawn numbers": ["0"] * len(found),
        "variance": [number(each.variance, 6) for each in found],
        "of drawn numbers, dₖ": [str(each.d_k) for each in found],
    }


def _code(name, each):
    shown = f"{name}.dots, {name}.mean, {name}.variance"
    return code(core.hand_made_example, each.q_rows, each.k_rows, name=name, show=shown)
