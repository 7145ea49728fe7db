"""Computations for pages: results are cached for all visitors within bounds, and long computations take turns."""

from pages._view.compute.prices import at_most
from pages._view.compute.store import (
    AT_ONCE,
    BYTES,
    ENTRIES,
    UNASKED,
    WITHOUT_BUTTON,
    Limit,
    cheap,
    forget,
    keep,
    kept,
    needs_button,
    result,
)

__all__ = [
    "AT_ONCE",
    "BYTES",
    "ENTRIES",
    "UNASKED",
    "WITHOUT_BUTTON",
    "Limit",
    "at_most",
    "cheap",
    "forget",
    "keep",
    "kept",
    "needs_button",
    "result",
]
