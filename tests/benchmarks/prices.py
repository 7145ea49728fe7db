"""How prices and the clock agree: the counted work of a price times the rates measured here, over the CPU time."""

import statistics
from functools import partial

from ratios import Row

from pages._view import rates
from sattn_core.cost import price_of
from sattn_core.lessons.attention_steps import expand_cell, expand_output, measure_attention_steps, preset_params
from sattn_core.lessons.backprop import (
    BackpropParams,
    ProductsParams,
    central_difference_error,
    first_order_change,
    gradient_sweep,
    measure_backprop,
    measure_products,
)
from sattn_core.lessons.derivation import DerivationParams, measure_derivation, measure_growth
from sattn_core.lessons.few_bits import FORMATS, SUMS, FewBitsParams, few_bits_curves, measure_few_bits
from sattn_core.lessons.gradient_flow import (
    DEFAULT_DIMS,
    GradientFlowParams,
    freezing_rows,
    gradient_curve,
    measure_gradient_flow,
)
from sattn_core.lessons.scaling_rules import (
    BugParams,
    ExponentParams,
    RulesParams,
    compare_rules,
    measure_bug,
    measure_exponents,
    rule_curves,
)
from sattn_core.lessons.score_variance import (
    ScoreVarianceParams,
    measure_score_variance,
    random_walks,
    variance_curve,
)
from sattn_core.lessons.small_samples import (
    SmallSamplesParams,
    band_curve,
    class_draws,
    draw_sweep,
    measure_large_experiment,
    measure_small_samples,
)
from sattn_core.lessons.softmax_saturation import RowsParams, SaturationParams, measure_rows, measure_saturation
from sattn_core.lessons.start import StartParams, measure_start
from sattn_core.lessons.training_race import TrainingRaceParams, measure_training_race
from sattn_core.lessons.unit_variance import UnitVarianceParams, measure_shared_input, measure_unit_variance
from tests.unit.test_cost import forget, name_of

POWERS = tuple(2**j for j in range(11))
MATRIX = {"sampling": "matrix"}
RACES = (
    {"n_steps": 50},
    {"optimizer": "adam", "learning_rate": 1e-3, "n_steps": 40, "n_seeds": 3},
    {"d_k": 8, "n_keys": 4, "n_steps": 100, "n_seeds": 1, "exponents": (0.0,)},
    {"d_k": 512, "n_steps": 10, "n_seeds": 2, "learning_rate": 1e-3},
    {"d_k": 512, "n_steps": 8, "n_seeds": 2, "learning_rate": 1e-3, "optimizer": "adam"},
    {"n_keys": 64, "n_steps": 10, "n_seeds": 3, "train_values": True, "learning_rate": 0.01},
    {"n_keys": 16, "n_steps": 40, "fresh_data": True, "loss": "weights", "learning_rate": 0.01},
)

DIMS = tuple(range(1, 1025, 20))
CASES = [
    *((measure_start, StartParams(DEFAULT_DIMS, 5_000, law=law)) for law in ("normal", "uniform", "student_t")),
    (measure_start, StartParams((64,), n_samples=1_000, n_keys=512)),
    (measure_saturation, SaturationParams(16, POWERS)),
    (measure_saturation, SaturationParams(512, POWERS)),
    *((measure_rows, RowsParams(n_keys, (4, 64, 1024), law)) for n_keys in (2, 512) for law in ("normal", "student_t")),
    *((measure_few_bits, FewBitsParams(d_k, name, sums)) for d_k in (1, 1024) for name in FORMATS for sums in SUMS),
    *((measure_gradient_flow, GradientFlowParams(64, n_keys)) for n_keys in (2, 16, 512)),
    *((measure_derivation, DerivationParams(d_k, 2_000)) for d_k in (1, 64, 1024)),
    *((measure_derivation, DerivationParams(256, 2_000, nu=nu)) for nu in (1.5, 5.0)),
    *((measure_growth, DerivationParams(1024, 2_000, nu=nu)) for nu in (None, 1.5, 5.0)),
    *((measure_attention_steps, preset_params("random", d_k=d_k)) for d_k in (1, 64, 1024)),
    (partial(expand_cell, query=0, key=0), preset_params("random", d_k=64)),
    (partial(expand_output, query=0, column=0), preset_params("random", d_k=64)),
    (measure_products, ProductsParams()),
    *((each, BackpropParams(d_k=16)) for each in (measure_backprop, first_order_change, central_difference_error)),
    (measure_unit_variance, UnitVarianceParams(512, 8)),
    (measure_unit_variance, UnitVarianceParams(2, 2)),
    (measure_unit_variance, UnitVarianceParams(2048, 2)),
    (measure_unit_variance, UnitVarianceParams(2048, 64, scheme="xavier_square")),
    (measure_shared_input, UnitVarianceParams(2048, 2, n_tokens=16)),
    *((compare_rules, RulesParams(d_k, n_keys)) for d_k, n_keys in ((1, 2), (64, 16), (1024, 512))),
    (measure_bug, BugParams("fused_qkv")),
    *((measure_score_variance, ScoreVarianceParams(d_k)) for d_k in (1, 1024)),
    *((measure_score_variance, ScoreVarianceParams(d_k, 200_000)) for d_k in (64, 895)),
    (measure_score_variance, ScoreVarianceParams(1023, 100_000, mean_q=0.5, correlation=0.5)),
    (measure_score_variance, ScoreVarianceParams(1024, 200_000, "rademacher", mean_k=1.0)),
    (measure_score_variance, ScoreVarianceParams(895, 100_000, "sparse")),
    *((measure_score_variance, ScoreVarianceParams(32, 50_000, law)) for law in ("uniform", "laplace", "student_t")),
    (measure_score_variance, ScoreVarianceParams(32, 50_000, "sparse", correlation=0.5)),
    (measure_score_variance, ScoreVarianceParams(64, **MATRIX)),
    (measure_score_variance, ScoreVarianceParams(1, mean_q=0.25, n_queries=512, n_keys=512, **MATRIX)),
    (measure_score_variance, ScoreVarianceParams(1024, n_queries=512, n_keys=512, **MATRIX)),
    (measure_score_variance, ScoreVarianceParams(6, n_queries=6, n_keys=6, **MATRIX)),
    (measure_score_variance, ScoreVarianceParams(1, n_queries=12, n_keys=512, **MATRIX)),
    (measure_score_variance, ScoreVarianceParams(1, law="sparse", n_queries=256, n_keys=256, **MATRIX)),
    (measure_score_variance, ScoreVarianceParams(4, law="laplace", mean_k=2.0, n_queries=2, n_keys=512, **MATRIX)),
    (measure_score_variance, ScoreVarianceParams(1000, law="student_t", n_queries=2, n_keys=2, **MATRIX)),
]


