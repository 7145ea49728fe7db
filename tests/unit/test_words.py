"""Names from the code as the screen shows them."""

import pytest

from pages._view.literal import as_code, drawn, plain, written


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("At d_k = 64, √d_k = 8", "At dₖ = 64, √dₖ = 8"),
        ("n_keys must be between 2 and 512", "The number of keys must be between 2 and 512"),
        ("√n_heads times, d_model wide", "√(number of heads) times, model width wide"),
        ("their scores grow like d_k^0.499", "their scores grow like dₖ to the power 0.499"),
        ("corr(q_i, k_i), S_max", "corr(qᵢ, kᵢ), Sₘₐₓ"),
        ("my_d_k, d_k.npy, x_d_k", "my_d_k, d_k.npy, x_d_k"),
    ],
)
def test_code_names_are_written_as_symbols(text, expected):
    assert written(text) == expected


def test_weight_matrices_get_a_subscript():
    assert plain("W_Q and dX = dQ W_Qᵀ") == "$W_Q$ and dX = dQ $W_Q$ᵀ"
    assert drawn("q = x W_Q") == "q = x W<sub>Q</sub>"


def test_quoted_input_and_argument_names_are_kept():
    assert plain("“d_k” is no d_k") == "“d\\_k” is no dₖ"
    assert plain("n_keys is 7", names=True) == "`n_keys` is 7"


def test_screen_readers_get_the_plain_name():
    assert as_code(written("q_i·k_i / √d_k")) == "q_i·k_i / √d_k"
