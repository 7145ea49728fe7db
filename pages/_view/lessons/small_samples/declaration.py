"""The declaration of the small_samples lesson."""

from dataclasses import dataclass

from pages._view.kinds import Choice, Number, Read, Text, decimal
from pages._view.lesson import Bet, Lesson, Place, Step, Together, Try
from sattn_core.lessons.small_samples import DEFAULT_SIZES, SmallSamplesParams

_DRAWS = (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 75, 100, 150, 200, 300, 500, 750, 1_000, 1_500, 2_000)
_ASKED = SmallSamplesParams()
_FIRST = {"ddof": "0", "seed": 0}


@dataclass(frozen=True)
class _Vectors(Text):
    """Vectors on one line, with semicolons between them; older addresses have line breaks instead."""

    def read(self, text: str) -> Read:
        """Return the text with semicolons instead of line breaks, and a remark if it had to be changed."""
        return Text.read(self, ";".join(text.splitlines()))


_SIGNS = ("1 1", "1 -1", "-1 1", "-1 -1")  # all pairs of signs, equally likely
_ALL_SIGNS = {
    "q_2d": "; ".join(["1 1"] * 4),
    "k_2d": "; ".join(_SIGNS),
    "q_3d": "; ".join(["1 1 1"] * 8),
    "k_3d": "; ".join(f"{each} {last}" for each in _SIGNS for last in (1, -1)),
}

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
        "q_2d": _Vectors("First example, q", "1 2; 1 4; 8 9"),
        "k_2d": _Vectors("First example, k", "2 3; 5 6; 10 2"),
        "q_3d": _Vectors("Second example, q", "1 2 3; 3 4 5; 10 9 11"),
        "k_3d": _Vectors("Second example, k", "3 2 1; 6 7 8; 8 7 6"),
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
                    "2,000 draws: the bars come close to the dashed ones, and about 7 in 10 draws lie below 1.6",
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
        Step(
            "by_hand",
            "Numbers picked by hand are no sample: type others, and any spread comes out.",
            "hand_made",
            slider="",
            in_sight=("q_2d", "k_2d", "q_3d", "k_3d"),
            tries=(
                Try(
                    "smaller",
                    "A second q near 0: now dₖ = 3 spreads less than dₖ = 2",
                    {
                        "q_2d": "1 2; 1 4; 8 9",
                        "k_2d": "2 3; 5 6; 10 2",
                        "q_3d": "0.01 0.02 0.03; 0.03 0.04 0.05; 0.1 0.09 0.11",
                        "k_3d": "3 2 1; 6 7 8; 8 7 6",
                    },
                ),
                Try("all_signs", "All patterns of +1 and −1 once: a spread of exactly √dₖ", _ALL_SIGNS),
            ),
        ),
    ),
    together=Together(
        "Each phone draws ten 2 × 2 products of its own. What is the variance of their four entries?",
        "Draw ten products",
        pinned={"size": _ASKED.size, "d_k": _ASKED.d_k},
    ),
    terms=("variance",),
    brought=dict.fromkeys(("draw", "band", "large"), "The first draw"),
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
        "Lecture notes of 10 March 2025, for the two examples made by hand.",
    ),
)
