"""The bets of a class on a wall, in a panel beside the picture that shows the truth."""

from collections import Counter
from copy import deepcopy
from dataclasses import dataclass
from math import floor
from typing import Any

from pages._view.bet_words import TRUTH, fact
from pages._view.figures import base
from pages._view.figures.beside import AT, Row, hollow, rows
from pages._view.kinds import Choice, Drawing
from pages._view.lesson import Bet
from pages._view.lesson_view import Outcome
from pages._view.picture import Figure, Part
from pages._view.theme import Profile

_PICTURE, _BETS = [0.0, 0.5], [0.65, 1.0]  # horizontal domains
_MOST_BARS = 45
_ROUNDING = 1e-9  # share of a bin: a number this close below an edge is in the bin above it
_WIDTH, _INSIDE = 0.9, 0.5  # width of a bar, and of a bar inside a hollow one, as shares of a bin
_HEAD = 0.25  # room above the highest bar for the truth's label, as a share of the bar
_LINE = 0.86  # upper end of the truth's line, below its label, as a share of the height
_CROWD = 0.35  # opacity of each of many curves
_LOWEST = 2.6  # margin for the axis title and the tick labels, in em of the title
_NARROWEST, _NAME = 1.2, 4.2  # right margins without and with the true curve's label, in em of a tick label
_TICKS = ((5, 1), (10, 2), (25, 5), (50, 10), (100, 20))  # (most bets, distance between two ticks)


@dataclass(frozen=True)
class Bets:
    """The bets of a class. first: those of its first vote, if it has voted twice; else ()."""

    now: tuple[Any, ...]
    first: tuple[Any, ...] = ()


def beside(shown: Figure, bet: Bet, bets: Bets, found: Outcome, profile: Profile) -> Figure:
    """Return a picture with a panel of the class's bets beside it.

    For numbers and curves, only the panel that the bet is about stays of the picture. The bets are a histogram with
    the truth as a line behind the bars, or the drawn curves with the truth as a dashed line over them. For a choice,
    the whole picture stays, narrower, and the bets are bars: one for each option, or one for each option and vote.
    """
    if isinstance(bet.answer, Choice):
        return rows(shown, _answers(bet, bets, found), _heading(bets, profile), profile)
    if bet.place is None:
        raise ValueError("the bets of a class need a place on the picture")
    across, along = bet.place.keeps or sorted((bet.place.across, bet.place.along))
    spec = deepcopy(vars(shown)) | {"narrow": {}}
    layout, old = spec["layout"], _axis(spec["layout"], across)["domain"]
    unseen = {"visible": False, "xaxis": across, "yaxis": along}  # kept: the sentence's marks refer to these traces
    spec["data"] = [each if _is_on(each, across, along) else each | unseen for each in spec["data"]]
    for kind in ("annotations", "shapes"):
        layout[kind] = [_moved(each, old) for each in layout.get(kind, ()) if _stays(each, across, along, old)]
    for name in [each for each in layout if each[1:5] == "axis" and each not in (_name(across), _name(along))]:
        del layout[name]
    _axis(layout, across).update(domain=_PICTURE, anchor=along)
    _axis(layout, along).update(anchor=across)
    for ref in (across, along):
        for tied in {"matches", "scaleanchor"} & {*_axis(layout, ref)}:
            del layout[_name(ref)][tied]
    right = _NAME if isinstance(bet.answer, Drawing) else _NARROWEST
    low = min(layout["margin"]["b"], round(_LOWEST * profile.axis_size))  # a low margin leaves room for high bars
    layout["margin"] = layout["margin"] | {"r": round(right * profile.tick_size), "b": low}
    add = _curves if isinstance(bet.answer, Drawing) else _numbers
    add(spec, bet, bets, found, profile)
    return Figure(**spec)


def _name(ref):
    return f"{ref[0]}axis{ref[1:]}"


def _axis(layout, ref):
    found = layout[_name(ref)]
    found.setdefault("domain", [0, 1])
    return found


def _is_on(trace, across, along):
    return (trace.get("xaxis", "x"), trace.get("yaxis", "y")) == (across, along)


def _stays(part, across, along, old):
    """Return True if an annotation or a shape belongs to the panel that stays, or lies within its width."""
    x, y = (part.get(f"{each}ref", each).removesuffix(" domain") for each in "xy")
    if x != "paper" or y not in ("paper", along):
        return x in (across, "paper") and y in (along, "paper")
    return "x" not in part or old[0] - 0.02 <= part["x"] <= old[1] + 0.02


def _moved(part, old):
    """Return an annotation or a shape, moved with its panel if it is placed relative to the whole picture."""
    if part.get("xref", "x") != "paper":
        return part
    stretch = (_PICTURE[1] - _PICTURE[0]) / (old[1] - old[0])
    places = {each: _PICTURE[0] + stretch * (part[each] - old[0]) for each in ("x", "x0", "x1") if each in part}
    return part | places


def _panel(spec, bet, heading, across, up, profile):
    """Add a panel with these axes."""
    layout = spec["layout"]
    low, high = _axis(layout, (bet.place.keeps or sorted((bet.place.across, bet.place.along)))[1])["domain"]
    layout[f"xaxis{AT}"] = base.axis(profile, **{"domain": _BETS, "anchor": f"y{AT}"} | across)
    layout[f"yaxis{AT}"] = base.axis(profile, **{"domain": [low, high], "anchor": f"x{AT}"} | up)
    layout["annotations"].append(base.heading(heading, profile, axes=AT))


