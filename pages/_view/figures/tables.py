"""Columns for a picture's table, from arrays with one row for each name."""

from collections.abc import Collection, Mapping
from typing import Any

from numpy.typing import NDArray

from pages._view.picture import Table


def columns_of(names: Collection[str], fields: Mapping[str, NDArray[Any]]) -> Table:
    """Return a column "name: field" with the numbers for every name and field."""
    rows = {field: values.reshape(len(names), -1).tolist() for field, values in fields.items()}
    return {f"{name}: {field}": rows[field][i] for i, name in enumerate(names) for field in fields}
