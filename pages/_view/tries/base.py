"""The type of a suggestion."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Try:
    """One click: `settings` goes into the controls, and the picture then shows what `promise` says.

    The settings name every control that the promise depends on, so that it also holds for a
    visitor who has moved others before; one that speaks of a single draw names the seed too.
    A test named after `key` asserts the promise.
    """

    key: str
    promise: str
    settings: Mapping[str, object]
