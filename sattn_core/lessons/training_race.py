"""Does it matter when we train? Scales 1, 1/√d_k and 1/d_k side by side on the key–value memory.

Leaving the scale out hurts here, and the controls show on what that depends.
"""

import math
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from sattn_core._checks import check_choice, check_integer, check_number
from sattn_core._records import record
from sattn_core.key_value_memory import LOSSES, OPTIMIZERS, KeyValueMemoryParams, train_key_value_memory

QUANTITIES = ("loss", "accuracy", "entropy_nats", "gradient_norm", "median_row_gradient")
DECADES = MappingProxyType({"sgd": tuple(10.0**j for j in range(-3, 3)), "adam": tuple(10.0**j for j in range(-5, 0))})
DOSE_DIMS = (8, 16, 32, 64, 128, 256, 512)
SOLVED_ACCURACY = 0.95
_COST = MappingProxyType({"sgd": 1, "adam": 1.3})  # a step of Adam beside one of gradient descent
_SPEED = 2e10  # multiplications a second, and the rest of one step: one core, a matrix product at a time
_STEP = 4e-4
_SWEEP_FRAMES = 20
_DIVERGED = 10  # times the loss of the start: what is still on its way out of the float64 range is past this


@dataclass(frozen=True)
class TrainingRaceParams:
    """One race: the same task and the same start, one run for each scale.

    Attributes
    ----------
    d_k : int, 1 to 1,024
    exponents : tuple of float, 0 to 1, at most 8
        scale = d_k ** −exponent of each run.
    optimizer : {"sgd", "adam"}
    learning_rate : float, above 0
        Of every run.
    learning_rates : tuple of float or None
        One a run, such as the best of a sweep; None for the same rate everywhere.
    loss : {"output", "weights"}
    fresh_data, train_values : bool
    init_exponents : tuple of float or None
        The start of each run is multiplied by d_k ** −this; None for no change.
    n_keys : int, 2 to 128
    n_steps : int, 1 to 20,000
    n_seeds : int, 1 to 16
    seed : int, at least 0

    Raises
    ------
    ValueError, TypeError
        If a field is outside its range.
    """

    d_k: int = 64
    exponents: tuple[float, ...] = (0.0, 0.5, 1.0)
    optimizer: str = "sgd"
    learning_rate: float = 1.0
    learning_rates: tuple[float, ...] | None = None
    loss: str = "output"
    fresh_data: bool = False
    train_values: bool = False
    init_exponents: tuple[float, ...] | None = None
    n_keys: int = 32
    n_steps: int = 300
    n_seeds: int = 5
    seed: int = 0

    def __post_init__(self):
        check_choice("optimizer", self.optimizer, OPTIMIZERS)
        check_choice("loss", self.loss, LOSSES)
        check_number("learning_rate", self.learning_rate, 0, 1e6, open_low=True)
        check_integer("n_keys", self.n_keys, 2, 128)
        check_integer("n_steps", self.n_steps, 1, 20_000)
        check_integer("n_seeds", self.n_seeds, 1, 16)
        if not 1 <= len(self.exponents) <= 8:
            raise ValueError(f"exponents must hold between 1 and 8 numbers, but got {len(self.exponents)}")
        for exponent in self.exponents:
            check_number("an entry of exponents", exponent, 0, 1)
        self.memory()

    @property
    def work(self):
        """Multiplications of the whole race, roughly: what tells a short one from a long one."""
        memory = self.memory()
        products = 6 * memory.n_keys * memory.d_k * (memory.d_model + memory.n_keys)
        return products * len(self.exponents) * self.n_seeds * self.n_steps * _COST[self.optimizer]

    def seconds(self, sweep_seeds=0):
        """How long the race takes, roughly, after a sweep of the learning rates with so many seeds where not 0."""
        sweep = len(DECADES[self.optimizer]) * min(sweep_seeds, self.n_seeds) / self.n_seeds
        return self.work * (1 + sweep) / _SPEED + self.n_steps * (2 if sweep else 1) * _STEP

    def memory(self):
        """The same race as `KeyValueMemoryParams`, with about 60 checkpoints."""
        return KeyValueMemoryParams(
            d_k=self.d_k, n_keys=self.n_keys, exponents=self.exponents,
            learning_rates=self.learning_rate if self.learning_rates is None else self.learning_rates,
            init_exponents=0.0 if self.init_exponents is None else self.init_exponents,
            optimizer=self.optimizer, loss=self.loss, fresh_data=self.fresh_data, train_values=self.train_values,
            n_steps=self.n_steps, checkpoint_every=max(1, math.ceil(self.n_steps / 60)),
            n_seeds=self.n_seeds, seed=self.seed,
        )  # fmt: skip


