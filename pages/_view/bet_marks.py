"""Marks on a picture for the bet of a learner or the bets of a class, and for the truth."""

from collections import Counter
from copy import deepcopy
from dataclasses import replace

from pages._view import bets_of_class
from pages._view.address import Address
from pages._view.bet_words import BET, TRUTH, said, spread, written
from pages._view.kinds import Choice, Drawing
from pages._view.lesson import CLASS, FIRST
from pages._view.lesson_view import Outcome
from pages._view.picture import Figure, Picture
from pages._view.theme import Profile

_BEYOND = {"x": "→", "y": "↑"}  # arrows at the end of an axis, for values beyond it
_REACH, _ABOVE = 0.3, 0.2  # length of a class's longest line, as a share of the panel; _ABOVE if the panel grows for it
_CROWD = 0.35  # opacity of each curve of a class


def marked(shown: Picture, here: Address, found: Outcome, profile: Profile) -> Picture:
    """Return the picture with the bets and the truth drawn on it."""
    guesses, bet, figure = here.guesses or (), here.bet, shown.figure
    if bet is None or figure is None:
        raise ValueError("nothing is bet on this picture")
    alt = f"{shown.alt or shown.sentence} {said(bet, guesses, found)}"
    if here.is_wall and CLASS in here.query and (bet.place or isinstance(bet.answer, Choice)):
        bets = bets_of_class.Bets(guesses, tuple(here.linked(FIRST)))
        alt += f" The first vote: {spread(bet, bets.first)}" if bets.first else ""
        return replace(shown, figure=bets_of_class.beside(figure, bet, bets, found, profile), alt=alt)
    return replace(shown, figure=_with_marks(figure, bet, guesses, found, profile), alt=alt)


def _with_marks(figure, bet, guesses, found, profile):
    spec = deepcopy(vars(figure))
    alone = guesses[0] if len(guesses) == 1 else None
    marks = [(BET, alone)] if alone is not None else []
    if found.truth is not None:
        marks.append((TRUTH, found.truth))
    if isinstance(bet.answer, Drawing):
        spec["data"] += _curves(bet.place, found, guesses, profile)
    elif bet.place:
        _draw_numbers(spec["layout"], bet, marks, profile)
        if len(guesses) > 1:  # draw the class's lines last, over the truth's longer line
            _draw_class(spec["layout"], bet, guesses, profile)
        _draw_on_a_phone_too(spec, figure.layout)
    return Figure(**spec)


def _draw_on_a_phone_too(spec, before):
    """Add the marks to the layout for phones if this has annotations or shapes of its own."""
    for kind in ("annotations", "shapes"):
        if kind in spec["narrow"]:
            drawn = spec["layout"].get(kind, [])[len(before.get(kind, ())) :]
            spec["narrow"][kind] = [*spec["narrow"][kind], *drawn]


def _curves(place, found, drawn, profile):
    """Return traces of the true curve and of the bets: one with points for a learner, fainter ones for a class."""
    axes = {"type": "scatter", "xaxis": place.across, "yaxis": place.along}
    third, true = (
        {"color": _colour(sign, profile), "width": 1.5 * profile.line_width, "dash": "solid"} for sign in (BET, TRUTH)
    )
    x, y = found.curve
    truth = axes | {"mode": "lines", "x": x, "y": y, "line": true, "name": "in fact"}
    alone, places = len(drawn) == 1, [0, *found.places]
    size = [0, *[1.5 * profile.marker_size] * len(found.places)]
    marker = {"symbol": "diamond", "size": size, "color": third["color"], "opacity": 1}
    one = {"mode": "lines+markers", "marker": marker, "line": third, "name": "your bet"}
    look = one if alone else {"mode": "lines", "line": third, "opacity": _CROWD, "name": "a bet"}
    return [truth, *(axes | look | {"x": places, "y": [0, *heights]} for heights in drawn)]


