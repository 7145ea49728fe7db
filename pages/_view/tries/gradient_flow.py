"""What to try on the gradient_flow page."""

from pages._view.tries.base import Try

TRIES: tuple[Try, ...] = ()
