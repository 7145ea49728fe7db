"""Two equivalent trainings of the key–value memory: scale 1, or 1/√d_k with other initial weights and rate."""

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from sattn_core._checks import check_choice, check_integer, check_number
from sattn_core.cost import Price, proceed
from sattn_core.training.key_value_memory import OPTIMIZERS, KeyValueMemoryParams, train_key_value_memory

EQUAL_POWERS = MappingProxyType({"sgd": 0.5, "adam": 0.25})  # power of d_k in the equivalent learning rate
PARTED = 0.01  # relative difference beyond which two losses count as different
_GENTLE_RATES = MappingProxyType({"sgd": 0.01, "adam": 0.001})


@dataclass(frozen=True, eq=False)
class Equivalence:
    """Losses with scale 1 at rate r, and with scale 1/√d_k at rate r d_k^power and initial weights times d_k^¼."""

    d_k: int
    n_steps: int
    optimizer: str
    learning_rate: float
    power: float
    steps: NDArray[np.int_]
    loss: NDArray[np.float64]  # (2, n_checkpoints): losses of both trainings for the first seed
    # (n_checkpoints,): relative difference of the two losses, the largest of all seeds
    relative_difference: NDArray[np.float64]
    largest_difference: float  # largest entry of relative_difference
    parted: int | None  # first step at which the losses differ by more than 1 %; None if they never do


def measure_equivalence(
    d_k: int = 64,
    *,
    optimizer: str = "sgd",
    learning_rate: float | None = None,
    power: float | None = None,
    n_steps: int = 50,
    n_seeds: int = 3,
    seed: int = 0,
    check: Callable[[], object] = proceed,
) -> Equivalence:
    """Train with scale 1 at rate r, and with scale 1/√d_k, initial weights times d_k^¼ and rate r d_k^power.

    Both trainings are the same, step by step. With W' = d_k^¼ W, c' W_Q' W_K'ᵀ = c W_Q W_Kᵀ at the start, and the
    gradient in W' is d_k^−¼ times that in W. A step of W' must be d_k^¼ times the step of W. Gradient descent moves W'
    by rate times gradient, so its rate must be r √d_k; Adam divides the gradient by its size, so its rate must be
    r d_k^¼. If d_k^¼ is not a power of 2, rounding differs from the start, and an unstable training amplifies the
    difference.

    Reference: Yang and Hu (2021), arXiv:2011.14522 (parametrisations with the same training).
    """
    params = _equal_pair(d_k, optimizer, learning_rate, power, n_steps, n_seeds, seed)
    checkpoints = list(train_key_value_memory(params, check=check))
    loss = np.stack([each.loss for each in checkpoints], axis=-1)  # (2, n_seeds, n_checkpoints)
    difference = (np.abs(loss[0] - loss[1]) / np.abs(loss[0])).max(axis=0)
    apart = np.flatnonzero(~(difference <= PARTED))
    return Equivalence(
        d_k=d_k, n_steps=n_steps, optimizer=optimizer, learning_rate=params.learning_rates[0],
        power=EQUAL_POWERS[optimizer] if power is None else power,
        steps=np.array([each.step for each in checkpoints]), loss=loss[:, 0], relative_difference=difference,
        largest_difference=float(difference.max()), parted=int(apart[0]) if apart.size else None,
    )  # fmt: skip


def equivalence_price(
    d_k: int = 64,
    *,
    optimizer: str = "sgd",
    learning_rate: float | None = None,
    power: float | None = None,
    n_steps: int = 50,
    n_seeds: int = 3,
) -> Price:
    """Return the `Price` of `measure_equivalence`."""
    return _equal_pair(d_k, optimizer, learning_rate, power, n_steps, n_seeds, 0).price


def _equal_pair(d_k, optimizer, learning_rate, power, n_steps, n_seeds, seed):
    """Return the settings of both trainings, as two runs."""
    check_integer("d_k", d_k, 1, 1024)
    check_choice("optimizer", optimizer, OPTIMIZERS)
    power = EQUAL_POWERS[optimizer] if power is None else check_number("power", power, 0, 1)
    rate = _GENTLE_RATES[optimizer] if learning_rate is None else learning_rate
    rate = check_number("learning_rate", rate, 0, 1e6, open_low=True)
    return KeyValueMemoryParams(
        d_k=d_k, exponents=(0.0, 0.5), init_exponents=(0.0, -0.25), optimizer=optimizer,
        learning_rates=(rate, rate * d_k**power), n_steps=n_steps, checkpoint_every=1, n_seeds=n_seeds, seed=seed,
    )  # fmt: skip
