"""The score_variance lesson's bet: the picture before it, and its outcome."""

from pages._view.lesson_view import Outcome, Values
from pages._view.lessons.score_variance import figures, work
from pages._view.lessons.score_variance.declaration import DRAWN_AT
from pages._view.picture import Picture
from pages._view.theme import Profile, number

_SEEN = 64  # products shown before the bet, at most
_PAIRS = 10_000  # pairs drawn before the bet, at most: nobody should wait
_QUARTER, _ALL = 256, 1024  # numbers of products
_ROUND = 0.005  # a factor this close to 1 is not mentioned


def before(values: Values, profile: Profile) -> Picture:
    """Return the picture of the random walks' first steps, and of the histograms after these steps."""
    few = min(values["d_k"], _SEEN)
    held = {"d_k": few, "axis": "shared", "products_axis": "linear", "n_samples": min(values["n_samples"], _PAIRS)}
    shown = work.MAIN.picture({**values, **held}, profile)
    return figures.before_drawing(shown, work.walks(values), few, profile)


def outcome(values: Values) -> Outcome:
    """Return the exact standard deviation of the sums, after each number of products."""
    std = work.walks(values).std
    steps = range(0, len(std), 8)
    places, along = (figures.on_products_axis(each, values["products_axis"]).tolist() for each in (DRAWN_AT, steps))
    truth, curve = tuple(std[[*DRAWN_AT]].tolist()), (along, std[steps].tolist())
    return Outcome(truth, _why(std), _called(std[1]), places=places, curve=curve)


def _called(once):
    """Return the true curve in words. once: the standard deviation of one product."""
    return "the root" if abs(once - 1) < _ROUND else f"{number(once, 2)} × the root"


def _why(std):
    if std[-1] == 0:
        return "All scores are equal, because no product can vary."
    far, farther = (number(std[each]) for each in (_QUARTER, _ALL))
    return f"Four times the products go only twice as far: {_QUARTER} spread by {far}, {_ALL:,} by {farther}."
