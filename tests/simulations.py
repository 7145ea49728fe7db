"""Helpers of tests that simulate: compare a mean with its expected value, and make simulations smaller."""

import math
from contextlib import contextmanager

import numpy as np
import pytest


def within_four_errors(values, expected):
    """Return True if the mean of independent values is within 4 standard errors of `expected`."""
    return abs(np.mean(values) - expected) <= 4 * np.std(values, ddof=1) / math.sqrt(np.size(values))


@contextmanager
def fewer(sizes, forgotten):
    """Set sizes, given as (module, name, size), in the block; clear the caches in `forgotten` before and after it."""
    for each in forgotten:
        each.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        for module, name, size in sizes:
            patch.setattr(module, name, size)
        yield
    for each in forgotten:
        each.cache_clear()
