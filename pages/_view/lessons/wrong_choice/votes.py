"""The votes of a class for a learning rate, beside the results of each rate."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pages._view.figures import base
from pages._view.figures.beside import Row, rows
from pages._view.picture import Picture
from pages._view.theme import Profile, listed
from sattn_core.lessons import wrong_choice as core

_ROOT = 1  # index of ÷ √d_k


@dataclass(frozen=True)
class Votes:
    """The votes for each rate, and the number of the hundred rows that each rate puts right, step by step.

    first: the votes before the class voted again; () if it did not.
    """

    counts: Sequence[int]
    curves: core.RateCurves
    first: Sequence[int] = ()

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
    """Return sentences on the votes, on the first votes and on the best rate."""
    votes, first = (
        listed([f"{n} for {_rate(each)}" for each, n in zip(voted.curves.learning_rates, counts, strict=False)] or [""])
        for counts in (voted.counts, voted.first)
    )
    best, most = voted.best(step), max(voted.right(step))
    rates = f"Rate {best[0]} is" if len(best) == 1 else f"Rates {listed(best)} are"
    before = f" The first vote: {first}." if first else ""
    return f"Votes: {votes}.{before} {rates} best with ÷ √dₖ: {most} of {core.N_ROWS} rows come right."


def _figure(shown, voted, step, profile):
    """Return the figure of the rows, with a bar for the votes of each rate and the number of rows it puts right."""
    right, first = voted.right(step), voted.first or [None] * len(voted.counts)
    answers = [
        Row(_rate(rate), n, before, note=f"<b>best {count}</b>" if count == max(right) else str(count))
        for rate, n, before, count in zip(voted.curves.learning_rates, voted.counts, first, right, strict=True)
    ]
    heading = "<b>Votes for a rate</b>"
    if voted.first:
        small = f'<span style="font-size: {profile.tick_size}px">'
        heading = f"<b>Votes</b>{small}, hollow: the first {sum(voted.first)}</span>"
    return rows(_shorter(shown), answers, heading, profile, noted=f"÷ √dₖ, of {core.N_ROWS}")


def _shorter(shown):
    """Return the figure of the rows with shorter counts above them, to fit beside the votes."""
    words = [each | {"text": each["text"].replace(" put right", "")} for each in shown.layout["annotations"]]
    return replace(shown, layout=shown.layout | {"annotations": words})
