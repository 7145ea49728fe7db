"""What the new_lesson page asks of the core."""

from pages._view import compute
from pages._view.lessons.new_lesson import figures
from pages._view.main_picture import Main, Values
from sattn_core.lessons.new_lesson import NewLessonParams, NewLessonResult, measure_new_lesson


def _params(values):
    return NewLessonParams(values["d_k"], values["n_pairs"], values["seed"])


def measured(values: Values) -> NewLessonResult:
    """The lesson's numbers at these values of the controls."""
    return compute.result(measure_new_lesson, _params(values))


def _picture(values, profile):
    return figures.variances(measured(values), profile)


MAIN = Main(_picture)
