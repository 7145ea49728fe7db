"""Pictures of the new_lesson lesson: their data are the result's, their words are its numbers."""

import pytest

from pages._view.lessons.new_lesson import figures
from pages._view.theme import LIGHT
from sattn_core.lessons.new_lesson import NewLessonParams, measure_new_lesson
from tests.figures.drawing import plotted, trace_of


@pytest.fixture(scope="module")
def result():
    return measure_new_lesson(NewLessonParams(16))


def test_the_points_are_the_variances(result):
    shown = plotted(figures.variances(result, LIGHT))
    assert trace_of(shown, "raw").y[0] == result.variance[0]
    assert trace_of(shown, "÷ √dₖ").y[0] == result.variance[1]
