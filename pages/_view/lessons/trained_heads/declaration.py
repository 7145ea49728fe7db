"""What the trained_heads lesson declares."""

from pages._view.kinds import Choice, Number, Text, decimal
from pages._view.lesson import Bet, Lesson, Place, Try

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
    slider="exponent",
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
        "text": Choice("The text that is read", "paragraph", tuple(TEXT_NAMES), shown=TEXT_NAMES),
        "sentence": Text(
            "Your sentence",
            "The key did not fit the lock because it was bent.",
            help="At most 64 tokens are read, in at most 1,000 letters. It stands in the address of this page.",
            when=("text", "own"),
            most=1_000,
        ),
        "layer": Number("Layer", 6, 1, 6, (6,), typed=True),
        "head_of_layer": Number("Head", 12, 1, 12, (12,), typed=True),
        "word": Number(
            "Word, by its place",
            4,
            1,
            76,
            (4,),
            help="The last one, if the text has fewer.",
            typed=True,
        ),
    },
    in_sight=("text", "sentence"),
    tries=(
        Try(
            "undivided",
            "α = 0: every head spreads wider than 1, and a typical one looks at fewer than two words",
            {"text": "paragraph", "exponent": 0.0},
        ),
        Try(
            "trained",
            "α = ½, as trained: most heads still spread wider than 1, and look at very different numbers of words",
            {"text": "paragraph", "exponent": 0.5},
        ),
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
        Try(
            "neighbour",
            "Layer 1, head 3: each word looks at the one before it, with nearly all its weight",
            {"text": "cat", "layer": 1, "head_of_layer": 3, "word": 7, "exponent": 0.5},
            picture="trained_attention",
        ),
        Try(
            "pronoun",
            "Layer 6, head 12: “it” looks most at “cat”",
            {"text": "cat", "layer": 6, "head_of_layer": 12, "word": 9, "exponent": 0.5},
            picture="trained_attention",
        ),
        Try(
            "nowhere",
            "Layer 4, head 2: “boat” puts nearly all its weight on [CLS], the start of the text",
            {"text": "paragraph", "layer": 4, "head_of_layer": 2, "word": 4, "exponent": 0.5},
            picture="trained_attention",
        ),
    ),
    bet=Bet(
        "Not divided by √dₖ: on how many of 76 words does a typical trained head look?",
        Number("Words", 38, 0, 76, tuple(range(77))),
        near=2,
        place=Place("y2", "x2"),
        when=("exponent", 0.0),
        usual=("text",),
    ),
    pictures=("trained_spread", "trained_attention", "trained_downstream"),
    assumed="The model is all-MiniLM-L6-v2, an encoder of six layers with twelve heads each and $d_k = 32$. It makes "
    "one vector of a sentence. Other models and other texts give other numbers.\n\n"
    "A word here is a token, which may be a piece of a word or a mark; [CLS] and [SEP] are start and end, "
    "[UNK] is what the model has no token for. "
    "In the first two pictures each head keeps the $q$ and $k$ of the trained model, and only its own divisor moves. "
    "In the last one all heads have the exponent, and each layer works on what the one before makes of it.",
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
