"""How a lesson's main picture comes from the values of its controls: on its page, and while a hand moves the slider."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pages._view import compute
from pages._view.picture import Picture
from pages._view.theme import Profile

Values = Mapping[str, Any]  # of every control of the lesson, by name


@dataclass(frozen=True)
class Main:
    """A lesson's main picture, in three steps that know nothing of a session.

    Attributes
    ----------
    params : what the core is to compute at these values of the controls.
    measure : the function of the core that computes it.
    draw : the picture of its result.
    options : further arguments of measure, such as the check that ends a computation for which nobody waits.
    """

    params: Callable[[Values], Any]
    measure: Callable[..., Any]
    draw: Callable[[Any, Values, Profile], Picture]
    options: Mapping[str, Any] | None = None

    def picture(self, values: Values, profile: Profile) -> Picture:
        """The picture at these values."""
        result = compute.result(self.measure, self.params(values), **(self.options or {}))
        return self.draw(result, values, profile)
