"""Calls to the core for the softmax_saturation page."""

from collections.abc import Sequence

from pages._view import compute
from pages._view.lesson_view import Main, Values
from pages._view.lessons.softmax_saturation import figures, outputs
from sattn_core.files import typed
from sattn_core.lessons import softmax_saturation as core


def read_lists(texts: Sequence[str]) -> tuple[tuple[tuple[float, ...], ...], list[str]]:
    """Return the typed score lists, without empty optional ones, and sentences on those that cannot be read."""
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
    """Return the comparison of the typed lists, or None, and sentences on those that cannot be read."""
    lists, problems = _read(values)
    options = {name: values[name] for name in ("multiplier", "shift")}
    return None if problems else compute.result(core.compare_lists, lists, **options), problems


def _read(values):
    return read_lists([values[f"list_{place}"] for place in (1, 2, 3, 4)])


def nudge(values: Values) -> core.ListNudge | None:
    """Return the lists before and after a number is added to each smallest score; None if one cannot be read."""
    found, problems = _read(values)
    return None if problems else compute.result(core.nudge_lists, found, values["nudge"])


def rows(values: Values) -> core.DividedRows:
    """Return rows at three d_k, divided by the slider's divisor; drawn once for all exponents."""
    return compute.result(core.measure_rows, _rows_params(values)).divided(values["exponent"])


def _rows_params(values):
    return core.RowsParams(values["n_keys"], figures.DIMS, law=values["law"], seed=values["seed"])


def token_outputs(values: Values) -> tuple[core.TokenOutputs, core.OutputsParams]:
    """Return the tokens' scores and values at this d_k; drawn once for all exponents."""
    params = core.OutputsParams(values["n_keys"], (values["d_k"],), law=values["law"], seed=values["seed"])
    return compute.result(core.measure_outputs, params), params


def _lists(values, profile, study=None):
    return figures.lists(comparison(values)[0], profile, study, _read(values)[0])


def _lists_at_rest(values, profile):
    return _lists(values, profile, compute.result(core.overflow_study))


def _nudge(values, profile):
    return figures.nudged(nudge(values), values["nudge"], profile)


def _divisor(values, profile, expected=None):
    return figures.weights(rows(values), _rows_params(values), profile, expected)


def _divisor_at_rest(values, profile):
    params = _rows_params(values)
    expected = compute.result(core.expected_largest, params.n_keys, params.dims, values["exponent"])
    return _divisor(values, profile, expected)


def _too_flat(values, profile, expected=None):
    found, params = token_outputs(values)
    return outputs.outputs(found, values["middle_exponent"], params, profile, expected)


def _too_flat_at_rest(values, profile):
    params = token_outputs(values)[1]
    exponents = (0.0, values["middle_exponent"], 1.0)
    expected = [
        compute.result(core.expected_own_share, params.n_queries, params.n_keys, values["d_k"], each)
        for each in exponents
    ]
    return _too_flat(values, profile, tuple(expected))


DIVISOR = Main(_divisor, at_rest=_divisor_at_rest)
STEPS = {
    "lists": Main(_lists, at_rest=_lists_at_rest),
    "nudge": Main(_nudge),
    "divisor": DIVISOR,
    "too_flat": Main(_too_flat, at_rest=_too_flat_at_rest),
}

compute.at_most(core.measure_rows, 0.15, 9)
compute.at_most(core.measure_outputs, 0.21, 9)
