"""What to try on the start page."""

from pages._view.tries.base import Try

TRIES = (
    Try(
        "large_dimension",
        "d_k = 1,024: one key takes nearly all the weight; divided by √1,024, many keys share it",
        {"d_k": 1024, "n_keys": 16, "law": "normal", "seed": 0},
    ),
    Try(
        "one_component",
        "d_k = 1: both sides are the same, since √1 = 1",
        {"d_k": 1},
    ),
)
