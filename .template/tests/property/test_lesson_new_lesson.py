import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sattn_core.lessons.new_lesson import NewLessonParams, measure_new_lesson


@given(st.integers(1, 64), st.integers(0, 9999))
def test_the_same_seed_gives_the_same_variances(d_k, seed):
    first, second = (measure_new_lesson(NewLessonParams(d_k, 100, seed)) for _ in range(2))
    np.testing.assert_array_equal(first.variance, second.variance)
