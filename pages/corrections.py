"""corrections: the five sources that this started from are right in the main point and wrong in some details."""

from pages._view.lessons.corrections.declaration import LESSON
from pages._view.page import show

show.prose(LESSON)
