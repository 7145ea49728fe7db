"""Calls to the core for the gradient_flow page."""

from typing import Any

from pages._view import compute
from pages._view.lesson_view import Main, Values, stops
from pages._view.lessons.gradient_flow import figures
from sattn_core.files import typed
from sattn_core.lessons import gradient_flow as core


def params(values: Values) -> core.GradientFlowParams:
    """Return the params for the statistics of many rows at the current d_k."""
    return core.GradientFlowParams(values["d_k"], **_options(values))


def _options(values: Values) -> dict[str, Any]:
    return {name: values[name] for name in ("n_keys", "seed")}


def curve_options(n_keys: int, seed: int) -> dict[str, Any]:
    """Return the settings of the curves: fewer rows where there are many keys, since both cost time.

    With few keys the gradient at q comes from few rows, so its mean needs more of them.
    """
    return {"n_keys": n_keys, "n_rows": 6_000 if n_keys <= 8 else 2_000 if n_keys <= 128 else 1_000, "seed": seed}


def row_jacobian(values: Values) -> tuple[core.RowJacobian, str]:
    """Return the Jacobian of one of the hundred rows, or of a typed list of scores, and its name."""
    chosen, d_k = values["jacobian"], values["d_k"]
    if chosen != "row":
        return core.measure_row_jacobian(typed.parse_score_list(chosen), d_k), f"The list [{chosen}]"
    scores = compute.result(core.scores_of_rows, d_k, **_options(values))
    row = figures.row_at(rows(values), d_k, values["row"])
    return core.measure_row_jacobian(scores[row], d_k), f"Row {values['row']}"


def rows(values: Values) -> core.FreezingRows:
    """Return a hundred rows at every stop of the slider."""
    return compute.result(core.freezing_rows, stops(values), **_options(values))


def _rows(values, profile, found=None):
    return figures.rows(rows(values), values["d_k"], values["place"], profile, found)


def _rows_at_rest(values, profile):
    return _rows(values, profile, compute.result(core.measure_gradient_flow, params(values)))


def _jacobians(values, profile):
    return figures.jacobians(*row_jacobian(values), values["d_k"], profile)


def _curves(values, profile):
    return figures.curves(
        compute.result(core.gradient_curve, **curve_options(**_options(values))), values["place"], profile
    )


MAIN = Main(_rows, at_rest=_rows_at_rest)
STEPS = {"freeze": MAIN, "at_q": MAIN, "jacobian": Main(_jacobians), "curves": Main(_curves)}

compute.at_most(core.measure_gradient_flow, 0.06, 52)
compute.at_most(core.gradient_curve, 0.26, 26)
compute.at_most(core.freezing_rows, 0.14, 12)
