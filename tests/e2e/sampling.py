"""Samples of many similar cases: all of them would take too long, and `-m matrix` runs the rest.

Import it as ``from sampling import sampled`` (the test settings put this folder on the path).
"""

import pytest

MATRIX = pytest.mark.matrix


def sampled(values, every=2, first=0):
    """Return parameters of a test, of which one in so many runs without `-m matrix`. A tuple is several parameters."""
    return [each if place % every == first else _left_out(each) for place, each in enumerate(values)]


def _left_out(value):
    return pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=MATRIX)
