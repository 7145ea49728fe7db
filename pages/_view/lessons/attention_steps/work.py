"""What the attention_steps page asks of the core."""

from sattn_core import typed
from sattn_core.lessons.attention_steps import AttentionStepsParams, typed_params


def attention_matrices(
    preset: str, texts: dict[str, str], d_k: int, seed: int
) -> tuple[AttentionStepsParams | None, list[str]]:
    """The preset's matrices, or the typed ones in their place; None and the reason if they do not fit."""
    size = min(d_k, typed.MAX_COLUMNS)
    try:
        return typed_params(preset, **texts, d_k=size, seed=seed), []
    except (ValueError, TypeError) as problem:
        return None, [str(problem)]


def matrix_texts(preset: str, d_k: int, seed: int) -> dict[str, str]:
    """The preset's matrices as texts for their fields, one row per line."""
    params = typed_params(preset, d_k=min(d_k, typed.MAX_COLUMNS), seed=seed)
    texts = {name: typed.format_matrix(getattr(params, name)) for name in ("Q", "K", "V")}
    everything = [[True] * len(params.K)] * len(params.Q)
    texts["mask"] = typed.format_mask(params.mask or everything)
    return {name: text.replace(";", "\n").replace(",", ", ") for name, text in texts.items()}


def cell_of(params: AttentionStepsParams, query: int, key: int, column: int) -> tuple[int, int, int]:
    """The chosen places, counted from 0 and inside the matrices."""
    shape = len(params.Q), len(params.K), len(params.V[0])
    query, key, column = (min(place, size) - 1 for place, size in zip((query, key, column), shape, strict=True))
    return query, key, column
