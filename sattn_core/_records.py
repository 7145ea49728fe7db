"""Records: what a computation returns when it holds arrays.

Two arrays have no single answer to ==, so a record is equal only to itself; and it is short in print,
because a thousand numbers say less than their shape.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar, dataclass_transform, overload

import numpy as np

_Class = TypeVar("_Class")

_LONGEST = 60  # characters of one field in print


@overload
def record(cls: type[_Class], /) -> type[_Class]: ...
@overload
def record(*, frozen: bool = True) -> Callable[[type[_Class]], type[_Class]]: ...
@dataclass_transform(eq_default=False, frozen_default=True, field_specifiers=(field,))
def record(cls: type[_Class] | None = None, /, *, frozen: bool = True) -> Any:
    """Make a class a dataclass of arrays: equal only to itself, hashable, and printed as names with shapes."""

    def made(cls: Any) -> Any:
        cls.__repr__ = _shown
        return dataclass(frozen=frozen, eq=False, repr=False)(cls)

    return made if cls is None else made(cls)


def _shown(self: Any) -> str:
    parts = (f"{each.name}={_shown_field(getattr(self, each.name))}" for each in fields(self) if each.repr)
    return f"{type(self).__name__}({', '.join(parts)})"


def _shown_field(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"<array of shape {value.shape}>"
    if type(value).__repr__ is _shown:  # type: ignore[comparison-overlap]
        return f"<{type(value).__name__}>"
    if isinstance(value, (tuple, list, dict)) and not _is_short(value):
        return f"<{type(value).__name__} of {len(value)}>"
    text = repr(value)
    return text if len(text) <= _LONGEST else f"<{type(value).__name__}>"


def _is_short(value: Any) -> bool:
    """Whether a container is a handful of plain values."""
    plain = (bool, int, float, str, type(None), np.generic)
    return not isinstance(value, dict) and len(value) <= 4 and all(isinstance(each, plain) for each in value)
