"""What the bet of wrong_choice comes to."""

from pages._view import compute
from pages._view.lesson_view import Outcome, Values
from pages._view.lessons.wrong_choice import figures, work
from pages._view.picture import Picture
from pages._view.theme import Profile
from sattn_core.lessons.wrong_choice import NEARLY_ALL, measure_learning_rates

_WHY = {
    False: "Where nearly all the weight is on a wrong key, softmax passes on hardly any gradient.",
    True: "Here some learning rate moves the scores far enough, however certain softmax is.",
}


def before(values: Values, profile: Profile) -> Picture:
    """What the curves say at a smaller d_k; no more than their axes where they take long."""
    return figures.known(work.known(values), profile)


def outcome(values: Values) -> Outcome:
    """How many of the rows some learning rate puts right without the scale; where that takes long, once it is known."""
    asked = work.bet_on(values)
    (params,) = asked.each
    found = compute.kept(measure_learning_rates, params)
    if found is None and compute.needs_button(asked):
        return Outcome(None, "Compute the curves to see what comes of it.")
    best = int((found or compute.result(measure_learning_rates, params)).best()[0])
    return Outcome(best, _WHY[best >= NEARLY_ALL], f"{best} at dₖ = {params.d_k}")
