"""gradient_flow: without the scale one row after another freezes, and the other rows send larger gradients to q."""

from pages._view.lessons.gradient_flow.declaration import LESSON
from pages._view.page import screen

screen.open_lesson(LESSON)
