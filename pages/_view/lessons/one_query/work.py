"""What the one_query page asks of the core."""

from functools import partial

from pages._view import compute
from pages._view.lesson_view import Main, Values
from pages._view.lessons.one_query import figures
from sattn_core.lessons import one_query as core


def result(values: Values, step: str) -> core.OneQueryResult:
    """Return all seven steps at the d_k of the moment; the invented numbers are larger at the last one only."""
    emphasis = values["emphasis"] if step == "grow" else 1
    return compute.result(core.measure_one_query, core.OneQueryParams(values["d_k"], values["seed"], emphasis))


def _picture(step, values, profile):
    return figures.one_step(result(values, step), step, profile)


STEPS = {step: Main(partial(_picture, step)) for step in core.STEPS}
