"""corrections: the five sources that this started from are right in the main point and wrong in some details."""

from pages._view import show
from pages._view.lessons.corrections.declaration import LESSON

show.prose(LESSON)
