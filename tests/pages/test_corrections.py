"""The appendix's claims about the sources; each number is computed independently."""

import re
from pathlib import Path

import numpy as np
import pytest

from pages._view.page import show
from sattn_core import projection_variance, score_variance_moments

SAID = dict(
    re.findall(r"^\| (.+) \| (.+) \|$", (Path(show.FOLDERS) / "corrections" / "prose.md").read_text("utf-8"), re.M)
)


def test_appendix_corrects_the_divisor_in_the_first_source():
    assert SAID["The scores are divided by $d_\\rho$."] == "By $\\sqrt{d_\\rho}$. The figure is missing."


def test_largest_weight_is_nearly_1_but_less():
    rng = np.random.default_rng(1)
    largest = {}
    for d_k in (4, 64, 1024):
        drawn = []
        for _ in range(400):
            scores = rng.standard_normal((10, d_k)) @ rng.standard_normal((d_k, 16))
            drawn += [1 / np.exp(row - row.max()).sum() for row in scores]
        largest[d_k] = np.mean(drawn)
    assert largest[4] < 0.6 < 0.9 < largest[1024] < 1
    assert largest[64] == pytest.approx(0.84, abs=0.02)
    assert "84 % on average at 64 with 16 keys" in SAID["All of the weight falls on one random element."]


def test_variance_is_1_with_flax_initialisation_not_pytorch_or_keras():
    """Compute a component's variance as fan-in × weight variance, with the fans of each layer's kernel."""
    width, heads = 512, 8
    fans = {
        "xavier_square": width * 2 / (width + width),
        "lecun_normal": width / width,
        "torch_multihead_attention": width * 2 / (width + 3 * width),
        "torch_linear": width / (3 * width),
        "keras_multihead_attention": width * 2 / (width * heads + width * (width // heads)),
    }
    right = {name for name, variance in fans.items() if variance == 1}
    assert right == {"xavier_square", "lecun_normal"}
    assert projection_variance("lecun_normal", width, heads).query_component == pytest.approx(1)
    said = SAID["Layer norm and Xavier make unit variance safe."]
    assert said == "With a square Xavier matrix or Flax’s start, not with those of PyTorch and Keras."


def test_sample_variance_scatters_more_within_one_matrix_product():
    rng, n, d_k = np.random.default_rng(2), 8, 16
    shared = [np.var(rng.standard_normal((n, d_k)) @ rng.standard_normal((d_k, n))) for _ in range(3_000)]
    apart = np.var(
        (rng.standard_normal((3_000, n * n, d_k)) * rng.standard_normal((3_000, n * n, d_k))).sum(-1), axis=1
    )
    assert np.std(shared) > 1.2 * np.std(apart)
    said = SAID["The top-left entry of $QK$ stands for all."]
    assert said.startswith("One of $QK^\\top$ does.")
    assert said.endswith("so their sample variance scatters more than that of independent ones.")


def test_larger_experiment_varies_between_draws_as_claimed():
    mean, variance = score_variance_moments(1111, 1111, 111)
    assert mean == pytest.approx(111, abs=0.2)
    assert np.sqrt(variance) == pytest.approx(0.65, abs=0.01)
    assert abs(110.56 - mean) < np.sqrt(variance)
