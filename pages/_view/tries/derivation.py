"""What to try on the derivation page."""

from pages._view.tries.base import Try

TRIES: tuple[Try, ...] = ()
