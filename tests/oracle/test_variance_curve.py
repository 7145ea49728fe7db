import numpy as np
import pytest
from scipy import stats

from sattn_core.variance_curve import variance_curve


@pytest.mark.parametrize("law", ["normal", "rademacher", "laplace"])
def test_variance_curve_lies_within_four_standard_errors(law):
    curve = variance_curve((1, 4, 32, 100), n_samples=5000, law=law, mean_q=0.3, correlation=0.2, seed=3)
    error = (curve.high - curve.theory) / stats.norm.ppf(0.975)
    assert (np.abs(curve.measured - curve.theory) < 4 * error).all()
