"""What the softmax_saturation lesson declares."""

from pages._view.kinds import Number, Text, decimal, fraction
from pages._view.lesson import Bet, Lesson, Place, Step, Try

_LISTS = {"list_1": "4, 5", "list_2": "1, 10", "list_3": "", "list_4": ""}
_ROWS = {"d_k": 64, "n_keys": 16, "law": "normal", "seed": 0}

LESSON = Lesson(
    stem="softmax_saturation",
    question="What does softmax do with large scores?",
    answer="It sees only their *differences*, and it saturates: a key far ahead of the others takes nearly all the "
    "weight and leaves nearly no gradient.",
    icon=":material/bar_chart:",
    section="The path",
    terms=("key", "gradient"),
    shared=("d_k", "n_keys", "law", "seed"),
    controls={
        # It starts undivided: the rows differ, and the learner looks for what makes them alike.
        "exponent": Number("Exponent α", 0, 0, 1, tuple(i / 50 for i in range(51)), whole=False, shown=decimal),
        "list_1": Text("First list", "4, 5"),
        "list_2": Text("Second list", "1, 10"),
        "list_3": Text("Third list (optional)", ""),
        "list_4": Text("Fourth list (optional)", ""),
        "multiplier": Number(
            "Multiplier", 1, 1 / 64, 64, tuple(2.0**j for j in range(-6, 7)), whole=False, shown=fraction
        ),
        "shift": Number("Shift", 0, -100, 100, tuple(range(-100, 101, 10)), whole=False, shown=decimal),
    },
    settings=("list_3", "list_4"),
    steps=(
        Step(
            "lists",
            "Only differences count: shift all scores, and no weight changes.",
            "list_weights",
            slider="multiplier",
            dials=("shift",),
            in_sight=("list_1", "list_2"),
            tries=(
                Try(
                    "shifted",
                    "Shift 100: now [4, 5] is [104, 105], and no weight has changed",
                    _LISTS | {"multiplier": 1.0, "shift": 100.0},
                ),
                Try(
                    "stretched",
                    "Multiplier 64: now one key of each list takes practically all the weight",
                    _LISTS | {"multiplier": 64.0, "shift": 0.0},
                ),
            ),
        ),
        Step(
            "divisor",
            "Turn the exponent α until the three rows look alike.",
            "softmax_weights",
            dials=("exponent",),
            bet=Bet(
                "Not divided, at dₖ = {d_k}: how much of the weight does the strongest of {n_keys} keys take on "
                "average?",
                Number("Its weight", 50, 0, 100, tuple(range(0, 101, 5))),
                near=5,
                suffix=" %",
                place=Place("y", "x2", unit=0.01),
                usual=("exponent",),
            ),
            tries=(
                Try("square_root", "α = ½: the three rows look alike", _ROWS | {"exponent": 0.5}),
                Try(
                    "too_much",
                    "α = 1: all rows are nearly flat, the flattest at dₖ = 1,024",
                    _ROWS | {"exponent": 1.0},
                ),
            ),
        ),
        Step(
            "averages",
            "Raw weights sharpen as dₖ grows. Divided by √dₖ, they settle.",
            "softmax_averages",
            tries=(
                Try(
                    "many_keys",
                    "64 keys: the dotted line, beyond which raw scores freeze softmax, moves to dₖ = 8.32",
                    {"n_keys": 64},
                ),
            ),
        ),
    ),
    opens="divisor",
    assumed="The curves average over independent normal queries and keys. For other distributions the points approach "
    "the dashed curves as $d_k$ grows.\n\n"
    "The dotted line stands where the raw scores of $n$ keys spread by $\\sqrt{2\\ln n}$. Beyond it softmax "
    "freezes onto a few of very many keys. With the usual numbers nothing happens suddenly there.",
    myths=(
        (
            "A large variance of the score matrix is the trouble.",
            "Only differences within a row matter.",
        ),
        (
            "The scale prevents overflow.",
            "Subtracting the largest score keeps exp from overflowing, with any scale. A scale on $q$ or $k$ helps "
            "only products too large for float16.",
        ),
        (
            "More keys make it worse.",
            "At the same spread, more keys make softmax flatter.",
        ),
    ),
    sources=(
        "Vaswani et al. (2017), section 3.2.1.",
        "Derrida, *Phys. Rev. B* 24, 2613 (1981), for the dotted line.",
        "Blanchard, Higham and Higham, *IMA J. Numer. Anal.* 41(4), 2021, for overflow.",
    ),
    see=("few_bits",),
)
