"""What the bet of gradient_flow comes to."""

from pages._view.bets import Outcome
from pages._view.lessons.gradient_flow import work
from pages._view.main_picture import Values
from sattn_core.lessons.gradient_flow import DOTS


def outcome(values: Values) -> Outcome:
    """How many of the rows are frozen without the scale."""
    rows = work.rows(values)
    frozen = int(rows.frozen[0, rows.dims.index(values["d_k"])])
    why = "A row freezes where one key is far ahead of all others, and every row has its own scores."
    if frozen in (0, DOTS):
        why = f"In {'no' if frozen == 0 else 'every'} row is one key that far ahead of all others."
    return Outcome(frozen, why)
