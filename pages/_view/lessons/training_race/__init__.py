from pages._view.lesson_view import LessonView
from pages._view.lessons.training_race import bet, work
from pages._view.lessons.training_race.declaration import LESSON

VIEW = LessonView(LESSON, steps=work.STEPS, outcome=bet.outcome, before=bet.before)
