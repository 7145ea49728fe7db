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
from sattn_core.lessons.trained_heads import head_file as make_head_file


def heads(values: Values) -> TrainedHeads:
    """All heads on the text; read once for all exponents."""
    return compute.result(measure_trained_heads, TrainedHeadsParams(values["text"]))


def place(values: Values) -> figures.Place:
    """The layer, the head and the word that are chosen."""
    return figures.Place(values["layer"], values["head_of_layer"], values["word"])


def head(values: Values) -> HeadResult:
    """The chosen head's queries and keys beside the ideal ones."""
    return compute.result(measure_head, _head_params(values))


def _head_params(values):
    return HeadParams(values["text"], values["layer"], values["head_of_layer"])


def _picture(values, profile):
    return figures.spread(heads(values), place(values), values["exponent"], profile)


def head_file(values: Values) -> bytes:
    """The chosen head's queries and keys as a file."""
    return make_head_file(_head_params(values))


MAIN = Main(_picture)
