"""Calls to the core for the training_race page."""

from dataclasses import dataclass, replace
from math import ceil
from typing import Any

from pages._view import compute
from pages._view.compute import rates, turns
from pages._view.figures import story
from pages._view.lesson import TRAINED
from pages._view.lesson_view import Main, Values
from pages._view.lessons.training_race import figures, transformer
from pages._view.lessons.training_race.declaration import LESSON
from pages._view.picture import Picture
from pages._view.theme import Profile
from sattn_core import story as told
from sattn_core.cost import Price, priced
from sattn_core.lessons import training_race as core
from sattn_core.training.equal_training import Equivalence, equivalence_price, measure_equivalence

AT_ONCE = compute.UNASKED.seconds  # a race of at most this many seconds is trained without a click
PLAYED = 10.0  # seconds for which a race is played
SWEEP_SEEDS = 1  # the first seed, as in the maps of the race
_EXPONENTS = (0.0, 0.5, 1.0)
_EQUAL: dict[str, Any] = {"n_steps": 30, "n_seeds": 1}
_EQUAL_DIMS = (1, 4, 16, 64, 256, 1024)
_EQUAL_PAIRS: tuple[dict[str, Any], ...] = (
    {"optimizer": "sgd"},
    {"optimizer": "sgd", "learning_rate": 1.0},
    {"optimizer": "adam"},
    {"optimizer": "adam", "power": 0.5},
)


def params(values: Values) -> core.TrainingRaceParams:
    """Return the params of the race for these settings."""
    return _params_of(**{name: values[name] for name in ("d_k", "seed", *LESSON.settings)})


def _params_of(*, rates, data, values, start, n_pairs, exponent, learning_rate, **fields):
    exponents = (*_EXPONENTS, *((exponent,) if exponent not in _EXPONENTS else ()))
    # Scores at the start have size d_k ** (1/2 − exponent − 2 · init_exponent): 1 here, as with 1/√d_k.
    init = tuple((0.5 - each) / 2 for each in exponents) if start == "scores" else None
    return core.TrainingRaceParams(
        exponents=exponents,
        init_exponents=init,
        n_keys=n_pairs,
        fresh_data=data == "fresh",
        train_values=values == "trained",
        learning_rate=float(learning_rate),
        **fields,
    )


def start(values: Values, profile: Profile, *, trains: bool = False) -> Picture:
    """Return the picture of the start of a race at this d_k. trains: True to give the time that Train takes."""
    raced = params(values)
    takes = time_of(raced, values["rates"] == "best") if trains else ""
    return figures.attention(compute.result(core.measure_race_start, raced), profile, takes=takes)


def time_of(params: core.TrainingRaceParams, best: bool) -> str:
    """Return the time that Train takes on this machine, as text: at least the time for which a race is played."""
    return about(max(rates.here(race_price(params, best)), PLAYED))


def about(seconds: float) -> str:
    """Return a time as text."""
    whole = ceil(seconds)
    return f"about {whole:,} second{'s' if whole > 1 else ''}"


def _moved(values, profile):
    """Return the picture of the race at its d_k, or of an untrained start at another: a drag trains nothing."""
    if not _is_of_race(values):
        return start(values, profile, trains=True)
    return figures.attention(core.race_at(_finished(values), values[TRAINED]), profile)


def _finished(values):
    """Return the finished race of these settings."""
    return compute.result(train, params(values), values["rates"] == "best")[0]


def _is_of_race(values):
    return values["race_d_k"] == values["d_k"]


def _is_kept(values):
    return not _is_of_race(values) or compute.kept(train, params(values), values["rates"] == "best") is not None


def race_price(params: core.TrainingRaceParams, best: bool) -> Price:
    """Return the price of the race, with the sweep before it if there is one."""
    return map_price(params) + params.price if best else params.price


def map_price(params: core.TrainingRaceParams) -> Price:
    """Return the price of the map of the learning rates."""
    return core.sweep_price(sweep_params(params))


