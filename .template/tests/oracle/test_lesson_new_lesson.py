import numpy as np
import pytest

from sattn_core.lessons.new_lesson import NewLessonParams, measure_new_lesson


@pytest.mark.parametrize("d_k", [1, 8, 64])
def test_the_variance_is_d_k_within_four_standard_errors(d_k):
    result = measure_new_lesson(NewLessonParams(d_k, 10_000))
    assert (np.abs(result.variance - [d_k, 1]) < 4 * result.standard_error).all()
