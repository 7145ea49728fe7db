"""What the backprop page asks of the core."""

from sattn_core import typed
from sattn_core.lessons.backprop import MAX_SIZE, ProductsParams


def products_params(A: str, B: str) -> tuple[ProductsParams | None, list[str]]:
    """The typed matrices, or None and the sentence that says what is wrong."""
    try:
        return ProductsParams(**{name: typed.parse_matrix(name, text) for name, text in (("A", A), ("B", B))}), []
    except (ValueError, TypeError) as problem:
        return None, [str(problem)]


def layer_size(d_k: int) -> int:
    """The d_k of the small layer: the slider's, up to the largest it takes."""
    return min(d_k, MAX_SIZE)
