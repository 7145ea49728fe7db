import math

import numpy as np
import pytest
from scipy import stats

from sattn_core.sample_moments import SampleMoments, sample_moments


def test_sample_moments_by_hand():
    # deviations -1, -1, 1, 1 around 2: m2 = m4 = 1
    mean, variance, excess_kurtosis = sample_moments(np.array([1.0, 1.0, 3.0, 3.0]))
    assert (mean, variance, excess_kurtosis) == (2.0, 4 / 3, -2.0)


def test_equal_samples_have_no_kurtosis():
    assert np.isnan(sample_moments(np.array([2.0, 2.0]))[2])


def test_moments_of_a_matrix_are_those_of_its_entries_and_z_keeps_its_shape():
    values = np.random.default_rng(0).gamma(2.0, size=(4, 5))
    moments = SampleMoments.of(values)
    assert moments.z.shape == (4, 5)
    wanted = values.mean(), values.var(), stats.skew(values, axis=None), stats.kurtosis(values, axis=None) + 3
    np.testing.assert_allclose(moments[:4], wanted, rtol=1e-12)
    assert moments.variance(ddof=1) == pytest.approx(values.var(ddof=1), rel=1e-13)


def test_constant_values_have_a_mean_and_nothing_else():
    moments = SampleMoments.of(np.full(5, 0.1))
    assert (moments.mean, moments.m2, moments.variance(1)) == (pytest.approx(0.1), 0.0, 0.0)
    assert math.isnan(moments.kurtosis)
    assert np.isnan(moments.z).all()


def test_the_influences_on_the_kurtosis_cancel():
    values = np.random.default_rng(1).gamma(2.0, size=30)
    assert SampleMoments.of(values).kurtosis_influence().sum() == pytest.approx(0, abs=1e-10)
