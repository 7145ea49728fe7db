"""What the start page asks of the core."""

from collections.abc import Sequence
from typing import Any

from pages._view.main_picture import Values
from sattn_core.components import COMPONENT_LAWS
from sattn_core.lessons.start import StartParams

# Enough for smooth bars; fewer where every component has to be drawn, which takes long.
SAMPLES = {law: 10_000 for law in COMPONENT_LAWS} | {"uniform": 4_000, "laplace": 4_000, "student_t": 2_000}


def params(values: Values, dims: Sequence[Any]) -> StartParams:
    """One draw at every stop of the slider."""
    law = values["law"]
    return StartParams(tuple(dims), SAMPLES[law], n_keys=values["n_keys"], law=law, seed=values["seed"])
