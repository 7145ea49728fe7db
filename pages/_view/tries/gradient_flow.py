"""What to try on the gradient_flow page."""

from pages._view.tries.base import Try

TRIES = (
    Try(
        "frozen_rows",
        "16 keys, d_k = 512: without the scale about two rows in three are frozen, with it none",
        {"n_keys": 16, "d_k": 512, "place": "raw_scores", "seed": 0},
    ),
    Try(
        "typical_row",
        "64 keys, d_k = 64: the median row still passes about twice as much without the scale",
        {"n_keys": 64, "d_k": 64, "place": "raw_scores", "seed": 0},
    ),
    Try(
        "gradient_of_q",
        "Gradient at q: without the scale the mean rises with d_k, with it the mean stays flat from d_k = 4 on",
        {"n_keys": 16, "place": "q", "seed": 0},
    ),
    Try(
        "second_list",
        "Scores [1, 10]: the Jacobian is nearly empty; divided by √64 it has four bright cells",
        {"jacobian": "1, 10", "d_k": 64},
    ),
)
