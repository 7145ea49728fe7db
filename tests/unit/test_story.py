"""The story's measurements by spread: weights, own shares, and the rows that training puts right."""

import math

import numpy as np
import pytest

from sattn_core import story
from sattn_core.lessons.softmax_saturation import OutputsParams, measure_outputs
from sattn_core.lessons.wrong_choice import N_ROWS, N_STEPS, DimensionParams, WrongChoiceParams, measure_learning_rates

# --- properties ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("d_k", [1, 16, 1024])
def test_story_weights_are_sorted_and_intervals_contain_the_shares(d_k):
    found = story.tell_story(story.StoryParams(d_k, 3))
    np.testing.assert_allclose(found.weights.sum(axis=1), 1, rtol=1e-12)
    assert (np.diff(found.weights, axis=1) <= 0).all()
    np.testing.assert_allclose(found.spread, [d_k**0.5, 1, d_k**-0.5], rtol=1e-12)
    assert (found.low <= found.put_right / N_ROWS).all()
    assert (found.put_right / N_ROWS <= found.high).all()


@pytest.mark.parametrize("d_k", [1, 5, 64, 1024])
def test_story_agrees_with_the_measurements_of_its_lessons(d_k):
    found = story.tell_story(story.StoryParams(d_k, 2))
    curves = measure_learning_rates(WrongChoiceParams(d_k, story.N_KEYS, seed=2))
    outputs = measure_outputs(OutputsParams(story.N_KEYS, (d_k,), seed=2))
    assert found.put_right.tolist() == curves.best().tolist()
    for i, exponent in enumerate(story.EXPONENTS):
        assert found.own_share[i] == outputs.divided(exponent).own_share
    assert story.tell_story.price(found.params) == DimensionParams((d_k,), story.N_KEYS, seed=2).price


def test_uncorrected_share_and_flatness_grow_away_from_sigma_1():
    spreads = np.geomspace(1 / 64, 64, 97)
    assert (np.diff(story.uncorrected_share(spreads)) >= 0).all()
    assert (np.diff(story.flatness(spreads)) <= 0).all()
    assert story.uncorrected_share([0.1, 1.0, 2.0]).tolist() == [0, 0, 0]
    most = story.harmless_spread()
    assert story.uncorrected_share([most, 1.1 * most]).astype(bool).tolist() == [False, True]
    assert story.flatness([1.0, 32.0]).tolist() == [0, 0]


# --- oracles -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", [0, 4, 10])
def test_recorded_counts_equal_a_new_count(place):
    spread = story.STORY_SPREADS[place]
    assert story.count_uncorrected(spread) == story._UNCORRECTED[place]
    assert story.uncorrected_share(spread) == pytest.approx(story._UNCORRECTED[place] / story.STORY_ROWS, rel=1e-12)


def test_uncorrected_share_agrees_with_descent_by_torch():
    """Run plain gradient descent on q with PyTorch's autograd, at σ = 8, on other rows and at four of the rates."""
    torch = pytest.importorskip("torch")
    generator, n = torch.Generator().manual_seed(1), 200
    q = torch.randn(n, 1, 64, generator=generator, dtype=torch.float64)
    keys = torch.randn(n, story.N_KEYS, 64, generator=generator, dtype=torch.float64)
    winner = (keys @ q.mT)[..., 0].argmax(dim=-1)
    right = (winner + torch.randint(1, story.N_KEYS, (n,), generator=generator)) % story.N_KEYS
    target = torch.nn.functional.one_hot(right, story.N_KEYS).double()
    most = 0
    for rate in (0.1, 0.316, 1.0, 3.16):
        mine = q.clone().requires_grad_()
        for _ in range(N_STEPS):
            weights = torch.softmax((keys @ mine.mT)[..., 0], dim=-1)
            (slope,) = torch.autograd.grad(((weights - target) ** 2).sum() / 2, mine)
            mine = (mine - rate * slope).detach().requires_grad_()
        last = torch.softmax((keys @ mine.mT)[..., 0], dim=-1)
        most = max(most, int((last[torch.arange(n), right] > 0.5).sum()))
    share, recorded = 1 - most / n, float(story.uncorrected_share(8.0))
    error = math.sqrt(recorded * (1 - recorded) * (1 / n + 1 / story.STORY_ROWS))
    assert abs(share - recorded) < 4 * error


def test_flatness_agrees_with_mpmath():
    mpmath = pytest.importorskip("mpmath")
    for spread in (1 / 32, 0.5):
        exact = 1 - (1 - mpmath.exp(-(mpmath.mpf(spread) ** 2))) / (1 - mpmath.exp(-1))
        assert float(story.flatness(spread)) == pytest.approx(float(exact), rel=1e-13)
