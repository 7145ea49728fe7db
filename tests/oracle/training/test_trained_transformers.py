"""Script that made the record: its model and measurements agree with PyTorch, and a rerun repeats its first steps."""

import numpy as np
import pytest

from sattn_core.lessons.training_race import predicted_std
from sattn_core.training.trained_transformers import RATES, WAYS, trained_transformers

torch = pytest.importorskip("torch", reason="PyTorch is not installed; CI compares with it")
from tests.records import transformer  # noqa: E402  # which imports PyTorch

RATE, SEED, N_STEPS = 0.003, 1, 5


@pytest.fixture(scope="module")
def tokens():
    return transformer.read_text()[0]


@pytest.mark.parametrize("way", WAYS)
def test_short_training_agrees_with_the_first_steps_of_the_record(way):
    kept, at = trained_transformers(), (WAYS.index(way), RATES.index(RATE), SEED)
    found = transformer.train(transformer.Run(way, RATE, SEED), N_STEPS)
    n = int((kept.steps <= N_STEPS).sum())
    assert n >= 4
    for name, values in found.items():
        expected = getattr(kept, name)[at][:n]
        np.testing.assert_allclose(values, expected.reshape(values.shape), **transformer.EARLY_TOLERANCE, err_msg=name)


def test_the_record_stores_the_settings_of_the_script():
    about = trained_transformers().about
    assert {name: _as_json(each) for name, each in transformer.about().items()} == about
    assert (transformer.WAYS, transformer.RATES) == (WAYS, RATES)
    assert 400_000 < about["n_parameters"] < 700_000
    sizes = [
        sum(each.numel() for each in transformer.Decoder(way, about["n_tokens"]).parameters())
        for way in ("root", "qk_norm")
    ]
    assert sizes == [about["n_parameters"], about["n_parameters"] + 4 * about["n_layers"] * about["d_k"]]


def _as_json(value):
    return list(value) if isinstance(value, tuple) else value


def test_text_with_another_checksum_is_refused(tmp_path):
    other = tmp_path / "other.py"
    other.write_text("another text")
    with pytest.raises(ValueError, match=r"other.py must be that of the pinned PyTorch, sha256 38bd.*, but got"):
        transformer.read_text(other)


@pytest.mark.parametrize("way", WAYS)
def test_attention_of_the_model_agrees_with_pytorch(way):
    """Compare with PyTorch's causal `scaled_dot_product_attention` at the same scale."""
    torch.manual_seed(0)
    model = transformer.Attention(way)
    x = torch.randn(2, 10, transformer.D_MODEL)
    q, k, v = (layer(x).unflatten(-1, (transformer.N_HEADS, -1)).transpose(1, 2) for layer in model.to_qkv)
    if way == "qk_norm":
        q, k = (torch.nn.functional.layer_norm(each, (transformer.D_K,)) for each in (q, k))
    scale = transformer.D_K ** -transformer.EXPONENTS[way]
    expected = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True, scale=scale)
    found = model(x, seen := [])
    torch.testing.assert_close(found, model.out(expected.transpose(1, 2).flatten(2)), atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(seen[0], scale * q @ k.mT, atol=1e-5, rtol=1e-5)


def test_spread_and_entropy_agree_with_direct_formulas_for_each_row():
    torch.manual_seed(0)
    scores = 3 * torch.randn(2, 3, 12, 12)
    std, entropy = transformer.rows_of(scores)
    rows = [scores[:, :, i, : i + 1] for i in range(transformer.FEWEST_KEYS - 1, 12)]
    variances = torch.stack([row.var(-1, correction=0) for row in rows], -1)
    entropies = torch.stack([torch.distributions.Categorical(logits=row).entropy() for row in rows], -1)
    torch.testing.assert_close(std, variances.mean((0, 2)).sqrt())
    torch.testing.assert_close(entropy, entropies.mean((0, 2)))


def test_all_ways_share_initial_weights_and_all_text_is_used(tokens):
    starts = []
    for way in WAYS:
        torch.manual_seed(SEED)
        starts.append(dict(transformer.Decoder(way, transformer.read_text()[1]).named_parameters()))
    for name, values in starts[0].items():
        assert all(torch.equal(values, other[name]) for other in starts)
    trained, held_out = transformer.parts(tokens)
    assert len(trained) + len(held_out) == len(tokens)
    assert len(held_out) == round(transformer.HELD_OUT * len(tokens))


def test_initial_spread_is_slightly_below_its_prediction():
    """Allow 6 %: rows have as few as eight keys, and repeated characters."""
    kept = trained_transformers()
    first = np.sqrt((kept.score_std[:, 0, :, 0] ** 2).mean(axis=(1, 2, 3)))
    assert (first < predicted_std(kept.about)).all()
    np.testing.assert_allclose(first, predicted_std(kept.about), rtol=0.06)


def test_rebuild_reports_differences_from_the_stored_record():
    with np.load(transformer.KEPT) as file:
        kept = dict(file)
    assert list(transformer.compare(kept, kept)) == []
    loss = kept["held_out_loss"]
    first, last = loss.copy(), loss.copy()
    first[0, 0, 0, 1] += 0.1
    last[WAYS.index("root"), RATES.index(0.003), :, -1] += 0.15
    differs = [list(transformer.compare(kept | {"held_out_loss": each}, kept)) for each in (first, last)]
    assert differs[0] == ["held_out_loss differs by up to 0.1 in the first 5 steps"]
    assert differs[1] == ["the mean held-out loss differs by up to 0.15 after the last step"]
    (otherwise,) = transformer.compare(kept | {"about": np.array("{}")}, kept)
    assert otherwise.startswith("they are made in another way: {}, but kept is ")
