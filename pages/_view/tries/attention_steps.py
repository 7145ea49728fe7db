"""What to try on the attention_steps page."""

from pages._view.tries.base import Try

TRIES: tuple[Try, ...] = ()
