"""Shared fixtures of the core's tests."""

import pytest


@pytest.fixture
def pandas():
    return pytest.importorskip("pandas", reason="the core does without pandas; the whole product brings it")


@pytest.fixture
def torch():
    return pytest.importorskip("torch", reason="PyTorch is not installed; CI compares with it")
