import json

import numpy as np
import pytest

from sattn_core.training import trained_transformers as module
from sattn_core.training.trained_transformers import FILE, RATES, WAYS, trained_transformers

OF_MODEL = ("train_loss", "held_out_loss", "accuracy", "gradient_norm")


@pytest.fixture(scope="module")
def kept():
    return trained_transformers()


def test_record_has_all_variants_and_rates_5_seeds_and_about_30_steps(kept):
    about = kept.about
    shape = len(WAYS), len(RATES), len(about["seeds"]), len(kept.steps)
    assert shape[2] >= 5
    assert 25 <= shape[3] <= 35
    assert (kept.steps[0], kept.steps[-1]) == (0, about["n_steps"])
    assert (np.diff(kept.steps) > 0).all()
    assert {getattr(kept, name).shape for name in OF_MODEL} == {shape}
    heads = about["n_layers"], about["n_heads"]
    assert kept.score_std.shape == kept.entropy_nats.shape == (*shape, *heads)


def test_measurements_are_within_their_bounds(kept):
    assert (kept.accuracy >= 0).all()
    assert (kept.accuracy <= 1).all()
    assert (kept.held_out_loss > 0).all()
    assert (kept.score_std > 0).all()
    assert (kept.entropy_nats >= -1e-6).all()
    assert (kept.entropy_nats <= kept.about["most_entropy"] + 1e-4).all()  # rounding of float32
    uniform = np.log(kept.about["n_tokens"])
    assert (abs(kept.held_out_loss[..., 0] - uniform) < 0.3).all()  # nothing is learnt before the first step


def test_all_rates_start_equal_and_first_spreads_follow_the_scale(kept):
    for name in (*OF_MODEL, "score_std", "entropy_nats"):
        first = getattr(kept, name)[:, :, :, 0]
        np.testing.assert_array_equal(first, first[:, :1].repeat(len(RATES), axis=1))
    raw, root, whole, _ = kept.score_std[:, 0, :, 0, 0]  # the first layer has the same input in every variant
    np.testing.assert_allclose(raw, 8 * root, rtol=1e-5)
    np.testing.assert_allclose(root, 8 * whole, rtol=1e-5)


def test_most_entropy_is_the_mean_entropy_of_uniform_rows(kept):
    rows = np.arange(kept.about["fewest_keys"], kept.about["context"] + 1)
    assert kept.about["most_entropy"] == pytest.approx(np.log(rows).mean(), rel=1e-12)


def test_record_is_read_once_read_only_and_small(kept):
    assert trained_transformers() is kept
    with pytest.raises(ValueError, match="read-only"):
        kept.score_std[0] = 1
    assert FILE.stat().st_size < 1_000_000


def test_record_with_other_variants_is_refused(monkeypatch, tmp_path):
    other = tmp_path / FILE.name
    with np.load(FILE) as kept:
        about = json.loads(str(kept["about"])) | {"ways": ["raw"]}
        np.savez(other, **{name: kept[name] for name in kept.files} | {"about": np.array(json.dumps(about))})
    monkeypatch.setattr(module, "FILE", other)
    trained_transformers.cache_clear()
    with pytest.raises(ValueError, match="must hold the ways"):
        trained_transformers()
    trained_transformers.cache_clear()
