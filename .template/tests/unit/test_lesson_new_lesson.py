import numpy as np
import pytest

from sattn_core.lessons.new_lesson import NewLessonParams, measure_new_lesson


def test_the_prediction_is_d_k_and_one():
    np.testing.assert_allclose(measure_new_lesson(NewLessonParams(16)).variance_theory, [16, 1], rtol=1e-13)


def test_scaling_divides_the_variance_by_d_k():
    raw, scaled = measure_new_lesson(NewLessonParams(16)).variance
    assert raw == pytest.approx(16 * scaled, rel=1e-13)


def test_params_out_of_range_are_refused():
    with pytest.raises(ValueError, match="d_k"):
        NewLessonParams(0)
