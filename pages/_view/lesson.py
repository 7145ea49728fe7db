"""What a lesson declares: all that the frame, the controls and the tests need to know of it, said once."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from pages._view.kinds import Control


@dataclass(frozen=True)
class Try:
    """A suggestion: a click puts the controls on these settings, and then the promise is true.

    key names its test in tests/pages/tries.
    """

    key: str
    promise: str
    settings: Mapping[str, Any]


@dataclass(frozen=True)
class Lesson:
    """One lesson, declared once.

    Attributes
    ----------
    stem : the file name of its page without .py, which is its address.
    title : its name in the tab of the browser.
    question, answer : the first two things on the page.
    icon, section : its place in the menu.
    shared : the shared controls that it uses, see `shared.SHARED`.
    controls : its own controls by name. The name is the key of the widget and the parameter of the address.
    tries : what it asks the learner to try.
    pictures : the keys of its pictures, in the order of the page.
    assumed : Markdown, what it takes for granted and how it computes.
    myths : Markdown, what one may hear, and what is so in fact.
    sources : Markdown, one source each.
    terms : words of the answer that `glossary.TERMS` explains.
    old_names : controls by the names that older links call them.
    in_sight : those of its controls that stand under the slider, at most two. The page draws the others that belong to
        a picture.
    settings : those of its controls that stand in the Settings drawer.
    slider : whether the large slider of d_k stands above its main picture, which follows it while it is dragged.
    still : a control and the option at which the main picture does not follow d_k, so that there is no slider.
    """

    stem: str
    title: str
    question: str
    answer: str
    icon: str
    section: str
    shared: tuple[str, ...]
    controls: Mapping[str, Control]
    tries: tuple[Try, ...]
    pictures: tuple[str, ...]
    sources: tuple[str, ...]
    assumed: str = ""
    myths: tuple[tuple[str, str], ...] = ()
    terms: tuple[str, ...] = ()
    old_names: Mapping[str, str] = field(default_factory=dict)
    in_sight: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    slider: bool = True
    still: tuple[str, str] | None = None

    def __post_init__(self) -> None:
        for name in ("controls", "old_names"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))
