"""Prices beside the work that the computations really do, counted, and the memory they hold: no clock."""

import sys
import tracemalloc
from functools import partial

import numpy as np
import pytest

from sattn_core.class_draws import phone_draws
from sattn_core.components import COMPONENT_LAWS
from sattn_core.cost import price_of
from sattn_core.key_value_memory import KeyValueMemoryParams, train_key_value_memory
from sattn_core.lessons.attention_steps import expand_cell, measure_attention_steps, preset_params
from sattn_core.lessons.backprop import (
    BackpropParams,
    ProductsParams,
    central_difference_error,
    gradient_sweep,
    measure_backprop,
    measure_products,
)
from sattn_core.lessons.derivation import DerivationParams, measure_derivation, measure_growth
from sattn_core.lessons.few_bits import FewBitsParams, few_bits_curves, large_sum, measure_few_bits, predicted_errors
from sattn_core.lessons.gradient_flow import (
    GradientFlowParams,
    freezing_rows,
    gradient_curve,
    measure_gradient_flow,
)
from sattn_core.lessons.long_context import LongContextParams, check_claims, fading_weights, simulate_fading
from sattn_core.lessons.one_query import OneQueryParams, measure_one_query
from sattn_core.lessons.scaling_rules import (
    BugParams,
    ExponentParams,
    RulesParams,
    compare_rules,
    measure_bug,
    measure_exponents,
    measure_museum,
    rule_curves,
)
from sattn_core.lessons.score_variance import ScoreVarianceParams, measure_score_variance
from sattn_core.lessons.small_samples import (
    SmallSamplesParams,
    band_curve,
    class_draws,
    draw_sweep,
    measure_large_experiment,
    measure_small_samples,
)
from sattn_core.lessons.softmax_saturation import (
    RowsParams,
    SaturationParams,
    compare_lists,
    expected_largest,
    measure_rows,
    measure_saturation,
    overflow_study,
)
from sattn_core.lessons.start import StartParams, mean_largest_weight, measure_start
from sattn_core.lessons.trained_heads import HeadParams, TrainedHeadsParams, measure_head, measure_trained_heads
from sattn_core.lessons.training_race import TransformerParams, compare_transformers
from sattn_core.lessons.unit_variance import (
    UnitVarianceParams,
    expected_stages,
    measure_shared_input,
    measure_unit_variance,
)
from sattn_core.lessons.wrong_choice import (
    WrongChoiceParams,
    follow_row,
    measure_learning_rates,
    measure_wrong_choices,
)
from sattn_core.lessons.your_scores import YourScoresParams, sample_scores
from sattn_core.pair_scores import draw_pair_scores, pair_scores_price
from sattn_core.random_walks import random_walks
from sattn_core.score_report import measure_scores
from sattn_core.short_answers import short_answers
from sattn_core.variance_curve import variance_curve
from tests.counting import count

# What a price may miss: (at most this many times too much or too little, and this much more that nobody notices).
# Numbers drawn and products are counted to a few in a hundred, all else to a factor.
MISSED = {"calls": (2, 1_500), "draws": (1.03, 2_000), "products": (1.1, 700_000), "specials": (1.7, 120_000)}
MISSED |= {"passes": (1.7, 40_000), "bytes": (2, 2_000_000)}

OCTAVES = tuple(2**j for j in range(9))
MATRIX = {"sampling": "matrix"}
LAWS = tuple(COMPONENT_LAWS)


def train(params):
    list(train_key_value_memory(params))


def measure_sample(params):
    Q, K = sample_scores(params)
    measure_scores(np.asarray(Q), np.asarray(K))


def draw_pairs(n_samples, d_k, law, **pair):
    params = ScoreVarianceParams(d_k, n_samples, law, **pair)
    draw_pair_scores(n_samples, d_k, params.pair_law, seed=0)


draw_pairs.price = lambda n, d_k, law, **pair: pair_scores_price(
    n, d_k, ScoreVarianceParams(d_k, n, law, **pair).pair_law
)

MEMORY = {"d_k": 32, "n_keys": 16, "d_model": 24, "exponents": (0.0, 0.5, 1.0), "n_seeds": 2, "n_steps": 20}
OTHER_MEMORIES = (
    {}, {"n_steps": 40}, {"d_k": 256}, {"n_keys": 64}, {"d_model": 192}, {"n_seeds": 8}, {"exponents": (0.5,) * 12},
    {"optimizer": "adam", "learning_rates": 1e-3, "d_k": 128}, {"fresh_data": True, "n_seeds": 8, "d_model": 128},
    {"train_values": True, "n_keys": 64}, {"loss": "weights", "n_keys": 64}, {"checkpoint_every": 1, "n_keys": 32},
)  # fmt: skip

