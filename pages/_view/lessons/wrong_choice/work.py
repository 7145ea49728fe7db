"""Calls to the core for the wrong_choice page."""

from dataclasses import dataclass, field, replace

from pages._view import compute
from pages._view.compute import turns
from pages._view.lesson_view import Main, Values
from pages._view.lessons.wrong_choice import curves, figures, votes
from pages._view.lessons.wrong_choice.declaration import TOGETHER
from sattn_core.cost import Price
from sattn_core.lessons import wrong_choice as core

DIMS = (16, 64, 256, 1024)


@dataclass(frozen=True)
class Curves:
    """The params of a picture's curves, and the price of those curves that are not cached yet."""

    asked: core.DimensionParams
    price: Price = field(compare=False)


def params(values: Values) -> core.WrongChoiceParams:
    """Return the params of the rows in the main picture."""
    names = ("d_k", "n_keys", "learning_rate", "loss", "learns", "seed")
    return core.WrongChoiceParams(**{name: values[name] for name in names})


def _picture(values, profile):
    found = compute.result(core.measure_wrong_choices, params(values), check=turns.look)
    shown = figures.choices(found, row(values), values["steps"], profile, phones=max(values["phones"], 0))
    return votes.beside(shown, voted(values), values["steps"], profile) if values["votes"] else shown


def voted(values: Values) -> votes.Votes:
    """Return the votes of a class for each rate, and the results of each rate."""
    rates = TOGETHER.options
    counts, first = ([values[name].count(f"{each:g}") for each in rates] for name in ("votes", "first"))
    found = compute.result(core.measure_learning_rates, params(values), rates, check=turns.look)
    return votes.Votes(counts, found, first if values["first"] else ())


def row(values: Values) -> core.RowResult:
    """Return the results of the chosen row, key by key."""
    return compute.result(core.follow_row, params(values), values["row"] - 1)


def dimensions(values: Values) -> core.DimensionParams:
    """Return the params of the rows at each d_k of the curves."""
    return _at(DIMS, values)


def _at(dims, values):
    return core.DimensionParams(dims, **{name: values[name] for name in ("n_keys", "loss", "learns", "seed")})


def _measured(asked):
    return tuple(compute.result(core.measure_learning_rates, each, check=turns.look) for each in asked.each)


def _curves(asked):
    """Return the curves of a picture, with the price of those that are not cached yet."""
    missing = [each.d_k for each in asked.each if compute.kept(core.measure_learning_rates, each) is None]
    return Curves(asked, replace(asked, dims=tuple(missing)).price)


def _rates(values, profile):
    (found,) = _measured(here(values))
    return curves.rates(found, values["learning_rate"], values["steps"], profile)


def here(values: Values) -> core.DimensionParams:
    """Return the params of the rows at the slider's d_k."""
    return _at((values["d_k"],), values)


def _dimensions(values, profile):
    return curves.dimensions(_measured(dimensions(values)), values["optimizer"], values["d_k"], profile)


STEPS = {
    "rows": Main(_picture, params=params),
    "rate": Main(_rates, params=lambda values: _curves(here(values))),
    "every_size": Main(_dimensions, params=lambda values: _curves(dimensions(values)), limit=compute.UNASKED),
}
