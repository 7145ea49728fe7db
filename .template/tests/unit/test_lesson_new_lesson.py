import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sattn_core.lessons.new_lesson import NewLessonParams, measure_new_lesson


def test_the_prediction_is_d_k_and_one():
    np.testing.assert_allclose(measure_new_lesson(NewLessonParams(16)).variance_theory, [16, 1], rtol=1e-13)


def test_params_out_of_range_are_refused():
    with pytest.raises(ValueError, match="d_k"):
        NewLessonParams(0)


# --- properties ----------------------------------------------------------------------------------------


@given(st.integers(1, 64), st.integers(0, 9999))
def test_scaling_divides_the_variance_by_d_k(d_k, seed):
    raw, scaled = measure_new_lesson(NewLessonParams(d_k, 100, seed)).variance
    assert raw == pytest.approx(d_k * scaled, rel=1e-12)


# --- oracles -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("d_k", [1, 8, 64])
def test_the_variance_is_d_k_within_four_standard_errors(d_k):
    result = measure_new_lesson(NewLessonParams(d_k, 10_000))
    assert (np.abs(result.variance - [d_k, 1]) < 4 * result.standard_error).all()
