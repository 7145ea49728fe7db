"""What the long_context page asks of the core."""

from pages._view import compute
from pages._view.lessons.long_context import figures
from pages._view.main_picture import Main, Values
from sattn_core.lessons.long_context import (
    LENGTHS,
    FadingResult,
    LengthClaims,
    LongContextParams,
    check_claims,
    fading_weights,
    quarter_row,
    simulate_fading,
)


def params(values: Values) -> LongContextParams:
    """What the weights depend on, but for the number of keys."""
    return LongContextParams(values["key_score"], values["d_k"], values["n_train"], values["seed"])


def fading(values: Values) -> FadingResult:
    """The weights at every stop of the slider, where it stands, and a quarter into a text of that length."""
    n = values["context_length"]
    lengths = tuple(sorted({*LENGTHS, n, quarter_row(n)}))
    return compute.result(fading_weights, LongContextParams(*_exact(values)), lengths)


def _exact(values):
    """The settings of `params` without the seed, on which no exact average depends."""
    return values["key_score"], values["d_k"], values["n_train"]


def claims(values: Values) -> LengthClaims:
    """What the papers' claims come to."""
    return compute.result(check_claims, LongContextParams(*_exact(values)))


def _picture(values, profile, simulated=None):
    return figures.weights(fading(values), values["context_length"], profile, simulated)


def _at_rest(values, profile):
    return _picture(values, profile, compute.result(simulate_fading, params(values)))


MAIN = Main(_picture, at_rest=_at_rest)