@record
class Curve:
    """One quantity of all runs against the steps, over the seeds; arrays have the axes (n_runs, n_checkpoints).

    Attributes
    ----------
    mean, standard_error : ndarray
        Over the seeds; the error is NaN for one seed.
    low, high : ndarray
        Smallest and largest seed.
    """

    mean: np.ndarray
    standard_error: np.ndarray
    low: np.ndarray
    high: np.ndarray


@record
class TrainingRaceResult:
    """The race so far: complete when `step` is `params.n_steps`.

    Attributes
    ----------
    params : TrainingRaceParams
    step : int
        Last step measured.
    progress : float
        step / n_steps, from 0 to 1.
    scales : ndarray, shape (n_runs,)
    steps : ndarray of int, shape (n_checkpoints,)
    loss, accuracy, entropy_nats, gradient_norm, median_row_gradient : Curve
    attention_weights : ndarray, shape (n_runs, n_queries, n_keys)
        Of the first seed at `step`; column j is the right key of row j.
    diverged : ndarray of bool, shape (n_runs,)
        Whether any seed of the run has left the float64 range.
    uniform_loss : float
        Loss of uniform attention: (1 − 1/n_keys)/2, or ln n_keys for the loss on the weights.
    first_gradient_ratio : float
        Gradient norm at step 0 of the run with the smallest exponent over that nearest to 1/√d_k.
    """

    params: TrainingRaceParams
    step: int
    progress: float
    scales: np.ndarray
    steps: np.ndarray
    loss: Curve
    accuracy: Curve
    entropy_nats: Curve
    gradient_norm: Curve
    median_row_gradient: Curve
    attention_weights: np.ndarray
    diverged: np.ndarray
    uniform_loss: float
    first_gradient_ratio: float


@record
class LearningRateSweep:
    """Final state against the learning rate; arrays have the axes (n_runs, n_rates).

    Attributes
    ----------
    params : TrainingRaceParams
    rates : tuple of float
    loss, accuracy : ndarray
        Mean over the seeds after n_steps; the loss is NaN where a seed diverged.
    loss_low, loss_high : ndarray
        Smallest and largest seed.
    diverged : ndarray of bool
        Where the loss is NaN, infinite or more than ten times that before the first step.
    best_rates : tuple of float
        Rate of the smallest mean final loss of each run.
    best_loss, best_accuracy : ndarray, shape (n_runs,)
    best_at_edge : ndarray of bool, shape (n_runs,)
        Whether the best rate is the first or last tried, so that a better one may lie outside.
    solved_rates : tuple of tuple of float
        For each run the rates with an accuracy of at least 0.95.
    progress : float
        Share of the steps done; the numbers are those of that moment.
    """

    params: TrainingRaceParams
    rates: tuple[float, ...]
    loss: np.ndarray
    accuracy: np.ndarray
    loss_low: np.ndarray
    loss_high: np.ndarray
    diverged: np.ndarray
    best_rates: tuple[float, ...]
    best_loss: np.ndarray
    best_accuracy: np.ndarray
    best_at_edge: np.ndarray
    solved_rates: tuple[tuple[float, ...], ...]
    progress: float


@record
class DoseRow:
    """One line of the dose–response table: best learning rate for each scale at one d_k.

    Attributes
    ----------
    d_k : int
    optimizer : str
    best_rates : tuple of float
    loss, accuracy : ndarray, shape (n_runs,)
    progress : float
        Share of the table that is done after this line.
    """

    d_k: int
    optimizer: str
    best_rates: tuple[float, ...]
    loss: np.ndarray
    accuracy: np.ndarray
    progress: float


