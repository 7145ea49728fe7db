"""Calls to the core for the few_bits page."""

import math
from dataclasses import replace

from pages._view import compute
from pages._view.lesson_view import Main, Values
from pages._view.lessons.few_bits import figures
from sattn_core.lessons import few_bits as core

DIMS, OVERFLOWS = core.DEFAULT_DIMS, "float16"
_NAMES = ("d_k", "format", "sums", "order", "size", "seed")


def params(values: Values) -> core.FewBitsParams:
    """Return the params for these values of the controls."""
    return core.FewBitsParams(**{name: values[name] for name in _NAMES})


def all_formats(one: core.FewBitsParams) -> core.FewBitsParams:
    """Return the params of the curves, which are the same for every d_k and format."""
    return replace(one, d_k=core.FewBitsParams.d_k, format=core.FewBitsParams.format)


def measured(values: Values) -> core.FewBitsResult:
    """Return the lesson's results."""
    return compute.result(core.measure_few_bits, params(values))


def root_mean_square(values: Values) -> tuple[float, float]:
    """Return the root mean square errors of raw and of scaled scores; NaN where every row overflows."""
    found = measured(values)
    return math.sqrt(found.raw.mean_square[0]), math.sqrt(found.scaled.mean_square[0])


def _scores(values, profile):
    return figures.errors(measured(values), profile)


def _scores_at_rest(values, profile):
    return figures.errors(measured(values), profile, compute.result(core.predicted_errors, params(values)))


def _formats(values, profile):
    here = params(values)
    return figures.curves(compute.result(core.few_bits_curves, DIMS, all_formats(here)), here, profile)


def _sum(values, profile):
    return figures.large(compute.result(core.large_sum, values["d_k"], OVERFLOWS, values["sums"]), profile)


SCORES = Main(_scores, at_rest=_scores_at_rest)
STEPS = {"scores": SCORES, "formats": Main(_formats), "sum": Main(_sum)}

compute.at_most(core.few_bits_curves, 0.42, 56)
compute.at_most(core.measure_few_bits, 0.15, 55)
