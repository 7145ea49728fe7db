"""A picture: what every figure function returns and every page shows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from pages._view.literal import as_code

Table = dict[str, Sequence[Any]]


@dataclass(frozen=True, eq=False)
class Picture:
    """A figure with the words and the data that go with it.

    Attributes
    ----------
    key : names its widgets, its files and its place in the lesson's declaration.
    figure : one figure; several by their keys, side by side; Markdown rows of a table; or what the hero draws.
    sentence : the point of the moment, in plain words.
    table : the numbers behind the figure, by columns of one length.
    code : the Python that computes these numbers again.
    note : what a reader of the table should know.
    bins : a second table, to download only; bins_name says what it holds.
    how_to_save : how a visitor takes the picture away.
    alt : the figure's description for those who do not see it; empty means the sentence.
    claim : the title of a second picture, in a few words that are true of what it shows.
    sure : under "How sure?": measured and predicted, errors and bands, one sentence each.
    checks : the same as a table.
    """

    key: str
    figure: go.Figure | Mapping[str, go.Figure] | str | dict[str, Any]
    sentence: str
    table: Table
    code: str
    note: str = ""
    bins: Table | None = None
    bins_name: str = "bins and weights"
    how_to_save: str = "The picture: use the camera button at the top right of the figure (SVG)."
    alt: str = ""
    claim: str = ""
    sure: Sequence[str] = ()
    checks: Table | None = None

    def drawn(self) -> dict[str, Any]:
        """What the browser needs to draw a single figure, as JSON takes it."""
        if not isinstance(self.figure, go.Figure):
            raise TypeError(f"{self.key} must be a single figure, but is a {type(self.figure).__name__}")
        figure = {"figure": self.figure.to_json(), "height": self.figure.layout.height}
        return figure | {"sentence": self.sentence, "alt": self.spoken()}

    def spoken(self) -> str:
        """The description as a screen reader says it."""
        return as_code(self.alt or self.sentence)
