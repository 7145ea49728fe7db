"""Fewer simulations for tests of what holds for any number of them."""

from contextlib import contextmanager

import pytest


@contextmanager
def fewer(sizes, forgotten):
    """Set sizes, (module, name, size) each; nothing of what is simulated meanwhile stays in memory for other tests."""
    for each in forgotten:
        each.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        for module, name, size in sizes:
            patch.setattr(module, name, size)
        yield
    for each in forgotten:
        each.cache_clear()
