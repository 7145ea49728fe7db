from hypothesis import given, settings
from hypothesis import strategies as st

from sattn_core.initialisation import INIT_SCHEMES, projection_variance


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(INIT_SCHEMES), st.integers(1, 64), st.integers(1, 32), st.booleans())
def test_scores_follow_from_components(scheme, d_k, n_heads, bias):
    law = projection_variance(scheme, d_k * n_heads, n_heads, bias=bias)
    product = law.query_component * law.key_component
    assert law.query_component > 0
    assert abs(law.scaled_score - product) <= 1e-12 * product
    assert abs(law.raw_score - d_k * product) <= 1e-12 * d_k * product


@settings(deadline=None, max_examples=30)
@given(st.integers(1, 512))
def test_with_one_head_xavier_is_xavier(d_model):
    assert projection_variance("xavier_per_head", d_model, 1) == projection_variance("xavier_square", d_model, 1)
