"""What the gradient_flow page asks of the core."""

from sattn_core import typed
from sattn_core.lessons.gradient_flow import GradientFlowResult, RowJacobian, measure_row_jacobian


def curve_options(n_keys: int, seed: int) -> dict[str, int]:
    """The settings of the curves: fewer rows where there are many keys, since both cost time."""
    return {"n_keys": n_keys, "n_rows": 2_000 if n_keys <= 128 else 1_000, "seed": seed}


def row_jacobian(result: GradientFlowResult, chosen: str, number: int) -> tuple[RowJacobian, str]:
    """The Jacobian of a drawn row, or of a typed list of scores, and what it is called."""
    if chosen == "row":
        scores, name = result.shown_scores[(number - 1) % len(result.shown_scores)], f"Row {number}"
    else:
        scores, name = typed.parse_score_list(chosen), f"The scores [{chosen}]"
    return measure_row_jacobian(scores, result.params.d_k), name
