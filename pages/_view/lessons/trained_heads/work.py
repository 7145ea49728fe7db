"""What the trained_heads page asks of the core."""

from pages._view import compute
from pages._view.lessons.trained_heads import figures
from pages._view.main_picture import Main, Values
from sattn_core.lessons.trained_heads import (
    HeadParams,
    HeadResult,
    TrainedHeads,
    TrainedHeadsParams,
    measure_head,
    measure_trained_heads,
)


def heads(values: Values) -> TrainedHeads:
    """All heads on the text; read once for all exponents."""
    return compute.result(measure_trained_heads, TrainedHeadsParams(values["text"]))


def place(values: Values) -> figures.Place:
    """The layer, the head and the word that are chosen."""
    return figures.Place(values["layer"], values["head"], values["word"])


def head(values: Values) -> HeadResult:
    """The chosen head's queries and keys beside the ideal ones."""
    return compute.result(measure_head, HeadParams(values["text"], values["layer"], values["head"]))


def _picture(values, profile):
    return figures.spread(heads(values), place(values), values["exponent"], profile)


MAIN = Main(_picture)
