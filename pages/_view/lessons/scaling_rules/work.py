"""What the scaling_rules page asks of the core."""

from typing import Any

from pages._view import compute
from pages._view.lesson_view import Main, Values, stops
from pages._view.lessons.scaling_rules import figures
from pages._view.lessons.scaling_rules.declaration import LESSON
from sattn_core.lessons import scaling_rules as core

CURVES = {"dims": tuple(2**j for j in range(2, 9)), "n_keys": tuple(2**j for j in range(2, 11))}
_WIDTH = 300  # pixels of a control above a picture
_PAIRS = {"independent": 0.0, "aligned": 0.5}  # correlation of query i with key i, at the start and after training


def controls_of(part: str) -> list[tuple[str, int | str]]:
    """The controls that belong to the pictures of a part, and how wide they are."""
    own = [(name, control) for name, control in LESSON.controls.items() if control.when == ("part", part)]
    return [(name, "content" if getattr(control, "bar", False) else _WIDTH) for name, control in own]


def powers(values: Values) -> core.ExponentResult:
    """The exponents at every stop of the slider: one draw, measured once."""
    fields = {name: values[name] for name in ("exponent", "correlation", "seed")}
    return compute.result(core.measure_exponents, core.ExponentParams(**fields), stops(values))


def rules_params(values: Values, d_k: int = 64) -> core.RulesParams:
    """The scores that all rules get."""
    options: dict[str, Any] = {name: values[name] for name in ("n_keys", "seed")}
    return core.RulesParams(d_k, correlation=_PAIRS[values["pairs"]], **options)


def _exponents(values, profile):
    return figures.exponents(powers(values), values["d_k"], profile)


def _rules(values, profile):
    result = compute.result(core.compare_rules, rules_params(values, values["d_k"]))
    return figures.rules(result, values["rule"], profile)


def _bug(values, profile):
    return figures.bug(compute.result(core.measure_museum, core.BugParams(seed=values["seed"])), values["bug"], profile)


_PICTURES = {"exponents": _exponents, "rules": _rules, "museum": _bug}


def _picture(values, profile):
    return _PICTURES[values["part"]](values, profile)


MAIN = Main(_picture)
