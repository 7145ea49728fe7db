"""Params of every lesson: values out of range are refused by name, and the seed alone decides the draw."""

import dataclasses
import inspect
import math
import re

import numpy as np
import pytest

from sattn_core.laws.components import draw_queries_and_keys
from sattn_core.lessons.backprop import BackpropParams, measure_backprop
from sattn_core.lessons.derivation import DerivationParams, measure_derivation
from sattn_core.lessons.few_bits import FewBitsParams, measure_few_bits
from sattn_core.lessons.gradient_flow import GradientFlowParams, measure_gradient_flow
from sattn_core.lessons.long_context import LongContextParams
from sattn_core.lessons.one_query import OneQueryParams
from sattn_core.lessons.scaling_rules import BugParams, ExponentParams, RulesParams, compare_rules, measure_bug
from sattn_core.lessons.score_variance import ScoreVarianceParams, measure_score_variance
from sattn_core.lessons.small_samples import SmallSamplesParams, measure_small_samples
from sattn_core.lessons.softmax_saturation import OutputsParams, RowsParams, measure_rows
from sattn_core.lessons.start import StartParams, measure_start
from sattn_core.lessons.training_race import TrainingRaceParams
from sattn_core.lessons.unit_variance import UnitVarianceParams, measure_unit_variance
from sattn_core.lessons.wrong_choice import WrongChoiceParams, measure_wrong_choices
from sattn_core.lessons.your_scores import YourScoresParams, sample_scores
from sattn_core.training.key_value_memory import KeyValueMemoryParams, train_key_value_memory

