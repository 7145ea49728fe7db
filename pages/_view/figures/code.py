"""The Python code beside a picture, which recomputes its numbers."""

from collections.abc import Callable, Sequence
from dataclasses import MISSING, fields, is_dataclass
from typing import Any

import numpy as np

import sattn_core


class Name(str):
    """An argument that names a variable of earlier lines, so it is written without quotes."""

    __slots__ = ()
    __repr__ = str.__str__


def code(
    function: Callable[..., Any], *args: Any, show: str | Sequence[str] = (), name: str = "result", **options: Any
) -> str:
    """Return the imports, the call with these arguments, and lines that print parts of its result.

    show: expressions with the result's variable, one per line; "row.z for row in result.rows" prints one line per row.
    """
    given = [_written(each) for each in args] + [f"{key}={_written(value)}" for key, value in options.items()]
    call = f"{name} = {function.__name__}({', '.join(given)})\n"
    needed = [function, *_records((args, options))]
    return f"{_imports(needed)}\n{call}{printed(show)}"


def printed(show: str | Sequence[str]) -> str:
    """Return code that prints these expressions."""
    return "".join(map(_print, [show] if isinstance(show, str) else show))


def _print(expression):
    shown, _, rows = expression.partition(" for ")
    return f"for {rows}:\n    print({shown})\n" if rows else f"print({shown})\n"


def _imports(needed):
    """Return one import per module; exported names are imported from the package itself."""
    modules: dict[str, set[str]] = {}
    for each in needed:
        module = "sattn_core" if each.__name__ in sattn_core.__all__ else each.__module__
        modules.setdefault(module, set()).add(each.__name__)
    return "".join(f"from {module} import {', '.join(sorted(modules[module]))}\n" for module in sorted(modules))


def _records(value):
    """Return the classes of all dataclass instances in an argument."""
    if is_dataclass(value):
        return [type(value), *_records([kept for _, kept in _given(value)])]
    if isinstance(value, dict):
        return _records(list(value.values()))
    return [found for each in value for found in _records(each)] if isinstance(value, (tuple, list)) else []


def _given(record):
    """Return the fields of a dataclass instance that differ from their defaults."""
    kept = ((each, getattr(record, each.name)) for each in fields(record) if each.init)
    return [(each.name, value) for each, value in kept if each.default is MISSING or value != each.default]


def _written(value):
    if is_dataclass(value):
        return f"{type(value).__name__}({', '.join(f'{name}={_written(kept)}' for name, kept in _given(value))})"
    return repr(value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value)
