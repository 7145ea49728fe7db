"""Run a sample of many similar cases by default, and the rest with `-m matrix`.

Import it as ``from sampling import sampled`` (the test settings put this folder on the path).
"""

import pytest

MATRIX = pytest.mark.matrix


def sampled(values, every=2, first=0):
    """Return a test's parameters; all but every n-th (`every`) need `-m matrix`. A tuple gives several arguments."""
    return [each if place % every == first else _left_out(each) for place, each in enumerate(values)]


def _left_out(value):
    return pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=MATRIX)