CASES = [
    *(partial(train, KeyValueMemoryParams(**MEMORY | other)) for other in OTHER_MEMORIES),
    *(partial(draw_pairs, 10_000, d_k, law) for law in LAWS for d_k in (3, 100)),
    *(partial(draw_pairs, 10_000, 27, law, mean_q=1.0, correlation=0.5) for law in ("normal", "uniform", "sparse")),
    partial(draw_pairs, 70_000, 8, "laplace", mean_k=1.0),
    *(partial(measure_start, StartParams(OCTAVES, 5_000, law=law)) for law in ("normal", "sparse")),
    partial(measure_start, StartParams((64,), 1_000, 512, "laplace")),
    *(partial(mean_largest_weight, d_k, n_keys, "laplace") for d_k, n_keys in ((16, 8), (256, 64))),
    *(partial(measure_saturation, SaturationParams(n_keys, dims)) for n_keys, dims in ((16, (256,)), (64, (8,)))),
    partial(measure_rows, RowsParams(16, (4, 64, 1024))),
    partial(measure_rows, RowsParams(512, (1, 900, 1024), "student_t")),
    partial(compare_lists, ((4.0, 5.0), (1.0, 2.0, 3.0))),
    overflow_study,
    *(
        partial(measure_few_bits, FewBitsParams(*each))
        for each in ((1,), (300,), (40, "float16", "same", "before"), (200, "float8_e4m3fn", "same"))
    ),
    partial(few_bits_curves, OCTAVES, FewBitsParams(order="before")),
    partial(few_bits_curves, (1, 200), FewBitsParams(sums="same")),
    partial(large_sum, 1024, "bfloat16", "same"),
    *(partial(measure_gradient_flow, GradientFlowParams(64, n_keys)) for n_keys in (2, 128)),
    *(partial(gradient_curve, dims, n_keys=32, n_rows=n) for dims, n in ((OCTAVES, 200), ((8, 64), 2_000))),
    *(partial(freezing_rows, dims, n_keys=n_keys) for dims, n_keys in ((OCTAVES, 4), ((8, 64), 128))),
    *(partial(measure_derivation, DerivationParams(*shape)) for shape in ((1, 8_000), (64, 2_000), (512, 500))),
    partial(measure_derivation, DerivationParams(64, 2_000, nu=5.0)),
    *(partial(measure_growth, DerivationParams(*shape)) for shape in ((64, 8_000), (512, 500))),
    *(partial(measure_attention_steps, preset_params("random", d_k=d_k)) for d_k in (1, 1024)),
    partial(expand_cell, preset_params("random", d_k=64), query=0, key=0),
    partial(measure_products, ProductsParams()),
    *(partial(gradient_sweep, BackpropParams(n_tokens=n), dims) for n, dims in ((4, OCTAVES), (8, (1024,)))),
    partial(measure_head, HeadParams()),
    *(partial(measure_unit_variance, UnitVarianceParams(*shape)) for shape in ((512, 8), (64, 32), (64, 2, 256))),
    partial(measure_unit_variance, UnitVarianceParams(512, 8, scheme="normal_0_02")),
    partial(measure_unit_variance, UnitVarianceParams(768, 8)),
    *(partial(compare_rules, RulesParams(*shape)) for shape in ((1, 2), (64, 64), (512, 16))),
    *(partial(rule_curves, RulesParams(16, 16), dims=dims, n_keys=n) for dims, n in (((256,), (4,)), ((4,), (128,)))),
    *(partial(measure_bug, BugParams("fused_qkv", *shape)) for shape in ((128, 4, 64), (64, 2, 128), (256, 8, 32))),
    partial(measure_museum, BugParams("fused_qkv", 128, 4, 64)),
    partial(measure_exponents, ExponentParams(correlation=0.5), OCTAVES),
    *(partial(fading_weights, LongContextParams(8.0, d_k)) for d_k in (1, 1024)),
    partial(simulate_fading, LongContextParams()),
    *(partial(measure_one_query, OneQueryParams(d_k)) for d_k in (1, 1024)),
    *(partial(measure_score_variance, ScoreVarianceParams(8, n)) for n in (1_000, 50_000)),
    *(
        partial(measure_score_variance, ScoreVarianceParams(d_k, law=law, n_queries=m, n_keys=n, **pair, **MATRIX))
        for d_k, m, n, law, pair in (
            (64, 16, 16, "normal", {}), (4, 4, 4, "normal", {}), (1, 12, 64, "normal", {}),
            (128, 64, 256, "laplace", {}), (2, 4, 3, "laplace", {"mean_q": 1.0}), (1, 16, 16, "student_t", {}),
        )
    ),
    *(partial(variance_curve, OCTAVES, n_samples=2_000, law=law, seed=0) for law in LAWS[:3]),
    *(partial(random_walks, d_k, n_walks=n, seed=0) for d_k, n in ((1024, 6), (64, 600))),
    *(partial(measure_small_samples, SmallSamplesParams(*shape)) for shape in ((64, 1, 0, 9_000), (48, 512, 0, 10))),
    *(partial(draw_sweep, OCTAVES[:3], size=size, n_draws=n) for size, n in ((2, 9_000), (64, 300))),
    *(partial(class_draws, *each, size=size, d_k=d_k) for *each, size, d_k in ((100, 10, 2, 2), (40, 100, 16, 64))),
    partial(phone_draws, 0, 100, size=64, d_k=512),
    *(partial(band_curve, d_k=d_k) for d_k in (2, 256)),
    measure_large_experiment,
    *(
        partial(measure_wrong_choices, WrongChoiceParams(*shape))
        for shape in (
            (64,), (1024, 4), (4, 100), (64, 16, 1.0, "weights"), (64, 16, 1.0, "output", "K"),
            (64, 9, 1.0, "output", "both"),
        )
    ),
    *(partial(follow_row, WrongChoiceParams(64, 16, learns=learns), 3) for learns in ("q", "both")),
    *(partial(measure_learning_rates, WrongChoiceParams(64, n_keys)) for n_keys in (2, 20)),
    partial(measure_learning_rates, WrongChoiceParams(16, 4, learns="both")),
    *(partial(measure_sample, YourScoresParams(*each)) for each in (("ideal", 128, 64), ("layer_norm_mha", 32, 64))),
    partial(measure_sample, YourScoresParams("ideal", 600, 64)),
    partial(compare_transformers, TransformerParams()),  # what is read from a file is not counted
]  # fmt: skip
# What has one price for the most that it can be.
AT_MOST = [
    partial(expected_largest, 512, (1, 4, 1024), 0.5),
    partial(check_claims, LongContextParams()),
    short_answers,
    *(partial(each, BackpropParams(8, 16, 16, 16)) for each in (measure_backprop, central_difference_error)),
    partial(measure_trained_heads, TrainedHeadsParams()),  # what is read from a file is not counted
    partial(measure_shared_input, UnitVarianceParams(256, 2, 64)),
    *(partial(predicted_errors, FewBitsParams(d_k)) for d_k in (1, 64)),
    partial(expected_stages, OCTAVES),  # hardly any of its time is spent in NumPy
]


