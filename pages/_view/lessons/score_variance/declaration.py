"""The declaration of the score_variance lesson."""

from pages._view.kinds import Choice, Drawing, Number, decimal
from pages._view.lesson import Bet, Lesson, Place, Step, Try
from sattn_core.lessons.score_variance import SAMPLINGS

_POWERS = tuple(2**j for j in range(1, 10))
_SAMPLES = (1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000)

SMALLEST = 0.25  # the smallest standard deviation to start from
DRAWN_AT = (128, 256, 512, 768, 1024)  # numbers of products at which the learner draws
_PAIRS = {"d_k": 64, "sampling": "pairs", "law": "normal", "n_samples": 10_000, "seed": 0}
_NOTHING_BROKEN = {"mean_q": 0.0, "mean_k": 0.0, "correlation": 0.0}

LESSON = Lesson(
    stem="score_variance",
    question="How far do raw scores spread?",
    answer="Their variance is $d_k$ if all components are independent with mean 0 and variance 1, since each of the "
    "$d_k$ products $q_i k_i$ adds 1. Divided by $\\sqrt{d_k}$, the scores have variance 1.",
    icon=":material/ssid_chart:",
    section="The path",
    terms=("variance",),
    shared=("d_k", "n_keys", "law", "seed"),
    controls={
        "sampling": Choice(
            "Scores from",
            "pairs",
            SAMPLINGS,
            help="pairs: every score has its own q and k. matrix: all entries of one Q Kᵀ, which share rows.",
            bar=True,
        ),
        "axis": Choice(
            "Score axis",
            "shared",
            ("shared", "own"),
            help="shared: one axis for raw and scaled scores, the same at every dₖ. own: each follows its own spread.",
            bar=True,
        ),
        "n_samples": Number(
            "Pairs",
            10_000,
            1_000,
            1_000_000,
            _SAMPLES,
            help="How many pairs (q, k) are drawn, if scores come from pairs.",
        ),
        "n_queries": Number(
            "Rows", 64, 2, 512, _POWERS, help="How many queries Q holds, if scores come from a matrix."
        ),
        "mean_q": Number("Mean of q", 0, -2, 2, tuple(j / 4 for j in range(-8, 9)), whole=False, shown=decimal),
        "mean_k": Number("Mean of k", 0, -2, 2, tuple(j / 4 for j in range(-8, 9)), whole=False, shown=decimal),
        "correlation": Number(
            "Correlation of q with k",
            0,
            -1,
            1,
            tuple(j / 10 for j in range(-10, 11)),
            whole=False,
            shown=decimal,
            help="The correlation pairs each q with its own k: it counts for pairs, not for a matrix.",
        ),
        "component_spread": Number(
            "Spread of the numbers in q and k",
            1,
            SMALLEST,
            1,
            tuple(j / 20 for j in range(round(20 * SMALLEST), 21)),
            whole=False,
            shown=decimal,
            letter="numbers spread",
        ),
    },
    settings=("sampling", "axis", "n_samples", "n_queries", "mean_q", "mean_k", "correlation"),
    unseen={
        "products_axis": Choice(
            "Axis of products",
            "linear",
            ("linear", "root"),
            help="square root: equal steps of √dₖ, so that the spread is a straight line.",
            bar=True,
            shown={"linear": "linear axis", "root": "square-root axis"},
        ),
    },
    steps=(
        Step(
            "draw",
            "Drag dₖ from 4 to 1,024: the sums spread. Each product has variance 1·1, as independent qᵢ² and kᵢ² "
            "average 1.",
            "score_histograms",
            pinned={"products_axis": "linear"},
            bet=Bet(
                "Draw on: as products are added, how far do these sums spread, by one standard deviation?",
                Drawing("Spread after {} products", DRAWN_AT, 100_000),
                near=1 / 8,
                place=Place("y", "x"),
                usual=("mean_q", "mean_k", "correlation"),
            ),
            tries=(
                Try(
                    "sixteen_times",
                    "Sixteen times the dimension, dₖ = 1,024: only four times the spread",
                    _PAIRS | _NOTHING_BROKEN | {"d_k": 1024},
                ),
                Try(
                    "mean_of_two",
                    "Give k a mean of 2: raw scores spread over twice as far, and ÷ √dₖ does not undo it",
                    _PAIRS | _NOTHING_BROKEN | {"mean_k": 2.0},
                ),
            ),
        ),
        Step(
            "straighten",
            "On an axis of √dₖ the spread is a straight line.",
            "straight_histograms",
            pinned={"products_axis": "root"},
            tries=(
                Try(
                    "aligned",
                    "Correlation 1, dₖ = 1,024: raw scores average about 1,024; ÷ √dₖ leaves 32",
                    _PAIRS | _NOTHING_BROKEN | {"d_k": 1024, "correlation": 1.0},
                ),
                Try(
                    "few_rows",
                    "One Q Kᵀ of 2 rows: its 32 scores share two queries, and spread by 6.7, not 8",
                    {
                        "d_k": 64,
                        "sampling": "matrix",
                        "n_queries": 2,
                        "n_keys": 16,
                        "law": "normal",
                        "mean_q": 0.0,
                        "mean_k": 0.0,
                        "seed": 0,
                    },
                ),
            ),
        ),
        Step(
            "divide",
            "Only ÷ √dₖ stays flat. Raw scores spread more and more; ÷ dₖ squeezes them to nearly nothing.",
            "variance_curve",
            tries=(
                Try(
                    "largest",
                    "dₖ = 1,024: raw scores spread by about 32, and ÷ dₖ leaves about 1/32",
                    _PAIRS | _NOTHING_BROKEN | {"d_k": 1024},
                ),
                Try(
                    "heavier_tails",
                    "Heavier tails, Student's t: the same three lines",
                    _PAIRS | _NOTHING_BROKEN | {"law": "student_t"},
                ),
            ),
        ),
        Step(
            "small",
            "Start from smaller numbers instead: at which spread is no division needed?",
            "small_start",
            slider="component_spread",
            pinned={"d_k": 64},
        ),
    ),
    assumed="$q$ and $k$ are independent, and so are their components, with mean 0 and variance 1. The excess kurtosis "
    "of a score is $(K_qK_k-3)/d_k$, where $K_q$ and $K_k$ are the kurtosis of one component.\n\n"
    "The entries of one $QK^\\top$ share rows, so their variance scatters more than that of separate pairs.",
    myths=(
        (
            "For independent $X$ and $Y$, $\\operatorname{Var}(XY)=\\operatorname{Var}(X)\\operatorname{Var}(Y)$.",
            "This needs both means to be 0. Otherwise add $E[X]^2\\operatorname{Var}(Y)+E[Y]^2\\operatorname{Var}(X)$.",
        ),
        (
            "The components must be normal.",
            "Any distribution with mean 0 and variance 1 will do.",
        ),
    ),
    sources=("Vaswani et al. (2017), section 3.2.1, footnote 4.",),
    moved=dict.fromkeys(("q_2d", "k_2d", "q_3d", "k_3d"), "small_samples"),
)
