"""score_variance: raw scores have variance d_k; divided by √d_k they have variance 1, at every d_k."""

from pages._view.lessons.score_variance.declaration import LESSON
from pages._view.page import screen

screen.open_lesson(LESSON)
