"""A panel beside a picture on a wall, with a bar for each option of a class's bet or vote."""

import re
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass

from pages._view.bet_words import TRUTH
from pages._view.figures import base
from pages._view.picture import LEAST, Figure, Part
from pages._view.theme import Profile

AT = "9"  # Plotly's suffix for the panel's axes
_WIDTH = 1520  # width of a figure beside the room's code on a wall, in pixels; without the code all is wider
_PICTURE = 0.62  # the picture's share of the width
_RIGHT, _GAP, _APART = 10, 14, 40  # pixels right of the panel; between bar and text; between panel and picture
_LETTER, _LINE = 0.54, 1.3  # width of a letter and height of a line, in em
_NAME = 18  # letters in one line of a label
_BAR, _THIN, _OFF = 0.62, 0.34, 0.19  # height of a single bar; height and offset of each bar of a pair; in rows
_HALF = 0.55  # room beyond the outermost rows, in rows
_HEAD, _FOOT = 1.6, 2.6  # margins above and below the bars, in em of an axis title


@dataclass(frozen=True)
class Row:
    """One option and the number of phones that chose it.

    first: the number in the first vote, None without a second vote. is_right: True once the truth is known and this
    option is right. note: a text at the end of the row.
    """

    name: str
    count: int
    first: int | None = None
    is_right: bool = False
    note: str = ""

    @property
    def most(self) -> int:
        """The larger count of the two votes."""
        return max(self.count, self.first or 0)

    @property
    def label(self) -> str:
        """The name; if the option is right, in bold and after the sign of the truth."""
        lines = base.wrapped(f"{TRUTH} {self.name}" if self.is_right else self.name, _NAME)
        return f"<b>{lines}</b>" if self.is_right else lines

    @property
    def said(self) -> str:
        """The count as text, after that of the first vote if there was one."""
        return f"{'' if self.first is None else f'{self.first} → '}<b>{self.count}</b>"


@dataclass(frozen=True)
class _Room:
    """Widths in pixels: of the labels, of the panel (bars, counts and notes), and of a bar for one phone."""

    names: int
    panel: float
    phone: float


def rows(shown: Figure, answers: Sequence[Row], heading: str, profile: Profile, *, noted: str = "") -> Figure:
    """Return a picture, made narrower, with a bar for each option beside it, and a hollow bar for its first vote.

    noted: the heading of the notes.
    """
    spec = deepcopy(vars(shown)) | {"narrow": {}}
    layout = spec["layout"]
    _lower(layout, profile, round(_HEAD * profile.axis_size + bool(noted) * _LINE * profile.tick_size))
    plot = _WIDTH - layout["margin"]["l"] - _RIGHT
    room = _room(answers, profile)
    _move(layout, plot)
    names = [each.label for each in answers]
    bare: Part = {"showline": False, "ticks": ""}
    across: Part = {"domain": [1 - room.panel / plot, 1], "range": [0, room.panel], "showticklabels": False, **bare}
    down: Part = {"range": [len(names) - 1 + _HALF, -_HALF], "tickvals": [*range(len(names))], "ticktext": names}
    layout[f"xaxis{AT}"] = base.axis(profile, anchor=f"y{AT}", **across)
    layout[f"yaxis{AT}"] = base.axis(profile, anchor=f"x{AT}", **down, **bare | {"showline": True})
    spec["data"] = [*spec["data"], *_bars(answers, room, profile)]
    layout["annotations"] += _words(answers, heading, noted, room, profile)
    return Figure(**spec)


def _room(answers, profile):
    """Return the widths of the panel's parts, with room for all texts."""
    wide = _LETTER * profile.tick_size
    names = round(wide * max(_letters(line) for each in answers for line in each.label.split("<br>"))) + _GAP
    panel = (1 - _PICTURE) * _WIDTH - _RIGHT - names
    said, noted = (wide * max(map(_letters, texts)) for texts in zip(*((r.said, r.note) for r in answers), strict=True))
    longest = panel - said - noted - 2 * _GAP
    return _Room(names, panel, longest / max(1, *(each.most for each in answers)))


def _letters(text):
    return len(re.sub("<[^>]*>", "", text))


# --- the picture -----------------------------------------------------------------------------------------


