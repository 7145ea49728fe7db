"""The declaration of the training_race lesson."""

from pages._view.kinds import Choice, Number, decimal
from pages._view.lesson import TRAINED, Bet, Lesson, Step, Try
from sattn_core.lessons.training_race import SOLVED_ACCURACY
from sattn_core.training.key_value_memory import LOSSES, OPTIMIZERS
from sattn_core.training.trained_transformers import RATES

_RATES = (*(float(f"{m}e{e}") for e in range(-5, 2) for m in (1, 3)), 100.0)
_STEPS = (10, 20, 50, 100, 200, 300, 400, 500, 1_000, 2_000, 3_000)
LAST = _STEPS[-1]

_RACE = {
    "optimizer": "sgd",
    "rates": "fixed",
    "learning_rate": 1,
    "loss": "output",
    "data": "fixed",
    "values": "fixed",
    "start": "weights",
    "n_pairs": 32,
    "n_steps": 300,
    "n_seeds": 5,
    "exponent": 0.5,
    "seed": 0,
    TRAINED: LAST,  # the effect of a try is visible only at the end
}

LESSON = Lesson(
    stem="training_race",
    question="Does it matter when we train?",
    answer="It can: on a fixed set of keys and at large dₖ, fewer learning rates work without the scale than with "
    "÷ √dₖ, and so it was in a small transformer.",
    icon=":material/sports_score:",
    section="The path",
    terms=("key",),
    shared=("d_k", "seed"),
    controls={
        "optimizer": Choice(
            "Optimizer", "sgd", OPTIMIZERS, help="sgd is plain gradient descent over the whole set.", bar=True
        ),
        "rates": Choice(
            "Learning rates",
            "fixed",
            ("fixed", "best"),
            help="fixed is the same for every scale; for best, a sweep first finds the best one for each scale.",
            bar=True,
        ),
        "learning_rate": Number(
            "Learning rate",
            1,
            1e-5,
            100,
            _RATES,
            whole=False,
            shown=decimal,
            help="Used with every scale, if the learning rates are fixed.",
        ),
        "loss": Choice(
            "Loss on",
            "output",
            LOSSES,
            help="output is ½ |output − value|², after the softmax; weights is −ln of the weight on the right key.",
            bar=True,
        ),
        "data": Choice(
            "Data",
            "fixed",
            ("fixed", "fresh"),
            help="fixed is one set of keys and queries; fresh draws new keys at each step, and copies them as queries.",
            bar=True,
        ),
        "values": Choice("Values V", "fixed", ("fixed", "trained"), bar=True),
        "start": Choice(
            "Same at the start",
            "weights",
            ("weights", "scores"),
            help="weights means that every scale starts from the same weights; scores, that these are made larger or "
            "smaller until every scale starts from the same scores as ÷ √dₖ.",
            bar=True,
        ),
        "n_pairs": Number("Pairs to remember", 32, 2, 64, (2, 4, 8, 16, 32, 64), help="Keys, and as many queries."),
        "n_steps": Number("Steps", 300, 10, LAST, _STEPS),
        "n_seeds": Number(
            "Seeds side by side", 5, 1, 8, tuple(range(1, 9)), help="Each has a start and data of its own."
        ),
        "exponent": Number(
            "One more exponent",
            0.5,
            0,
            1,
            tuple(j / 20 for j in range(21)),
            whole=False,
            shown=decimal,
            help="A fourth training divides by dₖ to this power, unless it is 0, 0.5 or 1.",
        ),
        "model_rate": Choice("Learning rate of Adam", "0.003", tuple(f"{rate:g}" for rate in RATES), bar=True),
        # "end" is the last step of any race, however long it is.
        TRAINED: Number("Step", LAST, 0, LAST, (0, LAST), play=150, letter="step"),
    },
    unseen={"race_d_k": Number("dₖ of the race that is shown, where the slider has moved on", 0, 0, 1024, ())},
    settings=(
        "optimizer",
        "rates",
        "learning_rate",
        "loss",
        "data",
        "values",
        "start",
        "n_pairs",
        "n_steps",
        "n_seeds",
        "exponent",
    ),
    steps=(
        Step(
            "race",
            "Each query (row) must learn to return the value of its one right key, on the diagonal. "
            "● its largest weight is there.",
            "race_attention",
            placed=(TRAINED,),
            bet=Bet(
                "Each row is a query, whose right key is on the diagonal. After training at dₖ = {d_k}: which have "
                f"learnt, {100 * SOLVED_ACCURACY:g} % right?",
                Choice(
                    "Will have learnt",
                    "all",
                    ("all", "root", "other"),
                    shown={"all": "all three", "root": "only ÷ √dₖ", "other": "other"},
                ),
            ),
            tries=(
                Try(
                    "no_harm",
                    "dₖ = 8: with or without the scale, nearly all answers come right",
                    _RACE | {"d_k": 8},
                ),
                Try(
                    "same_first_scores",
                    "dₖ = 64 from smaller weights, with the same first scores: no harm without the scale",
                    _RACE | {"d_k": 64, "start": "scores"},
                ),
            ),
        ),
        Step(
            "rates",
            "Drag dₖ. Each bar is one training: how many queries it answers right.",
            "race_rates",
            tries=(
                Try(
                    "small_rate",
                    "dₖ = 4: the best rate is 0.3 for raw, 1 for ÷ √dₖ and 3 for ÷ dₖ",
                    _RACE | {"d_k": 4},
                ),
                Try(
                    "harm_begins",
                    "dₖ = 24: no rate puts nearly all right without the scale, and several do with it",
                    _RACE | {"d_k": 24},
                ),
            ),
        ),
        Step(
            "transformer",
            "In a small transformer, at dₖ = 64: a scale learns where its whole band is below the dashed line.",
            "transformer_learning",
            slider="",
            in_sight=("model_rate",),
        ),
        Step(
            "between",
            "÷ dₖ can learn too, once its scores spread. Drag dₖ: which line needs no repair?",
            "between_ends",
            tries=(
                Try("between_small", "dₖ = 4: it hardly matters which", {"d_k": 4}),
                Try("between_large", "dₖ = 1,024: raw too spread, ÷ dₖ too flat", {"d_k": 1024}),
            ),
        ),
    ),
    # Former step or setting -> the step that replaced it.
    formerly={
        "step": {
            "curves": "race",
            "twin": "race",
            "heads": "transformer",
        },
        "model_way": dict.fromkeys(("raw", "root", "whole", "qk_norm", "÷ √dₖ", "÷ dₖ", "QK-norm"), "transformer"),
    },
    brought={"race": "Other races", "rates": "All dimensions"},
    assumed="Each query has one right key, and attention must return that key’s value. An answer is right where that "
    "key has the largest weight. Inputs have 64 components and are layer-normalised. Rows share keys, unlike in the "
    "lesson before, so large rates fail: at $d_k=64$ with $\\sqrt{d_k}$ from 30 on.\n\n"
    "The race is a toy with one head. The last step shows a small transformer of two layers: four heads of 64 numbers "
    "each, 256 together, in a model of 128. It guesses the next character of a text; each seed is read on the same "
    "1,536.",
    myths=(
        (
            "Without the scale, training always freezes.",
            "At smaller learning rates it goes on, far more slowly.",
        ),
        (
            "Adam repairs the harm.",
            "At $d_k=32$ and a well-chosen rate it learns nearly all pairs, in many times the steps.",
        ),
        (
            "$1/d_k$ is too small.",
            "Here it is as good at a learning rate of its own.",
        ),
        (
            "The scale changes what attention can represent.",
            "The same training is possible without it, from smaller weights at a smaller learning rate.",
        ),
    ),
    sources=(
        "Vaswani et al. (2017), section 3.2.1.",
        "Yang et al. (2022), arXiv:2203.03466, for $1/d_k$.",
        "Kingma and Ba (2015), arXiv:1412.6980, for Adam.",
        "Dehghani et al. (2023), arXiv:2302.05442, for QK-norm with LayerNorm.",
    ),
)
