"""What the start page asks of the core."""

from collections.abc import Sequence
from typing import Any

from pages._view.main_picture import Values
from sattn_core.components import COMPONENT_LAWS
from sattn_core.lessons.start import StartParams

SAMPLES = {law: 20_000 for law in COMPONENT_LAWS} | {"student_t": 10_000}  # its draws take three times as long


def params(values: Values, dims: Sequence[Any]) -> StartParams:
    """One draw at every stop of the slider."""
    law = values["law"]
    return StartParams(tuple(dims), SAMPLES[law], n_keys=values["n_keys"], law=law, seed=values["seed"])