def _lower(layout, profile, head):
    """Make the margins above and below the plot smaller. head: pixels for the panel's heading.

    Keep only the lowest row of texts above the whole picture. If there is none, and no title, shorten the plots.
    """
    margin, words = layout["margin"], layout.get("annotations", ())
    feet, foot = [_foot(each) for each in words], min(margin["b"], round(_FOOT * profile.axis_size))
    lowest, top = min((each for each in feet if each is not None), default=None), margin["t"]
    if lowest is not None:
        layout["annotations"] = [each for each, its in zip(words, feet, strict=True) if its in (None, lowest)]
        layout["title"] = {"text": ""}
        top = min(top, round(head + lowest))
    elif top > head and not (layout.get("title") or {}).get("text"):
        plot = LEAST * (layout["height"] - top - margin["b"])  # the plot's least height
        _shorten(layout, plot / (plot + top - head))
        top = head
    layout["margin"] = margin | {"t": top, "b": foot}
    layout["height"] -= margin["b"] - foot  # so that the figure fits a low window


def _shorten(layout, part):
    for name in [each for each in layout if each.startswith("yaxis")]:
        layout[name] = layout[name] | {"domain": [part * end for end in layout[name].get("domain", (0, 1))]}


def _foot(word):
    """Return the pixels between the plot's top and an annotation above the whole picture; None for any other."""
    if (word.get("xref"), word.get("yref"), word["y"]) != ("paper", "paper", 1):
        return None
    falls = {"bottom": 0.0, "top": _LINE * word["font"]["size"]}.get(word.get("yanchor", ""))
    foot = None if falls is None else word.get("yshift", 0) - falls
    return foot if foot is not None and foot >= 0 else None


def _move(layout, plot):
    """Put the picture into the left part of the figure. plot: the width between the margins, in pixels."""
    margin = layout["margin"]
    part = (_PICTURE * _WIDTH - _APART - margin["l"] - margin["r"]) / plot
    for name in [each for each in layout if each.startswith("xaxis")]:
        layout[name] = layout[name] | {"domain": [part * end for end in layout[name].get("domain", (0, 1))]}
    for kind in ("annotations", "shapes"):
        layout[kind] = [_moved(each, part) for each in layout.get(kind, ())]
    layout["margin"] = margin | {"r": _RIGHT}


def _moved(each, part):
    """Return an annotation or a shape moved with the picture, if it is placed relative to the whole figure."""
    if each.get("xref") != "paper":
        return each
    return each | {name: part * each[name] for name in ("x", "x0", "x1") if name in each}


# --- the panel -------------------------------------------------------------------------------------------


def _bars(answers, room, profile):
    """Return the bars, and above them hollow bars for the first vote."""
    again = answers[0].first is not None
    look: Part = {"type": "bar", "orientation": "h", "hoverinfo": "skip", "xaxis": f"x{AT}", "yaxis": f"y{AT}"}
    kinds = [("bets", [each.count for each in answers], again * _OFF, {"color": profile.third})]
    if again:
        kinds.append(("first bets", [each.first for each in answers], -_OFF, hollow(profile)))
    return [
        look
        | {"name": name, "x": [room.phone * n for n in counts], "y": [i + off for i, _ in enumerate(answers)]}
        | {"width": _THIN if again else _BAR, "marker": marker}
        for name, counts, off, marker in kinds
    ]


def hollow(profile: Profile) -> Part:
    """Return the style of a bar of the first vote."""
    return {"color": "rgba(0, 0, 0, 0)", "line": {"color": profile.third, "width": profile.line_width}}


def _words(answers, heading, noted, room, profile):
    """Return the headings of the panel and of its notes, the counts at the ends of the bars, and the notes."""
    over: Part = {"xref": f"x{AT} domain", "yref": f"y{AT} domain", "y": 1, "yanchor": "bottom", "borderpad": 0}
    words = [base.heading(heading, profile, axes=AT) | {"xshift": -room.names}]
    if noted:
        words[0] |= {"yshift": round(_LINE * profile.tick_size)}
        words.append(base.label(noted, profile, colour=profile.scaled, x=1, xanchor="right", **over))
    for i, each in enumerate(answers):
        at: Part = {"xref": f"x{AT}", "yref": f"y{AT}", "y": i, "borderpad": 0, "bgcolor": None}
        words.append(base.label(each.said, profile, x=room.phone * each.most, xanchor="left", xshift=_GAP // 2, **at))
        if each.note:
            words.append(base.label(each.note, profile, colour=profile.scaled, x=room.panel, xanchor="right", **at))
    return words
