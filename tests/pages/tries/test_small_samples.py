"""What the small_samples page promises to whoever clicks a suggestion."""

import numpy as np

ADVERSE = {"size": "16", "inner": "d_k", "d_k": "300", "ddof": "1", "n_draws": "20", "seed": "7"}


def test_one_draw(tried):
    app, shown = tried("small_samples", "one_draw", **ADVERSE)
    result = shown.measure_small_samples
    assert len(result.variances) == 1
    assert result.variances[0] == (result.first_A @ result.first_B).var()
    written = [each.value for each in app.markdown if each.value.startswith("$\\begin{pmatrix}")]
    assert [text.count("pmatrix") for text in written] == [6]
    assert f"{result.first_product[0, 0]:.2f}&" in written[0]


def test_many_draws(tried):
    _, shown = tried("small_samples", "many_draws", **ADVERSE)
    result = shown.measure_small_samples
    assert (result.params.n_draws, result.params.size, result.params.d_k) == (2_000, 2, 2)
    assert (np.abs(result.counts - result.expected) < 4 * np.sqrt(result.expected) + 1).all()
    assert 0.65 < np.mean(result.variances < 1.6) < 0.75


def test_ddof_1(tried):
    _, shown = tried("small_samples", "ddof_1", **(ADVERSE | {"ddof": "0"}))
    assert shown.measure_small_samples.mean_theory == shown.measure_small_samples.params.d_k == 2


def test_large_matrices(tried):
    _, shown = tried("small_samples", "large_matrices", **ADVERSE)
    result = shown.measure_small_samples
    assert result.params.size == result.params.d_k == 64
    assert np.mean(np.abs(result.variances / 64 - 1) < 0.1) > 0.95
