"""What to try on the softmax_saturation page."""

from pages._view.tries.base import Try

TRIES: tuple[Try, ...] = ()
