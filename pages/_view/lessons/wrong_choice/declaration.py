"""The declaration of the wrong_choice lesson."""

from pages._view.kinds import Choice, Number, decimal
from pages._view.lesson import Bet, Lesson, Step, Together, Try
from sattn_core.training.key_value_memory import LOSSES
from sattn_core.training.wrong_rows import LEARNERS

_RATES = (*(float(f"{m}e{e}") for e in range(-4, 5) for m in ("1", "1.78", "3.16", "5.62")), 1e5)
_STEPS = (0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 18, 20, 24, 28, 32, 36, 40, 45, 50, 55, 60, 65, 70, 80, 90, 100,
          110, 120, 130, 140, 150, 160, 170, 180, 190, 200)  # fmt: skip
COUNTS = ("10", "50", "90")  # options of the bet, out of a hundred rows
_USUAL = {"n_keys": 16, "seed": 0, "loss": "output", "learns": "q"}
_ROWS = _USUAL | {"steps": 200}

TOGETHER = Together(
    "Each phone is one of these rows, and starts wrong. Which learning rate puts most of them right with ÷ √dₖ?",
    "Choose",
    chooses="learning_rate",
    options=(0.1, 1.0, 10.0, 100.0, 1000.0),
    meanwhile={"step": "rows", "steps": 0},
)

LESSON = Lesson(
    stem="wrong_choice",
    question="Can a wrong choice be put right?",
    answer="Without the scale, rarely from $d_k = 256$ on: softmax is almost certain of the wrong key, its gradient "
    "almost zero. With ÷ $\\sqrt{d_k}$ and 16 keys one rate of plain gradient descent puts nearly all right from "
    "$d_k = 8$ to 1,024.",
    icon=":material/undo:",
    section="The path",
    terms=("softmax", "gradient"),
    shared=("d_k", "n_keys", "seed"),
    controls={
        "learning_rate": Number("Learning rate", 10, 1e-4, 1e5, _RATES, whole=False, shown=decimal, letter="rate"),
        "steps": Number("Steps", 200, 0, 200, _STEPS, play=150, letter="step"),
        "row": Number("Row", 2, 1, 100, (2,), help="The row whose weights are drawn as bars.", typed=True),
        "loss": Choice(
            "Loss on",
            "output",
            LOSSES,
            help="output is ½ |weights − the right answer|², after the softmax; weights is −ln of the weight on the "
            "right key.",
            bar=True,
        ),
        "learns": Choice(
            "Which numbers learn",
            "q",
            LEARNERS,
            help="q is the query, K are the keys; each row has its own.",
            bar=True,
        ),
        "optimizer": Choice(
            "Optimizer",
            "sgd",
            ("sgd", "adam"),
            help="Adam divides the step of each number of q by the size of its gradient.",
            shown={"sgd": "gradient descent", "adam": "Adam"},
            bar=True,
        ),
    },
    settings=("loss", "learns", "row"),
    steps=(
        Step(
            "rows",
            "100 queries chose a wrong key. Press ▶: gradient descent takes 200 steps to correct them.",
            "matrix_choices",
            dials=("learning_rate", "steps"),
            bet=Bet(
                "100 queries chose a wrong key. Raw scores, dₖ = {d_k}, rate 10: how many are put right in 200 steps?",
                Choice("Come right", "50", COUNTS, shown={each: f"about {each}" for each in COUNTS}),
                usual=("learning_rate", "steps"),
            ),
            tries=(
                Try(
                    "one_rate",
                    "dₖ = 1,024: at the same rate ÷ √dₖ still puts all hundred right",
                    _ROWS | {"d_k": 1024, "learning_rate": 10.0},
                ),
            ),
        ),
        Step(
            "rate",
            "Drag dₖ from 4 to 1,024: which curve stays at the same rates?",
            "choice_rates",
            dials=("learning_rate", "steps"),
            tries=(
                Try(
                    "hardly_begun",
                    "Rate 31.6, dₖ = 1,024: ÷ √dₖ puts all right, and ÷ dₖ none yet",
                    _ROWS | {"d_k": 1024, "learning_rate": 31.6},
                ),
                Try(
                    "small_dimension",
                    "dₖ = 4: at the best rate it makes no difference which of the three divides",
                    _ROWS | {"d_k": 4, "learning_rate": 10.0},
                ),
            ),
        ),
        Step(
            "every_size",
            "Which of the three needs about one rate for every size? Each row learns alone.",
            "choice_dimensions",
            pinned={"steps": 200},
            in_sight=("optimizer",),
        ),
    ),
    opens="rows",
    formerly={"step": {"both": "every_size"}},  # the training race ends with this former step's comparison
    together=TOGETHER,
    assumed="Each row has its own query and keys, all random. The largest score wins, and the right key is one of the "
    "others. It is put right when the right key has more than half of the weight.\n\n"
    "Each row learns alone, so large rates do less harm here than in the training race, where rows share keys.",
    myths=(
        (
            "Dividing by $d_k$ fails.",
            "It works too. Its rate must grow with $d_k$ under plain gradient descent; under Adam it stays, and that "
            "of $\\sqrt{d_k}$ falls.",
        ),
        (
            "Every loss stalls.",
            "With $-\\ln$ of the right weight the gradient stays large. But inside a model no weight has a target.",
        ),
    ),
    sources=("Vaswani et al. (2017), section 3.2.1.",),
)
