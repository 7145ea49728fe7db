"""The declaration of the gradient_flow lesson."""

from pages._view.kinds import Choice, Number
from pages._view.lesson import Bet, Lesson, Place, Step, Try
from sattn_core.lessons.gradient_flow import DOTS, PLACES

LESSON = Lesson(
    stem="gradient_flow",
    question="Do gradients really vanish?",
    answer="Not all. A *row* is one query's weights: without the scale ever more rows freeze, while others get more "
    "gradient. With the scale almost none freezes.",
    icon=":material/water_drop:",
    section="Go deeper",
    terms=("gradient",),
    shared=("d_k", "n_keys", "seed"),
    controls={
        "place": Choice(
            "Gradient at",
            "softmax",
            PLACES,
            help="softmax: what a row's softmax passes on, the trace of its Jacobian, 1 − Σp² of its weights p. "
            "q: the length of the gradient that then reaches the query, for a random gradient at the weights.",
            bar=True,
        ),
        "jacobian": Choice(
            "Jacobian of",
            "row",
            ("row", "4, 5", "1, 10"),
            help="row: one of the hundred rows. The others: two scores each.",
            bar=True,
        ),
        "row": Number(
            "Row",
            1,
            1,
            DOTS,
            tuple(range(1, DOTS + 1)),
            help="Its place among the hundred rows. Row 1 passes on least without the scale.",
            when=("jacobian", "row"),
        ),
    },
    steps=(
        Step(
            "freeze",
            "Drag dₖ. Each dot is a row; a star is a row that is frozen.",
            "rows_freezing",
            pinned={"place": "softmax"},
            bet=Bet(
                "At dₖ = {d_k}, without the scale: how many of a hundred rows pass on next to nothing?",
                Number("Frozen rows", 50, 0, 100, tuple(range(0, 101, 5))),
                near=5,
                place=Place("x", "y"),
            ),
            tries=(
                Try(
                    "many_keys",
                    "64 keys, dₖ = 512: more than half of the rows freeze without the scale, none with it",
                    {"n_keys": 64, "d_k": 512, "seed": 0},
                ),
                Try(
                    "small_dimension",
                    "16 keys, dₖ = 4: no row is frozen yet, with or without the scale",
                    {"n_keys": 16, "d_k": 4, "seed": 0},
                ),
            ),
        ),
        Step(
            "at_q",
            "Further back, at q: which rows get more gradient without the scale?",
            "rows_at_q",
            pinned={"place": "q"},
            tries=(
                Try(
                    "most_get_more",
                    "At q, 64 keys, dₖ = 64: most rows get more gradient without the scale, and the frozen ones "
                    "next to none",
                    {"n_keys": 64, "d_k": 64, "seed": 0},
                ),
            ),
        ),
        Step(
            "jacobian",
            "Look into one row: what its softmax passes on is its Jacobian.",
            "row_jacobians",
            dials=("row",),
            in_sight=("jacobian",),
            tries=(
                Try(
                    "second_list",
                    "Scores [1, 10]: the Jacobian is nearly empty; with the scores divided by √64 it has four bright "
                    "cells",
                    {"jacobian": "1, 10", "d_k": 64},
                ),
            ),
        ),
        Step(
            "curves",
            "As dₖ grows, compare the mean of the rows with the median row.",
            "gradient_curves",
            slider="",
            in_sight=("place",),
            tries=(
                Try(
                    "gradient_of_q",
                    "At q: from dₖ = 4 on the mean more than doubles without the scale, and rises by a tenth with it",
                    {"n_keys": 16, "place": "q", "seed": 0},
                ),
            ),
        ),
    ),
    assumed="A row is frozen when $1-\\sum p^2$, the trace of its Jacobian, is below 0.01. The scale is left out "
    "because a larger learning rate can make up for it.\n\n"
    "What grows with $d_k$ is the share of frozen rows, which give one key nearly everything. At the softmax the mean "
    "falls slowly. At $q$ it does not fall, because the keys become longer. What a frozen row costs is seen in “Can a "
    "wrong choice be put right?”\n\n"
    "The components are independent and standard normal, and each row has its own query and keys. At $q$ the "
    "gradient of the weights is random too.",
    myths=(
        (
            "All gradients vanish exponentially.",
            "A growing share of the rows freezes. At the softmax the mean falls like $1/\\sqrt{d_k}$.",
        ),
        (
            "Every row gets less gradient at $q$ without the scale.",
            "Many get more. The typical row gets less only once $d_k$ is large.",
        ),
    ),
    sources=(
        "Vaswani et al. (2017), section 3.2.1.",
        "The lists [4, 5] and [1, 10] come from lecture notes of 10 March 2025.",
        "The Jacobian and its bounds: Gao and Pavel (2017), arXiv:1704.00805.",
    ),
)
