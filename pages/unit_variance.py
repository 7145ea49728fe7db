"""unit_variance: LayerNorm fixes x, not q and k; their variance is that of a weight times d_model."""

from pages._view.lessons.unit_variance.declaration import LESSON
from pages._view.page import screen

screen.open_lesson(LESSON)
