"""What to try on the attention_steps page."""

from pages._view.tries.base import Try

_PRESET = {"Q": "", "K": "", "V": "", "mask": "", "seed": 0}

TRIES = (
    Try(
        "small_dimension",
        "d_k = 2: raw and scaled scores have nearly the same pale shade",
        {"preset": "random", "step": "scale", "d_k": 2} | _PRESET,
    ),
    Try(
        "large_dimension",
        "d_k = 64: the raw scores are much darker, the scaled ones as pale as before",
        {"preset": "random", "step": "scale", "d_k": 64} | _PRESET,
    ),
    Try(
        "softmax_without_scale",
        "Softmax at d_k = 64: without the scale query 1 gives one key over 99 %, with it under 60 %",
        {"preset": "random", "step": "softmax", "d_k": 64, "without_scale": "show", "query": 1} | _PRESET,
    ),
    Try(
        "first_query_sees_nothing",
        "Fully masked: the first query gets weights 0 and output 0",
        {"preset": "fully_masked", "step": "output", "d_k": 64, "query": 1} | _PRESET,
    ),
)
