"""What to try on the your_scores page."""

from pages._view.tries.base import Try

TRIES = (
    Try(
        "layer_norm_mha",
        "Sample layer_norm_mha: q and k have variance ½, so the spread is about 0.5 in every head",
        {"sample": "layer_norm_mha", "d_k": 64, "head": 1, "seed": 0},
    ),
    Try(
        "anisotropic",
        "Sample anisotropic: every component has variance near 1, yet the spread is about 2",
        {"sample": "anisotropic", "d_k": 64, "head": 1, "seed": 0},
    ),
    Try(
        "aligned",
        "Sample aligned, d_k = 256: the spread stays close to 1, but query i scores over 6 spreads higher with key i",
        {"sample": "aligned", "d_k": 256, "head": 1, "seed": 0},
    ),
    Try(
        "heavy_tailed",
        "Sample heavy_tailed: the spread lies outside the normal band, and inside the wider one of its tails",
        {"sample": "heavy_tailed", "d_k": 64, "head": 1, "seed": 1},
    ),
)
