"""What to try on the unit_variance page."""

from pages._view.tries.base import Try

TRIES: tuple[Try, ...] = ()