@record
class DoseTable:
    """The dose–response table so far.

    Attributes
    ----------
    rows : tuple of DoseRow
    progress : float
        Share of the work that is done; it grows between the lines too.
    """

    rows: tuple[DoseRow, ...]
    progress: float


@record
class Equivalence:
    """Scale 1 at rate r beside scale 1/√d_k with the start times d_k^¼ and rate r √d_k.

    Attributes
    ----------
    d_k, n_steps : int
    steps : ndarray of int
    loss : ndarray, shape (2, n_checkpoints)
        First seed's loss of both.
    relative_difference : ndarray, shape (n_checkpoints,)
        Largest relative difference of loss and (rescaled) gradient norm over the seeds, at each step.
    largest_difference : float
        Over all steps.
    """

    d_k: int
    n_steps: int
    steps: np.ndarray
    loss: np.ndarray
    relative_difference: np.ndarray
    largest_difference: float


@dataclass(frozen=True)
class Preset:
    """A race worth running and what it teaches.

    Attributes
    ----------
    title : str
    teaches : str
        What the race does; it holds at every d_k.
    because : mapping
        `race_outcome` -> what that outcome of this race shows. It does not hold for another outcome.
    changes : mapping
        Fields of `TrainingRaceParams` to change.
    best_rates : bool
        Whether it needs each run's best learning rate from a sweep to be fair.
    """

    title: str
    teaches: str
    because: MappingProxyType
    changes: MappingProxyType
    best_rates: bool = False


def _preset(title, teaches, *, harm="", harmless="", best_rates=False, **changes):
    because = MappingProxyType({"harm": harm, "harmless": harmless})
    return Preset(title, teaches, because, MappingProxyType(changes), best_rates)


PRESETS = MappingProxyType(
    {
        "race": _preset(
            "The race", "Every scale starts from the same weights and learns one fixed set of keys and queries.",
            harm="Attention without the scale has settled on one key for each query, wrong ones among them, and stays "
            "there: in a fixed data set no new near-tie arrives to move it.",
        ),
        "small_d_k": _preset(
            "Small d_k", "With few dimensions raw scores are small anyway.",
            d_k=8,
        ),
        "loss_on_weights": _preset(
            "Loss on the weights", "A logarithm right behind the softmax cancels its Jacobian: the gradient is "
            "p − y and never dies.",
            harmless="The damage needs the softmax in the middle of the network.",
            loss="weights", learning_rate=0.1,
        ),
        "fresh_data": _preset(
            "Fresh data every step", "New keys at every step keep bringing new near-ties, and the learning rate is "
            "smaller than in the race.",
            harmless="Attention without the scale recovers.",
            fresh_data=True, n_keys=16, n_steps=400, learning_rate=0.3,
        ),
        "smaller_start": _preset(
            "A smaller start", "Without the scale, W_Q and W_K divided by d_k^¼ at the start make the first scores as "
            "small as 1/√d_k does.",
            harmless="The scale changes where training starts, not what attention can represent.",
            init_exponents=(0.25, 0.0, -0.25),
        ),
        "trainable_values": _preset(
            "Trainable V", "With values to train, the model can route around attention on a wrong key.",
            harm="It does so in part: not all answers come right.",
            best_rates=True, train_values=True,
        ),
        "longer": _preset(
            "Ten times longer", "Every scale has ten times the steps, and its own best learning rate.",
            harm="Patience does not solve it.",
            best_rates=True, n_steps=3000,
        ),
        "adam": _preset(
            "Adam", "Adam divides every gradient by its size.",
            harm="That does not bring back the rows that have none.",
            optimizer="adam", learning_rate=0.001,
        ),
    }
)  # fmt: skip


