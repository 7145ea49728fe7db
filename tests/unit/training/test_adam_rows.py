"""The record of descent with Adam: its counts, and its script compared with the core's draws and with PyTorch."""

import json

import numpy as np
import pytest

from sattn_core.lessons.wrong_choice import LEARNING_RATES, N_ROWS
from sattn_core.training import adam_rows
from sattn_core.training.wrong_rows import draw_wrong_rows
from tests.records import adam_rows as script


def test_record_is_small_complete_and_documented():
    found = adam_rows.adam_rows()
    assert adam_rows.FILE.stat().st_size < 3_000
    assert json.loads(json.dumps(script.about())) == found.about
    assert found.put_right.shape == (len(adam_rows.SEEDS), len(adam_rows.DIMS), 3, len(LEARNING_RATES))
    assert ((found.put_right >= 0) & (found.put_right <= N_ROWS)).all()
    assert not found.put_right.flags.writeable


def test_a_record_with_other_sizes_is_refused(monkeypatch, tmp_path):
    other = tmp_path / "other.npz"
    np.savez(other, about=np.array(json.dumps(script.about() | {"dims": [4]})), put_right=np.zeros(1))
    monkeypatch.setattr(adam_rows, "FILE", other)
    adam_rows.adam_rows.cache_clear()
    with pytest.raises(ValueError, match=r"other.npz must hold d_k = \(4, 8, .*, but says"):
        adam_rows.adam_rows()


@pytest.mark.parametrize(("d_k", "seed"), [(4, 3), (16, 0)])
def test_script_reproduces_the_recorded_counts(d_k, seed):
    kept = adam_rows.adam_rows().put_right[adam_rows.SEEDS.index(seed), adam_rows.DIMS.index(d_k)]
    assert np.abs(script.counts(d_k, seed) - kept).max() <= script.TOLERANCE


def test_script_and_lesson_have_the_same_rows():
    rows = draw_wrong_rows(64, 16, range(7, 9), seed=2)
    for i in range(2):
        q, K, right = script.drawn(64, 7 + i, 2)
        np.testing.assert_allclose(rows.raw_scores[i], K @ q, rtol=1e-12)
        assert right == rows.right_key[i]


def test_adam_of_pytorch_takes_the_same_steps(torch):
    q, K, right = script.drawn(12, 0, 5, n_keys=5)
    scales, rates = np.array([1.0, 12**-0.5, 1 / 12]), np.array([0.02, 0.1, 3.0])
    found = script.right_weights(q, K, right, scales, rates, 40)
    assert (np.abs(found[-1] - found[0]) > 1e-3).all()  # something is learnt in each column
    for column, (scale, rate) in enumerate(zip(scales, rates, strict=True)):
        query, keys = torch.tensor(q, requires_grad=True), torch.tensor(K)
        optimizer = torch.optim.Adam([query], lr=float(rate), betas=script.BETAS, eps=script.EPS)
        for step in range(41):
            p = torch.softmax(scale * (keys @ query), 0)
            np.testing.assert_allclose(found[step, column], p[right].item(), rtol=1e-7, atol=1e-12)
            optimizer.zero_grad()
            (0.5 * ((p - torch.eye(5, dtype=p.dtype)[right]) ** 2).sum()).backward()
            optimizer.step()
