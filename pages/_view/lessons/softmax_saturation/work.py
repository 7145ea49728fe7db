"""What the softmax_saturation page asks of the core."""

from collections.abc import Sequence

from sattn_core import typed


def read_lists(texts: Sequence[str]) -> tuple[tuple[tuple[float, ...], ...], list[str]]:
    """The typed score lists, the optional ones only if anything is typed, and what cannot be read."""
    lists, problems = [], []
    for place, text in zip(("First", "Second", "Third", "Fourth"), texts, strict=True):
        if place in ("Third", "Fourth") and not text.strip():
            continue
        try:
            lists.append(typed.parse_score_list(text))
        except ValueError as problem:
            problems.append(f"{place} list: {problem}")
    return tuple(lists), problems
