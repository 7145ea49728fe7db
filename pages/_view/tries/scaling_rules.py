"""What to try on the scaling_rules page."""

from pages._view.tries.base import Try

TRIES = (
    Try(
        "half_keeps_the_variance",
        "ρ = 0 and α = ½: the variance of the scores stays near 1 from d_k = 1 to 1,024",
        {"alpha": 0.5, "rho": 0.0, "seed": 0},
    ),
    Try(
        "one_keeps_the_mean",
        "ρ = 1 and α = 1: the mean stays near 1 while α = ½ lets it grow to about 32",
        {"alpha": 1.0, "rho": 1.0, "seed": 0},
    ),
    Try(
        "aligned_pairs",
        "Aligned pairs at d_k = 1,024: 1/√d_k leaves 1 key of 64 in use, muP nearly all",
        {"rule": "mup", "pairs": "aligned", "d_k": 1024, "n_keys": 64, "seed": 0},
    ),
    Try(
        "fused_matrix",
        "Xavier on a fused QKV matrix: the same keys stand out, yet the output is off by more than half",
        {"bug": "fused_qkv", "seed": 0},
    ),
)
