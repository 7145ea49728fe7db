"""A measured quantity, and statistics of its runs."""

import math
import statistics
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One line of the table: a measured quantity beside its budget."""

    quantity: str
    measured: float
    budget: float | None  # None: reported without a limit
    unit: str = "×"
    detail: str = ""

    @property
    def passed(self):
        return self.budget is None or self.measured <= self.budget

    def cells(self):
        measured = f"{self.measured:.3g} {self.unit}"
        if self.budget is None:
            return self.quantity, measured, "none", "", self.detail
        verdict = "pass" if self.passed else "FAIL"
        return self.quantity, measured, f"≤ {self.budget:g} {self.unit}", verdict, self.detail


def ratio_row(quantity, budget, pairs, *, scale=1e3, unit="ms", note=""):
    """Return a row with the median ratio of the pairs, and both medians in its detail."""
    ratio = statistics.median(ours / bare for ours, bare in pairs)
    ours, bare = (statistics.median(times) * scale for times in zip(*pairs, strict=True))
    detail = f"{ours:.3g} {unit} against {bare:.3g} {unit}, {len(pairs)} pairs"
    return Row(quantity, ratio, budget, detail=f"{detail}; {note}" if note else detail)


def percentile(values, share):
    """Return the smallest value that is not exceeded by at least this share of the values."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def spread(values, unit="ms"):
    """Return the smallest value, the largest value and their number as text."""
    return f"{min(values):.0f} to {max(values):.0f} {unit}, {len(values)} times"


def crossing(rate, late, broken, later, limit):
    """Return the rate at which the wait passes the limit, interpolated on logarithmic scales."""
    if math.isinf(later):
        return rate
    return rate * (broken / rate) ** (math.log(limit / late) / math.log(later / late))
