"""What the one_query page asks of the core."""

from pages._view import compute
from pages._view.lessons.one_query import figures
from pages._view.main_picture import Main, Values
from sattn_core.lessons.one_query import OneQueryParams, OneQueryResult, measure_one_query


def result(values: Values) -> OneQueryResult:
    """All six steps at the d_k of the moment."""
    return compute.result(measure_one_query, OneQueryParams(values["d_k"], values["seed"]))


def _picture(values, profile):
    return figures.one_step(result(values), values["step"], profile)


MAIN = Main(_picture)