def name_of(call):
    """The function and what it is given."""
    if not isinstance(call, partial):
        return call.__name__
    given = (*map(repr, call.args), *(f"{name}={value!r}" for name, value in call.keywords.items()))
    return f"{call.func.__name__} {' '.join(given)}"[:90]


def forget():
    """Bands and tables that a price counts are computed anew."""
    for name, table in (
        ("matrix_bands", "_simulated_band"),
        ("score_variance", "_simulated_quantiles"),
        ("chi_square", "_table"),
        ("product_variances", "reference_distribution"),
    ):
        getattr(sys.modules[f"sattn_core.{name}"], table).cache_clear()


def priced_and_done(call):
    """The price of a call, the work it does and its peak memory, as (price, counted)."""
    args, keywords = (call.args, call.keywords) if isinstance(call, partial) else ((), {})
    call()  # the tables that no price counts are remembered
    forget()
    counted = count(call)
    forget()
    tracemalloc.start()
    call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return price_of(getattr(call, "func", call), *args, **keywords), counted.holding(peak)


def too_little(less, more):
    """In what `less` does not cover `more`."""
    pairs = ((kind, getattr(less, kind), getattr(more, kind)) for kind in MISSED)
    return [each for each in pairs if each[2] > MISSED[each[0]][0] * each[1] + MISSED[each[0]][1]]


@pytest.mark.parametrize("call", [*CASES, *AT_MOST], ids=name_of)
def test_a_price_counts_the_work_that_is_done(call):
    price, counted = priced_and_done(call)
    assert not too_little(price, counted)
    assert call in AT_MOST or not too_little(counted, price)
