import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sattn_core.order_statistics import expected_maximum


@settings(deadline=None, max_examples=60)
@given(st.integers(2, 4096))
def test_expected_maximum_grows_and_stays_below_its_bound(n):
    assert expected_maximum(n - 1) < expected_maximum(n) < np.sqrt(2 * np.log(n))
