"""What the small_samples page asks of the core."""

from typing import Any

from sattn_core.lessons.small_samples import SmallSamplesParams

BAND_DRAWS = 20  # measured points at each size of the matrix


def small_samples_params(size: int, inner: str, d_k: int, n_draws: int, **options: Any) -> SmallSamplesParams:
    """Square matrices as in the question, or the slider's d_k inside."""
    d_k = size if inner == "size" else d_k
    return SmallSamplesParams(size, d_k, n_draws=n_draws, **options)
