"""The declaration of the start lesson."""

from pages._view.lesson import Lesson, Step, Try

LESSON = Lesson(
    stem="start",
    question="Why divide by √dₖ?",
    answer="A score adds up dₖ products of a query and a key: with many, one key takes nearly all the weight by "
    "chance; divided by √dₖ, many share it.",
    icon=":material/play_circle:",
    section="The path",
    shared=("n_keys", "law", "seed"),
    terms=("score", "query", "key", "dₖ", "weight"),
    controls={},
    each="For a class: each of you sees another draw",
    steps=(
        Step(
            "drag",
            "Drag dₖ from 4 to 1,024. Watch one key take nearly all the weight.",
            "start",
            tries=(Try("large_dimension", "dₖ = 1,024", {"d_k": 1024, "n_keys": 16, "law": "normal", "seed": 0}),),
        ),
    ),
    assumed="The components of $q$ and $k$ are independent, with mean 0 and variance 1. They need not be normal. "
    "Trained heads break this, and for them $\\sqrt{d_k}$ is a convention.",
    myths=(
        (
            "The scale gives the attention output variance 1.",
            "It gives the scores variance 1. The output averages values.",
        ),
        (
            "We divide because the model is wide.",
            "Only the length of a query counts. With 8 heads, a model 512 wide has $d_k = 64$.",
        ),
    ),
    sources=("Vaswani et al., *Attention Is All You Need* (2017), section 3.2.1 and its footnote 4.",),
)
