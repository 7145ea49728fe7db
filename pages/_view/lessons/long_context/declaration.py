"""The declaration of the long_context lesson."""

from pages._view.kinds import Number
from pages._view.lesson import Bet, Lesson, Place, Step, Try
from sattn_core.lessons.long_context import STOPS

_USUAL = {"n_train": 512, "d_k": 64}

LESSON = Lesson(
    stem="long_context",
    question="And with very many keys?",
    answer="Dividing by $\\sqrt{d_k}$ does nothing about their number: one *key* that stands out loses its *weight* to "
    "the crowd of the others.",
    icon=":material/groups:",
    section="Go deeper",
    terms=("key", "weight"),
    shared=("d_k", "seed"),
    controls={
        "context_length": Number("Keys n", 16_384, STOPS[0], STOPS[-1], STOPS, letter="n", play=300),
        "key_score": Number("Score of the key", 8, 2, 14, tuple(range(2, 15))),
        "n_train": Number(
            "Keys n₀ of the training",
            512,
            32,
            131_072,
            tuple(2**j for j in range(5, 18)),
            help="Up to here YaRN changes nothing. log n changes nothing at this n, and sharpens beyond it.",
        ),
    },
    settings=("n_train",),
    steps=(
        Step(
            "keys",
            "Drag n to a million: divided by √dₖ, the key loses its weight.",
            "key_weights",
            slider="context_length",
            dials=("key_score",),
            bet=Bet(
                "Divided by √dₖ, among {context_length} keys: how much of the weight does the one of score "
                "{key_score} keep?",
                Number("Its weight", 50, 0, 100, tuple(range(0, 101, 5))),
                near=5,
                suffix=" %",
                place=Place("y", "x", unit=0.01),
            ),
            tries=(
                Try(
                    "short",
                    "16 keys: ÷ √dₖ leaves it 99 %, log n, continued below n₀, only 68 %",
                    {"context_length": 16, "key_score": 8} | _USUAL,
                ),
                Try(
                    "million",
                    "A million keys: log n still leaves 81 %, ÷ √dₖ less than 1 %",
                    {"context_length": 1_048_576, "key_score": 8} | _USUAL,
                ),
            ),
        ),
        Step(
            "text",
            "Along a causal text row n has n keys: divided by √dₖ, the key fades.",
            "text_rows",
            slider="context_length",
            dials=("key_score",),
            tries=(
                Try(
                    "half",
                    "A text of 1,808 words: divided by √dₖ, the key keeps half of the last row",
                    {"context_length": 1808, "key_score": 8} | _USUAL,
                ),
                Try(
                    "weak",
                    "Score 4, a million words: at the end no rule leaves the key 1 %",
                    {"context_length": 1_048_576, "key_score": 4} | _USUAL,
                ),
            ),
        ),
    ),
    brought={"": "The rules, card by card"},
    assumed="After $1/\\sqrt{d_k}$ the key's score is as set and the others are independent $N(0,1)$, as at the start "
    "of training. Every rule gets these scores. SSMax has $s_0=0.43$; a model learns it.",
    myths=(
        ("$1/\\sqrt{d_k}$ makes attention fit for any length.", "It keeps the spread. More keys still flatten a row."),
        (
            "No scale is best for long texts.",
            "It is sharp for a key that only chance put first, too: at $d_k=64$ and 16,384 keys that one gets 64 %.",
        ),
        ("A sink keeps attention sharp.", "At score 0 it is one more key, and fades too."),
    ),
    sources=(
        "Nakanishi (2025), arXiv:2501.19399, for SSMax.",
        "Chiang and Cholak (2022), arXiv:2202.12172, for log n.",
        "Peng et al. (2023), arXiv:2309.00071, for YaRN.",
        "Miller (2023), “Attention Is Off By One”, evanmiller.org, for softmax1.",
    ),
)
