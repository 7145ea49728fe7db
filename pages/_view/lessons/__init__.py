"""The lessons in their order, each with a folder here; the appendix comes last."""

from types import MappingProxyType

from pages._view.lessons import (
    attention_steps,
    backprop,
    corrections,
    derivation,
    few_bits,
    gradient_flow,
    long_context,
    one_query,
    recap,
    scaling_rules,
    score_variance,
    small_samples,
    softmax_saturation,
    start,
    trained_heads,
    training_race,
    unit_variance,
    wrong_choice,
    your_scores,
)

_PATH = (
    start,
    one_query,
    score_variance,
    derivation,
    softmax_saturation,
    wrong_choice,
    training_race,
    recap,
    gradient_flow,
    attention_steps,
    backprop,
    small_samples,
    unit_variance,
    scaling_rules,
    your_scores,
    trained_heads,
    long_context,
    few_bits,
)
_APPENDIX = (corrections,)  # pages of text, without pictures, controls or a module of the core

VIEWS = MappingProxyType({each.VIEW.lesson.stem: each.VIEW for each in (*_PATH, *_APPENDIX)})
LESSONS = MappingProxyType({stem: view.lesson for stem, view in VIEWS.items()})
PAGES = tuple(VIEWS)
ORDER = PAGES[: len(_PATH)]


def path_of_page(stem: str) -> str:
    """Return the URL path of a lesson's page; empty for the first lesson."""
    return "" if stem == ORDER[0] else stem
