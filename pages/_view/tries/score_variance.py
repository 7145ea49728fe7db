"""What to try on the score_variance page."""

from pages._view.tries.base import Try

_PAIRS = {"d_k": 64, "sampling": "pairs", "law": "normal", "n_samples": 50_000, "seed": 0}

TRIES = (
    Try(
        "means_of_one",
        "Means of 1: the variance of the raw scores is three times d_k",
        _PAIRS | {"mean_q": 1.0, "mean_k": 1.0, "correlation": 0.0},
    ),
    Try(
        "aligned",
        "Correlation 1: raw scores are about d_k on average, and still about √d_k after ÷ √d_k",
        _PAIRS | {"mean_q": 0.0, "mean_k": 0.0, "correlation": 1.0},
    ),
    Try(
        "few_rows",
        "One Q Kᵀ with 2 rows: the 95 % band of its variance is more than ten times that of 50,000 pairs",
        {"d_k": 64, "sampling": "matrix", "n_queries": 2, "n_keys": 16, "law": "normal", "mean_q": 0.0, "mean_k": 0.0},
    ),
)
