"""The declaration of the few_bits lesson."""

from pages._view.kinds import Choice, Number, decimal
from pages._view.lesson import Bet, Lesson, Step, Try
from sattn_core.lessons.few_bits import FORMATS, ORDERS, SUMS

FARTHER = ("as far", "√dₖ times as far", "dₖ times as far")
_USUAL = {"format": "bfloat16", "sums": "float32", "order": "after", "size": 1.0, "seed": 0}

LESSON = Lesson(
    stem="few_bits",
    question="And in 16 bits?",
    answer="Rounding puts a *weight* off by a factor. Without the scale it grows with $d_k$, for large numbers lie "
    "further apart. With the scale, and sums in 32 bits, it stays.",
    icon=":material/memory:",
    section="Go deeper",
    terms=("weight",),
    shared=("d_k", "seed"),
    controls={
        "format": Choice(
            "Format",
            "bfloat16",
            FORMATS,
            help="Of q, k and the scores. float16: 11 significant bits; bfloat16: 8; float8 E4M3: 4.",
            bar=True,
            shown={"float8_e4m3fn": "float8 E4M3"},
        ),
        "sums": Choice(
            "Added up in",
            "float32",
            SUMS,
            help="The products are added one after the other, and each sum is rounded: to 32 bits, or to the format.",
            bar=True,
            shown={"float32": "32 bits", "same": "the format"},
        ),
        "order": Choice(
            "Divide",
            "after",
            ORDERS,
            help="The sum of the products, once it is kept in the format; or q, before it is multiplied.",
            bar=True,
            shown={"after": "the sum", "before": "q first"},
        ),
        "size": Number(
            "Size of a component",
            1,
            1,
            64,
            (1, 2, 4, 8, 16, 32, 40, 64),
            whole=False,
            help="The standard deviation of the components of q and k.",
            shown=decimal,
        ),
    },
    settings=("order", "size"),
    steps=(
        Step(
            "scores",
            "Drag dₖ to 1,024 and see how far rounding puts each score off.",
            "rounded_scores",
            in_sight=("format", "sums"),
            bet=Bet(
                "At dₖ = {d_k}: beside the scaled scores, how far does rounding put the raw ones off?",
                Choice("The raw scores", FARTHER[0], FARTHER),
                usual=("order", "size"),
            ),
            tries=(
                Try(
                    "half_apart",
                    "bfloat16, dₖ = 1,024: some raw scores lie beyond 64, where its numbers are ½ apart",
                    _USUAL | {"d_k": 1024},
                ),
                Try(
                    "sums_in_16_bits",
                    "Added up in bfloat16, dₖ = 1,024: even scaled scores are off twenty times as far as with 32 bits",
                    _USUAL | {"d_k": 1024, "sums": "same"},
                ),
            ),
        ),
        Step(
            "formats",
            "Pick a format: how much does rounding change a weight at every dₖ?",
            "few_bits_curves",
            in_sight=("format", "sums"),
            tries=(
                Try(
                    "too_late",
                    "float16, components of size 40: at dₖ = 512 scores overflow, and dividing the sum comes too late",
                    _USUAL | {"d_k": 512, "format": "float16", "size": 40.0},
                ),
                Try(
                    "in_time",
                    "The same with q divided first: no scaled score overflows",
                    _USUAL | {"d_k": 512, "format": "float16", "size": 40.0, "order": "before"},
                ),
            ),
        ),
        Step(
            "sum",
            "Add up 40 · 40: where the sum overflows, dividing q first saves it.",
            "large_sum",
            in_sight=("sums",),
            tries=(
                Try(
                    "forty",
                    "Added up in float16, dₖ = 64: the 41st product overflows, and with q divided first none does",
                    {"d_k": 64, "sums": "same"},
                ),
            ),
        ),
    ),
    assumed="The components are normal, and numbers of the format. Softmax is exact, as in 32 bits; scores are "
    "rounded. A fused kernel keeps scores in 32 bits until softmax: then little is left but the rounding of $q$ and "
    "$k$.",
    myths=(
        (
            "Floating point is as exact for large numbers.",
            "Relative to their size. Softmax sees their differences.",
        ),
        (
            "bfloat16 is the safer format.",
            "It does not overflow here, and has three bits less.",
        ),
    ),
    sources=(
        "IEEE 754-2019, for float16 and rounding.",
        "Micikevicius et al. (2022), arXiv:2209.05433, for float8 E4M3.",
        "Higham, *Accuracy and Stability of Numerical Algorithms* (2002), chapters 2 to 4.",
    ),
    see=("softmax_saturation",),
)
