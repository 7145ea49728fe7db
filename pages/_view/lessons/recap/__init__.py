from pages._view.lesson_view import LessonView
from pages._view.lessons.recap.declaration import LESSON

VIEW = LessonView(LESSON)
