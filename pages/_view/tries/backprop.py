"""What to try on the backprop page."""

from pages._view.tries.base import Try

TRIES = (
    Try(
        "small_scale",
        "Scale 1/16 at d_k = 16: dQ is a sixteenth of dS K, so a smaller scale also shrinks the way back",
        {"d_k": 16, "exponent": 1.0, "gradient": "Q", "masking": "none", "seed": 0},
    ),
    Try(
        "quadratic",
        "Move W_V: the loss is quadratic in it, so the error of the central difference has no h² branch",
        {"d_k": 16, "exponent": 0.5, "weight": "W_V", "masking": "none", "seed": 0},
    ),
    Try(
        "fully_masked",
        "A fully masked first row: its row of dS is 0, and all checks still agree",
        {"d_k": 16, "exponent": 0.5, "gradient": "S", "masking": "fully_masked", "seed": 0},
    ),
)
