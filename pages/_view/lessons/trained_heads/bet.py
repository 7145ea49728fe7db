"""The trained_heads lesson's bet: the picture before it, and its outcome."""

from pages._view.lesson_view import Outcome, Values
from pages._view.lessons.trained_heads import figures, work
from pages._view.picture import Picture
from pages._view.theme import Profile, number


def before(values: Values, profile: Profile) -> Picture:
    """Return the picture of the heads' spread without the scale, but not of the number of words they look at."""
    return figures.spread_alone(work.heads(values).scaled(0.0), work.MAIN.picture(values, profile))


def outcome(values: Values) -> Outcome:
    """Return the median over the heads of the effective keys without the scale."""
    found = work.heads(values).scaled(0.0)
    why = f"In a typical head the scores of a row spread by {number(found.median_std, 2)}, so one or two stand out."
    return Outcome(found.median_keys, why, text=number(found.median_keys, 2))
