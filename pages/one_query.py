"""one_query: a score is a sum of d_k products that drifts from 0 like √d_k, and ÷ √d_k brings it back."""

from pages._view.lessons.one_query.declaration import LESSON
from pages._view.page import screen

screen.open_lesson(LESSON)
