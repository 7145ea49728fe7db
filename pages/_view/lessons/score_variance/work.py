"""Calls to the core for the score_variance page."""

from typing import Any

from pages._view import compute
from pages._view.compute import turns
from pages._view.lesson_view import Main, Values, stops
from pages._view.lessons.score_variance import figures
from sattn_core.lessons import score_variance as core

CURVE_SAMPLES = 4_000
N_WALKS, LONGEST = 12, 1024


def draw_options(values: Values) -> dict[str, Any]:
    """Return the options for drawing q and k; a matrix has no pairs of q and k, and thus no correlation."""
    names = ("law", "seed", "mean_q", "mean_k", "correlation")
    return {name: values[name] for name in names} | ({"correlation": 0.0} if values["sampling"] == "matrix" else {})


def params(values: Values) -> core.ScoreVarianceParams:
    """Return the params of the scores in the histograms."""
    names = ("sampling", "n_samples", "n_queries", "n_keys")
    return core.ScoreVarianceParams(values["d_k"], **{name: values[name] for name in names}, **draw_options(values))


def walks(values: Values) -> core.RandomWalks:
    """Draw the walks once for every stop of the slider."""
    return compute.result(core.random_walks, LONGEST, **_walk_options(values))


def _walk_options(values):
    return {"n_walks": N_WALKS, **draw_options(values)}


def _picture(values, profile):
    result = compute.result(core.measure_score_variance, params(values), check=turns.look)
    axes = {"score_axis": values["axis"], "products_axis": values["products_axis"]}
    return figures.walks_and_histograms(result, walks(values), _walk_options(values), profile, **axes)


def _measured_curve(values):
    options = {"n_samples": CURVE_SAMPLES, **draw_options(values)}
    return compute.result(core.variance_curve, stops(values), **options), options


def _curve(values, profile):
    curve, options = _measured_curve(values)
    return figures.spread_against_dimension(curve, values["d_k"], options, profile)


def _small(values, profile):
    curve, options = _measured_curve(values)
    return figures.small_start(curve, values["d_k"], values["component_spread"], options, profile)


MAIN = Main(_picture, params=params)
STEPS = {"draw": MAIN, "straighten": MAIN, "divide": Main(_curve), "small": Main(_small)}
