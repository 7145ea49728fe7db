"""The declaration of the appendix on the sources: a question, its answer and prose."""

from pages._view.lesson import Lesson

LESSON = Lesson(
    stem="corrections",
    question="What do the sources say, and where are they corrected?",
    answer="All of them say that scores spread more as $d_k$ grows, and all are right in this. Some of their details "
    "are wrong or missing.",
    icon=":material/fact_check:",
    section="Appendix",
    shared=(),
    controls={},
    tries=(),
    pictures=(),
    sources=(),
)
