"""The declaration of the trained_heads lesson."""

from pages._view.kinds import Choice, Number, Text, decimal
from pages._view.lesson import Bet, Lesson, Place, Step, Try

TEXT_NAMES = {
    "paragraph": "a paragraph",
    "shuffled": "its words, shuffled",
    "pronoun": "“… because it is too large.”",
    "cat": "“On the mat the cat slept; …”",
    "list": "a list",
    "own": "your own sentence",
}

LESSON = Lesson(
    stem="trained_heads",
    question="What do trained heads do?",
    answer="They use their freedom: some spread their scores wide and look at a few words, some at nearly all, and "
    "they need the scale that they were trained with.",
    icon=":material/psychology:",
    section="Go deeper",
    shared=(),
    controls={
        "exponent": Number(
            "Exponent α",
            0.5,
            0,
            1,
            (0, *(i / 50 for i in range(1, 50)), 1),
            whole=False,
            help="The scores are divided by dₖ to this power.",
            shown=decimal,
            play=150,
            letter="α",
        ),
        "text": Choice("Text", "paragraph", tuple(TEXT_NAMES), shown=TEXT_NAMES),
        "sentence": Text(
            "Your sentence",
            "The key did not fit the lock because it was bent.",
            help="At most 64 tokens are read, in at most 1,000 letters. It stands in the address of this page.",
            when=("text", "own"),
            most=1_000,
        ),
        "layer": Number("Layer", 6, 1, 6, tuple(range(1, 7))),
        "head_of_layer": Number("Head", 12, 1, 12, tuple(range(1, 13))),
        "word": Number(
            "Word",
            4,
            1,
            76,
            (4,),
            help="By its place. The last one, if the text has fewer.",
            typed=True,
        ),
    },
    opens="heads",
    steps=(
        Step(
            "undivided",
            "Not divided: how far each trained head spreads, and at how many words it looks.",
            "trained_undivided",
            slider="",
            in_sight=("text", "sentence"),
            pinned={"exponent": 0.0},
            bet=Bet(
                "Not divided by √dₖ: on how many of 76 words does a typical trained head look?",
                Number("Words", 38, 0, 76, tuple(range(77))),
                near=2,
                place=Place("y2", "x2"),
                usual=("text",),
            ),
        ),
        Step(
            "heads",
            "Drag α: how far do the heads spread, and at how many words do they look?",
            "trained_spread",
            slider="exponent",
            in_sight=("text", "sentence"),
            tries=(
                Try(
                    "too_much",
                    "α = 1: all heads but one spread less than 1, and a typical one looks at nearly all words",
                    {"text": "paragraph", "exponent": 1.0},
                ),
                Try(
                    "shuffled",
                    "The same words shuffled: nearly the same picture, for a head’s spread is mostly its own",
                    {"text": "shuffled", "exponent": 0.5},
                ),
            ),
        ),
        Step(
            "one_head",
            "Choose a head and a word: which word looks at which?",
            "trained_attention",
            slider="layer",
            dials=("head_of_layer",),
            in_sight=("text", "sentence", "word"),
            tries=(
                Try(
                    "neighbour",
                    "Layer 1, head 3: each word looks at the one before it, with nearly all its weight",
                    {"text": "cat", "layer": 1, "head_of_layer": 3, "word": 7, "exponent": 0.5},
                ),
                Try(
                    "pronoun",
                    "Layer 6, head 12: “it” looks most at “cat”",
                    {"text": "cat", "layer": 6, "head_of_layer": 12, "word": 9, "exponent": 0.5},
                ),
            ),
        ),
        Step(
            "whole",
            "Drag α in all heads: another scale turns the model’s output away.",
            "trained_downstream",
            slider="exponent",
            in_sight=("text", "sentence"),
        ),
    ),
    brought={"one_head": "This head: its numbers and its file"},
    assumed="The model is all-MiniLM-L6-v2, an encoder of six layers with twelve heads each and $d_k = 32$. It makes "
    "one vector of a sentence. Other models and other texts give other numbers.\n\n"
    "A word here is a token: a word, a piece of one or a mark; [CLS] and [SEP] are start and end, [UNK] is unknown. "
    "In all pictures but the last each head keeps its trained $q$ and $k$; only its own divisor moves. "
    "In the last all heads have the exponent, and each layer works on what the one before makes.",
    myths=(
        (
            "In a trained model the scores have variance 1.",
            "At most at the start. Training moves them as far as each head needs.",
        ),
        (
            "$1/\\sqrt{d_k}$ is right for trained heads by a law.",
            "Their weights have adapted to it. Trained with another scale, they would have adapted to that one.",
        ),
    ),
    sources=(
        "Wang et al. (2020), “MiniLM”, arXiv:2002.10957, and the model all-MiniLM-L6-v2 (Apache License 2.0).",
        "Devlin et al. (2019), “BERT”, arXiv:1810.04805, for the encoder.",
        "Vaswani et al. (2017), section 3.2.1.",
    ),
)
