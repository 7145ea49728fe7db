"""What the one_query page asks of the core."""

from pages._view import compute
from pages._view.lesson_view import Main, Values
from pages._view.lessons.one_query import figures
from sattn_core.lessons.one_query import OneQueryParams, OneQueryResult, measure_one_query


def result(values: Values) -> OneQueryResult:
    """All seven steps at the d_k of the moment; the invented numbers are larger at the last one only."""
    emphasis = values["emphasis"] if values["step"] == "grow" else 1
    return compute.result(measure_one_query, OneQueryParams(values["d_k"], values["seed"], emphasis))


def _picture(values, profile):
    return figures.one_step(result(values), values["step"], profile)


MAIN = Main(_picture)
