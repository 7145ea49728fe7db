"""What the derivation lesson declares."""

from pages._view.kinds import Choice, Number, decimal
from pages._view.lesson import Lesson, Try

_VARIANCES = (0.25, 0.5, 1.0, 2.0, 3.0, 4.0, 8.0, 16.0)
_FREEDOMS = (1.5, 1.6, 1.7, 1.8, 1.9, 2.0, 2.1, 2.5, 3.0, 4.0, 4.5, 5.0, 6.0, 8.0, 10.0, 15.0, 20.0, 30.0)
_MEANS = tuple(j / 4 for j in range(-16, 17))

LESSON = Lesson(
    stem="derivation",
    title="Derivation",
    question="Where does d_k come from?",
    answer="From the sum: $d_k$ uncorrelated products, each of variance 1, add up to variance $d_k$, "
    "and the factor $c = 1/\\sqrt{d_k}$ makes it 1.",
    icon=":material/functions:",
    section="The path",
    shared=("d_k", "seed"),
    controls={
        "broken": Choice(
            "Break one assumption",
            "nothing",
            ("nothing", "means", "variances", "alignment", "coordinates", "tails"),
            help="means: not 0. variances: not 1. alignment: q_i correlated with k_i. "
            "coordinates: correlated with each other. tails: Student t components.",
            bar=True,
        ),
        "mean_q": Number("Mean of q_i", 1, -4, 4, _MEANS, whole=False, shown=decimal, when=("broken", "means")),
        "mean_k": Number("Mean of k_i", 1, -4, 4, _MEANS, whole=False, shown=decimal, when=("broken", "means")),
        "var_q": Number(
            "Variance of q_i", 2, 0.25, 16, _VARIANCES, whole=False, shown=decimal, when=("broken", "variances")
        ),
        "var_k": Number(
            "Variance of k_i", 2, 0.25, 16, _VARIANCES, whole=False, shown=decimal, when=("broken", "variances")
        ),
        "correlation": Number(
            "ρ of q_i with k_i",
            0.5,
            -1,
            1,
            tuple(j / 20 for j in range(-20, 21)),
            whole=False,
            shown=decimal,
            when=("broken", "alignment"),
        ),
        "r": Number(
            "r between coordinates",
            0.3,
            0,
            1,
            tuple(j / 20 for j in range(21)),
            whole=False,
            shown=decimal,
            when=("broken", "coordinates"),
        ),
        "nu": Number(
            "Degrees of freedom ν", 1.5, 1.5, 30, _FREEDOMS, whole=False, shown=decimal, when=("broken", "tails")
        ),
    },
    old_names={"mu_q": "mean_q", "mu_k": "mean_k", "rho": "correlation"},
    tries=(
        Try(
            "one_mean",
            "The mean of k_i is 1, that of q_i is 0: line 7 fails, and dividing by √d_k is still right",
            {"broken": "means", "mean_q": 0.0, "mean_k": 1.0, "d_k": 64, "seed": 0},
        ),
        Try(
            "alignment",
            "q_i correlated with k_i at d_k = 1,024: divided by √d_k, the mean score is still about 16",
            {"broken": "alignment", "correlation": 0.5, "d_k": 1024, "seed": 0},
        ),
        Try(
            "tails",
            "Heavy tails with ν = 2.1: a variance exists, but 4 lines cannot be checked",
            {"broken": "tails", "nu": 2.1, "d_k": 64, "seed": 0},
        ),
    ),
    pictures=("derivation", "score_growth"),
    assumed="Each line names the assumption it uses. Normality is not among them.\n\n"
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
