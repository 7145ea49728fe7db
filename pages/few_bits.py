"""few_bits: numbers lie further apart the larger they are, so rounding puts raw scores off by as much more."""

from pages._view.lessons.few_bits.declaration import LESSON
from pages._view.page import screen

screen.open_lesson(LESSON)
