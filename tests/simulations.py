"""Helpers of tests that simulate: the error of a mean, and smaller simulations where the number does not matter."""

import math
from contextlib import contextmanager

import numpy as np
import pytest


def within_four_errors(values, expected):
    """Return True if the mean of independent values is within 4 of its standard errors."""
    return abs(np.mean(values) - expected) <= 4 * np.std(values, ddof=1) / math.sqrt(np.size(values))


@contextmanager
def fewer(sizes, forgotten):
    """Set sizes, (module, name, size) each; results simulated meanwhile are not cached for other tests."""
    for each in forgotten:
        each.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        for module, name, size in sizes:
            patch.setattr(module, name, size)
        yield
    for each in forgotten:
        each.cache_clear()
