"""unit_variance: LayerNorm gives x variance 1; q and k get d_model times the variance of a weight."""

from pages._view.lessons.unit_variance.declaration import LESSON
from pages._view.page import screen

screen.open_lesson(LESSON)
