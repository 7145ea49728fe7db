"""What the wrong_choice page asks of the core."""

from dataclasses import dataclass, field, replace
from math import log

from pages._view import compute
from pages._view.compute import turns
from pages._view.lesson_view import Main, Values
from pages._view.lessons.wrong_choice import figures
from sattn_core.cost import Price
from sattn_core.lessons import wrong_choice as core

BET_D_K = 256
DIMS = (4, 16, 64, 256, 1024)


@dataclass(frozen=True)
class Curves:
    """The curves that a picture needs. price: of those that are not kept yet."""

    asked: core.DimensionParams
    price: Price = field(compare=False)


def params(values: Values) -> core.WrongChoiceParams:
    """The rows of the main picture."""
    names = ("d_k", "n_keys", "learning_rate", "loss", "learns", "seed")
    return core.WrongChoiceParams(**{name: values[name] for name in names})


def _picture(values, profile):
    found = compute.result(core.measure_wrong_choices, params(values), check=turns.look)
    return figures.choices(found, row(values), values["steps"], profile, phones=values["phones"])


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


def _measured(asked):
    return tuple(compute.result(core.measure_learning_rates, each, check=turns.look) for each in asked.each)


def _curves(asked):
    """The curves that a picture needs, with the price of those that nobody has asked for before."""
    missing = [each.d_k for each in asked.each if compute.kept(core.measure_learning_rates, each) is None]
    return Curves(asked, replace(asked, dims=tuple(missing)).price)


def _rates(values, profile):
    (curves,) = _measured(here(values))
    return figures.rates(curves, values["learning_rate"], values["steps"], profile)


def here(values: Values) -> core.DimensionParams:
    """The rows at the slider's d_k."""
    return _at((values["d_k"],), values)


def _dimensions(values, profile):
    return figures.dimensions(_measured(dimensions(values)), values["steps"], profile)


STEPS = {
    "rows": Main(_picture, params=params),
    "rate": Main(_rates, params=lambda values: _curves(here(values))),
    "every_size": Main(_dimensions, params=lambda values: _curves(dimensions(values)), limit=compute.UNASKED),
}


def known(values: Values) -> tuple[core.RateCurves, ...]:
    """What is known before the bet: the curves at each smaller d_k, unless they take long."""
    asked = _at(tuple(d_k for d_k in DIMS if d_k < BET_D_K), values)
    return () if compute.needs_button(asked) else _measured(asked)


def bet_on(values: Values) -> core.DimensionParams:
    """The rows that the bet is on."""
    return _at((BET_D_K,), values)
