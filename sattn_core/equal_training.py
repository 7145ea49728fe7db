"""Two trainings of the key–value memory that are one: a scale is worth a smaller start and another learning rate."""

from collections.abc import Callable
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from sattn_core._checks import check_choice, check_integer, check_number
from sattn_core._records import record
from sattn_core.cost import Price, proceed
from sattn_core.key_value_memory import OPTIMIZERS, KeyValueMemoryParams, train_key_value_memory

EQUAL_POWERS = MappingProxyType({"sgd": 0.5, "adam": 0.25})  # of d_k, in the rate of the equivalent training
PARTED = 0.01  # two losses whose relative difference exceeds this have parted
_GENTLE_RATES = MappingProxyType({"sgd": 0.01, "adam": 0.001})


@record
class Equivalence:
    """Scale 1 at rate r beside scale 1/√d_k at rate r d_k^power, its start multiplied by d_k^¼.

    Attributes
    ----------
    d_k, n_steps : int
    optimizer : str
    learning_rate, power : float
    steps : ndarray of int
    loss : ndarray, shape (2, n_checkpoints)
        First seed's loss of both.
    relative_difference : ndarray, shape (n_checkpoints,)
        Largest relative difference of the two losses over the seeds, at each step.
    largest_difference : float
        Over all steps.
    parted : int or None
        First step at which the losses differ by more than 1 %; None if they never do.
    """

    d_k: int
    n_steps: int
    optimizer: str
    learning_rate: float
    power: float
    steps: NDArray[np.int_]
    loss: NDArray[np.float64]
    relative_difference: NDArray[np.float64]
    largest_difference: float
    parted: int | None


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
    """Train scale 1 at rate r beside scale 1/√d_k, start times d_k^¼, rate r d_k^power: the same, step by step.

    Parameters
    ----------
    d_k : int, 1 to 1,024
    optimizer : {"sgd", "adam"}
    learning_rate : float, above 0, optional
        0.01 for gradient descent and 0.001 for Adam if not given.
    power : float, 0 to 1, optional
        The equivalent one if not given: ½ for gradient descent, ¼ for Adam.
    n_steps : int, 1 to 20,000
    n_seeds, seed : int
    check : callable, optional
        Called after every step; it raises to end the computation.

    Returns
    -------
    Equivalence
        With the equivalent power equal in exact arithmetic, for Adam up to its ε.

    Raises
    ------
    ValueError, TypeError
        If an argument is outside its range.

    Notes
    -----
    With W' = d_k^¼ W, c' W_Q' W_K'ᵀ = c W_Q W_Kᵀ at the start, and the gradient in W' is d_k^−¼ of that in W.
    W' must move by d_k^¼ of what r moves W. Gradient descent moves it by rate times gradient, so its rate is
    r √d_k; Adam divides the gradient by its size, so its rate is r d_k^¼. Where d_k^¼ is a power of 2 (d_k = 16,
    256) gradient descent is equal in floating point too. Elsewhere the two start
    apart by rounding, and a training that is not stable multiplies it until they part.

    References
    ----------
    Yang and Hu (2021), arXiv:2011.14522 (parametrisations with the same training).

    Examples
    --------
    >>> measure_equivalence().largest_difference < 1e-9
    True
    >>> measure_equivalence(100, optimizer="adam").parted is None
    True
    >>> measure_equivalence(100, optimizer="adam", power=0.5).parted
    1
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
    """`Price` of `measure_equivalence`.

    Parameters
    ----------
    d_k, optimizer, learning_rate, power, n_steps, n_seeds
        As in `measure_equivalence`.

    Returns
    -------
    Price

    Raises
    ------
    ValueError, TypeError
        If an argument is outside its range.

    Examples
    --------
    >>> equivalence_price().seconds < equivalence_price(1024).seconds < 2
    True
    """
    return _equal_pair(d_k, optimizer, learning_rate, power, n_steps, n_seeds, 0).price


def _equal_pair(d_k, optimizer, learning_rate, power, n_steps, n_seeds, seed):
    """Both trainings of an equivalence, as two runs."""
    check_integer("d_k", d_k, 1, 1024)
    check_choice("optimizer", optimizer, OPTIMIZERS)
    power = EQUAL_POWERS[optimizer] if power is None else check_number("power", power, 0, 1)
    rate = _GENTLE_RATES[optimizer] if learning_rate is None else learning_rate
    rate = check_number("learning_rate", rate, 0, 1e6, open_low=True)
    return KeyValueMemoryParams(
        d_k=d_k, exponents=(0.0, 0.5), init_exponents=(0.0, -0.25), optimizer=optimizer,
        learning_rates=(rate, rate * d_k**power), n_steps=n_steps, checkpoint_every=1, n_seeds=n_seeds, seed=seed,
    )  # fmt: skip
