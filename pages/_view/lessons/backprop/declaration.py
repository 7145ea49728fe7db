"""The declaration of the backprop lesson."""

from pages._view.kinds import Choice, Number, Text, decimal
from pages._view.lesson import Bet, Lesson, Step, Try
from sattn_core.lessons.backprop import GRADIENT_FORMULAS, MASKS, WEIGHTS

GRADIENT_NAMES = {  # in plain text, without formulas
    "scale": "the scale c",
    "W_Q": "weights of Q",
    "W_K": "weights of K",
    "W_V": "weights of V",
    "X": "the input X",
}

LESSON = Lesson(
    stem="backprop",
    question="How does the gradient come back?",
    answer="Training moves the scores through this gradient. It comes back through every product of matrices and "
    "through softmax, and the scale multiplies it too.",
    icon=":material/undo:",
    section="Go deeper",
    shared=("d_k", "seed"),
    controls={
        "A": Text("A, one row per line", "1, 2\n3, 4", lines=3),
        "B": Text("B, one row per line", "5, 6\n7, 8", lines=3),
        "gradient": Choice(
            "Gradient of",
            "V",
            tuple(GRADIENT_FORMULAS),
            shown=GRADIENT_NAMES,
            help="The arrays in the order in which their gradients come back; scale is the c in c Q Kᵀ.",
        ),
        "exponent": Number(
            "Exponent of the scale",
            0.5,
            0,
            1,
            (0, 0.5, 1),
            whole=False,
            shown=decimal,
            help="0 leaves the scale out, 0.5 is 1/√dₖ, 1 is 1/dₖ.",
        ),
        "masking": Choice(
            "Mask",
            "none",
            MASKS,
            help="causal: a token sees itself and those before it. "
            "fully masked: only those before it, so the first sees none.",
            shown={"fully_masked": "fully masked"},
        ),
        "weight": Choice("Weight to move", "W_Q", WEIGHTS, bar=True, shown=GRADIENT_NAMES),
    },
    terms=("gradient",),
    settings=("masking",),
    steps=(
        Step(
            "gradient",
            "Choose an array and see the gradient that comes back to it.",
            "gradient_matrix",
            dials=("exponent",),
            in_sight=("gradient",),
            tries=(
                Try(
                    "small_scale",
                    "Scale 1/16 at dₖ = 16: dQ is a sixteenth of dS K, so a smaller scale shrinks the gradient too",
                    {"d_k": 16, "exponent": 1.0, "gradient": "Q", "masking": "none", "seed": 0},
                ),
                Try(
                    "fully_masked",
                    "Mask the whole first row: its row of dS is 0, and all checks still agree",
                    {"d_k": 16, "exponent": 0.5, "gradient": "S", "masking": "fully_masked", "seed": 0},
                ),
            ),
        ),
        Step(
            "raw_scores",
            "Leave the scale out: what does the gradient at the raw scores do?",
            "raw_score_gradient",
            dials=("exponent",),
            bet=Bet(
                "At dₖ = {d_k}, leave the scale out: does the gradient at the raw scores grow, shrink or stay?",
                Choice("The gradient", "stays", ("grows", "shrinks", "stays"), shown={"stays": "stays within 10 %"}),
            ),
        ),
        Step(
            "first_order",
            "Move an array by ε: the gradient foretells the change of the loss.",
            "first_order",
            slider="",
            in_sight=("weight",),
        ),
        Step(
            "difference",
            "How exact is a gradient that comes from the difference of two losses?",
            "difference_error",
            slider="",
            in_sight=("weight",),
            tries=(
                Try(
                    "quadratic",
                    "Move V’s weights: all is quadratic in them, so the central difference has no h² branch",
                    {"d_k": 16, "exponent": 0.5, "weight": "W_V", "masking": "none", "seed": 0},
                ),
            ),
        ),
        Step("products", "Three products of A and B: a matrix, a vector, a number.", "products", slider=""),
    ),
    opens="gradient",
    brought={"": "Your own A and B"},
    assumed="$X$ is normal, the weights have variance $1/d_\\text{model}$ and the target is random. The central "
    "difference may be off by $2\\times10^{-8}$ of the gradient and the complex step by $10^{-13}$. More is "
    "allowed only where rounding hides a small gradient.\n\n"
    "To derive a gradient, write $dL=\\langle\\partial L/\\partial W,dW\\rangle$, move every other factor away "
    "from $dW$, and read it off.",
    myths=(
        (
            "A smaller scale gives larger gradients.",
            "Not simply. The scale also multiplies $dQ$ and $dK$.",
        ),
        (
            "$D$ needs the weights in memory.",
            "$O\\ominus dO$ gives the same numbers, as in FlashAttention.",
        ),
    ),
    sources=(
        "The notation A ⊖ B and the three products: Boué (2018), *Deep learning for pedestrians: backpropagation in "
        "CNNs*, arXiv:1811.11987.",
        "The same for Transformers: Boué (2025), *Deep learning for pedestrians: backpropagation in Transformers*, "
        "arXiv:2512.23329.",
        "D as O ⊖ dO: Dao et al. (2022), arXiv:2205.14135.",
        "Complex step: Squire and Trapp, *SIAM Review* 40, 110 (1998).",
    ),
)
