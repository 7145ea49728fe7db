"""The gradient_flow lesson's bet: the picture before it, and its outcome."""

from pages._view.lesson_view import Outcome, Values
from pages._view.lessons.gradient_flow import work
from pages._view.picture import Picture
from pages._view.theme import Profile
from sattn_core.lessons.gradient_flow import DOTS

_SMALL, _LARGER = 4, 16  # values of dₖ


def before(values: Values, profile: Profile) -> Picture:
    """Return the picture of the rows at another dₖ: a small one or, if dₖ is small itself, a larger one."""
    return work.MAIN.picture({**values, "d_k": _SMALL if values["d_k"] > _SMALL else _LARGER}, profile)


def outcome(values: Values) -> Outcome:
    """Return the number of rows that are frozen without the scale."""
    rows = work.rows(values)
    frozen = int(rows.frozen[0, rows.dims.index(values["d_k"])])
    why = "A row freezes where one key is far ahead of all others, and every row has its own scores."
    if frozen in (0, DOTS):
        why = f"In {'no' if frozen == 0 else 'every'} row is one key that far ahead of all others."
    return Outcome(frozen, why)
