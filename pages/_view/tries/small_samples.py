"""What to try on the small_samples page."""

from pages._view.tries.base import Try

TRIES: tuple[Try, ...] = ()
