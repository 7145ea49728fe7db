"""Calls to the core for the attention_steps page."""

from functools import partial

from pages._view import compute
from pages._view.lesson_view import Main, Values
from pages._view.lessons.attention_steps import figures
from sattn_core.files import typed
from sattn_core.lessons.attention_steps import STEP_NAMES, AttentionStepsParams, measure_attention_steps, typed_params

MATRICES = ("Q", "K", "V", "mask")
PLACES = ("query", "key", "column")


def attention_matrices(values: Values) -> tuple[AttentionStepsParams, list[str]]:
    """Return the preset's matrices, replaced by typed ones; if those do not fit, the preset's alone and the reason."""
    given = {name: values[name] for name in ("preset", "d_k", "seed")}
    try:
        return typed_params(**given, **{name: values[name] for name in MATRICES}), []
    except (ValueError, TypeError) as problem:
        return typed_params(**given), [str(problem)]


def matrix_texts(values: Values) -> dict[str, str]:
    """Return the preset's matrices as texts for their fields, one row per line; wide ones are cut."""
    params = typed_params(values["preset"], d_k=min(values["d_k"], typed.MAX_COLUMNS), seed=values["seed"])
    texts = {name: typed.format_matrix(getattr(params, name)) for name in ("Q", "K", "V")}
    everything = [[True] * len(params.K)] * len(params.Q)
    texts["mask"] = typed.format_mask(params.mask or everything)
    return {name: text.replace(";", "\n").replace(",", ", ") for name, text in texts.items()}


def cell_of(params: AttentionStepsParams, values: Values) -> tuple[int, int, int]:
    """Return the chosen query, key and column, counted from 0 and limited to the matrices' sizes."""
    shape = len(params.Q), len(params.K), len(params.V[0])
    query, key, column = (min(values[name], size) - 1 for name, size in zip(PLACES, shape, strict=True))
    return query, key, column


def _picture(step, values, profile, code=""):
    params, _ = attention_matrices(values)
    result = compute.result(measure_attention_steps, params)
    at, scaled = cell_of(params, values), values["scaling"] == "on"
    return figures.main(result, step, at, profile, scaled=scaled, code=code)


def _at_rest(step, values, profile):
    fits = not attention_matrices(values)[1]
    shown = values if fits else {**values, **dict.fromkeys(MATRICES, "")}
    return _picture(step, values, profile, figures.matrices_code(shown))


STEPS = {step: Main(partial(_picture, step), at_rest=partial(_at_rest, step)) for step in STEP_NAMES}