BACK, DERIVE, FLOW, MEMORY = BackpropParams, DerivationParams, GradientFlowParams, KeyValueMemoryParams
RACE, ROW, OUTPUTS, SMALL = TrainingRaceParams, RowsParams, OutputsParams, SmallSamplesParams
SPREAD, UNIT, YOURS = ScoreVarianceParams, UnitVarianceParams, YourScoresParams
WRONG = WrongChoiceParams
NEEDED = {
    OneQueryParams: {"d_k": 4},
    ROW: {"n_keys": 8, "dims": (1, 2)},
    OUTPUTS: {"n_keys": 8, "dims": (2,)},
    SPREAD: {"d_k": 4},
    WRONG: {"d_k": 4},
}
SEEDED = [
    OneQueryParams, BugParams, ExponentParams, RulesParams, LongContextParams, BACK, DERIVE, FLOW, MEMORY, RACE, ROW,
    OUTPUTS, SMALL, SPREAD, UNIT, WRONG, YOURS, FewBitsParams,
]  # fmt: skip
REFUSED = [
    (BACK, {"n_tokens": 9}, "n_tokens must be between 1 and 8, but got 9"),
    (BACK, {"d_k": 1025}, "d_k must be between 1 and 1024, but got 1025"),
    (BACK, {"d_model": 0}, "d_model must be between 1 and 16, but got 0"),
    (BACK, {"exponent": 1.5}, "exponent must be a finite number in [0, 1], but got 1.5"),
    (BACK, {"mask": "some"}, "mask must be one of none, causal, fully_masked, but got 'some'"),
    (DERIVE, {"d_k": 0}, "d_k must be between 1 and 4096, but got 0"),
    (DERIVE, {"n_samples": 99}, "n_samples must be between 100 and 100000, but got 99"),
    (DERIVE, {"mean_k": 11.0}, "mean_k must be a finite number in [-10, 10], but got 11"),
    (DERIVE, {"variance_q": 0.0}, "variance_q must be a finite number in (0, 100], but got 0"),
    (DERIVE, {"correlation": 1.5}, "correlation must be a finite number in [-1, 1], but got 1.5"),
    (DERIVE, {"component_correlation": -0.1}, "component_correlation must be a finite number in [0, 1]"),
    (DERIVE, {"nu": 1.4}, "nu must be a finite number in [1.5, 100], but got 1.4"),
    (DERIVE, {"nu": 3.0, "correlation": 0.1}, "nu must be None where a correlation is not 0, but got 3"),
    (LongContextParams, {"score": 0.5}, "score must be a finite number in [1, 14], but got 0.5"),
    (LongContextParams, {"d_k": 1025}, "d_k must be between 1 and 1024, but got 1025"),
    (LongContextParams, {"n_train": 31}, "n_train must be between 32 and 131072, but got 31"),
    (FewBitsParams, {"d_k": 1025}, "d_k must be between 1 and 1024, but got 1025"),
    (FewBitsParams, {"format": "float32"}, "format must be one of float16, bfloat16, float8_e4m3fn, but got 'float32'"),
    (FewBitsParams, {"sums": "16"}, "sums must be one of float32, same, but got '16'"),
    (FewBitsParams, {"order": "never"}, "order must be one of after, before, but got 'never'"),
    (FewBitsParams, {"size": 65.0}, "size must be a finite number in (0, 64], but got 65"),
    (FLOW, {"d_k": 0}, "d_k must be between 1 and 4096, but got 0"),
    (FLOW, {"n_keys": 1}, "n_keys must be between 2 and 1024, but got 1"),
    (FLOW, {"n_rows": 9}, "n_rows must be between 10 and 100000, but got 9"),
    (OneQueryParams, {"d_k": 0}, "d_k must be between 1 and 1024, but got 0"),
    (OneQueryParams, {"d_k": 1025}, "d_k must be between 1 and 1024, but got 1025"),
    (ExponentParams, {"exponent": 1.5}, "exponent must be a finite number in [0, 1]"),
    (ExponentParams, {"correlation": 2.0}, "correlation must be"),
    (RulesParams, {"n_keys": 1}, "n_keys must be between 2 and 4096"),
    (BugParams, {"bug": "none"}, "bug must be one of d_model, forgotten"),
    (BugParams, {"n_heads": 3}, "n_heads must divide d_model = 512, but got 3"),
    (SPREAD, {"d_k": 0}, "d_k must be at least 1, but got 0"),
    (SPREAD, {"n_samples": 3}, "n_samples must be at least 4, but got 3"),
    (SPREAD, {"law": "cauchy"}, "law must be one of normal"),
    (SPREAD, {"correlation": 2}, "correlation must be a finite number in [-1, 1], but got 2"),
    (SPREAD, {"sampling": "rows"}, "sampling must be one of pairs, matrix, but got 'rows'"),
    (SPREAD, {"n_queries": 1}, "n_queries must be at least 2, but got 1"),
    (SPREAD, {"n_keys": 1}, "n_keys must be at least 2, but got 1"),
    (SPREAD, {"mean_q": math.inf}, "mean_q must be a finite number"),
    (SPREAD, {"correlation": 0.5, "sampling": "matrix"}, "correlation must be 0 when sampling"),
    (SMALL, {"size": 1}, "size must be between 2 and 64, but got 1"),
    (SMALL, {"d_k": 0}, "d_k must be between 1 and 1024"),
    (SMALL, {"ddof": 2}, "ddof must be between 0 and 1"),
    (SMALL, {"n_draws": 0}, "n_draws must be between 1 and 10000"),
    (SMALL, {"size": 64, "d_k": 1024, "n_draws": 10_001}, "n_draws must be between 1 and 10000, but got 10001"),
    (ROW, {"n_keys": 1}, "n_keys must be between 2 and 4096, but got 1"),
    (ROW, {"dims": (2, 2)}, "dims must be strictly increasing"),
    (ROW, {"dims": (1, 5000)}, "the largest entry of dims must be between 1 and 4096, but got 5000"),
    (ROW, {"law": "cauchy"}, "law must be one of normal"),
    (ROW, {"dims": ()}, "dims must hold at least one dimension"),
    (ROW, {"n_rows": 30}, "n_rows must be a multiple of 20, but got 30"),
    (ROW, {"n_rows": 0}, "n_rows must be between 20 and 625000, but got 0"),
    (OUTPUTS, {"dims": (1, 2)}, "dims must hold one dimension, but got 2"),
    (OUTPUTS, {"n_keys": 4096, "n_rows": 2000}, "n_rows must be between 20 and 1220, but got 2000"),
    (RACE, {"exponents": ()}, "exponents must hold between 1 and 8 numbers, but got 0"),
    (RACE, {"exponents": (1.5,)}, "an entry of exponents must be a finite number in [0, 1]"),
    (RACE, {"learning_rate": 0.0}, "learning_rate must be"),
    (RACE, {"learning_rates": (1.0, 2.0)}, "one number for each of the 3 runs, but got 2"),
    (RACE, {"n_steps": 0}, "n_steps must be between 1 and 20000"),
    (RACE, {"optimizer": "lion"}, "optimizer must be one of sgd, adam"),
    (MEMORY, {"d_k": 0}, "d_k must be between 1 and 1024, but got 0"),
    (MEMORY, {"n_keys": 1}, "n_keys must be between 2 and 256"),
    (MEMORY, {"optimizer": "lion"}, "optimizer must be one of sgd, adam"),
    (MEMORY, {"loss": "l1"}, "loss must be one of output, weights"),
    (MEMORY, {"exponents": ()}, "exponents must hold between 1 and 256 runs, but got 0"),
    (MEMORY, {"learning_rates": (1.0,)}, "one number for each of the 3 runs, but got 1"),
    (MEMORY, {"learning_rates": 0.0}, "an entry of learning_rates must be"),
    (MEMORY, {"fresh_data": 1}, "fresh_data must be True or False, but got 1"),
    (UNIT, {"d_model": 1}, "d_model must be between 2 and 2048"),
    (UNIT, {"n_heads": 7}, "n_heads must divide d_model = 512, but got 7"),
    (UNIT, {"n_tokens": 1}, "n_tokens must be between 2 and 256"),
    (UNIT, {"x_std": 0.0}, "x_std must be a finite number"),
    (UNIT, {"law": "cauchy"}, "law must be one of"),
    (UNIT, {"scheme": "zeros"}, "scheme must be one of"),
    (UNIT, {"normalise": "yes"}, "normalise must be True or False, but got 'yes'"),
    (WRONG, {"d_k": 1025}, "d_k must be between 1 and 1024, but got 1025"),
    (WRONG, {"n_keys": 1}, "n_keys must be between 2 and 512, but got 1"),
    (WRONG, {"learning_rate": 0.0}, "learning_rate must be a finite number in (0, 1e+06], but got 0"),
    (WRONG, {"loss": "l1"}, "loss must be one of output, weights"),
    (WRONG, {"learns": "V"}, "learns must be one of q, K, both, but got 'V'"),
    (YOURS, {"sample": "mine"}, "sample must be one of ideal"),
    (YOURS, {"n_rows": 1}, "n_rows must be between 2 and 1024"),
    (YOURS, {"d_k": 1}, "d_k must be between 2 and 256"),
]


