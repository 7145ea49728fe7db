"""What the small_samples lesson declares."""

from pages._view.kinds import Choice, Number, decimal
from pages._view.lesson import Bet, Lesson, Place, Together, Try
from sattn_core.lessons.small_samples import DEFAULT_SIZES

MOST_DRAWS = 2_000  # where those that fall end by themselves
_AS_ASKED = {"size": 2, "ddof": "0", "seed": 0}

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
            "Size of the product",
            2,
            2,
            64,
            DEFAULT_SIZES,
            help="On the right: size × dₖ times dₖ × size.",
        ),
        "ddof": Choice("ddof", "0", ("0", "1"), help="0: NumPy's variance divides by N. 1: by N − 1.", bar=True),
        "n_draws": Number("Draws", 200, 1, MOST_DRAWS, (200,), typed=True),
    },
    in_sight=("size", "ddof"),
    each="For a class: each of you sees another experiment",
    tries=(
        Try(
            "one_draw", "One draw: its two matrices and their product are written out below", _AS_ASKED | {"n_draws": 1}
        ),
        Try(
            "many_draws",
            "2,000 draws: the bars fill the dashed outline, and about 7 in 10 draws lie below 1.6",
            _AS_ASKED | {"n_draws": 2_000},
        ),
        Try("ddof_1", "ddof = 1: the exact mean is 2, which is dₖ", _AS_ASKED | {"ddof": "1", "n_draws": 2_000}),
        Try(
            "large_dimension",
            "dₖ = 1,024 does not help: only about 1 draw in 12 comes within 10 % of it",
            _AS_ASKED | {"d_k": 1024, "n_draws": 2_000},
        ),
        Try(
            "large_matrices",
            "64 × 64 products do help: nearly all draws lie within 10 % of dₖ",
            {"size": 64, "d_k": 64, "ddof": "0", "seed": 0, "n_draws": 200},
        ),
    ),
    bet=Bet(
        "On average over many 2 × 2 products with dₖ = 2, what is the variance of the four entries?",
        Number("Their variance", 3.0, 0, 4, tuple(j / 10 for j in range(41)), whole=False, shown=decimal),
        near=0.15,
        place=Place("x", "y"),
    ),
    together=Together(
        "Each phone draws ten 2 × 2 products of its own. What is the variance of their four entries?",
        "Draw ten products",
    ),
    terms=("variance",),
    pictures=("small_samples", "sample_band", "large_experiment"),
    assumed="The question shows its code only as an image, so standard normal entries and ddof = 0 are assumptions. "
    "`rand` cannot be meant: with entries between 0 and 1 the variance could not exceed 1. Only the first draw and "
    "the large experiment multiply matrices. The other variances are drawn from their exact distribution.",
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
