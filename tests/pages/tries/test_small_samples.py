"""What the small_samples page promises to whoever clicks a suggestion."""

import numpy as np

ADVERSE = {"size": "16", "d_k": "300", "ddof": "1", "n_draws": "20", "seed": "7"}


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


def test_large_dimension(tried):
    app, shown = tried("small_samples", "large_dimension", **ADVERSE)
    sweep = shown.draw_sweep
    assert (app.session_state["d_k"], sweep.size, sweep.ratios.shape[1]) == (1024, 2, 2_000)
    near = np.mean(np.abs(sweep.ratios[sweep.dims.index(1024)] - 1) < 0.1)
    assert abs(near - 1 / 12) < 0.02


def test_large_matrices(tried):
    app, shown = tried("small_samples", "large_matrices", **ADVERSE)
    sweep = shown.draw_sweep
    assert (app.session_state["d_k"], sweep.size) == (64, 64)
    assert np.mean(np.abs(sweep.ratios[sweep.dims.index(64)] - 1) < 0.1) > 0.95