def race_outcome(result):
    """Whether the race without the scale and that with 1/√d_k give at least 95 % right answers at this step.

    Parameters
    ----------
    result : TrainingRaceResult
        Of a race with the exponents 0 and ½.

    Returns
    -------
    {"harm", "harmless", "neither", "only_without"}
        Only the scaled one does, both do, none does, only the one without the scale does.

    Raises
    ------
    ValueError
        If one of the two exponents is missing.

    Examples
    --------
    >>> [race_outcome(measure_training_race(TrainingRaceParams(d_k))) for d_k in (2, 16, 64)]
    ['neither', 'harmless', 'harm']
    """
    exponents = result.params.exponents
    if not {0.0, 0.5} <= set(exponents):
        raise ValueError(f"exponents must hold 0 and 0.5, but got {exponents}")
    right = result.accuracy.mean[:, -1] >= SOLVED_ACCURACY
    names = {(False, True): "harm", (True, True): "harmless", (False, False): "neither", (True, False): "only_without"}
    return names[bool(right[exponents.index(0.0)]), bool(right[exponents.index(0.5)])]


def race_frames(params):
    """Run the race and yield everything measured so far at every checkpoint.

    Parameters
    ----------
    params : TrainingRaceParams

    Yields
    ------
    TrainingRaceResult
        Whoever stops asking keeps the last one; nothing runs on in the background.

    Raises
    ------
    TypeError
        If params are not `TrainingRaceParams`.

    Examples
    --------
    >>> frames = race_frames(TrainingRaceParams(n_steps=2))
    >>> [frame.step for frame in frames]
    [0, 1, 2]
    """
    if not isinstance(params, TrainingRaceParams):
        raise TypeError(f"params must be TrainingRaceParams, but got {type(params).__name__}")
    checkpoints = []
    for checkpoint in train_key_value_memory(params.memory()):
        checkpoints.append(checkpoint)
        yield _so_far(params, checkpoints)


def measure_training_race(params):
    """Run the race to its end.

    Parameters
    ----------
    params : TrainingRaceParams

    Returns
    -------
    TrainingRaceResult
        ``step == params.n_steps``.

    Raises
    ------
    TypeError
        If params are not `TrainingRaceParams`.

    Notes
    -----
    The result holds for this task. At step 0 the total gradient is *larger* without the scale; what is
    small is the gradient of the median row, a few steps later.

    References
    ----------
    Vaswani et al. (2017), arXiv:1706.03762, section 3.2.1 (the claim about gradients).

    Examples
    --------
    >>> result = measure_training_race(TrainingRaceParams())
    >>> bool(result.accuracy.mean[0, -1] < 0.5), bool(result.accuracy.mean[1, -1] > 0.99)
    (True, True)
    """
    *_, last = race_frames(params)
    return last


def sweep_learning_rates(params, rates=None):
    """Final loss of every run against the learning rate, all rates trained side by side.

    Parameters
    ----------
    params : TrainingRaceParams
        Its own learning rate is not used.
    rates : sequence of float, optional
        `DECADES` of the optimizer if not given.

    Returns
    -------
    LearningRateSweep
        ``params`` with ``learning_rates=best_rates`` is the fairest race.

    Raises
    ------
    ValueError, TypeError
        If a rate is not a positive number, or there is none.

    Notes
    -----
    The same start for every rate. A rate at the edge of those tried is marked.

    References
    ----------
    Yang et al. (2022), arXiv:2203.03466, section 1 (the best rate depends on the scaling).

    Examples
    --------
    >>> sweep = sweep_learning_rates(TrainingRaceParams(d_k=4, n_keys=2, n_steps=20, n_seeds=1), (0.1, 1.0))
    >>> sweep.loss.shape
    (3, 2)
    """
    *_, last = sweep_frames(params, rates)
    return last


def sweep_frames(params, rates=None):
    """Yield the sweep of the learning rates as it goes.

    Parameters
    ----------
    params : TrainingRaceParams
    rates : sequence of float, optional
        As in `sweep_learning_rates`.

    Yields
    ------
    LearningRateSweep
        About 20, with `progress` from 0 to 1; the last is that of `sweep_learning_rates`.

    Raises
    ------
    ValueError, TypeError
        If a rate is not a positive number, or there is none.

    Examples
    --------
    >>> frames = sweep_frames(TrainingRaceParams(d_k=4, n_keys=2, n_steps=2, n_seeds=1), (0.1,))
    >>> [frame.progress for frame in frames]
    [0.0, 0.5, 1.0]
    """
    rates = tuple(DECADES[params.optimizer] if rates is None else rates)
    if not 1 <= len(rates) * len(params.exponents) <= 256:
        raise ValueError(f"rates must be at least 1 and at most 256 with all scales, but got {len(rates)}")
    n = len(rates)
    start = params.init_exponents or (0.0,) * len(params.exponents)
    memory = replace(
        params.memory(), checkpoint_every=math.ceil(params.n_steps / _SWEEP_FRAMES),
        exponents=tuple(np.repeat(params.exponents, n)), init_exponents=tuple(np.repeat(start, n)),
        learning_rates=rates * len(params.exponents),
    )  # fmt: skip
    shape, first = (len(params.exponents), n, params.n_seeds), None
    for state in train_key_value_memory(memory):
        loss, done = state.loss.reshape(shape), state.step / params.n_steps
        first = loss if first is None else first
        yield _sweep(params, rates, first, loss, state.accuracy.reshape(shape), done)


