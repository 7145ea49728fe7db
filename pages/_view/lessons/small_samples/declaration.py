"""What the small_samples lesson declares."""

from pages._view.kinds import Choice, Number, decimal
from pages._view.lesson import Bet, Lesson, Place, Step, Together, Try
from sattn_core.lessons.small_samples import DEFAULT_SIZES

_DRAWS = (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 75, 100, 150, 200, 300, 500, 750, 1_000, 1_500, 2_000)
_FIRST = {"ddof": "0", "seed": 0}

LESSON = Lesson(
    stem="small_samples",
    question="Why did my 2 × 2 experiment give 1.6?",
    answer="By chance: the variance of only four dependent numbers scatters from near 0 to above 5. "
    "With ddof = 0 its mean is 1.5, not 2.",
    icon=":material/casino:",
    section="Go deeper",
    shared=("d_k", "seed"),
    controls={
        "size": Number(
            "Size",
            2,
            2,
            64,
            DEFAULT_SIZES,
            help="On the right: size × dₖ times dₖ × size.",
        ),
        "ddof": Choice("ddof", "0", ("0", "1"), help="0: NumPy's variance divides by N. 1: by N − 1.", bar=True),
        "n_draws": Number("Draws", 200, 1, 2_000, _DRAWS, play=300),
    },
    settings=("ddof",),
    each="For a class: each of you sees another experiment",
    steps=(
        Step(
            "draw",
            "Someone expected a variance of 2 and found 1.6. Press ▶ to draw again.",
            "small_samples",
            dials=("size", "n_draws"),
            bet=Bet(
                "On average over many 2 × 2 products with dₖ = 2, what is the variance of the four entries?",
                Number("Their variance", 3.0, 0, 4, tuple(j / 10 for j in range(41)), whole=False, shown=decimal),
                near=0.15,
                place=Place("x", "y"),
            ),
            tries=(
                Try(
                    "many_draws",
                    "2,000 draws: the bars fill the dashed outline, and about 7 in 10 draws lie below 1.6",
                    {"size": 2, "n_draws": 2_000} | _FIRST,
                ),
                Try(
                    "large_matrices",
                    "64 × 64 products do help: nearly all draws lie within 10 % of dₖ",
                    {"size": 64, "d_k": 64, "n_draws": 200} | _FIRST,
                ),
            ),
        ),
        Step(
            "band",
            "Drag dₖ: small products scatter, however large it is.",
            "sample_band",
            tries=(
                Try(
                    "large_dimension",
                    "dₖ = 1,024 does not help: the variance of 2 × 2 products may still be over 2 times dₖ",
                    _FIRST | {"d_k": 1024},
                ),
                Try("ddof_1", "ddof = 1: the exact mean is dₖ at every size", {"ddof": "1", "seed": 0}),
            ),
        ),
        Step("large", "The published run with large matrices is an ordinary one.", "large_experiment", slider=""),
    ),
    together=Together(
        "Each phone draws ten 2 × 2 products of its own. What is the variance of their four entries?",
        "Draw ten products",
    ),
    terms=("variance",),
    assumed="Someone multiplied two random 2 × 2 matrices, expected entries of variance 2, which is $d_k$, and "
    "measured 1.6. The code is only an image: normal entries and ddof = 0 are assumptions. `rand` cannot be meant, "
    "for its variance stays below 1. Most variances are exact draws.",
    myths=(
        (
            "1.6 refutes the rule.",
            "The mean is 1.5, and single draws scatter widely.",
        ),
        (
            "The entries of $AB$ are independent samples.",
            "They share rows and columns. Unless $d_k$ is far larger than the matrix, the band for independent entries "
            "is too narrow.",
        ),
    ),
    sources=(
        "The question and its answers, 2020 to 2023.",
        "Muirhead (1982), *Aspects of Multivariate Statistical Theory*, chapter 3.",
    ),
)