def _heading(bets, profile, what=""):
    """Return the panel's heading: the number of bets; in smaller letters, that of the first vote, or `what` was bet."""
    many = base.in_colour(f"{len(bets.now)} {'bet' if len(bets.now) == 1 else 'bets'}", profile.third, profile)
    said = f", hollow: the first {len(bets.first)}" if bets.first else what
    return f'{many}<span style="font-size: {profile.tick_size}px">{said}</span>'


# --- choices ---------------------------------------------------------------------------------------------


def _answers(bet, bets, found):
    now, first = Counter(bets.now), Counter(bets.first)
    return [
        Row(bet.answer.called(each), now[each], first[each] if bets.first else None, each == found.truth)
        for each in bet.answer.options
    ]


# --- numbers ---------------------------------------------------------------------------------------------


def bins(bet: Bet, guesses: tuple[float, ...]) -> dict[float, int]:
    """Return the number of guesses in each bin, by the bin's middle; a bin is one or more stops of the answer wide.

    >>> from pages._view.kinds import Number
    >>> bins(Bet("?", Number("n", 0, 0, 100, tuple(range(0, 101, 5)))), (5, 6.5, 20))
    {5.0: 2, 20.0: 1}
    """
    width = _width(bet.answer)
    counted = Counter(floor((each - bet.answer.low) / width + 0.5 + _ROUNDING) for each in guesses)  # type: ignore[union-attr]
    return {round(bet.answer.low + width * i, 9): n for i, n in sorted(counted.items())}  # type: ignore[union-attr]


def _width(answer):
    stop = answer.stops[1] - answer.stops[0]
    span = answer.high - answer.low
    return float(next(n * stop for n in range(1, len(answer.stops) + 1) if span / (n * stop) < _MOST_BARS))


def _numbers(spec, bet, bets, found, profile):
    """Draw a bar for each bin; bars of the first vote are hollow and wider, so that both votes are seen."""
    counted, before, width, answer = bins(bet, bets.now), bins(bet, bets.first), _width(bet.answer), bet.answer
    most = max(1, *counted.values(), *before.values())
    span = [answer.low - width / 2, answer.high + width / 2]
    every = next((step for top, step in _TICKS if most <= top), _TICKS[-1][1])
    across = {"range": span, "nticks": 6, "ticksuffix": bet.suffix}
    up = {"range": [0, (1 + _HEAD) * most], "dtick": every, "tick0": 0}
    heading = _heading(bets, profile, f", {answer.label[0].lower()}{answer.label[1:]}")
    _panel(spec, bet, heading, across, up, profile)
    look = {"type": "bar", "hoverinfo": "skip", "xaxis": f"x{AT}", "yaxis": f"y{AT}"}
    if before:
        spec["data"].append(
            look
            | {"x": [*before], "y": [*before.values()], "width": _WIDTH * width, "name": "first bets"}
            | {"marker": hollow(profile)}
        )
    spec["data"].append(
        look
        | {"x": [*counted], "y": [*counted.values()], "width": (_INSIDE if before else _WIDTH) * width, "name": "bets"}
        | {"marker": {"color": profile.third}}
    )
    if found.truth is not None:
        _mark_truth(spec["layout"], found.truth, fact(bet, found), span, profile)


def _mark_truth(layout, truth, text, span, profile):
    """Draw a line at the truth behind the bars, and its label above them."""
    refs: Part = {"xref": f"x{AT}", "yref": f"y{AT} domain"}
    line = {"color": profile.text, "width": 1.5 * profile.line_width}
    layout["shapes"].append(
        {"type": "line", "x0": truth, "x1": truth, "y0": 0, "y1": _LINE, "line": line, "layer": "below", **refs}
    )
    part = (truth - span[0]) / (span[1] - span[0])
    side = "left" if part < 1 / 3 else "right" if part > 2 / 3 else "center"
    place: Part = {"x": truth, "y": 1, "xanchor": side, "yanchor": "top", "borderpad": 0, **refs}
    layout["annotations"].append(base.label(f"<b>{TRUTH} {text}</b>", profile, **place))


# --- curves ----------------------------------------------------------------------------------------------


def _curves(spec, bet, bets, found, profile):
    """Draw every curve of the class faintly, and over them the true curve, dashed, so that it hides none."""
    own, up = (deepcopy(_axis(spec["layout"], each)) for each in (bet.place.across, bet.place.along))
    up["range"] = [0, up["range"][1]]
    across = own | {"domain": _BETS, "anchor": f"y{AT}"}
    _panel(spec, bet, _heading(Bets(bets.now), profile), across, up | {"anchor": f"x{AT}"}, profile)
    axes = {"xaxis": f"x{AT}", "yaxis": f"y{AT}", "hoverinfo": "skip"}
    ink, places = base.solid(profile, profile.third, 1.5), [0, *found.places]
    spec["data"] += [
        base.line(places, [0, *heights], ink, "a bet") | axes | {"opacity": _CROWD}
        for heights in bets.now
        if places[1:]
    ]
    if found.truth is None:
        return
    x, y = found.curve
    spec["data"].append(base.line(x, y, base.dashed(profile), "in fact") | axes)
    place: Part = {"x": 1, "y": y[-1], "xref": f"x{AT} domain", "yref": f"y{AT}", "xanchor": "left", "borderpad": 0}
    spec["layout"]["annotations"].append(base.label(f"<b>{TRUTH} in fact</b>", profile, **place))