CASES = [partial(measure, params) for measure, params in CASES] + [
    *(partial(variance_curve, POWERS, n_samples=4_000, law=law, seed=0) for law in ("normal", "uniform", "student_t")),
    partial(random_walks, 1024, seed=0),
    partial(few_bits_curves, POWERS, FewBitsParams(sums="same", order="before")),
    *(partial(gradient_curve, n_keys=n, n_rows=1_000) for n in (2, 16, 512)),
    *(partial(freezing_rows, n_keys=n) for n in (2, 64, 512)),
    *(partial(band_curve, d_k=d_k) for d_k in (1, 7, 8, 1024)),
    partial(class_draws, 100),
    *(partial(draw_sweep, DEFAULT_DIMS, size=size, n_draws=n) for size, n in ((2, 200), (64, 2_000))),
    partial(gradient_sweep, BackpropParams(), DIMS),
    *(partial(measure_exponents, ExponentParams(correlation=rho), *dims) for rho, dims in ((0.5, (DIMS,)), (0.0, ()))),
    partial(measure_large_experiment, seed=3),
    *(partial(rule_curves, RulesParams(d_k, 16), dims=POWERS[2:9], n_keys=POWERS[2:]) for d_k in (64, 512)),
    *(partial(measure_small_samples, SmallSamplesParams(*each)) for each in ((2, 1024, 0, 10_000), (64, 1024, 0, 1))),
    *(partial(measure_training_race, TrainingRaceParams(**each)) for each in RACES),
]
SMALL = 0.02  # seconds: of less nobody hears
REPEATS = 3


def prices():
    """A line for each case outside a factor of 2, and how many are inside; those that take no time are left out."""
    measured = rates.measure()
    ratios = []
    for call in CASES:
        price, taken = rates.here(price_of(call.func, *call.args, **call.keywords)), _least(call)
        if max(price, taken) >= SMALL:
            ratios.append(price / taken)
            if not 0.5 <= price / taken <= 2:
                yield Row(f"price of {name_of(call)}", price / taken, None, detail=f"{price:.3f} s for {taken:.3f} s")
    inside = sum(0.5 <= ratio <= 2 for ratio in ratios)
    share, ordered = 100 * inside / len(ratios), sorted(ratios)
    each = ", ".join(f"{kind} {1e9 * rate:.3g} ns" for kind, rate in measured._asdict().items())
    span = f"{ordered[0]:.2f} to {ordered[-1]:.2f}"
    yield Row("rates measured here over the reference rates, median", _over_reference(measured), None, detail=each)
    yield Row("prices over CPU time, median", statistics.median(ordered), None, detail=span)
    yield Row("prices outside a factor of 2", 100 - share, 15, "%", f"{inside} of {len(ratios)} inside")


def _over_reference(measured):
    return statistics.median(here / there for here, there in zip(measured, rates.REFERENCE, strict=True))


def _least(call):
    """CPU seconds of a first run, but for the tables that no price counts: the least of some."""
    call()
    taken = []
    for _ in range(REPEATS):
        forget()
        began = rates.clock()
        call()
        taken.append(rates.clock() - began)
    return min(taken)
