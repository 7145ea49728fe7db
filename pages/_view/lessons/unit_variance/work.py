"""What the unit_variance page asks of the core."""

from typing import Any

from sattn_core.lessons.unit_variance import NARROWEST, WIDEST, UnitVarianceParams

SHARED_TOKENS = 16


def unit_variance_params(d_k: int, n_heads: int, normalise: str, bias: str, **options: Any) -> UnitVarianceParams:
    """Heads of the slider's d_k side by side; no more of them, and no fewer, than the lesson takes."""
    n_heads = min(max(n_heads, -(-NARROWEST // d_k)), WIDEST // d_k)
    return UnitVarianceParams(d_k * n_heads, n_heads, normalise=normalise == "on", bias=bias == "on", **options)
