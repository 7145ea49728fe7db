from pages._view.lesson_view import LessonView
from pages._view.lessons.your_scores import work
from pages._view.lessons.your_scores.declaration import LESSON

VIEW = LessonView(LESSON, steps=work.STEPS)
