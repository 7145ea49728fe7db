"""The backprop lesson's bet: the picture before it, and its outcome."""

from pages._view.lesson_view import Outcome, Values
from pages._view.lessons.backprop import figures, work
from pages._view.picture import Picture
from pages._view.theme import Profile

_STAYS = 0.1  # relative change of the length: a smaller one counts as none


def before(values: Values, profile: Profile) -> Picture:
    """Return the picture with only the curve for the gradient with the scale."""
    said = "This is the gradient at the raw scores with the scale."
    return work.STEPS["raw_scores"].picture(values, profile).partly(said, keep=("with it",), words=(figures.LENGTH,))


def outcome(values: Values) -> Outcome:
    """Return the outcome: without the scale, the gradient at the raw scores stays, grows or shrinks."""
    sweep = work.sweep(values)
    i = sweep.dims.index(values["d_k"])
    before, after = sweep.raw_score_norms[i], sweep.without_scale[i]
    truth = "stays" if abs(after - before) <= _STAYS * before else "grows" if after > before else "shrinks"
    lengths = (figures.amount(each) for each in (before, after))
    why = _why(truth, sweep.scales[i], passes_less=after < sweep.norms["S"][i])
    return Outcome(truth, f"Its length goes from {' to '.join(lengths)}. {why}")


def _why(truth, scale, *, passes_less):
    """Return a sentence on the two effects of leaving out the scale, and on which of them is larger."""
    if scale == 1:
        return "The scale is 1 here, so leaving it out changes nothing."
    if not passes_less:
        return "No small factor shrinks it any more, and softmax passes on no less of it here."
    if truth == "stays":
        return "No small factor shrinks it any more, but softmax passes on less of it, and the two nearly cancel here."
    won = "the first counts for more" if truth == "grows" else "the second counts for more"
    return f"No small factor shrinks it any more, but softmax passes on less of it, and {won} here."
