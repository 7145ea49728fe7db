"""What to try on the small_samples page."""

from pages._view.tries.base import Try

_AS_ASKED = {"size": 2, "inner": "size", "ddof": "0", "seed": 0}

TRIES = (
    Try("one_draw", "One draw: its two matrices and their product are written out below", _AS_ASKED | {"n_draws": 1}),
    Try(
        "many_draws",
        "2,000 draws: the bars fill the dashed outline, and about 7 in 10 draws lie below 1.6",
        _AS_ASKED | {"n_draws": 2_000},
    ),
    Try("ddof_1", "ddof = 1: the predicted mean is 2, which is d_k", _AS_ASKED | {"ddof": "1", "n_draws": 2_000}),
    Try(
        "large_matrices",
        "64 × 64 matrices: nearly all draws lie within 10 % of d_k",
        {"size": 64, "inner": "size", "ddof": "0", "seed": 0, "n_draws": 200},
    ),
)
