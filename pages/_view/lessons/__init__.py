"""The lessons: each has a room here, and this is their order on the path, and what is appended to it."""

from importlib import import_module
from types import MappingProxyType
from typing import Any

ORDER = (
    "start",
    "one_query",
    "score_variance",
    "derivation",
    "softmax_saturation",
    "wrong_choice",
    "training_race",
    "recap",
    "gradient_flow",
    "attention_steps",
    "backprop",
    "small_samples",
    "unit_variance",
    "scaling_rules",
    "your_scores",
    "trained_heads",
    "long_context",
    "few_bits",
)
APPENDIX = ("corrections",)  # pages to read: they have no picture, no control and no core file
PAGES = (*ORDER, *APPENDIX)


def main_of(stem: str) -> Any:
    """How the main picture of a lesson is made, see `main_picture.Main`; None if nothing asks the server for it."""
    return getattr(import_module(f"{__name__}.{stem}.work"), "MAIN", None)


def hero_of(stem: str) -> Any:
    """What a main picture that draws itself in the browser is told of its stops; None if the lesson has no such one."""
    return getattr(import_module(f"{__name__}.{stem}.work"), "hero", None)


def sentence_of(stem: str) -> Any:
    """The sentence of a main picture that nothing asks the server for, of the values of its controls; None if none."""
    return getattr(import_module(f"{__name__}.{stem}.work"), "sentence", None) if stem in ORDER else None


def bet_of(stem: str) -> Any:
    """What the bet of a lesson comes to, see `bets.Outcome`; only of a lesson that declares a bet."""
    return import_module(f"{__name__}.{stem}.bet").outcome


def before_of(stem: str) -> Any:
    """The main picture as far as it is known before the bet is placed: of the values of the controls and a profile."""
    return import_module(f"{__name__}.{stem}.bet").before


def part_of(stem: str) -> Any:
    """What a phone sees of its part in the experiment of a class, see `rooms.together.Part`."""
    return import_module(f"{__name__}.{stem}.part").part


LESSONS = MappingProxyType({stem: import_module(f"{__name__}.{stem}.declaration").LESSON for stem in PAGES})
