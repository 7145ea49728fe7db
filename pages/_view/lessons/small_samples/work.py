"""Calls to the core for the small_samples page."""

from typing import Any

from pages._view import compute
from pages._view.lesson import NO_CLASS
from pages._view.lesson_view import Main, Values, stops
from pages._view.lessons.small_samples import by_hand, figures, together
from sattn_core.files import typed
from sattn_core.lessons import small_samples as core

BAND_DRAWS = 20  # measured points at each size of the matrix
_AT_ONCE = (200, 2_000)  # draws made at once, at every d_k: of these, the first n_draws are shown


def asked(values: Values) -> core.SmallSamplesResult:
    """Return the results of the question's experiment, repeated many times."""
    params = core.SmallSamplesParams(ddof=int(values["ddof"]), n_draws=values["n_draws"], seed=values["seed"])
    return compute.result(core.measure_small_samples, params)


def band_options(values: Values) -> dict[str, Any]:
    """Return the settings of the band."""
    return {"ddof": int(values["ddof"]), "seed": values["seed"], "d_k": values["d_k"], "n_draws": BAND_DRAWS}


def _picture(values, profile):
    of_phones = of_class(values)
    if of_phones is not None:
        return together.drawn(of_phones, profile)
    found, drawn = asked(values), next(n for n in _AT_ONCE if values["n_draws"] <= n)
    options = {"size": values["size"], "ddof": int(values["ddof"]), "n_draws": drawn, "seed": values["seed"]}
    sweep = compute.result(core.draw_sweep, stops(values), **options)
    return figures.draws(found, sweep, values["d_k"], profile)


def of_class(values: Values) -> core.ClassDraws | None:
    """Return the draws of a class's phones; None if there is no class."""
    options = {"ddof": int(values["ddof"]), "seed": values["seed"]}
    return None if values["phones"] == NO_CLASS else compute.result(core.class_draws, values["phones"], **options)


def _band(values, profile):
    options = band_options(values)
    return figures.band(compute.result(core.band_curve, **options), options, profile)


def _large(values, profile):
    return figures.large_experiment(compute.result(core.measure_large_experiment, seed=values["seed"]), profile)


def examples(values: Values) -> tuple[by_hand.Examples, list[str]]:
    """Return both examples made by hand (None if it cannot be read), and sentences on what is wrong."""
    found: dict[str, core.ExampleDots | None] = {}
    problems = []
    for name, size in (("first", "2d"), ("second", "3d")):
        found[name], problem = _example(values[f"q_{size}"], values[f"k_{size}"])
        problems += [f"The {name} example: {problem}"] * bool(problem)
    return found, problems


def _example(*texts):
    rows = []
    for name, text in zip("qk", texts, strict=True):
        try:
            rows.append(typed.parse_vector_rows(text))
        except ValueError as problem:
            return None, f"{name}: {problem}"
    try:
        return core.hand_made_example(*rows), ""
    except ValueError as problem:
        return None, str(problem)


def _by_hand(values, profile):
    return by_hand.hand_made(examples(values)[0], profile)


STEPS = {"draw": Main(_picture), "band": Main(_band), "large": Main(_large), "by_hand": Main(_by_hand)}

compute.at_most(core.measure_large_experiment, 0.05, 50)
compute.at_most(core.class_draws, 0.11, 12)
compute.at_most(core.measure_small_samples, 0.12, 12)
compute.at_most(core.draw_sweep, 0.24, 11)
compute.at_most(core.band_curve, 0.12, 6)