@pytest.mark.parametrize(("params", "changes", "message"), REFUSED)
def test_out_of_range_params_are_refused_by_name(params, changes, message):
    error = TypeError if "True or False" in message else ValueError
    with pytest.raises(error, match=re.escape(message)):
        params(**NEEDED.get(params, {}) | changes)


@pytest.mark.parametrize("params", SEEDED)
def test_seed_must_be_a_natural_number(params):
    with pytest.raises(ValueError, match="seed must be at least 0, but got -1"):
        params(**NEEDED.get(params, {}), seed=-1)
    with pytest.raises(TypeError, match=r"seed must be an integer, but got 1\.5"):
        params(**NEEDED.get(params, {}), seed=1.5)


def numbers_of(value):
    """Return every number in a result, in order."""
    if dataclasses.is_dataclass(value) or isinstance(value, dict):
        value = list((value if isinstance(value, dict) else vars(value)).values())
    if isinstance(value, (list, tuple)) or inspect.isgenerator(value):
        return [number for each in value for number in numbers_of(each)]
    return np.ravel(value).tolist() if isinstance(value, (np.ndarray, float)) else []


DRAWN = {
    "components": lambda seed: draw_queries_and_keys(4, 3, 8, law="laplace", correlation=0.3, seed=seed),
    "key_value_memory": lambda seed: train_key_value_memory(MEMORY(8, 4, n_seeds=2, n_steps=4, seed=seed)),
    "backprop": lambda seed: measure_backprop(BACK(seed=seed)).gradients,
    "derivation": lambda seed: measure_derivation(DERIVE(n_samples=100, correlation=0.3, seed=seed)),
    "few_bits": lambda seed: measure_few_bits(FewBitsParams(4, seed=seed)).raw.found,
    "gradient_flow": lambda seed: measure_gradient_flow(FLOW(n_keys=3, n_rows=40, seed=seed)),
    "scaling_rules": lambda seed: compare_rules(RulesParams(16, 8, seed=seed)).rules,
    "bugs": lambda seed: measure_bug(BugParams(d_model=64, seed=seed)).output_error,
    "score_variance": lambda seed: measure_score_variance(SPREAD(16, n_samples=50, seed=seed)),
    "small_samples": lambda seed: measure_small_samples(SMALL(n_draws=9, seed=seed)).variances,
    "softmax_saturation": lambda seed: measure_rows(ROW(8, (1, 20), n_rows=40, seed=seed)),
    "start": lambda seed: measure_start(StartParams((1, 20), n_samples=50, seed=seed)),
    "unit_variance": lambda seed: measure_unit_variance(UNIT(64, 4, 8, seed=seed)).stages,
    "wrong_choice": lambda seed: measure_wrong_choices(WRONG(4, 4, seed=seed)).right_weight,
    "your_scores": lambda seed: sample_scores(YOURS("anisotropic", 20, 8, seed)),
}


@pytest.mark.parametrize("draw", DRAWN.values(), ids=DRAWN)
def test_same_seed_repeats_the_numbers_and_another_seed_changes_them(draw):
    first, second, other = (numbers_of(draw(seed)) for seed in (1, 1, 2))
    assert len(first) > 0
    np.testing.assert_array_equal(first, second)
    assert not np.array_equal(first, other, equal_nan=True)
