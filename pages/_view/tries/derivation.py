"""What to try on the derivation page."""

from pages._view.tries.base import Try

TRIES = (
    Try(
        "one_mean",
        "The mean of k_i is 1, that of q_i is 0: line 7 fails, and dividing by √d_k is still right",
        {"broken": "means", "mu_q": 0.0, "mu_k": 1.0, "d_k": 64, "seed": 0},
    ),
    Try(
        "alignment",
        "q_i correlated with k_i at d_k = 1,024: divided by √d_k, the mean score is still about 16",
        {"broken": "alignment", "rho": 0.5, "d_k": 1024, "seed": 0},
    ),
    Try(
        "tails",
        "Heavy tails with ν = 2.1: a variance exists, and 4 lines cannot be checked",
        {"broken": "tails", "nu": 2.1, "d_k": 64, "seed": 0},
    ),
)
