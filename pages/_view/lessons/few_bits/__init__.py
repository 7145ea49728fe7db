from pages._view.lesson_view import LessonView
from pages._view.lessons.few_bits import bet, work
from pages._view.lessons.few_bits.declaration import LESSON

VIEW = LessonView(LESSON, main=work.MAIN, outcome=bet.outcome, before=bet.before)
