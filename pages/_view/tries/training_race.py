"""What to try on the training_race page."""

from pages._view.tries.base import Try

TRIES: tuple[Try, ...] = ()
