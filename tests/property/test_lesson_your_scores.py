import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sattn_core.lessons.your_scores import SAMPLES, YourScoresParams, read_your_scores, sample_file, sample_scores


@settings(deadline=None, max_examples=30)
@given(st.sampled_from(sorted(SAMPLES)), st.integers(2, 20), st.integers(2, 9), st.integers(0, 2**32))
def test_a_sample_file_holds_the_sample(sample, n_rows, d_k, seed):
    params = YourScoresParams(sample, n_rows, d_k, seed)
    Q, K = sample_scores(params)
    result, problem = read_your_scores(sample_file(params))
    assert problem is None
    assert (result.report.n_queries, result.report.n_keys, result.report.d_k) == (n_rows, n_rows, d_k)
    assert Q.shape == K.shape
    # Saved as float32, 6e-8 of each number.
    assert np.allclose(result.report.heads[0].query.mean, Q.reshape(-1, n_rows, d_k)[0].mean(), rtol=0, atol=1e-5)
