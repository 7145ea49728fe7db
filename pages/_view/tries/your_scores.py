"""What to try on the your_scores page."""

from pages._view.tries.base import Try

TRIES: tuple[Try, ...] = ()
