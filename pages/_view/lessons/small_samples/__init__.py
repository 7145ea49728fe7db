from pages._view.lesson_view import LessonView
from pages._view.lessons.small_samples import bet, part, work
from pages._view.lessons.small_samples.declaration import LESSON

VIEW = LessonView(LESSON, steps=work.STEPS, outcome=bet.outcome, before=bet.before, part=part.part)
