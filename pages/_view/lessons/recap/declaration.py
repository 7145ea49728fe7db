"""The declaration of the recap lesson: five questions, with their answers in the address."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pages._view.kinds import Answer, Choice, Number, decimal
from pages._view.lesson import Lesson


@dataclass(frozen=True)
class Question:
    """A question. Its right answer is in `answers`, and is sent only after the learner has answered.

    asked : the question; {d_k} in it is replaced by the number.
    shown_by : pairs (lesson, step) that show the answer; step "" is the first.
    options : the options of a choice, with their wording.
    """

    asked: str
    answer: Answer
    shown_by: tuple[tuple[str, str], ...]
    options: Mapping[str, str] = field(default_factory=dict)


def _choice(label, options):
    return Answer(Choice(label, next(iter(options)), tuple(options)))


_SCORE = {
    "share": "a share between 0 and 1",
    "sum": "a sum of dₖ products",
    "distance": "a distance between two vectors",
}
_BREAKS = {
    "overflow": "the exponentials overflow",
    "choice": "softmax chooses the wrong key more often",
    "stuck": "training can hardly correct a wrong winner",
}
_ALIKE = {
    "small": "where dₖ is small, or the numbers start small",
    "many": "where one query has many keys",
    "adam": "where Adam trains, not plain gradient descent",
}
STORY = "whole_story"  # the picture of the story, after the last question
QUESTIONS = {
    "score": Question(
        "What is the score of a query and a key?", _choice("A score is", _SCORE), (("one_query", ""),), _SCORE
    ),
    "spread": Question(
        "At dₖ = {d_k}, what is the standard deviation of raw scores?",
        Answer(Number("About how much, for standard normal q and k?", 0.0, 0.0, 1e6, (), whole=False, shown=decimal)),
        (("score_variance", "divide"),),
    ),
    "breaks": Question(
        "At large dₖ, without the scale, one key takes nearly all the weight. Why does it hurt?",
        _choice("Because", _BREAKS),
        (("softmax_saturation", "nudge"), ("wrong_choice", "rows")),
        _BREAKS,
    ),
    "power": Question(
        "Why √dₖ and not dₖ? Divide scores by dₖ to some power: at which is their spread the same at every dₖ?",
        Answer(Number("Power of dₖ: 0 is raw, 1 is ÷ dₖ", 0.0, 0.0, 1.0, (), whole=False, shown=decimal)),
        (("softmax_saturation", "too_flat"), ("wrong_choice", "every_size")),
    ),
    "alike": Question(
        "When does it matter little whether one divides?",
        _choice("It matters little", _ALIKE),
        (("score_variance", "small"), ("training_race", "between")),
        _ALIKE,
    ),
}

LESSON = Lesson(
    stem="recap",
    question="What have you seen?",
    answer="Answer five questions: each brings a small picture, and the last one the story as one picture.",
    icon=":material/school:",
    section="The path",
    shared=("d_k", "seed"),
    controls={
        "asked": Choice(
            "Question", "1", tuple(map(str, range(1, 2 + len(QUESTIONS)))), bar=True, when=("mode", "projector")
        )
    },
    unseen={name: each.answer for name, each in QUESTIONS.items()},
    pictures=("growing_sum", "sums_spread", "put_right_or_not", "one_rate", "no_difference", STORY),
    assumed="Components are independent and standard normal, in the first picture ± 1. Each picture is drawn from your "
    "seed. Rows that are corrected are 100, with 16 keys and a wrong winner each, in 200 steps of plain "
    "gradient descent on the query.",
    myths=(("This is a test.", "Nobody is told what you answer: it stands in the address alone."),),
    sources=("Vaswani et al. (2017), section 3.2.1.",),
)
