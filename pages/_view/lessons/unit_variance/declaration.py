"""The declaration of the unit_variance lesson."""

from pages._view.kinds import Choice, Number, decimal
from pages._view.lesson import Bet, Lesson, Step, Try
from sattn_core.layers.initialisation import INIT_SCHEMES

SCHEME_NAMES = {
    "xavier_square": "square Xavier",
    "xavier_per_head": "Xavier per head",
    "torch_multihead_attention": "PyTorch MultiheadAttention",
    "torch_linear": "PyTorch Linear",
    "he_normal": "He normal",
    "lecun_normal": "LeCun normal",
    "normal_0_02": "normal with σ = 0.02",
    "keras_multihead_attention": "Keras MultiHeadAttention",
}

TO_BET_ON = ("torch_multihead_attention", "xavier_square", "he_normal")
_DEFAULT = {"d_k": 64, "n_heads": 8, "x_mean": 0.0, "x_std": 1.0, "normalise": "on", "bias": "off"}

LESSON = Lesson(
    stem="unit_variance",
    question="Are q and k really unit variance?",
    answer="That depends on how the weights are drawn. LayerNorm fixes $|x|^2 = d_{model}$ where features vary; then "
    "$\\operatorname{Var}(q_i) = d_{model} \\operatorname{Var}(W_{ij})$. This is 1 for a square Xavier matrix, and "
    "½ in PyTorch's attention if keys and values are as wide as the model.",
    icon=":material/straighten:",
    section="Go deeper",
    terms=("key",),
    shared=("d_k", "law", "seed"),
    controls={
        "scheme": Choice(
            "Weights drawn by",
            "torch_multihead_attention",
            INIT_SCHEMES,
            help="For $W_Q$ and for $W_K$.",
            shown=SCHEME_NAMES,
        ),
        "n_heads": Number(
            "Heads", 8, 1, 64, (1, 2, 4, 8, 12, 16, 32, 64), help="Model width = heads × dₖ, 2 to 2,048."
        ),
        "normalise": Choice("LayerNorm", "on", ("on", "off"), bar=True),
        "x_mean": Number("Mean of x", 0, -10, 10, tuple(range(-10, 11)), whole=False, shown=decimal),
        "x_std": Number(
            "σ of x", 1, 0.1, 100, (0.1, 0.3, 0.5, 1.0, 2.0, 3.0, 7.0, 10.0, 30.0, 100.0), whole=False, shown=decimal
        ),
        "bias": Choice(
            "Default bias",
            "off",
            ("off", "on"),
            help="Only PyTorch Linear has one that is not 0 at the start. It counts as one more component of x, so it "
            "hardly moves anything unless the model is narrow.",
            bar=True,
        ),
    },
    settings=("n_heads", "x_mean", "x_std", "bias"),
    steps=(
        Step(
            "stages",
            "Choose how the weights are drawn, and follow the spread from x to the scores.",
            "unit_variance",
            in_sight=("scheme", "normalise"),
            bet=Bet(
                "At dₖ = {d_k}: which way of drawing the weights gives scores of variance 1 after ÷ √dₖ?",
                Choice(
                    "The weights are",
                    "he_normal",
                    TO_BET_ON,
                    shown={name: SCHEME_NAMES[name] for name in TO_BET_ON},
                ),
            ),
            tries=(
                Try(
                    "wide_x",
                    "x a hundred times as wide: LayerNorm takes it back to σ = 1",
                    _DEFAULT | {"x_std": 100.0},
                ),
                Try(
                    "wide_x_without_layer_norm",
                    "x a hundred times as wide and no LayerNorm: the scaled scores are 10,000 times as large",
                    _DEFAULT | {"x_std": 100.0, "normalise": "off"},
                ),
            ),
        ),
        Step(
            "one_draw",
            "One draw on one axis: compare raw scores with those divided by √dₖ.",
            "stage_histograms",
            in_sight=("scheme", "normalise"),
        ),
        Step(
            "schemes",
            "With LayerNorm and ÷ √dₖ, square Xavier and LeCun give σ = 1; most others do not.",
            "schemes",
            in_sight=("scheme", "normalise"),
            tries=(
                Try(
                    "xavier_square",
                    "A square Xavier matrix: the scaled scores have σ = 1, as the rule assumes",
                    _DEFAULT | {"scheme": "xavier_square"},
                ),
                Try(
                    "keras",
                    "Keras draws its weights so small that the scaled scores have σ below 0.03",
                    _DEFAULT | {"scheme": "keras_multihead_attention"},
                ),
            ),
        ),
        Step(
            "shared",
            "Compare separate weights, shared weights, and one vector as both query and key.",
            "shared_input",
            in_sight=("scheme", "normalise"),
        ),
    ),
    assumed="All weights are independent, with mean 0. This is about the start of training, and nothing keeps these "
    "variances afterwards.\n\n"
    "Above a model width of 512, $q$ and $k$ are drawn as normal weights give them; uniform ones differ by almost "
    "nothing.\n\n"
    "The predictions for PyTorch are tested on its own layers. Those for Keras are derived from its source and "
    "simulated.",
    myths=(
        (
            "Layer norm and Xavier make unit variance safe.",
            "For a square Xavier matrix they do. PyTorch’s attention by default packs three matrices into one, which "
            "halves the variance of $q$.",
        ),
        (
            "Layer norm gives every feature mean 0 and variance 1.",
            "It normalises over the features of one token. A single feature, over many tokens, may have any mean.",
        ),
        (
            "$Q=K=X$ shows the rule.",
            "A layer-normalised token then scores $\\sqrt{d_k}$ with itself after the scale.",
        ),
    ),
    sources=(
        "Ba, Kiros and Hinton (2016), arXiv:1607.06450.",
        "Glorot and Bengio (2010), AISTATS.",
        "He et al. (2015), arXiv:1502.01852.",
        "Vaswani et al. (2017), section 3.2.1, footnote 4.",
        "The claim about Xavier is from an answer to the question in the appendix.",
    ),
)