def _draw_class(layout, bet, guesses, profile):
    """Draw a line at each number that was bet, longer for more bets; count the bets beyond the axis in a label."""
    along, across, colour = bet.place.along, bet.place.across, _colour(BET, profile)
    refs, other = _refs(bet.place), across[0]
    most = _reach(layout, across)
    counts = Counter(_on_axis(_axis_of(layout, along), each * bet.place.unit) for each in guesses)
    reach = {place: most * n / max(counts.values()) for place, n in counts.items()}
    style = {"type": "line", "line": {"color": colour, "width": 3 * profile.line_width}, **refs, f"{other}0": 1}
    lines = [
        style | {f"{other}1": 1 - length, f"{along[0]}0": at, f"{along[0]}1": at} for (at, _), length in reach.items()
    ]
    layout["shapes"] = [*layout.get("shapes", ()), *lines]
    end = {"xanchor": "right", "yanchor": "top"}
    word = {"showarrow": False, "font": {"size": profile.tick_size, "color": colour}, **refs, **end}
    words = [
        word | {"text": f"{BET} {counts[place]} {_BEYOND[along[0]]}", other: 1 - length, along[0]: place[0]}
        for place, length in reach.items()
        if place[1]
    ]
    layout["annotations"] = [*layout.get("annotations", ()), *words]


def _reach(layout, across):
    """Return the length of the longest line of a class's bets, as a share of the panel.

    Extend an upright axis without numbers, to keep the top of the panel free for labels.
    """
    axis = _axis_of(layout, across)
    if across[0] == "x" or axis.get("showticklabels") is not False:
        return _REACH
    low, high = axis["range"]
    axis["range"] = [low, low + (high - low) / (1 - _ABOVE)]
    return _ABOVE


def _refs(place):
    """Return Plotly's axis references for a line across the panel."""
    return {f"{place.across[0]}ref": f"{place.across} domain", f"{place.along[0]}ref": place.along}


def _axis_of(layout, along):
    return layout[f"{along[0]}axis{along[1:]}"]


def _draw_numbers(layout, bet, marks, profile):
    """Draw a line across the panel at the number of each mark."""
    placed = [_placed(layout, bet, mark, profile) for mark in marks]
    layout["shapes"] = [*layout.get("shapes", ()), *(line for line, _ in placed if line)]
    layout["annotations"] = [*layout.get("annotations", ()), *(word for _, word in placed)]


def _colour(sign, profile):
    return profile.text if sign == TRUTH else profile.third


def _placed(layout, bet, mark, profile):
    """Return the line across the panel at a number, and its label; beyond the axis, None and a label with an arrow."""
    sign, value = mark
    along, across, colour = bet.place.along, bet.place.across, _colour(sign, profile)
    at, beyond = _on_axis(_axis_of(layout, along), value * bet.place.unit)
    upright, other, refs = along[0] == "x", across[0], _refs(bet.place)
    style = {"color": colour, "width": 1.5 * profile.line_width, "dash": "solid" if sign == TRUTH else "dot"}
    line = {"type": "line", "line": style, **refs, f"{other}0": 0, f"{other}1": 1}
    line |= {f"{along[0]}0": at, f"{along[0]}1": at}
    end = {"xanchor": "center", "yanchor": "top"} if upright else {"xanchor": "left", "yanchor": "middle"}
    text = sign
    if beyond:
        below = {"yshift": -1.3 * profile.tick_size} if sign == TRUTH else {}  # one line below a bet's label
        end = {"xanchor": "right", "yanchor": "top", **below}
        text = f"{sign} {written(bet, value)} {_BEYOND[along[0]]}"
    font = {"size": profile.tick_size, "color": colour}
    word = {"text": text, "showarrow": False, "font": font, **refs, other: 1, along[0]: at, **end}
    return None if beyond else line, word


def _on_axis(axis, value):
    """Return a value clipped to its axis, and True if it is beyond the upper end."""
    low, high = sorted(axis["range"])
    return min(max(value, low), high), value > high
