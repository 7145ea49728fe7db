"""Calls to the core for the unit_variance page."""

from typing import Any

from pages._view import compute
from pages._view.lesson_view import Main, Values, stops
from pages._view.lessons.unit_variance import figures
from sattn_core.lessons import unit_variance as core

SHARED_TOKENS = 16


def params(values: Values, **options: Any) -> core.UnitVarianceParams:
    """Return the params of several heads with the slider's d_k; the lesson limits their number."""
    d_k, n_heads = values["d_k"], core.fitting_heads(values["d_k"], values["n_heads"])
    named = {name: values[name] for name in ("scheme", "law", "seed")}
    return core.UnitVarianceParams(d_k * n_heads, n_heads, **named, **_input(values), **options)


def _input(values: Values) -> dict[str, Any]:
    """Return the options for x, its normalisation, and the bias of q and k."""
    switches = {name: values[name] == "on" for name in ("normalise", "bias")}
    return {"x_mean": values["x_mean"], "x_std": values["x_std"], **switches}


def sweep(values: Values) -> core.StageSweep:
    """Return the expectations at every stop of the slider."""
    return compute.result(core.expected_stages, stops(values), n_heads=values["n_heads"], **_input(values))


def _picture(values, profile, result=None):
    return figures.expected(sweep(values), values["scheme"], values["d_k"], values["n_heads"], profile, result)


def _at_rest(values, profile):
    return _picture(values, profile, compute.result(core.measure_unit_variance, params(values)))


def _one_draw(values, profile):
    return figures.pipeline(compute.result(core.measure_unit_variance, params(values)), profile)


def _schemes(values, profile):
    return figures.schemes(compute.result(core.measure_unit_variance, params(values)), profile)


def _shared(values, profile):
    few = params(values, n_tokens=SHARED_TOKENS)
    return figures.shared(compute.result(core.measure_shared_input, few), few, profile)


MAIN = Main(_picture, at_rest=_at_rest, shows_more=True)
STEPS = {"stages": MAIN, "one_draw": Main(_one_draw), "schemes": Main(_schemes), "shared": Main(_shared)}
