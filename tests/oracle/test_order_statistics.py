import numpy as np

from sattn_core.order_statistics import expected_maximum


def test_expected_maximum_against_a_closed_form():
    # Three normals: E max = 3 / (2 sqrt(pi)).
    assert abs(expected_maximum(3) - 1.5 / np.sqrt(np.pi)) < 1e-13
