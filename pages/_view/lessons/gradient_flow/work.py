"""What the gradient_flow page asks of the core."""

from typing import Any

from pages._view import compute
from pages._view.lesson_view import Main, Values, stops
from pages._view.lessons.gradient_flow import figures
from sattn_core.files import typed
from sattn_core.lessons import gradient_flow as core


def params(values: Values) -> core.GradientFlowParams:
    """Many rows at the d_k of the moment."""
    return core.GradientFlowParams(values["d_k"], **_options(values))


def _options(values: Values) -> dict[str, Any]:
    return {name: values[name] for name in ("n_keys", "seed")}


def curve_options(n_keys: int, seed: int) -> dict[str, int]:
    """The settings of the curves: fewer rows where there are many keys, since both cost time.

    With few keys the gradient at q comes from few rows, so its mean needs more of them.
    """
    return {"n_keys": n_keys, "n_rows": 6_000 if n_keys <= 8 else 2_000 if n_keys <= 128 else 1_000, "seed": seed}


def row_jacobian(values: Values) -> tuple[core.RowJacobian, str]:
    """The Jacobian of a row of the first picture, or of a typed list of scores, and what it is called."""
    place, d_k = ring(values), values["d_k"]
    if place is None:
        chosen = values["jacobian"]
        return core.measure_row_jacobian(typed.parse_score_list(chosen), d_k), f"The list [{chosen}]"
    scores = compute.result(core.scores_of_rows, d_k, **_options(values))
    return core.measure_row_jacobian(scores[figures.row_at(rows(values), d_k, place)], d_k), f"Row {place}"


def ring(values: Values) -> int | None:
    """The place of the row whose Jacobian is shown, if it is one of a row."""
    return values["row"] if values["jacobian"] == "row" else None


def rows(values: Values) -> core.FreezingRows:
    """A hundred rows at every stop of the slider."""
    return compute.result(core.freezing_rows, stops(values), **_options(values))


def _rows(values, profile, found=None):
    return figures.rows(rows(values), values["d_k"], values["place"], ring(values), profile, found)


def _rows_at_rest(values, profile):
    return _rows(values, profile, compute.result(core.measure_gradient_flow, params(values)))


MAIN = Main(_rows, at_rest=_rows_at_rest)
