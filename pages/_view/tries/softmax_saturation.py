"""What to try on the softmax_saturation page."""

from pages._view.tries.base import Try

_LISTS = {"list_1": "4, 5", "list_2": "1, 10", "list_3": "", "list_4": ""}

TRIES = (
    Try(
        "stretched",
        "Multiplier 64: in both lists one key takes all the weight",
        _LISTS | {"multiplier": 64.0, "shift": 0.0},
    ),
    Try(
        "shrunk",
        "Multiplier 1/64: in both lists the two keys share the weight almost evenly",
        _LISTS | {"multiplier": 1 / 64, "shift": 0.0},
    ),
    Try(
        "shifted",
        "Shift 100: [4, 5] becomes [104, 105], and no weight changes",
        _LISTS | {"multiplier": 1.0, "shift": 100.0},
    ),
    Try(
        "many_keys",
        "512 keys: the dotted line stands at d_k = 12.5; with 16 keys it stands at 5.55",
        {"n_keys": 512},
    ),
)
