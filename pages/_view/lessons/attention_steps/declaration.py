"""The declaration of the attention_steps lesson."""

from pages._view.kinds import Choice, Number, Text
from pages._view.lesson import Bet, Lesson, Step, Try
from sattn_core.lessons.attention_steps import PRESETS

_PRESET = {"Q": "", "K": "", "V": "", "mask": "", "seed": 0}

LESSON = Lesson(
    stem="attention_steps",
    question="What happens to the numbers, step by step?",
    answer="Dot products, ÷ $\\sqrt{d_k}$, mask, softmax, average of the values: five steps, and the division is "
    "one of them.",
    icon=":material/account_tree:",
    section="Go deeper",
    shared=("d_k", "seed", "scaling"),
    settings=("preset",),
    controls={
        "preset": Choice(
            "Matrices",
            "random",
            PRESETS,
            help="random, causal, padding, fully masked: random Q, K, V at the chosen dₖ, with that mask. "
            "same input: Q = K = V = X, which cannot show the rule. "
            "notes: the three vectors of a hand-made example, with dₖ = 2.",
            shown={"fully_masked": "fully masked", "same_input": "same input"},
        ),
        "query": Number("Query, row", 1, 1, 16, (1,), help="The row whose numbers are written out.", typed=True),
        "key": Number("Key, column", 1, 1, 16, (1,), help="The key whose score is written out.", typed=True),
        "column": Number("Output column", 1, 1, 64, (1,), help="The column of V and of the output.", typed=True),
        "Q": Text("Q, one query per line", "", lines=4),
        "K": Text("K, one key per line", "", lines=4),
        "V": Text("V, one value per line", "", lines=4),
        "mask": Text("Mask: 1 may attend, 0 may not", "", lines=4),
    },
    steps=(
        Step("scores", "Each query meets each key: their dot product is a score.", "matrix_scores"),
        Step(
            "scale",
            "Divide every score by √dₖ, unless the scale is left out.",
            "matrix_scaled",
            tries=(
                Try(
                    "small_dimension",
                    "dₖ = 2: raw and scaled scores have nearly the same pale shade",
                    {"preset": "random", "d_k": 2, "scaling": "on"} | _PRESET,
                ),
                Try(
                    "large_dimension",
                    "dₖ = 256: the raw scores are much darker, the scaled ones as pale as before",
                    {"preset": "random", "d_k": 256, "scaling": "on"} | _PRESET,
                ),
            ),
        ),
        Step("mask", "Where a query may not look, the mask makes its score −∞.", "matrix_masked"),
        Step(
            "softmax",
            "Softmax shares out each query’s weight among the keys that the mask leaves.",
            "matrix_weights",
            bet=Bet(
                "Without the scale, how much of its weight does query {query} give its favourite key?",
                Choice(
                    "Of its weight",
                    "most",
                    ("less", "most", "all"),
                    shown={"less": "less than half", "most": "half to 95 %", "all": "more than 95 %"},
                ),
            ),
            tries=(
                Try(
                    "softmax_without_scale",
                    "Leave the scale out at dₖ = 64: query 1 gives one key over 99 %, instead of 58 %",
                    {"preset": "random", "d_k": 64, "scaling": "off", "query": 1} | _PRESET,
                ),
            ),
        ),
        Step(
            "output",
            "The weights of a query mix the rows of V into its output.",
            "matrix_output",
            tries=(
                Try(
                    "first_query_sees_nothing",
                    "Fully masked: the first query gets weights 0 and output 0",
                    {"preset": "fully_masked", "d_k": 64, "scaling": "on", "query": 1} | _PRESET,
                ),
            ),
        ),
    ),
    terms=("softmax",),
    brought={"": "One cell, and your own numbers"},
    assumed="Nothing is assumed here. One small matrix cannot show that scores grow with $d_k$, because its spread is "
    "a matter of luck.",
    myths=(
        (
            "$V$ has a part in the scores.",
            "Only $Q$ and $K$ do.",
        ),
        (
            "$Q=K=X$ demonstrates the rule.",
            "A token’s score with itself is its squared length, about $d_k$. Divided by $\\sqrt{d_k}$ it still grows.",
        ),
    ),
    sources=(
        "Vaswani et al. (2017), figure 2 and sections 3.2.1 and 3.2.3.",
        "The vectors of *notes* come from lecture notes of 10 March 2025.",
    ),
)