def dose_response(dims=DOSE_DIMS, *, optimizers=OPTIMIZERS, n_steps=300, n_seeds=3, seed=0):
    """Yield the dose–response table line by line: best final loss of each scale at every d_k.

    Parameters
    ----------
    dims : sequence of int
    optimizers : sequence of {"sgd", "adam"}
    n_steps, n_seeds, seed : int
        As in `TrainingRaceParams`.

    Yields
    ------
    DoseRow
        For the exponents 0, ½ and 1.

    Raises
    ------
    ValueError, TypeError
        If an argument is outside its range.

    Examples
    --------
    >>> row = next(dose_response((4,), n_steps=5, n_seeds=1))
    >>> row.d_k, round(row.progress, 2)
    (4, 0.43)
    """
    n_rows = 0
    for table in dose_frames(dims, optimizers=optimizers, n_steps=n_steps, n_seeds=n_seeds, seed=seed):
        if len(table.rows) > n_rows:
            n_rows = len(table.rows)
            yield table.rows[-1]


def dose_frames(dims=DOSE_DIMS, *, optimizers=OPTIMIZERS, n_steps=300, n_seeds=3, seed=0):
    """Yield the dose–response table as it grows, and its progress between the lines.

    Parameters
    ----------
    dims, optimizers, n_steps, n_seeds, seed
        As in `dose_response`.

    Yields
    ------
    DoseTable
        The last has a line for every d_k and optimizer.

    Raises
    ------
    ValueError, TypeError
        If an argument is outside its range.

    Examples
    --------
    >>> *_, table = dose_frames((4,), optimizers=("sgd",), n_steps=5, n_seeds=1)
    >>> len(table.rows), table.progress
    (1, 1.0)
    """
    races = [
        TrainingRaceParams(d_k=d_k, optimizer=optimizer, n_steps=n_steps, n_seeds=n_seeds, seed=seed)
        for d_k in dims
        for optimizer in optimizers
    ]
    work = np.cumsum([0, *(race.work for race in races)], dtype=float)
    rows = []
    for race, before, after in zip(races, work[:-1] / work[-1], work[1:] / work[-1], strict=True):
        for best in sweep_frames(race):
            if best.progress < 1:
                yield DoseTable(tuple(rows), float(before + best.progress * (after - before)))
        rows.append(
            DoseRow(race.d_k, race.optimizer, best.best_rates, best.best_loss, best.best_accuracy, float(after))
        )
        yield DoseTable(tuple(rows), float(after))


