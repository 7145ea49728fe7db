"""Softmax against mpmath, SciPy and finite differences."""

import numpy as np
import pytest
from scipy import special

from sattn_core.softmax import (
    entropy_nats,
    log_softmax,
    log_softmax_jacobian_norm,
    softmax,
    softmax_jacobian,
    softmax_jacobian_norm,
)

# scores, norm of the Jacobian, entropy, ln norm, by mpmath with 700 digits:
#   e = [exp(s)], p = e / sum(e), q = sum(p²); sqrt(q - 2 sum(p³) + q²) and -sum(p ln p)
LITERALS = [
    ([0, 40], 8.4967085105831779e-18, 1.7418252446695515e-16, -39.306852819440055),
    ([0, 700], 1.9719353087519542e-304, 6.9116332571755994e-302, -699.30685281944005),
    ([4, 5], 0.39322386648296371, 0.58220310888821795, -0.93337619447650036),
    ([1, 10], 0.00024675869952969782, 0.0012339533735993444, -8.3070996238195012),
    ([2, 2, 2], 0.47140452079103168, 1.0986122886681097, -0.75203869838813704),
    ([0, 0, 600], 8.38128981015281e-261, 3.1857766567111816e-258, -598.84870745350298),
    ([1, 2.5, -3, 0.25], 0.31433874502234027, 0.73312448389798635, -1.1572840687630589),
    ([0, -300, -301, -650], 1.1826414372235505e-130, 2.1215712072456234e-128, -299.16831164634882),
]


@pytest.mark.parametrize(("scores", "norm", "entropy", "log_norm"), LITERALS)
def test_norm_and_entropy_agree_with_mpmath(scores, norm, entropy, log_norm):
    # exp(-700) turns half an ulp of its argument into 6e-14 relative.
    assert softmax_jacobian_norm(scores) == pytest.approx(norm, rel=1e-12, abs=0)
    assert entropy_nats(scores) == pytest.approx(entropy, rel=1e-12, abs=0)
    assert log_softmax_jacobian_norm(scores) == pytest.approx(log_norm, rel=1e-14)


def test_facts_of_the_two_lists():
    np.testing.assert_allclose(softmax([4, 5]), [0.268941, 0.731059], atol=5e-7)
    np.testing.assert_allclose(softmax([1, 10]), [1.23395e-4, 0.999877], atol=5e-7)
    assert softmax([1, 10])[0] == pytest.approx(1.23395e-4, rel=5e-6)
    ratio = softmax_jacobian_norm([4, 5]) / softmax_jacobian_norm([1, 10])
    assert ratio == pytest.approx(1593.56, abs=0.005)


@pytest.mark.parametrize("spread", [0.1, 1.0, 10.0, 300.0])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_weights_agree_with_scipy(spread, axis):
    scores = spread * np.random.default_rng(5).standard_normal((4, 5, 6))
    # Both subtract the largest score; what is left is the order of one sum.
    np.testing.assert_allclose(softmax(scores, axis), special.softmax(scores, axis), rtol=1e-13)
    # SciPy takes ln of the sum where this module takes log1p of the others: 1e-16 absolute apart.
    expected = special.log_softmax(scores, axis)
    np.testing.assert_allclose(log_softmax(scores, axis), expected, rtol=1e-14, atol=4e-16)


def test_entropy_agrees_with_scipy_where_weights_are_not_tiny():
    scores = np.random.default_rng(6).standard_normal((50, 40))
    expected = special.entr(special.softmax(scores, axis=-1)).sum(axis=-1)
    np.testing.assert_allclose(entropy_nats(scores), expected, rtol=1e-13)


def test_jacobian_agrees_with_central_differences():
    scores = np.random.default_rng(7).standard_normal((3, 6))
    step = 6e-6
    shifts = step * np.eye(6)
    # [row, i, j] = d p_j / d s_i, which is symmetric
    slopes = (softmax(scores[:, None] + shifts) - softmax(scores[:, None] - shifts)) / (2 * step)
    # error step² / 6 times a third derivative below 1, plus 1e-16 / step of rounding
    np.testing.assert_allclose(softmax_jacobian(scores), slopes, atol=1e-10)


def test_wide_rows_agree_with_the_matrix_they_avoid():
    scores = 3 * np.random.default_rng(8).standard_normal(1500)
    assert softmax_jacobian_norm(scores) == pytest.approx(np.linalg.norm(softmax_jacobian(scores)), rel=1e-12)
