"""What to try on the backprop page."""

from pages._view.tries.base import Try

TRIES: tuple[Try, ...] = ()
