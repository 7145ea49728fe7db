"""Calls to the core for the backprop page."""

from typing import Any

from pages._view import compute
from pages._view.lesson_view import Main, Values, stops
from pages._view.lessons.backprop import figures
from sattn_core.files import typed
from sattn_core.lessons import backprop as core


def products_params(A: str, B: str) -> tuple[core.ProductsParams | None, list[str]]:
    """Return the typed matrices, or None and the sentence that says what is wrong."""
    try:
        return core.ProductsParams(**{name: typed.parse_matrix(name, text) for name, text in (("A", A), ("B", B))}), []
    except (ValueError, TypeError) as problem:
        return None, [str(problem)]


def layer_size(d_k: int) -> int:
    """Return the d_k of the layer that is checked entry by entry: the slider's, up to the largest one allowed."""
    return min(d_k, core.MAX_SIZE)


def checked_params(values: Values) -> core.BackpropParams:
    """Return the params of the layer that is checked."""
    return core.BackpropParams(d_k=layer_size(values["d_k"]), **_options(values))


def sweep(values: Values) -> core.GradientSweep:
    """Return the gradients at every stop of the slider."""
    return compute.result(core.gradient_sweep, core.BackpropParams(**_options(values)), stops(values))


def _options(values: Values) -> dict[str, Any]:
    return {"exponent": values["exponent"], "mask": values["masking"], "seed": values["seed"]}


def _gradient(values, profile, result=None):
    return figures.gradient(sweep(values), values["gradient"], values["d_k"], profile, result)


def _gradient_at_rest(values, profile):
    return _gradient(values, profile, compute.result(core.measure_backprop, checked_params(values)))


def _raw_scores(values, profile):
    return figures.raw_scores(sweep(values), values["d_k"], profile)


def _first_order(values, profile):
    params, weight = checked_params(values), values["weight"]
    return figures.first_order(compute.result(core.first_order_change, params, weight), params, profile)


def _difference(values, profile):
    params, weight = checked_params(values), values["weight"]
    return figures.difference(compute.result(core.central_difference_error, params, weight), params, profile)


def _products(values, profile):
    given, _ = products_params(values["A"], values["B"])
    result = compute.result(core.measure_products, given or core.ProductsParams())
    return figures.products(result, profile, readable=given is not None)


STEPS = {
    "gradient": Main(_gradient, at_rest=_gradient_at_rest),
    "raw_scores": Main(_raw_scores),
    "first_order": Main(_first_order),
    "difference": Main(_difference),
    "products": Main(_products),
}
