"""one_query: a score is a sum of products, it wanders as products are added, and √d_k brings it back."""

from pages._view.lessons.one_query.declaration import LESSON
from pages._view.page import screen

screen.open_lesson(LESSON)
