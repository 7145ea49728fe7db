"""What to try on the unit_variance page."""

from pages._view.tries.base import Try

_DEFAULT = {"d_k": 64, "n_heads": 8, "x_mean": 0.0, "x_std": 1.0, "normalise": "on", "bias": "off"}

TRIES = (
    Try(
        "wide_x",
        "x a hundred times as wide: LayerNorm takes it back to σ = 1",
        _DEFAULT | {"x_std": 100.0},
    ),
    Try(
        "wide_x_without_layer_norm",
        "x a hundred times as wide and no LayerNorm: the scaled scores are 10,000 times as large",
        _DEFAULT | {"x_std": 100.0, "normalise": "off"},
    ),
    Try(
        "xavier_square",
        "A square Xavier matrix: the scaled scores have σ = 1, as the rule assumes",
        _DEFAULT | {"scheme": "xavier_square"},
    ),
    Try(
        "keras",
        "Keras draws its weights so small that the scaled scores have σ below 0.03",
        _DEFAULT | {"scheme": "keras_multihead_attention"},
    ),
)