def sweep_params(params: core.TrainingRaceParams) -> core.TrainingRaceParams:
    """Return the params of the sweep: with fewer seeds than the race, since a sweep trains every rate."""
    return replace(params, n_seeds=min(params.n_seeds, SWEEP_SEEDS))


@priced(race_price)
def train(params: core.TrainingRaceParams, best: bool) -> tuple[core.TrainingRaceResult, core.LearningRateSweep | None]:
    """Return the finished race, and the sweep before it, if any."""
    sweep = sweep_rates(sweep_params(params)) if best else None
    own = replace(params, learning_rates=sweep.best_rates) if sweep else params
    return core.measure_training_race(own, check=turns.look), sweep


@priced(core.sweep_price)
def sweep_rates(params: core.TrainingRaceParams) -> core.LearningRateSweep:
    """Return the sweep: every learning rate, trained with every scale."""
    return core.sweep_learning_rates(params, check=turns.look)


def equal_pairs_price(d_k: int) -> Price:
    """Return the price of the pairs of equal trainings."""
    return sum((equivalence_price(d_k, **_EQUAL, **pair) for pair in _EQUAL_PAIRS), Price())


def equal_d_k(d_k: int) -> int:
    """Return the d_k of the pairs shown at this d_k: one of a few, each trained once for all visitors."""
    return max(each for each in _EQUAL_DIMS if each <= d_k)


@priced(equal_pairs_price)
def train_equal_pairs(d_k: int) -> tuple[Equivalence, ...]:
    """Return four pairs of trainings at this d_k: two equal, one at a large rate, one with a wrong power of d_k."""
    return tuple(measure_equivalence(d_k, **_EQUAL, **pair) for pair in _EQUAL_PAIRS)


def transformer_params(values: Values) -> core.TransformerParams:
    """Return the params of the trained transformers that are shown."""
    return core.TransformerParams(float(values["model_rate"]))


def costs_little(params: core.TrainingRaceParams, best: bool) -> bool:
    """Return True if a race is so cheap that it is computed without a click."""
    return rates.decided(race_price(params, best)) <= AT_ONCE and params.price.bytes <= compute.UNASKED.bytes


def _opened(values):
    """Return values with the race's d_k filled in, if that race is cached or cheap; else values as they are."""
    raced = values | {"race_d_k": values["race_d_k"] or values["d_k"]}
    wanted, best = params(raced | {"d_k": raced["race_d_k"]}), values["rates"] == "best"
    there = costs_little(wanted, best) or compute.kept(train, wanted, best) is not None
    return raced if there else values


@dataclass(frozen=True)
class Asked:
    """The params of a step's computation, and its price, which is 0 once the result is cached."""

    what: tuple[Any, ...]
    price: Price


def _asked(function, *args):
    return Asked(args, Price() if compute.kept(function, *args) is not None else function.price(*args))


def _asked_rates(values):
    return _asked(sweep_rates, sweep_params(params(values)))


def _rates(values, profile):
    return figures.rates(compute.result(sweep_rates, sweep_params(params(values))), profile)


def _rates_start(values, profile):
    """Return the picture of the sweep before training; computing it costs one step of every training."""
    wanted = sweep_params(params(values))
    begun, start = next(core.sweep_frames(wanted)), compute.result(core.measure_race_start, wanted)
    return figures.rates_start(begun, start.right, about(rates.here(map_price(wanted))), profile)


def _transformer(values, profile):
    return transformer.learning(compute.result(core.compare_transformers, transformer_params(values)), profile)


def story_params(values: Values) -> told.StoryParams:
    """Return the params of the step "between", at the slider's d_k."""
    return told.StoryParams(values["d_k"], values["seed"])


def _between(values, profile):
    return story.story("between_ends", compute.result(told.tell_story, story_params(values)), profile)


STEPS = {
    "race": Main(_moved, ready=_is_kept, opened=_opened),
    "rates": Main(_rates, params=_asked_rates, limit=compute.UNASKED, waiting=_rates_start),
    "transformer": Main(_transformer),
    "between": Main(_between, params=story_params),
}
