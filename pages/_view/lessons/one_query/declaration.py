"""What the one_query lesson declares."""

from pages._view.kinds import Choice, Number
from pages._view.lesson import Bet, Lesson, Place, Try
from sattn_core.lessons.one_query import MOST_EMPHASIS, STEPS

LESSON = Lesson(
    stem="one_query",
    question="What is a score?",
    answer="A sum of dₖ products that says how well a key answers a query; where dₖ is large, chance can outvote the "
    "meaning.",
    icon=":material/help:",
    section="The path",
    card="Seven small steps, every number by hand.",
    shared=("d_k", "seed"),
    controls={
        "step": Choice("Step", STEPS[0], STEPS, bar=True),
        "emphasis": Number(
            "Invented numbers ×",
            1,
            1,
            MOST_EMPHASIS,
            tuple(range(1, MOST_EMPHASIS + 1)),
            help="What the four invented components of the query are multiplied by.",
            when=("step", "grow"),
        ),
    },
    dials=("emphasis",),
    placed_dials=("emphasis",),
    tries=(
        Try(
            "invented_only",
            "dₖ = 4, the invented numbers alone: “cat” gets two thirds, “mat” a quarter",
            {"d_k": 4, "step": "softmax"},
        ),
        Try(
            "larger_numbers",
            "Invented numbers 16 times as large: at dₖ = 64 “cat” is on top in more than nine sentences of ten",
            {"d_k": 64, "step": "grow", "emphasis": 16, "seed": 0},
        ),
        Try(
            "large_dimension",
            "Divide at dₖ = 1,024: before it one word takes all, after it each gets 2 % or more",
            {"d_k": 1024, "step": "divide", "seed": 0},
        ),
        Try(
            "another_draw",
            "Other random numbers, seed 1: at dₖ = 64 “cat” is on top, by chance",
            {"d_k": 64, "step": "divide", "seed": 1},
        ),
    ),
    bet=Bet(
        "At dₖ = {d_k}, with random numbers after the first four: how often is “cat” on top, of 1,000 sentences?",
        Number("It is on top in", 50, 0, 100, tuple(range(0, 101, 5))),
        near=5,
        suffix=" %",
        place=Place("x2", "y2"),
        when=("step", "wander"),
        earlier=("ask", "multiply", "add"),
    ),
    terms=("key", "query", "dₖ"),
    pictures=("one_query",),
    assumed="The first four components are invented and have names; those that a model learns have none. The others "
    "are ±1 at random. Of 1,000 sentences one is shown: at seed 0 one where another word wins, as in two of three.",
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
