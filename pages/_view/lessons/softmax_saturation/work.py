"""What the softmax_saturation page asks of the core."""

from collections.abc import Sequence
from dataclasses import replace

from pages._view import compute
from pages._view.lesson_view import Main, Values, stops
from pages._view.lessons.softmax_saturation import figures
from pages._view.shared import DIMENSIONS
from sattn_core.files import typed
from sattn_core.lessons import softmax_saturation as core


def read_lists(texts: Sequence[str]) -> tuple[tuple[tuple[float, ...], ...], list[str]]:
    """The typed score lists, the optional ones only if anything is typed, and what cannot be read."""
    lists, problems = [], []
    for place, text in zip(("First", "Second", "Third", "Fourth"), texts, strict=True):
        if place in ("Third", "Fourth") and not text.strip():
            continue
        try:
            lists.append(typed.parse_score_list(text))
        except ValueError as problem:
            problems.append(f"{place} list: {problem}")
    return tuple(lists), problems


def comparison(values: Values) -> tuple[core.ListComparison | None, list[str]]:
    """The typed lists compared, or None, and what cannot be read."""
    lists, problems = read_lists([values[f"list_{place}"] for place in (1, 2, 3, 4)])
    options = {name: values[name] for name in ("multiplier", "shift")}
    return None if problems else compute.result(core.compare_lists, lists, **options), problems


def averages(values: Values) -> tuple[core.SaturationResult, core.SaturationParams]:
    """Averages over rows at every stop of the slider and where it stands; measured once for all of them."""
    params = core.SaturationParams(values["n_keys"], DIMENSIONS, law=values["law"], seed=values["seed"])
    found, here = compute.result(core.measure_saturation, params), replace(params, dims=stops(values))
    return (found, params) if here == params else (found.along(here), here)


def rows(values: Values) -> core.DividedRows:
    """Rows at d_k and at both ends, divided as the dial says; drawn once for all exponents."""
    return compute.result(core.measure_rows, _rows_params(values)).divided(values["exponent"])


def _rows_params(values):
    dims = tuple(sorted({figures.FEW, values["d_k"], figures.MANY}))
    return core.RowsParams(values["n_keys"], dims, law=values["law"], seed=values["seed"])


def _lists(values, profile, study=None):
    return figures.lists(comparison(values)[0], profile, study)


def _lists_at_rest(values, profile):
    return _lists(values, profile, compute.result(core.overflow_study))


def _divisor(values, profile, expected=None):
    return figures.weights(rows(values), _rows_params(values), values["d_k"], profile, expected)


def _divisor_at_rest(values, profile):
    params = _rows_params(values)
    expected = compute.result(core.expected_largest, params.n_keys, params.dims, values["exponent"])
    return _divisor(values, profile, expected)


def _averages(values, profile):
    found, params = averages(values)
    return figures.averages(found, params, values["d_k"], profile)


DIVISOR = Main(_divisor, at_rest=_divisor_at_rest)
STEPS = {"lists": Main(_lists, at_rest=_lists_at_rest), "divisor": DIVISOR, "averages": Main(_averages)}
