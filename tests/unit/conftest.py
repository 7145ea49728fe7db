"""Fixtures that the tests of the core share."""

import pytest


@pytest.fixture
def torch():
    return pytest.importorskip("torch", reason="PyTorch is not installed; CI compares with it")
