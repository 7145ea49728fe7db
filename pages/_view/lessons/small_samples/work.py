"""What the small_samples page asks of the core."""

from typing import Any

from pages._view import compute
from pages._view.lesson_view import Main, Values, stops
from pages._view.lessons.small_samples import figures
from sattn_core.lessons import small_samples as core

BAND_DRAWS = 20  # measured points at each size of the matrix
_AT_ONCE = (200, 2_000)  # draws at every d_k are drawn so many at a time, so that falling ones are drawn once


def asked(values: Values) -> core.SmallSamplesResult:
    """The experiment of the question, so many times."""
    params = core.SmallSamplesParams(ddof=int(values["ddof"]), n_draws=values["n_draws"], seed=values["seed"])
    return compute.result(core.measure_small_samples, params)


def band_options(values: Values) -> dict[str, Any]:
    """The settings of the band."""
    return {"ddof": int(values["ddof"]), "seed": values["seed"], "d_k": values["d_k"], "n_draws": BAND_DRAWS}


def _picture(values, profile):
    found, drawn = asked(values), next(n for n in _AT_ONCE if values["n_draws"] <= n)
    options = {"size": values["size"], "ddof": int(values["ddof"]), "n_draws": drawn, "seed": values["seed"]}
    sweep = compute.result(core.draw_sweep, stops(values), **options)
    return figures.draws(found, sweep, values["d_k"], profile, of_class(values))


def of_class(values: Values) -> core.ClassDraws | None:
    """What the phones of a class have drawn; None if there is none."""
    options = {"ddof": int(values["ddof"]), "seed": values["seed"]}
    return compute.result(core.class_draws, values["phones"], **options) if values["phones"] else None


def _band(values, profile):
    options = band_options(values)
    return figures.band(compute.result(core.band_curve, **options), options, profile)


def _large(values, profile):
    return figures.large_experiment(compute.result(core.measure_large_experiment, seed=values["seed"]), profile)


STEPS = {"draw": Main(_picture), "band": Main(_band), "large": Main(_large)}
