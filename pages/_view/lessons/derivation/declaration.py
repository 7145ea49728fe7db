"""The declaration of the derivation lesson."""

from pages._view.kinds import Choice, Number, decimal
from pages._view.lesson import Bet, Lesson, Step, Try

_VARIANCES = (0.25, 0.5, 1.0, 2.0, 3.0, 4.0, 8.0, 16.0)
_FREEDOMS = (1.5, 1.6, 1.7, 1.8, 1.9, 2.0, 2.1, 2.5, 3.0, 4.0, 4.5, 5.0, 6.0, 8.0, 10.0, 15.0, 20.0, 30.0)
_MEANS = tuple(j / 4 for j in range(-16, 17))

RATIOS = ("2", "4", "16")  # options of the bet
# Controls that set how strongly an assumption is broken; each is shown only with its assumption.
_STRENGTHS = ("mean_q", "mean_k", "var_q", "var_k", "correlation", "r", "nu")

LESSON = Lesson(
    stem="derivation",
    question="Where does √dₖ come from?",
    answer="From a sum: $d_k$ uncorrelated products of variance 1 add up to variance $d_k$, whose root $\\sqrt{d_k}$ "
    "is how far scores spread.",
    icon=":material/functions:",
    section="The path",
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
            letter="correlation",
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
    steps=(
        Step(
            "lines",
            "Three lines lead from a sum of products to √dₖ. Each product has variance 1·1, as qᵢ² and kᵢ² average 1.",
            "three_lines",
            pinned={"broken": "all hold"},
            bet=Bet(
                "With four times as many products as at dₖ = {d_k}, how many times as large is the variance of raw "
                "scores?",
                Choice(
                    "It is",
                    "4",
                    RATIOS,
                    shown={each: f"{each} times as large" for each in RATIOS},
                ),
            ),
        ),
        Step(
            "root",
            "Divide scores by √dₖ: their variance is divided by dₖ, and is 1.",
            "root",
            pinned={"broken": "all hold"},
            tries=(
                Try("four", "dₖ = 4: ÷ 2 leaves one of four squares", {"d_k": 4}),
                Try("thousand", "dₖ = 1,024: ÷ 32 leaves one square, and ÷ 32 again 1/1,024 of it", {"d_k": 1024}),
            ),
        ),
        Step(
            "broken",
            "Break an assumption: which line gives way?",
            "broken_lines",
            dials=_STRENGTHS,
            in_sight=("broken",),
            tries=(
                Try(
                    "alignment",
                    "Align q and k at dₖ = 1,024: mean about 512, after ÷ √dₖ still 16",
                    {"broken": "q and k aligned", "correlation": 0.5, "d_k": 1024, "seed": 0},
                ),
                Try(
                    "small_start",
                    "Numbers start small, dₖ = 16: raw scores spread by 1",
                    {"broken": "variances not 1", "var_q": 0.25, "var_k": 0.25, "d_k": 16, "seed": 0},
                ),
            ),
        ),
    ),
    # The former step "growth" compared raw scores with √dₖ and the right divisor, as "broken" does now.
    formerly={"step": {"growth": "broken"}},
    assumed="Each line names the assumption it uses. Normality is not among them. The variance of the sum has no cross "
    "terms: where all components are independent, $E[q_ik_i\\,q_jk_j]$ is a product of four means, and these are 0.\n\n"
    "Both sides of a line are measured on the same simulated pairs. ✓ and ✗ say whether the line is true for "
    "the chosen numbers, and z whether these pairs show it. Beyond 4 either way, a line is seen to fail. For "
    "$\\nu\\le4$ a variance has no usable error bar, and ? marks the lines that need one.\n\n"
    "What to divide by where an assumption fails:\n\n"
    "- Means other than 0: the standard deviation within a row, "
    "$\\sqrt{d_k\\operatorname{Var}(k_i)(\\operatorname{Var}(q_i)+E[q_i]^2)}$.\n"
    "- Variances other than 1: $\\sqrt{d_k\\operatorname{Var}(q_i)\\operatorname{Var}(k_i)}$.\n"
    "- Correlated components: $d_k/\\sqrt{d_\\text{eff}}$ with $d_\\text{eff}=d_k/(1+(d_k-1)r^2)$.\n"
    "- Aligned $q$ and $k$: $d_k$, because the mean grows like $\\rho d_k$.\n"
    "- Heavy tails, $\\nu\\le2$: no variance exists, and the sum grows a little faster than $d_k^{1/\\nu}$.",
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
