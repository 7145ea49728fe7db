"""corrections: the five sources behind this project are right on the main point and wrong in some details."""

from pages._view.lessons.corrections.declaration import LESSON
from pages._view.page import show

show.prose(LESSON)
