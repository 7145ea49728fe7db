"""What the scaling_rules page asks of the core."""

from collections.abc import Sequence

from sattn_core.lessons.scaling_rules import BugResult

PAIRS = {"independent": 0.0, "aligned": 0.5}  # correlation of query i with key i, at the start and after training
CURVES = {"dims": tuple(2**j for j in range(2, 9)), "n_keys": tuple(2**j for j in range(2, 11))}


def exhibit(museum: Sequence[BugResult], bug: str) -> BugResult:
    """The chosen bug."""
    return next(each for each in museum if each.params.bug == bug)
