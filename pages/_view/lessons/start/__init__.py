from pages._view.lesson_view import LessonView
from pages._view.lessons.start import work
from pages._view.lessons.start.declaration import LESSON

VIEW = LessonView(LESSON, hero=work.hero, sentence=work.sentence)
