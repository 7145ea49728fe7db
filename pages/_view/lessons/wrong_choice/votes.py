"""The votes of a class for a learning rate, beside the results of each rate."""

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, replace

import numpy as np

from pages._view.figures import base
from pages._view.picture import Figure, Part, Picture
from pages._view.theme import Profile, listed
from sattn_core.lessons import wrong_choice as core

_CELLS = ([0.0, 0.21], [0.235, 0.445], [0.47, 0.68])  # horizontal domains of the hundred rows, three times
_VOTES = [0.77, 1.0]
_AT = "9"  # Plotly's suffix for the votes' axes
_LONGEST, _BAR = 0.5, 0.6  # the longest bar, as a share of the panel's width; a bar's height, as a share of a row
_ROOT = 1  # index of ÷ √d_k
_HALF = 0.6  # room beyond the outermost rows, in rows


@dataclass(frozen=True)
class Votes:
    """The votes for each rate, and the curves of the hundred rows that each rate puts right."""

    counts: Sequence[int]
    curves: core.RateCurves

    def right(self, step: int) -> list[int]:
        """Return the number of rows that each rate puts right with ÷ √d_k after this step."""
        return [int(each) for each in self.curves.put_right[_ROOT, :, step]]

    def best(self, step: int) -> list[str]:
        """Return the rates that put the most rows right with ÷ √d_k."""
        right = self.right(step)
        return [_rate(each) for each, n in zip(self.curves.learning_rates, right, strict=True) if n == max(right)]


def beside(shown: Picture, voted: Votes, step: int, profile: Profile) -> Picture:
    """Return the picture of the rows with the votes in words, and on a wall in a panel of their own."""
    said = _said(voted, step)
    figure = shown.figure
    if figure is not None and base.on_a_wall(profile):
        figure = _figure(figure, voted, step, profile)
    return replace(shown, figure=figure, alt=f"{shown.alt} {said}", sure=(*shown.sure, said))


def _rate(value):
    return f"{value:,g}"


def _said(voted, step):
    """Return sentences on the votes, and on the best rate."""
    votes = listed(
        [f"{n} for {_rate(each)}" for each, n in zip(voted.curves.learning_rates, voted.counts, strict=True)]
    )
    best, most = voted.best(step), max(voted.right(step))
    rates = f"Rate {best[0]} is" if len(best) == 1 else f"Rates {listed(best)} are"
    return f"Votes: {votes}. {rates} best with ÷ √dₖ: {most} of {core.N_ROWS} rows come right."


def _figure(shown, voted, step, profile):
    spec = deepcopy(vars(shown))
    layout = spec["layout"]
    for i, domain in enumerate(_CELLS):
        layout[f"xaxis{i + 1 if i else ''}"]["domain"] = domain
    rows = np.arange(len(voted.counts))
    bare: Part = {"showline": False, "ticks": ""}
    layout[f"xaxis{_AT}"] = base.axis(
        profile, domain=_VOTES, anchor=f"y{_AT}", range=[0, 1], showticklabels=False, **bare
    )
    names = {"tickvals": rows, "ticktext": [_rate(each) for each in voted.curves.learning_rates]}
    down = {"range": [rows[-1] + _HALF, -_HALF], "anchor": f"x{_AT}", **names, **bare}
    layout[f"yaxis{_AT}"] = base.axis(profile, **down)
    spec["data"].append(_bars(voted, rows, profile))
    layout["annotations"] = [*layout["annotations"], *_words(voted, step, profile)]
    return Figure(**spec)


def _bars(voted, rows, profile):
    lengths = _LONGEST * np.array(voted.counts) / max(*voted.counts, 1)
    return {
        "type": "bar", "orientation": "h", "x": lengths, "y": rows, "width": _BAR, "name": "votes",
        "marker": {"color": profile.band}, "hoverinfo": "skip", "xaxis": f"x{_AT}", "yaxis": f"y{_AT}",
    }  # fmt: skip


def _words(voted, step, profile):
    """Return the names of the panel and of its two columns, and the numbers in these."""
    refs: Part = {"xref": f"x{_AT} domain", "yref": f"y{_AT} domain", "y": 1, "yanchor": "bottom", "borderpad": 0}
    above = round(1.3 * profile.tick_size)
    most, right = max(*voted.counts, 1), voted.right(step)
    words = [
        base.label(
            "<b>Votes for a rate</b>", profile, x=0, xanchor="left", size=profile.axis_size, yshift=above, **refs
        ),
        base.label(f"÷ √dₖ, of {core.N_ROWS}", profile, colour=profile.scaled, x=1, xanchor="right", **refs),
    ]
    for i, (votes, count) in enumerate(zip(voted.counts, right, strict=True)):
        at: Part = {"xref": f"x{_AT}", "yref": f"y{_AT}", "y": i, "borderpad": 0, "bgcolor": None}
        end = _LONGEST * votes / most
        words.append(base.label(f"<b>{votes}</b>", profile, x=end, xanchor="left", xshift=4, **at))
        said = f"<b>best {count}</b>" if count == max(right) else str(count)
        words.append(base.label(said, profile, colour=profile.scaled, x=1, xanchor="right", **at))
    return words
