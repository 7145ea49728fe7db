"""Prices beside what the computations take: CPU seconds, never the clock on the wall, and peak memory."""

import tracemalloc
from functools import partial

import numpy as np
import pytest

from sattn_core import chi_square, crossover, matrix_bands, score_variance
from sattn_core.components import COMPONENT_LAWS
from sattn_core.cost import Price, price_of, proceed
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
from sattn_core.lessons.gradient_flow import (
    CROSSOVER_PRICE,
    DEFAULT_DIMS,
    GradientFlowParams,
    crossover_curve,
    freezing_rows,
    gradient_curve,
    gradient_flow_price,
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
    rule_curves_price,
)
from sattn_core.lessons.score_variance import (
    ScoreVarianceParams,
    measure_score_variance,
    random_walks,
    variance_curve,
    variance_curve_price,
)
from sattn_core.lessons.small_samples import (
    LARGE_PRICE,
    band_curve,
    band_price,
    draw_sweep,
    measure_large_experiment,
    sweep_price,
)
from sattn_core.lessons.softmax_saturation import RowParams, SaturationParams, measure_row, measure_saturation
from sattn_core.lessons.start import StartParams, measure_start
from sattn_core.lessons.unit_variance import UnitVarianceParams, measure_shared_input, measure_unit_variance
from tests.reference import reference_seconds

# Below these nobody waits and nothing runs short: there a price need only be no lower than this.
SMALL_SECONDS, SMALL_BYTES = 0.03, 5_000_000
POWERS = tuple(2**j for j in range(11))
MATRIX = {"sampling": "matrix"}

DIMS = tuple(range(1, 1025, 20))
CASES = [
    *((measure_start, StartParams(DEFAULT_DIMS, 5_000, law=law)) for law in ("normal", "uniform", "student_t")),
    (measure_start, StartParams((64,), n_samples=1_000, n_keys=512)),
    (measure_saturation, SaturationParams(16, POWERS)),
    (measure_saturation, SaturationParams(512, POWERS)),
    *((measure_row, RowParams(n_keys, DEFAULT_DIMS)) for n_keys in (2, 512)),
    (measure_row, RowParams(4096, POWERS, "student_t")),
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


def curve(law):
    compute = partial(variance_curve, POWERS, n_samples=4_000, law=law, seed=0)
    return compute, variance_curve_price(POWERS, 4_000, law)


def rules_curve(d_k, n_keys):
    params, options = RulesParams(d_k, n_keys), {"dims": POWERS[2:9], "n_keys": POWERS[2:]}
    return partial(rule_curves, params, **options), rule_curves_price(params, **options)


CURVES = {
    **{f"variance_curve {law}": curve(law) for law in ("normal", "uniform", "student_t")},
    "random_walks": (partial(random_walks, 1024, seed=0), price_of(random_walks, 1024)),
    **{
        f"gradient_curve {n}": (
            partial(gradient_curve, n_keys=n, n_rows=1_000),
            gradient_flow_price(len(DEFAULT_DIMS), n, 1_000),
        )
        for n in (2, 16, 512)
    },
    "crossover_curve": (partial(crossover_curve, 16), CROSSOVER_PRICE),
    **{
        f"freezing_rows {n}": (partial(freezing_rows, n_keys=n), price_of(freezing_rows, n_keys=n))
        for n in (2, 64, 512)
    },
    **{f"band_curve {d_k}": (partial(band_curve, d_k=d_k, n_draws=20), band_price(d_k)) for d_k in (1, 7, 8, 1024)},
    **{
        f"draw_sweep {shape}": (
            partial(draw_sweep, DEFAULT_DIMS, size=size, n_draws=n),
            sweep_price(DEFAULT_DIMS, *shape),
        )
        for size, n in ((2, 200), (64, 2_000))
        for shape in ((size, n),)
    },
    **{
        f"{function.__name__} at many": (partial(function, params, DIMS), price_of(function, params, DIMS))
        for function, params in (
            (gradient_sweep, BackpropParams()),
            (measure_exponents, ExponentParams(correlation=0.5)),
        )
    },
    "measure_exponents": (partial(measure_exponents, ExponentParams()), price_of(measure_exponents, ExponentParams())),
    "measure_large_experiment": (partial(measure_large_experiment, seed=3), LARGE_PRICE),
    **{f"rule_curves {shape}": rules_curve(*shape) for shape in ((64, 16), (512, 16))},
}


@pytest.fixture(autouse=True)
def _nothing_is_kept():
    """Every run is the first: bands that were simulated before are forgotten."""
    forget()


def forget():
    matrix_bands._simulated_band.cache_clear()
    score_variance._simulated_quantiles.cache_clear()
    crossover._crossover.cache_clear()
    chi_square._table.cache_clear()


def peak_bytes(compute):
    forget()
    tracemalloc.start()
    compute()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


def assert_fair(price, compute):
    """The price is right within a factor of 2 or, of what costs next to nothing, not too low."""
    assert isinstance(price, Price)
    peak = peak_bytes(compute)  # its run also brings everything into the processor's cache
    assert price.bytes <= max(2 * peak, SMALL_BYTES)
    assert peak <= max(2 * price.bytes, SMALL_BYTES)
    for runs in (1, 5):  # more only where a busy machine has spoilt the first
        seconds = reference_seconds(compute, runs, before=forget)
        if price.seconds <= max(2 * seconds, SMALL_SECONDS) and seconds <= max(2 * price.seconds, SMALL_SECONDS):
            return
    pytest.fail(f"it takes {seconds:.3f} CPU seconds, but the price says {price.seconds:.3f}")


def name_of(each):
    """The name of a function, that of a partial one's too, or the beginning of what is written of params."""
    return getattr(getattr(each, "func", each), "__name__", repr(each)[:60])


@pytest.mark.parametrize(("measure", "params"), CASES, ids=name_of)
def test_the_price_of_params_is_right_within_a_factor_of_2(measure, params):
    assert_fair(params.price, partial(measure, params))


@pytest.mark.parametrize("name", CURVES)
def test_the_price_of_a_curve_is_right_within_a_factor_of_2(name):
    compute, price = CURVES[name]
    assert_fair(price, compute)


@pytest.mark.parametrize("law", COMPONENT_LAWS)
def test_the_seconds_of_a_law_are_those_of_its_draws(law):
    law = COMPONENT_LAWS[law]
    draw = partial(law.draw, np.random.Generator(np.random.SFC64(0)), 200_000)
    seconds = reference_seconds(draw, 5) / 200_000
    assert law.seconds / 2 <= seconds <= 2 * law.seconds


def test_proceed_lets_everything_go_on():
    assert proceed() is None
