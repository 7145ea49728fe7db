"""What the few_bits page asks of the core."""

import math
from dataclasses import replace

from pages._view import compute
from pages._view.lesson_view import Main, Values
from pages._view.lessons.few_bits import figures
from sattn_core.lessons.few_bits import DEFAULT_DIMS, FewBitsParams, FewBitsResult, measure_few_bits, predicted_errors

DIMS, OVERFLOWS = DEFAULT_DIMS, "float16"
_NAMES = ("d_k", "format", "sums", "order", "size", "seed")


def params(values: Values) -> FewBitsParams:
    """The rows at these values of the controls."""
    return FewBitsParams(**{name: values[name] for name in _NAMES})


def all_formats(one: FewBitsParams) -> FewBitsParams:
    """What the curves of all formats at all d_k are asked for."""
    return replace(one, d_k=FewBitsParams.d_k, format=FewBitsParams.format)


def measured(values: Values) -> FewBitsResult:
    """The lesson's numbers."""
    return compute.result(measure_few_bits, params(values))


def root_mean_square(values: Values) -> tuple[float, float]:
    """How far raw scores and scaled ones are off; NaN where every row is lost."""
    found = measured(values)
    return math.sqrt(found.raw.mean_square[0]), math.sqrt(found.scaled.mean_square[0])


def _picture(values, profile):
    return figures.errors(measured(values), profile)


def _at_rest(values, profile):
    return figures.errors(measured(values), profile, compute.result(predicted_errors, params(values)))


MAIN = Main(_picture, at_rest=_at_rest)
