"""What the one_query lesson declares."""

from pages._view.kinds import Choice
from pages._view.lesson import Bet, Lesson, Try
from sattn_core.lessons.one_query import STEPS

FARTHER = ("2", "4", "16")  # what the bet offers

LESSON = Lesson(
    stem="one_query",
    title="One query",
    question="What is a score?",
    answer="A sum of dₖ products that says how well a key answers a query; it wanders about as far as √dₖ.",
    icon=":material/help:",
    section="The path",
    card="Six small steps, every number by hand.",
    shared=("d_k", "seed"),
    controls={"step": Choice("Step", STEPS[0], STEPS, bar=True)},
    tries=(
        Try(
            "invented_only",
            "Softmax of the invented components alone, dₖ = 4: “cat” gets two thirds, “mat” a quarter",
            {"d_k": 4, "step": "softmax"},
        ),
        Try(
            "large_dimension",
            "Divide at dₖ = 1,024: before it one word takes all, after it each gets 5 % or more",
            {"d_k": 1024, "step": "divide", "seed": 0},
        ),
        Try(
            "another_draw",
            "Draw the further components with seed 1: at dₖ = 64 another word wins",
            {"d_k": 64, "step": "divide", "seed": 1},
        ),
    ),
    bet=Bet(
        "From dₖ = {d_k} products to sixteen times as many: how many times as far does their sum usually wander?",
        Choice(
            "It wanders",
            "4",
            FARTHER,
            shown={each: f"{each} times as far" for each in FARTHER},
            old_options={f"×{each} as far": each for each in FARTHER},
        ),
        when=("step", "wander"),
        earlier=("ask", "multiply", "add"),
    ),
    terms=("key", "query"),
    pictures=("one_query",),
    assumed="The first four components of each vector are invented and have names. Those that a model learns have "
    "none. The others are +1 or −1 at random, so chance decides which word wins. The dashed line treats "
    "the invented products as random too.",
    myths=(
        (
            "A score lies between −1 and 1.",
            "Nothing keeps it there. It tends to grow with the number of products.",
        ),
        (
            "Dividing changes which word comes first.",
            "Only the shares change.",
        ),
    ),
    sources=("Vaswani et al. (2017), section 3.2.1.",),
)
