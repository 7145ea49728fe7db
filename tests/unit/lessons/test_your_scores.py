import io
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sattn_core.lessons.your_scores import (
    HOOK_SNIPPET,
    SAMPLES,
    TRAINED,
    YourScoresParams,
    measure_your_scores,
    read_your_scores,
    sample_file,
    sample_scores,
)
from sattn_core.training.encoder_record import recorded

CODES = {
    "ideal": "right",
    "layer_norm_mha": "too_strong",
    "aligned": "aligned",
    "anisotropic": "too_weak",
    "heavy_tailed": "right",
}


@pytest.mark.parametrize("sample", SAMPLES)
def test_every_sample_is_read_and_judged(sample):
    result, problem = read_your_scores(sample_file(YourScoresParams(sample)))
    assert problem is None
    assert result.report.code == CODES[sample]
    assert len(result.rows) == (8 if sample == "layer_norm_mha" else 1)
    for row in result.rows:
        assert row.divisor * row.unit_scale == pytest.approx(1.0, rel=1e-13)


# At a small d_k chance matters, so more seeds are tried.
@pytest.mark.parametrize(("d_k", "n_seeds"), [(2, 30), (3, 30), (64, 6)])
def test_anisotropic_sample_is_too_weak_at_every_d_k_and_seed(d_k, n_seeds):
    params = [YourScoresParams("anisotropic", 128, d_k, seed) for seed in range(n_seeds)]
    assert {measure_your_scores(*sample_scores(each)).report.code for each in params} == {"too_weak"}


def test_each_sample_has_its_described_property():
    results = {name: measure_your_scores(*sample_scores(YourScoresParams(name))) for name in SAMPLES}
    heads = {name: result.rows[0] for name, result in results.items()}
    assert abs(heads["ideal"].exponent - 0.5) < 0.01
    assert abs(heads["layer_norm_mha"].scaled_std - 0.5) < 0.03
    assert abs(heads["aligned"].paired_correlation - 0.5) < 0.03
    assert heads["aligned"].paired_exponent > 0.7
    assert heads["anisotropic"].effective_dimension < 20
    assert heads["anisotropic"].exponent > 0.6
    assert results["heavy_tailed"].report.heads[0].query.kurtosis > 20


@pytest.mark.parametrize("sample", TRAINED)
def test_a_layer_of_the_trained_encoder_is_a_sample(sample):
    Q, K = sample_scores(YourScoresParams(sample, 76, 32))
    assert Q.shape == K.shape == (12, 76, 32)
    assert np.array_equal(Q, recorded("paragraph").queries[int(sample[-1]) - 1])
    result, problem = read_your_scores(sample_file(YourScoresParams(sample, 76, 32)))
    assert problem is None
    assert len(result.rows) == YourScoresParams(sample).n_heads == 12
    assert result.report.code != "right"


def test_result_shows_the_chosen_head():
    Q, K = np.random.default_rng(0).standard_normal((2, 3, 50, 8))
    result = measure_your_scores(Q, K * [[[1.0]], [[1.0]], [[0.1]]], head=2)
    assert result.head == 2
    assert result.shown is result.report.heads[2]
    widths = np.diff(result.report.scaled_edges)
    assert np.sum(result.measured_density * widths) == pytest.approx(1.0, rel=1e-13)
    assert result.uniform_entropy == math.log(50)
    assert result.divisor == math.sqrt(8)


def test_slope_lines_go_through_the_mean_log_size():
    result = measure_your_scores(*sample_scores(YourScoresParams("anisotropic")))
    middle = np.log(result.shown.row_exponent.sizes).mean()
    assert np.log(result.exponent_line).mean() == pytest.approx(middle, rel=1e-12)
    assert np.log(result.ideal_line).mean() == pytest.approx(middle, rel=1e-12)
    slopes = np.diff(np.log(result.ideal_line)) / np.diff(np.log(result.shown.row_exponent.dims))
    assert np.allclose(slopes, 0.5, rtol=1e-12)


def test_a_bad_file_gives_a_sentence_instead_of_an_error():
    result, problem = read_your_scores(("q.npy", b"nonsense"))
    assert result is None
    assert problem == "q.npy does not begin as a .npy file does: it is something else."


def test_too_large_head_number_selects_the_last_head():
    result, _ = read_your_scores(sample_file(YourScoresParams("layer_norm_mha", n_rows=8, d_k=4)), head=99)
    assert result.head == 7


def test_constant_scores_have_no_lines():
    result = measure_your_scores(np.ones((3, 2)), np.ones((3, 2)))
    assert result.report.code == "no_variation"
    assert np.isnan(result.ideal_line).all()


