from pages._view.lesson_view import LessonView
from pages._view.lessons.one_query import bet, work
from pages._view.lessons.one_query.declaration import LESSON

VIEW = LessonView(LESSON, steps=work.STEPS, outcome=bet.outcome, before=bet.before)
