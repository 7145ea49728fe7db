"""What the derivation lesson declares."""

from pages._view.kinds import Choice, Number, decimal
from pages._view.lesson import Bet, Lesson, Try

_VARIANCES = (0.25, 0.5, 1.0, 2.0, 3.0, 4.0, 8.0, 16.0)
_FREEDOMS = (1.5, 1.6, 1.7, 1.8, 1.9, 2.0, 2.1, 2.5, 3.0, 4.0, 4.5, 5.0, 6.0, 8.0, 10.0, 15.0, 20.0, 30.0)
_MEANS = tuple(j / 4 for j in range(-16, 17))

RATIOS = ("2", "4", "16")  # what the bet offers

LESSON = Lesson(
    stem="derivation",
    question="Where does √dₖ come from?",
    answer="From a sum: $d_k$ uncorrelated products of variance 1 add up to variance $d_k$, whose root $\\sqrt{d_k}$ "
    "is how far scores spread.",
    icon=":material/functions:",
    section="The path",
    card="Three lines, and what each of them assumes.",
    terms=("variance",),
    shared=("d_k", "seed"),
    controls={
        "broken": Choice(
            "Assumptions",
            "all hold",
            ("all hold", "means not 0", "variances not 1", "q and k aligned", "components correlated", "heavy tails"),
            help="Break one at a time and see which line gives way. Means: those of qᵢ and kᵢ are not 0. Variances: "
            "not 1. Aligned: qᵢ is correlated with kᵢ. Components: correlated with each other. Heavy tails: "
            "components with Student's t distribution.",
            bar=True,
        ),
        "mean_q": Number("Mean of qᵢ", 1, -4, 4, _MEANS, whole=False, shown=decimal, when=("broken", "means not 0")),
        "mean_k": Number("Mean of kᵢ", 1, -4, 4, _MEANS, whole=False, shown=decimal, when=("broken", "means not 0")),
        "var_q": Number(
            "Variance of qᵢ", 2, 0.25, 16, _VARIANCES, whole=False, shown=decimal, when=("broken", "variances not 1")
        ),
        "var_k": Number(
            "Variance of kᵢ", 2, 0.25, 16, _VARIANCES, whole=False, shown=decimal, when=("broken", "variances not 1")
        ),
        "correlation": Number(
            "ρ of qᵢ with kᵢ",
            0.5,
            -1,
            1,
            tuple(j / 20 for j in range(-20, 21)),
            whole=False,
            shown=decimal,
            when=("broken", "q and k aligned"),
        ),
        "r": Number(
            "r between components",
            0.3,
            0,
            1,
            tuple(j / 20 for j in range(21)),
            whole=False,
            shown=decimal,
            when=("broken", "components correlated"),
        ),
        "nu": Number(
            "Degrees of freedom ν",
            1.5,
            1.5,
            30,
            _FREEDOMS,
            whole=False,
            shown=decimal,
            when=("broken", "heavy tails"),
        ),
    },
    tries=(
        Try(
            "alignment",
            "Align q and k at dₖ = 1,024: the first line fails, for the mean is about 512, and about 16 after ÷ √dₖ",
            {"broken": "q and k aligned", "correlation": 0.5, "d_k": 1024, "seed": 0},
        ),
        Try(
            "one_mean",
            "Give only k a mean of 1: the variance doubles, yet √dₖ is still the right divisor",
            {"broken": "means not 0", "mean_q": 0.0, "mean_k": 1.0, "d_k": 64, "seed": 0},
        ),
        Try(
            "copies",
            "Let all components be copies of one: the variance is about dₖ², and ÷ √dₖ is too weak",
            {"broken": "components correlated", "r": 1.0, "d_k": 64, "seed": 0},
        ),
        Try(
            "tails",
            "Heavy tails with ν = 2.1: a variance exists, but these pairs cannot show it",
            {"broken": "heavy tails", "nu": 2.1, "d_k": 64, "seed": 0},
        ),
    ),
    bet=Bet(
        "A score adds up dₖ = {d_k} products. With four times as many, how many times as far do raw scores spread?",
        Choice(
            "They spread",
            "2",
            RATIOS,
            shown={each: f"{each} times as far" for each in RATIOS},
        ),
    ),
    pictures=("three_lines", "derivation", "score_growth"),
    assumed="Each line names the assumption it uses. Normality is not among them. The variance of the sum has no cross "
    "terms: where all components are independent, $E[q_ik_i\\,q_jk_j]$ is a product of four means, and these are 0.\n\n"
    "Both sides of a line are measured on the same simulated pairs. ✓ and ✗ say whether the line is true for "
    "the chosen numbers, and z whether these pairs show it. Beyond 4 either way, a line is seen to fail. For "
    "$\\nu\\le4$ a variance has no usable error bar, and ? marks the lines that need one.",
    myths=(
        (
            "One should divide by $d_k$.",
            "That leaves variance $1/d_k$ and nearly equal weights at the start. It suits aligned $q$ and $k$.",
        ),
        (
            "$q$ and $k$ naturally have unit variance.",
            "The initial weights decide it, and training changes it.",
        ),
    ),
    sources=(
        'Vaswani et al. (2017), "Attention Is All You Need", section 3.2.1, footnote 4.',
        'Goodman (1960), "On the Exact Variance of Products", *JASA* 55.',
        "Yang et al. (2022), arXiv:2203.03466, for $1/d_k$.",
    ),
)