def measure_equivalence(d_k=64, *, n_steps=50, learning_rate=0.01, n_seeds=3, seed=0):
    """Train scale 1 at rate r beside scale 1/√d_k, start times d_k^¼, rate r √d_k: the same, step by step.

    Parameters
    ----------
    d_k : int, 1 to 1,024
    n_steps : int, 1 to 20,000
    learning_rate : float, above 0
    n_seeds, seed : int

    Returns
    -------
    Equivalence
        Equal in exact arithmetic; the largest relative difference is rounding, multiplied by the training.

    Raises
    ------
    ValueError, TypeError
        If an argument is outside its range.

    Notes
    -----
    For gradient descent only. With W' = d_k^¼ W, c' W_Q' W_K'ᵀ = c W_Q W_Kᵀ at the start, the gradient in W'
    is d_k^−¼ of that in W, and rate r √d_k moves W' by d_k^¼ of what r moves W. At larger rates than the
    default the training without the scale is chaotic: rounding doubles every few steps until the two part.

    References
    ----------
    Yang and Hu (2021), arXiv:2011.14522 (parametrisations with the same training).

    Examples
    --------
    >>> measure_equivalence().largest_difference < 1e-9
    True
    """
    root = math.sqrt(check_integer("d_k", d_k, 1, 1024))
    params = KeyValueMemoryParams(
        d_k=d_k, exponents=(0.0, 0.5), init_exponents=(0.0, -0.25),
        learning_rates=(learning_rate, learning_rate * root),
        n_steps=n_steps, checkpoint_every=1, n_seeds=n_seeds, seed=seed,
    )  # fmt: skip
    checkpoints = list(train_key_value_memory(params))
    loss = np.stack([each.loss for each in checkpoints], axis=-1)  # (2, n_seeds, n_checkpoints)
    slope = np.stack([each.gradient_norm for each in checkpoints], axis=-1) * np.array([1.0, root**0.5])[:, None, None]
    difference = np.max([np.abs(pair[0] - pair[1]) / np.abs(pair[0]) for pair in (loss, slope)], axis=(0, 1))
    steps = np.array([each.step for each in checkpoints])
    return Equivalence(d_k, n_steps, steps, loss[:, 0], difference, float(difference.max()))


def preset_params(name, **shared):
    """`TrainingRaceParams` of one of `PRESETS`, with the shared fields (d_k, seed, …) where it leaves them free."""
    changes = PRESETS[check_choice("preset", name, tuple(PRESETS))].changes
    return TrainingRaceParams(**{**shared, **changes})


def _so_far(params, checkpoints):
    last = checkpoints[-1]
    curves = {name: _curve(np.stack([getattr(each, name) for each in checkpoints], axis=-1)) for name in QUANTITIES}
    uniform = (1 - 1 / params.n_keys) / 2 if params.loss == "output" else math.log(params.n_keys)
    return TrainingRaceResult(
        params=params, step=last.step, progress=last.step / params.n_steps,
        scales=params.memory().scales,
        steps=np.array([each.step for each in checkpoints]),
        **curves,
        attention_weights=last.attention_weights[:, :, last.targets],
        diverged=last.diverged.any(axis=-1),
        uniform_loss=uniform,
        first_gradient_ratio=_first_ratio(params, curves["gradient_norm"].mean[:, 0]),
    )  # fmt: skip


def _first_ratio(params, norms):
    exponents = np.array(params.exponents)
    return float(norms[exponents.argmin()] / norms[np.abs(exponents - 0.5).argmin()])


def _curve(values):
    """Statistics over the seeds, the middle axis."""
    n = values.shape[1]
    with np.errstate(over="ignore", invalid="ignore"):  # on its way out of the float64 range a run is still shown
        error = values.std(axis=1, ddof=1) / math.sqrt(n) if n > 1 else np.full(values[:, 0].shape, math.nan)
        return Curve(values.mean(axis=1), error, values.min(axis=1), values.max(axis=1))


def _sweep(params, rates, first, loss, accuracy, progress):
    with np.errstate(over="ignore", invalid="ignore"):  # the mean of losses near the end of the float64 range
        mean, right = loss.mean(axis=-1), accuracy.mean(axis=-1)
    ranked = np.where(np.isnan(mean), math.inf, mean)
    best = ranked.argmin(axis=-1)
    runs = np.arange(len(best))
    return LearningRateSweep(
        params=params, rates=rates, loss=mean, accuracy=right,
        loss_low=loss.min(axis=-1), loss_high=loss.max(axis=-1),
        diverged=~(mean <= _DIVERGED * first.mean(axis=-1)),  # NaN too
        best_rates=tuple(rates[i] for i in best),
        best_loss=mean[runs, best], best_accuracy=right[runs, best],
        best_at_edge=(best == 0) | (best == len(rates) - 1),
        solved_rates=tuple(tuple(rates[i] for i in np.flatnonzero(row >= SOLVED_ACCURACY)) for row in right),
        progress=progress,
    )  # fmt: skip
