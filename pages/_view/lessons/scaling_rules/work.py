"""Calls to the core for the scaling_rules page."""

from typing import Any

from pages._view import compute
from pages._view.lesson_view import Main, Values, stops
from pages._view.lessons.scaling_rules import figures
from sattn_core.lessons import scaling_rules as core

CURVES = {"dims": tuple(2**j for j in range(2, 9)), "n_keys": tuple(2**j for j in range(2, 11))}
_PAIRS = {"independent": 0.0, "aligned": 0.5}  # correlation of query i with key i, at the start and after training


def powers(values: Values) -> core.ExponentResult:
    """Return the results for the exponents at every stop of the slider: one draw, measured once."""
    fields = {name: values[name] for name in ("exponent", "correlation", "seed")}
    return compute.result(core.measure_exponents, core.ExponentParams(**fields), stops(values))


def rules_params(values: Values, d_k: int = 64) -> core.RulesParams:
    """Return the params of the scores that all rules get."""
    options: dict[str, Any] = {name: values[name] for name in ("n_keys", "seed")}
    return core.RulesParams(d_k, correlation=_PAIRS[values["pairs"]], **options)


def _exponents(values, profile):
    return figures.exponents(powers(values), values["d_k"], profile)


def _means(values, profile):
    return figures.means(powers(values), profile)


def _compared(values):
    return compute.result(core.compare_rules, rules_params(values, values["d_k"]))


def _rules(values, profile):
    return figures.rules(_compared(values), values["rule"], profile)


def _query(values, profile):
    return figures.one_rule(_compared(values), values["rule"], profile)


def _entropy(values, profile):
    return figures.curves(compute.result(core.rule_curves, rules_params(values), **CURVES), values["rule"], profile)


def _bug(values, profile):
    return figures.bug(compute.result(core.measure_museum, core.BugParams(seed=values["seed"])), values["bug"], profile)


MAIN = Main(_exponents)
_OTHERS = {"means": _means, "rules": _rules, "query": _query, "entropy": _entropy, "museum": _bug}
STEPS = {"exponents": MAIN, **{name: Main(draw) for name, draw in _OTHERS.items()}}

compute.at_most(core.compare_rules, 0.05, 27)
compute.at_most(core.rule_curves, 0.24, 17)
