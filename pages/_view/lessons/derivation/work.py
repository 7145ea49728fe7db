"""Calls to the core for the derivation page."""

from typing import Any

from pages._view import compute
from pages._view.lesson_view import Main, Values
from pages._view.lessons.derivation import figures, squares
from pages._view.lessons.derivation.declaration import LESSON
from sattn_core.lessons.derivation import (
    DerivationParams,
    DerivationResult,
    ScoreGrowth,
    measure_derivation,
    measure_growth,
)

SAMPLES = 2_000  # pairs that check the derivation: at d_k = 1,024 more would take noticeably long
LARGEST = 1024  # up to this d_k one computation measures the three lines at every stop, so that they follow the slider
_FIELDS = {"var_q": "variance_q", "var_k": "variance_k", "r": "component_correlation"}


def params(values: Values, d_k: int) -> DerivationParams:
    """Return the params of the check at this d_k, with the one assumption that is broken, if any."""
    strengths = {
        name: values[name] for name, one in LESSON.controls.items() if one.when == ("broken", values["broken"])
    }
    broken: dict[str, Any] = {_FIELDS.get(name, name): value for name, value in strengths.items()}
    return DerivationParams(d_k, SAMPLES, seed=values["seed"], **broken)


def growth(values: Values) -> ScoreGrowth:
    """Return the three lines at every d_k."""
    return compute.result(measure_growth, params(values, LARGEST))


def _measured(values: Values) -> DerivationResult:
    """Return the nine lines, measured at the current d_k."""
    return compute.result(measure_derivation, params(values, values["d_k"]))


def _lines(values, profile):
    return figures.three_lines(growth(values), values["d_k"], profile)


def _lines_at_rest(values, profile):
    return figures.three_lines(growth(values), values["d_k"], profile, _measured(values))


def _root(values, profile):
    return squares.squares(growth(values), values["d_k"], profile)


def _broken(values, profile):
    return figures.broken_lines(growth(values), values["d_k"], profile)


def _broken_at_rest(values, profile):
    return figures.broken_lines(growth(values), values["d_k"], profile, _measured(values))


MAIN = Main(_lines, at_rest=_lines_at_rest)
STEPS = {"lines": MAIN, "root": Main(_root), "broken": Main(_broken, at_rest=_broken_at_rest)}

compute.at_most(measure_derivation, 0.21, 6)
compute.at_most(measure_growth, 0.2, 6)
