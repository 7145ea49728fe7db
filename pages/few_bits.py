"""few_bits: stored numbers lie further apart the larger they are, so rounding moves raw scores further."""

from pages._view.lessons.few_bits.declaration import LESSON
from pages._view.page import screen

screen.open_lesson(LESSON)
