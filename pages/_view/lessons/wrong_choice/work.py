"""What the wrong_choice page asks of the core."""

from math import log

from pages._view import compute
from pages._view.compute import turns
from pages._view.lesson_view import Main, Values
from pages._view.lessons.wrong_choice import figures
from sattn_core.lessons import wrong_choice as core

BET_D_K = 256
DIMS = (4, 16, 64, 256, 1024)
WITHOUT_BUTTON = compute.Limit(0.92, 100_000_000)  # of all curves: the rest of the page takes less than what is left


def params(values: Values) -> core.WrongChoiceParams:
    """The rows of the main picture."""
    names = ("d_k", "n_keys", "learning_rate", "loss", "learns", "seed")
    return core.WrongChoiceParams(**{name: values[name] for name in names})


def _picture(values, profile):
    found = compute.result(core.measure_wrong_choices, params(values), check=turns.look)
    return figures.choices(found, values["steps"], values["row"] - 1, profile, phones=values["phones"])


MAIN = Main(_picture, params=params)


def row(values: Values) -> core.RowResult:
    """The chosen row, key by key."""
    return compute.result(core.follow_row, params(values), values["row"] - 1)


def dimensions(values: Values) -> core.DimensionParams:
    """The rows at each d_k of the curves: where the slider stands, in place of the nearest of DIMS."""
    d_k = values["d_k"]
    nearest = min(DIMS, key=lambda each: abs(log(each / d_k)))
    return _at(tuple(d_k if each == nearest else each for each in DIMS), values)


def _at(dims, values):
    return core.DimensionParams(dims, **{name: values[name] for name in ("n_keys", "loss", "learns", "seed")})


def curves(values: Values) -> tuple[core.RateCurves, ...]:
    """Every learning rate at each d_k; what another d_k has in common is computed once."""
    return _measured(dimensions(values))


def _measured(asked):
    return tuple(compute.result(core.measure_learning_rates, each, check=turns.look) for each in asked.each)


def here(curves: tuple[core.RateCurves, ...], values: Values) -> tuple[core.RateCurves, float, int]:
    """The curves at the slider's d_k, with the learning rate and the step of the dials."""
    at = dimensions(values).dims.index(values["d_k"])
    return curves[at], values["learning_rate"], values["steps"]


def known(values: Values) -> tuple[core.RateCurves, ...]:
    """What is known before the bet: the curves at each smaller d_k, unless they take long."""
    asked = _at(tuple(d_k for d_k in DIMS if d_k < BET_D_K), values)
    return () if compute.needs_button(asked) else _measured(asked)


def bet_on(values: Values) -> core.DimensionParams:
    """The rows that the bet is on."""
    return _at((BET_D_K,), values)
