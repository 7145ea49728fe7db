"""What the derivation page asks of the core."""

from pages._view.kinds import Value

SAMPLES = 2_000  # pairs that check the derivation: at d_k = 1,024 more would be felt
LARGEST = 1024  # d_k: the three lines are measured once for all up to it, so that they follow a moving slider
_FIELDS = {"var_q": "variance_q", "var_k": "variance_k", "r": "coordinate_correlation"}


def assumptions(strengths: dict[str, Value]) -> dict[str, Value]:
    """How strongly an assumption is broken: the values of its controls as fields of `DerivationParams`."""
    return {_FIELDS.get(name, name): value for name, value in strengths.items()}
