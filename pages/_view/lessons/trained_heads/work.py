"""Calls to the core for the trained_heads page."""

from dataclasses import replace

import numpy as np

from pages._view import compute
from pages._view.lesson_view import Main, Values
from pages._view.lessons.trained_heads import figures, own
from sattn_core.lessons import trained_heads as core
from sattn_core.lessons.trained_heads import head_file as make_head_file
from sattn_core.training.encoder_record import TEXTS


def heads(values: Values) -> core.TrainedHeads:
    """Return the results of all heads on the text, computed once for all exponents."""
    if is_own(values):
        return compute.result(own.heads, values["sentence"])
    return compute.result(core.measure_trained_heads, core.TrainedHeadsParams(_recorded(values)))


def is_own(values: Values) -> bool:
    """Return True if the text is the visitor's own sentence."""
    return values["text"] == core.OWN and own.is_there()


def remarks(values: Values) -> list[str]:
    """Return remarks on the visitor's own sentence."""
    return own.remarks(values["sentence"]) if values["text"] == core.OWN else []


def _recorded(values):
    """Return the name of a recorded text: the first one if the visitor's own sentence cannot be read."""
    return TEXTS[0] if values["text"] == core.OWN else values["text"]


def place(values: Values) -> figures.Place:
    """Return the chosen layer, head and word."""
    return figures.Place(values["layer"], values["head_of_layer"], values["word"])


def head(values: Values) -> core.HeadResult:
    """Return the chosen head's queries and keys beside the ideal ones."""
    chosen = (values["layer"], values["head_of_layer"])
    if is_own(values):
        return compute.result(_own_head, values["sentence"], *chosen)
    return compute.result(core.measure_head, core.HeadParams(_recorded(values), *chosen))


def _own_head(text, layer, head):
    return core.head_of(own.heads(text), layer, head)


def whole(values: Values) -> core.TrainedHeads:
    """Return `heads`, with runs of the whole model at several exponents; for an own sentence, at the slider's too."""
    found = heads(values)
    if not is_own(values):
        return found
    here = () if values["exponent"] in own.EXPONENTS else (values["exponent"],)
    runs = [compute.result(own.cosines, values["sentence"], each) for each in (own.EXPONENTS, here) if each]
    order = np.argsort(exponents := (*own.EXPONENTS, *here))
    return replace(found, exponents=tuple(sorted(exponents)), cosines=np.concatenate(runs)[order])


def head_file(values: Values) -> bytes:
    """Return the chosen head's queries and keys as a file."""
    return make_head_file(heads(values), values["layer"], values["head_of_layer"])


def _picture(values, profile):
    return figures.spread(heads(values), values["exponent"], profile)


def _one_head(values, profile):
    return figures.attention(heads(values), place(values), values["exponent"], profile)


def _whole(values, profile):
    return figures.downstream(whole(values), values["exponent"], profile)


def _is_there(values):
    return values["text"] != core.OWN or own.is_there()


MAIN = Main(_picture, ready=_is_there)
STEPS = {
    "undivided": MAIN,
    "heads": MAIN,
    "one_head": Main(_one_head, ready=_is_there),
    "whole": Main(_whole, ready=_is_there),
}
