"""The fold of backprop: matrices that a visitor types."""

from pages._view.lessons.backprop import work
from pages._view.page import grids, show


def draw() -> None:
    """Draw the fields of A and B, and messages on entries that cannot be read."""
    texts, linked = grids.draw_matrices(("A", "B"), {})
    show.problems(work.products_params(**texts)[1])
    show.remarks(grids.link_remarks(linked))
