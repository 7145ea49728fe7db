import numpy as np
import pytest
from scipy import stats

from sattn_core.chi_square import chi_square_quantiles


@pytest.mark.parametrize("degrees", [1, 2, 3, 10, 63, 64, 1023, 1024])
def test_quantiles_are_those_of_scipy(degrees):
    below = np.geomspace(1e-16, 0.5, 400)
    # 1e-9: the series of 80 terms is 1.1e-10 off at one degree of freedom, where ln x turns the most.
    np.testing.assert_allclose(chi_square_quantiles(degrees, below), stats.chi2.ppf(below, degrees), rtol=1e-9)
    above = 1 - np.geomspace(1e-12, 0.5, 400)
    np.testing.assert_allclose(chi_square_quantiles(degrees, above), stats.chi2.ppf(above, degrees), rtol=1e-9)
