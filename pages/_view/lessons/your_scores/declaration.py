"""The declaration of the your_scores lesson."""

from pages._view.kinds import Choice, Number
from pages._view.lesson import Lesson, Step, Try
from sattn_core.lessons.your_scores import SAMPLES, TRAINED

SAMPLE_NAMES = {
    "ideal": "ideal",
    "layer_norm_mha": "LayerNorm, PyTorch attention",
    "aligned": "aligned",
    "anisotropic": "anisotropic",
    "heavy_tailed": "heavy-tailed",
} | {name: f"trained encoder, layer {place}" for place, name in enumerate(TRAINED, start=1)}

LESSON = Lesson(
    stem="your_scores",
    question="Is √dₖ right for my model?",
    answer="At the start of training it is, if $\\mathbf{q}\\cdot\\mathbf{k}/\\sqrt{d_k}$ has standard deviation near "
    "1 inside a row. "
    "Load q and k of your own model and see, or try a sample.",
    icon=":material/upload_file:",
    section="Go deeper",
    shared=("d_k", "seed"),
    controls={
        "sample": Choice(
            "Sample",
            "ideal",
            (*SAMPLES, *TRAINED),
            help="Shown while no file of your own is loaded.",
            shown=SAMPLE_NAMES,
        ),
        "head": Number("Head to draw", 1, 1, 64, (1,), help="The last one, if there are fewer.", typed=True),
    },
    steps=(
        Step(
            "spread",
            "Load your model’s q and k, or choose a sample: is the spread near 1?",
            "your_histogram",
            slider="",
            in_sight=("sample", "head"),
            tries=(
                Try(
                    "layer_norm_mha",
                    "LayerNorm, then PyTorch's attention: q and k have variance ½, so the spread is about 0.5 in every "
                    "head",
                    {"sample": "layer_norm_mha", "d_k": 64, "head": 1, "seed": 0},
                ),
                Try(
                    "anisotropic",
                    "An anisotropic sample: every component has variance near 1, yet the spread is about 2",
                    {"sample": "anisotropic", "d_k": 64, "head": 1, "seed": 0},
                ),
            ),
        ),
        Step(
            "growth",
            "√dₖ assumes that scores grow like the root of the number of components.",
            "your_growth",
            slider="",
            in_sight=("sample", "head"),
            tries=(
                Try(
                    "aligned",
                    "An aligned sample, dₖ = 256: the scores of query i with key i grow faster than √m",
                    {"sample": "aligned", "d_k": 256, "head": 1, "seed": 0},
                ),
                Try(
                    "heavy_tailed",
                    "A heavy-tailed sample: single values go far, yet the scores of a row grow like the root",
                    {"sample": "heavy_tailed", "d_k": 64, "head": 1, "seed": 1},
                ),
            ),
        ),
    ),
    terms=("standard deviation",),
    brought={"": "Your own files"},
    assumed="The spread is the standard deviation inside a row. With $n$ keys, ideal $q$ and $k$ give "
    "$\\sqrt{(n-1)/n}$ after the division. “Right” means 0.8 to 1.25 times that, a matter of taste. “Unclear” "
    "means outside these limits but inside the band, which holds 95 % of the spreads that independent standard "
    "normal $q$ and $k$ give. Heavy tails get a wider one.\n\n"
    "The exponent says how the spread grows with the number of components, and ½ is what $\\sqrt{d_k}$ "
    "assumes. Its interval is approximate where $q$ and $k$ depend on each other.\n\n"
    "The rows should be a fair sample. The histogram and the softmax figures use the first 128 queries. Masks "
    "and position terms are not in the files. Nothing in a file is executed.",
    myths=(
        (
            "A spread other than 1 is a bug.",
            "A trained model has learned with its scale. Changing the scale breaks it.",
        ),
        (
            "A spread outside the band proves $\\sqrt{d_k}$ wrong.",
            "With many rows the band is narrow, and $\\sqrt{d_k}$ can be right outside it.",
        ),
    ),
    sources=(
        "Vaswani et al. (2017), section 3.2.1.",
        "Efron (1982), *The Jackknife, the Bootstrap and Other Resampling Plans*, chapter 6.",
        "NumPy Enhancement Proposal 1, for the file format.",
    ),
)
