"""What the walk takes of many alike: it would last too long with all of them, which `-m matrix` runs.

Import it as ``from sampling import sampled`` (the test settings put this folder on the path).
"""

import pytest

MATRIX = pytest.mark.matrix


def sampled(values, every=2, first=0):
    """Parameters of a test, of which the walk takes one in so many. A tuple is several of them."""
    return [each if place % every == first else _left_out(each) for place, each in enumerate(values)]


def _left_out(value):
    return pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=MATRIX)
