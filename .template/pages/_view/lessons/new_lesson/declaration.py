"""What the new_lesson lesson declares."""

from pages._view.kinds import Choice, Number
from pages._view.lesson import Bet, Lesson, Try

LESSON = Lesson(
    stem="new_lesson",
    card="A few words that do not answer it.",
    question="Is this a question?",
    answer="Yes: the variance of a score is $d_k$, and 1 once it is divided by $\\sqrt{d_k}$.",
    icon=":material/school:",
    section="Go deeper",
    shared=("d_k", "seed"),
    controls={
        "n_pairs": Number("Pairs", 1_000, 100, 10_000, (100, 1_000, 10_000), help="Pairs of a query and a key."),
    },
    settings=("n_pairs",),
    tries=(
        Try(
            "one_component",
            "dₖ = 1: raw and scaled scores are the same",
            {"d_k": 1, "n_pairs": 1_000, "seed": 0},
        ),
    ),
    bet=Bet(
        "From dₖ = {d_k} to twice as much: does the variance of the scaled scores grow, fall or stay?",
        Choice("The variance", "stays", ("grows", "falls", "stays")),
    ),
    pictures=("new_lesson_variances",),
    assumed="All components are independent, with mean 0 and variance 1.",
    myths=(("Here is a myth.", "Here is the fact."),),
    sources=("Vaswani et al. (2017), section 3.2.1, footnote 4.",),
)
