"""What to try on the score_variance page."""

from pages._view.tries.base import Try

TRIES: tuple[Try, ...] = ()