def test_reading_a_file_calls_check_often():
    asked = []
    file = sample_file(YourScoresParams("layer_norm_mha", n_rows=8, d_k=4))
    read_your_scores(file, check=lambda: asked.append(1))
    assert len(asked) >= 8


def test_snippet_is_valid_python_that_saves_q_and_k():
    compile(HOOK_SNIPPET, "snippet", "exec")
    assert "torch.nn.functional.scaled_dot_product_attention = keep" in HOOK_SNIPPET
    assert 'np.savez("q_and_k.npz", Q=Q, K=K)' in HOOK_SNIPPET


def test_q_and_k_saved_before_rms_norm_can_get_a_wrong_verdict():
    Q, K = 5.0 * np.random.default_rng(0).standard_normal((2, 64, 64))

    def rms_norm(rows):
        return rows / np.sqrt(np.square(rows).mean(axis=-1, keepdims=True))

    before, after = (measure_your_scores(*rows).report for rows in ((Q, K), map(rms_norm, (Q, K))))
    assert (before.code, after.code) == ("too_weak", "right")
    assert before.scaled_std[0] == pytest.approx(25, rel=0.05)
    assert after.scaled_std[0] == pytest.approx(1, rel=0.05)


def test_sample_files_hold_plain_numbers():
    name, data = sample_file(YourScoresParams("ideal", n_rows=4, d_k=3))
    assert name == "ideal.npz"
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        assert arrays["Q"].shape == (4, 3)


def test_head_outside_the_report_is_refused():
    with pytest.raises(ValueError, match="head must be between 0 and 0, but got 1"):
        measure_your_scores(np.eye(3), np.eye(3), head=1)


def test_finite_sample_lowers_the_effective_dimension():
    result = measure_your_scores(*sample_scores(YourScoresParams("ideal", n_rows=200, d_k=50)))
    assert result.ideal_effective_dimension == (50 * 199 / 250, 50 * 199 / 250)
    measured = np.array([result.shown.query.effective_dimension, result.shown.key.effective_dimension])
    np.testing.assert_allclose(measured, result.ideal_effective_dimension, rtol=0.02)


# --- properties ----------------------------------------------------------------------------------------


@settings(max_examples=30)
@given(st.sampled_from(sorted(SAMPLES)), st.integers(2, 20), st.integers(2, 9), st.integers(0, 2**32))
def test_sample_file_contains_the_sample(sample, n_rows, d_k, seed):
    params = YourScoresParams(sample, n_rows, d_k, seed)
    Q, K = sample_scores(params)
    result, problem = read_your_scores(sample_file(params))
    assert problem is None
    assert (result.report.n_queries, result.report.n_keys, result.report.d_k) == (n_rows, n_rows, d_k)
    assert Q.shape == K.shape
    # Saved as float32, with a relative rounding of 6e-8.
    assert np.allclose(result.report.heads[0].query.mean, Q.reshape(-1, n_rows, d_k)[0].mean(), rtol=0, atol=1e-5)


# --- oracles -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_kv_heads", [4, 2, 1])
def test_snippet_saves_q_and_k_of_a_pytorch_model(tmp_path, monkeypatch, n_kv_heads, torch):
    torch.manual_seed(0)

    class Attention(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.q_proj, self.k_proj = torch.nn.Linear(12, 12), torch.nn.Linear(12, 3 * n_kv_heads)

    class Layer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.self_attn = Attention()

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = torch.nn.ModuleList([Layer()])

        def forward(self, x):
            attention = self.layers[0].self_attn
            Q, K = (rows.unflatten(-1, (-1, 3)).transpose(1, 2) for rows in (attention.q_proj(x), attention.k_proj(x)))
            return torch.nn.functional.scaled_dot_product_attention(Q, K, K, enable_gqa=True)

    model, batch = Model(), torch.randn(2, 6, 12)
    monkeypatch.chdir(tmp_path)
    exec(HOOK_SNIPPET, {"model": model, "batch": batch, "n_heads": 4, "n_kv_heads": n_kv_heads})
    with np.load(tmp_path / "q_and_k.npz", allow_pickle=False) as saved:
        Q, K = (torch.tensor(saved[name])[None] for name in "QK")
        # PyTorch shares the heads of k among those of q; the file holds one head of k for each head of q.
        paired = torch.nn.functional.scaled_dot_product_attention(Q, K, K)
        torch.testing.assert_close(paired, model(batch)[:1])
    result, problem = read_your_scores(("q_and_k.npz", (tmp_path / "q_and_k.npz").read_bytes()))
    assert problem is None
    assert (result.report.n_heads, result.report.n_queries, result.report.d_k) == (4, 6, 3)
