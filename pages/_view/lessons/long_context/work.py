"""Calls to the core for the long_context page."""

from pages._view import compute
from pages._view.lesson_view import Main, Values
from pages._view.lessons.long_context import figures
from sattn_core.lessons import long_context as core


def params(values: Values) -> core.LongContextParams:
    """Return the settings that the weights depend on, except the number of keys."""
    return core.LongContextParams(values["key_score"], values["d_k"], values["n_train"], values["seed"])


def fading(values: Values) -> core.FadingResult:
    """Return the weights at the slider's stops, at its value n, and in row n/4 of a text."""
    n = values["context_length"]
    lengths = tuple(sorted({*core.LENGTHS, n, core.quarter_row(n)}))
    return compute.result(core.fading_weights, core.LongContextParams(*_exact(values)), lengths)


def _exact(values):
    """Return the settings of `params` without the seed, on which no exact average depends."""
    return values["key_score"], values["d_k"], values["n_train"]


def claims(values: Values) -> core.LengthClaims:
    """Return the numbers that check the papers' claims."""
    return compute.result(core.check_claims, core.LongContextParams(*_exact(values)))


def _keys(values, profile, simulated=None):
    return figures.weights(fading(values), values["context_length"], profile, simulated)


def _keys_at_rest(values, profile):
    return _keys(values, profile, compute.result(core.simulate_fading, params(values)))


def _text(values, profile):
    return figures.rows(fading(values), values["context_length"], profile)


KEYS = Main(_keys, at_rest=_keys_at_rest, shows_more=True)
STEPS = {"keys": KEYS, "text": Main(_text)}

compute.at_most(core.simulate_fading, 0.09, 31)
compute.at_most(core.fading_weights, 0.07, 8)
compute.at_most(core.check_claims, 0.07, 8)
