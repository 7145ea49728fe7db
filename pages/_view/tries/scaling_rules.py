"""What to try on the scaling_rules page."""

from pages._view.tries.base import Try

TRIES: tuple[Try, ...] = ()
