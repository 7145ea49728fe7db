"""The training_race lesson's bet: the picture before it, and its outcome."""

from math import ceil

from pages._view import compute
from pages._view.lesson_view import Outcome, Values
from pages._view.lessons.training_race import figures, work
from pages._view.picture import Picture
from pages._view.theme import Profile, listed, percent
from sattn_core.lessons.training_race import SOLVED_ACCURACY, learnt, learnt_in_map

_BET_ON = (0.0, 0.5, 1.0)  # exponents in the bet


def before(values: Values, profile: Profile) -> Picture:
    """Return the picture of the runs before training."""
    return work.start(values, profile)


def outcome(values: Values) -> Outcome:
    """Return the outcome: which of the three runs have learnt in the finished race; unknown before training."""
    found = compute.kept(work.train, work.params(values), values["rates"] == "best")
    if found is None:
        return Outcome(None, "Train to see what comes of it.")
    exponents = found[0].params.exponents
    runs = [exponents.index(each) for each in _BET_ON]
    judged = learnt if figures.has_usual_seed(found[0]) else learnt_in_map
    done = [judged(found[0])[run] for run in runs]
    names = [figures.run_name(each) for each, has in zip(_BET_ON, done, strict=True) if has]
    truth = "all" if all(done) else "root" if done == [False, True, False] else "other"
    text = {"all": "all three", "root": ""}.get(truth, listed(names) if names else "none")
    return Outcome(truth, _why(found[0], runs), text)


def _why(result, runs):
    """Return a sentence on the share of right answers that counts as learnt, and on the runs' shares."""
    least, n = percent(SOLVED_ACCURACY, 0), result.params.n_keys
    mean = f", mean of {result.params.n_seeds} seeds," if result.params.n_seeds > 1 else ""
    right = [f"{figures.run_name(each)} {_right(result, run)}" for each, run in zip(_BET_ON, runs, strict=True)]
    said = f"At least {least} right answers{mean} count as learnt: {listed(right)}."
    if not figures.has_usual_seed(result):  # counts of the first seed, as on the maps
        said = f"At least {ceil(SOLVED_ACCURACY * n)} of {n} right, {least}, count as learnt."
    return f"{said} {figures.SMALLER_RATE}." if figures.rate_decides(result) else said


def _right(result, run):
    return "has overflowed" if result.diverged[run] else figures.right_answers(result, run)
