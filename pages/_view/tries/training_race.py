"""What to try on the training_race page."""

from pages._view.tries.base import Try

_RACE = {
    "optimizer": "sgd",
    "rates": "fixed",
    "learning_rate": 1,
    "loss": "output",
    "data": "fixed",
    "values": "fixed",
    "start": "weights",
    "n_pairs": 32,
    "n_steps": 300,
    "n_seeds": 5,
    "own_exponent": 0.5,
    "seed": 0,
}

TRIES = (
    Try(
        "no_harm",
        "d_k = 16: with or without the scale, nearly all answers come right",
        _RACE | {"d_k": 16},
    ),
    Try(
        "harm_begins",
        "d_k = 24: only about half of the answers come right without the scale, all with 1/√d_k",
        _RACE | {"d_k": 24},
    ),
    Try(
        "same_first_scores",
        "d_k = 64, but W_Q and W_K made smaller until the first scores are those of 1/√d_k: no harm without the scale",
        _RACE | {"d_k": 64, "start": "scores"},
    ),
    Try(
        "exact_twin",
        "d_k = 256: the two trainings by gradient descent further down agree to the last digit, since 256^¼ = 4",
        {"d_k": 256},
    ),
)
