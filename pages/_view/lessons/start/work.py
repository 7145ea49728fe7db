"""Calls to the core for the start page."""

from collections.abc import Sequence
from typing import Any

from pages._view import compute
from pages._view.lesson_view import Values
from pages._view.lessons.start import figures
from pages._view.shared import DIMENSIONS
from pages._view.theme import Profile
from sattn_core.laws.components import COMPONENT_LAWS
from sattn_core.lessons.start import LargestWeight, StartParams, StartResult, mean_largest_weight, measure_start

# Samples: enough for smooth bars, fewer for distributions whose components must all be drawn, which takes long.
SAMPLES = {law: 8_000 for law in COMPONENT_LAWS} | {"uniform": 4_000, "laplace": 4_000, "student_t": 2_000}


def at_stops(values: Values) -> StartResult:
    """Return one draw, measured at every stop of the slider."""
    return _measured(values, DIMENSIONS)


def between(values: Values, visited: Sequence[float]) -> StartResult | None:
    """Return the draw of `at_stops` at the visited values between the stops; None if there are none."""
    dims = _between(visited)
    return _measured(values, dims) if dims else None


def _between(visited):
    return tuple(int(d_k) for d_k in visited if d_k not in DIMENSIONS)


def here(values: Values) -> StartResult:
    """Return the draw of `at_stops`, measured at all stops if the slider is at one, else at its value alone."""
    return _measured(values, _dims_here(values))


def _dims_here(values):
    return DIMENSIONS if values["d_k"] in DIMENSIONS else (values["d_k"],)


def _measured(values, dims):
    law = values["law"]
    params = StartParams(dims, SAMPLES[law], n_keys=values["n_keys"], law=law, seed=values["seed"])
    return compute.result(measure_start, params)


def hero(values: Values, visited: Sequence[float], profile: Profile) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the hero's data for the stops of its slider, and for the visited values between them."""
    some = [(at_stops(values), DIMENSIONS), (between(values, visited), _between(visited))]
    stops, more = (
        figures.payload(each, _mean(values, dims), profile) if each else {"stops": []} for each, dims in some
    )
    return stops, more


def sentence(values: Values) -> str:
    """Return the sentence at the slider's value."""
    return figures.sentence(here(values), values["d_k"], mean(values))


def mean(values: Values) -> LargestWeight:
    """Return the mean largest weight over all queries, at the values of d_k in `here`."""
    return _mean(values, _dims_here(values))


def _mean(values, dims):
    return compute.result(mean_largest_weight, dims, values["n_keys"], values["law"])


compute.at_most(measure_start, 0.23, 12)
