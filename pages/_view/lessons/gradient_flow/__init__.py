from pages._view.lesson_view import LessonView
from pages._view.lessons.gradient_flow import bet, work
from pages._view.lessons.gradient_flow.declaration import LESSON

VIEW = LessonView(LESSON, steps=work.STEPS, outcome=bet.outcome, before=bet.before)
