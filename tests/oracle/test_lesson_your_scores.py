import math

import numpy as np
import pytest

from sattn_core.lessons.your_scores import HOOK_SNIPPET, YourScoresParams, read_your_scores, sample_scores


@pytest.mark.parametrize("n_kv_heads", [4, 2, 1])
def test_the_snippet_takes_q_and_k_out_of_a_pytorch_model(tmp_path, monkeypatch, n_kv_heads):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed; CI compares with it")
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
        # PyTorch pairs the heads of q and k itself; the saved ones are paired one to one.
        paired = torch.nn.functional.scaled_dot_product_attention(Q, K, K)
        torch.testing.assert_close(paired, model(batch)[:1])
    result, problem = read_your_scores(("q_and_k.npz", (tmp_path / "q_and_k.npz").read_bytes()))
    assert problem is None
    assert (result.report.n_heads, result.report.n_queries, result.report.d_k) == (4, 6, 3)


def test_samples_are_what_they_say():
    n, d = 1024, 32
    Q, K = sample_scores(YourScoresParams("aligned", n, d))
    assert abs((Q * K).mean() - 0.5) < 4 * math.sqrt(1.25 / (n * d))
    Q, _ = sample_scores(YourScoresParams("layer_norm_mha", n, d))
    # One start: 8·32 weights columns, each with a relative error √(2/256) of its variance, averaged over 256.
    assert abs(Q.var() - 0.5) < 4 * 0.5 * math.sqrt(2 / 256) / math.sqrt(8 * d) * math.sqrt(1 + 8 * d / n)
    Q, _ = sample_scores(YourScoresParams("heavy_tailed", n, d))
    assert abs(Q.var() - 1) < 4 * math.sqrt(29 / (n * d))
    Q, _ = sample_scores(YourScoresParams("anisotropic", n, d))
    assert abs(Q.var() - 1) < 4 * math.sqrt(2 * 4 / (n * d))
