from pages._view.lesson_view import LessonView
from pages._view.lessons.unit_variance import bet, work
from pages._view.lessons.unit_variance.declaration import LESSON

VIEW = LessonView(LESSON, steps=work.STEPS, outcome=bet.outcome, before=bet.before)
