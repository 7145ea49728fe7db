"""What each lesson asks the learner to try, as data: the controls a click sets, and what is then to be seen."""

from pages._view.tries import (
    attention_steps,
    backprop,
    derivation,
    gradient_flow,
    scaling_rules,
    score_variance,
    small_samples,
    softmax_saturation,
    start,
    training_race,
    unit_variance,
    your_scores,
)
from pages._view.tries.base import Try

__all__ = ["TRIES", "Try"]

TRIES = {
    "start": start.TRIES,
    "score_variance": score_variance.TRIES,
    "softmax_saturation": softmax_saturation.TRIES,
    "gradient_flow": gradient_flow.TRIES,
    "derivation": derivation.TRIES,
    "attention_steps": attention_steps.TRIES,
    "backprop": backprop.TRIES,
    "small_samples": small_samples.TRIES,
    "unit_variance": unit_variance.TRIES,
    "training_race": training_race.TRIES,
    "scaling_rules": scaling_rules.TRIES,
    "your_scores": your_scores.TRIES,
}
