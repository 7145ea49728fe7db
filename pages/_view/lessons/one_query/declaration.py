"""The declaration of the one_query lesson."""

from typing import Any

from pages._view.kinds import Number
from pages._view.lesson import Bet, Lesson, Place, Step, Try
from sattn_core.example import QUERY_WORD, SENTENCE
from sattn_core.lessons.one_query import COMPONENTS, MOST_EMPHASIS

_BY_HAND: dict[str, Any] = {"slider": "", "pinned": {"d_k": len(COMPONENTS)}}  # no slider: only the invented numbers

LESSON = Lesson(
    stem="one_query",
    question="What is a score?",
    answer="A sum of dₖ products that says how well a key answers a query; where dₖ is large, chance can outvote the "
    "meaning.",
    icon=":material/help:",
    section="The path",
    shared=("d_k", "seed"),
    controls={
        "emphasis": Number(
            "Invented numbers ×",
            1,
            1,
            MOST_EMPHASIS,
            tuple(range(1, MOST_EMPHASIS + 1)),
            help="What the four invented components of the query are multiplied by.",
        ),
    },
    steps=(
        Step(
            "ask",
            f"“{QUERY_WORD}”, the query, asks; four words, the keys, answer: {SENTENCE}",
            "components",
            **_BY_HAND,
        ),
        Step("multiply", "Multiply “it” by “cat”: number by number.", "products", **_BY_HAND),
        Step("add", "Add up the products of a key: the sum is its score.", "sums", **_BY_HAND),
        Step(
            "wander",
            "Drag dₖ from 4 to 1,024: as products are added, the scores wander.",
            "wandering_sums",
            bet=Bet(
                "dₖ = {d_k}; only numbers after the fourth are random: in what share of sentences does “cat” score "
                "highest?",
                Number("It scores highest in", 50, 0, 100, tuple(range(0, 101, 5))),
                near=5,
                suffix=" %",
                place=Place("x2", "y2", keeps=("x", "y")),
            ),
        ),
        Step(
            "softmax",
            "Softmax turns the scores into weights that add up to 100 %.",
            "raw_weights",
            tries=(
                Try(
                    "invented_only",
                    "dₖ = 4: “cat” gets two thirds",
                    {"d_k": 4},
                ),
            ),
        ),
        Step(
            "divide",
            "Divide the scores by √dₖ before softmax: the order of the words stays.",
            "both_weights",
            tries=(
                Try(
                    "large_dimension",
                    "dₖ = 1,024: each word gets 2 % or more",
                    {"d_k": 1024, "seed": 0},
                ),
                Try(
                    "another_draw",
                    "Seed 1: “cat” is on top, by chance",
                    {"d_k": 64, "seed": 1},
                ),
            ),
        ),
        Step(
            "grow",
            "Make the invented numbers larger: when does meaning win against chance?",
            "grown_weights",
            dials=("emphasis",),
            tries=(
                Try(
                    "larger_numbers",
                    "dₖ = 64, 16 times as large: “cat” is on top in nine of ten sentences",
                    {"d_k": 64, "emphasis": 16, "seed": 0},
                ),
            ),
        ),
    ),
    terms=("key", "query", "dₖ"),
    assumed="The first four components are invented and have names; those that a model learns have none. The others "
    "are ±1 at random. Of 1,000 sentences one is shown: at seed 0 one where another word wins, as in two "
    "of three at dₖ = 64.",
    myths=(
        (
            "A score lies between −1 and 1.",
            "Nothing keeps it there. It tends to grow with the number of products.",
        ),
        (
            "Dividing makes the better choice.",
            "The order stays. Only the shares change.",
        ),
    ),
    sources=("Vaswani et al. (2017), section 3.2.1.",),
)
