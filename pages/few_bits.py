"""few_bits: the larger a stored number, the coarser its rounding, so raw scores lose more than scaled ones."""

from pages._view.lessons.few_bits.declaration import LESSON
from pages._view.page import screen

screen.open_lesson(LESSON)
