"""Calls to the core for the one_query page."""

from functools import partial

from pages._view import compute
from pages._view.lesson_view import Main, Values
from pages._view.lessons.one_query import figures
from sattn_core.lessons import one_query as core


def result(values: Values, step: str) -> core.OneQueryResult:
    """Return the results of all seven steps at the current d_k; only step "grow" enlarges the invented numbers."""
    emphasis = values["emphasis"] if step == "grow" else 1
    return compute.result(core.measure_one_query, core.OneQueryParams(values["d_k"], values["seed"], emphasis))


def _picture(step, values, profile):
    return figures.one_step(result(values, step), step, profile)


STEPS = {step: Main(partial(_picture, step)) for step in core.STEPS}
