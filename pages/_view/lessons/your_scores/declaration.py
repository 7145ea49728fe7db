"""What the your_scores lesson declares."""

from pages._view.kinds import Choice, Number
from pages._view.lesson import Lesson, Try
from sattn_core.lessons.your_scores import SAMPLES

SAMPLE_NAMES = {
    "ideal": "ideal",
    "layer_norm_mha": "LayerNorm, PyTorch attention",
    "aligned": "aligned",
    "anisotropic": "anisotropic",
    "heavy_tailed": "heavy-tailed",
}

LESSON = Lesson(
    stem="your_scores",
    title="Your scores",
    question="Is √dₖ right for my model?",
    answer="It is if $\\mathbf{q}\\cdot\\mathbf{k}/\\sqrt{d_k}$ has standard deviation near 1 inside a row. "
    "Load q and k of your own model and see, or try a sample.",
    icon=":material/upload_file:",
    section="Go deeper",
    shared=("d_k", "seed"),
    controls={
        "sample": Choice(
            "Sample",
            "ideal",
            tuple(SAMPLES),
            help="Shown while no file of your own is loaded.",
            shown=SAMPLE_NAMES,
        ),
        "head": Number("Head to draw", 1, 1, 64, (1,), help="The last one, if there are fewer.", typed=True),
    },
    tries=(
        Try(
            "layer_norm_mha",
            "LayerNorm, then PyTorch's attention: q and k have variance ½, so the spread is about 0.5 in every head",
            {"sample": "layer_norm_mha", "d_k": 64, "head": 1, "seed": 0},
        ),
        Try(
            "anisotropic",
            "An anisotropic sample: every component has variance near 1, yet the spread is about 2",
            {"sample": "anisotropic", "d_k": 64, "head": 1, "seed": 0},
        ),
        Try(
            "aligned",
            "An aligned sample, dₖ = 256: the spread stays close to 1, "
            "but query i scores over 6 spreads higher with key i",
            {"sample": "aligned", "d_k": 256, "head": 1, "seed": 0},
        ),
        Try(
            "heavy_tailed",
            "A heavy-tailed sample: the spread lies outside the normal band, and inside the wider one of its tails",
            {"sample": "heavy_tailed", "d_k": 64, "head": 1, "seed": 1},
        ),
    ),
    terms=("standard deviation",),
    pictures=("your_histogram", "your_growth"),
    sources=(
        "Vaswani et al. (2017), section 3.2.1.",
        "The error of the exponent: Efron (1982), *The Jackknife, the Bootstrap and Other Resampling Plans*, "
        "chapter 6.",
        "The file format: NumPy Enhancement Proposal 1.",
    ),
)
