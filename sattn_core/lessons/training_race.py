"""Does it matter when we train? Scales 1, 1/√d_k and 1/d_k compared on the key–value memory.

Leaving out the scale hurts here; the controls show what this depends on.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sattn_core._checks import check_choice, check_integer, check_number
from sattn_core.bands.standard_errors import mean_and_error
from sattn_core.cost import CALL, Price, proceed
from sattn_core.layers.initialisation import projection_variance
from sattn_core.training.key_value_memory import (
    LOSSES,
    MOST_RUNS,
    OPTIMIZERS,
    KeyValueMemoryParams,
    MemoryCheckpoint,
    starting_attention,
    training_steps,
)
from sattn_core.training.trained_transformers import RATES, trained_transformers

QUANTITIES = ("loss", "accuracy", "entropy_nats", "gradient_norm", "median_row_gradient")
HALF_DECADES = MappingProxyType(
    {
        "sgd": (*(float(f"{digit}e{j}") for j in range(-3, 2) for digit in (1, 3)), 100.0),
        "adam": (*(float(f"{digit}e{j}") for j in range(-5, -1) for digit in (1, 3)), 0.1),
    }
)
SWEEP_STEPS = (10, 30, 100, 300, 1_000, 3_000, 10_000, 20_000)
DOSE_DIMS = (8, 16, 24, 32, 64, 128, 256, 512)
SOLVED_ACCURACY = 0.95
_FRAME = 100 * CALL  # work of assembling one frame
_CACHED = 8_000_000  # most bytes of learning rates trained together, to stay in the processor's cache
_TREND_FROM = 3  # number of measured steps needed for a trend
_SMALLEST_CHANGE = 0.01  # smallest change of the mean weight that counts as a trend
_DIVERGED = 10  # a finite loss counts as diverged if it exceeds this many times the first loss


@dataclass(frozen=True)
class TrainingRaceParams:
    """Settings of one race: a run for each scale, with the same task and the same start."""

    d_k: int = 64  # 1 to 1,024
    exponents: tuple[float, ...] = (0.0, 0.5, 1.0)  # one per run, each 0 to 1, at most 8: the scale is d_k ** −exponent
    optimizer: str = "sgd"
    learning_rate: float = 1.0  # above 0
    # learning_rates: one per run, such as the best of a sweep; None for the same rate in every run
    learning_rates: tuple[float, ...] | None = None
    loss: str = "output"
    fresh_data: bool = False
    train_values: bool = False
    # init_exponents: each run's initial weights are multiplied by d_k ** −exponent; None for no change
    init_exponents: tuple[float, ...] | None = None
    n_keys: int = 32  # 2 to 128
    n_steps: int = 300  # 1 to 20,000
    n_seeds: int = 5  # 1 to 16
    seed: int = 0  # at least 0

    def __post_init__(self) -> None:
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
    def price(self) -> Price:
        """`Price` of running `race_frames` to the end."""
        return self.memory().price + Price(len(self.memory().measured_steps) * _FRAME)

    def memory(self) -> KeyValueMemoryParams:
        """Return the settings of this race as `KeyValueMemoryParams`, with about 60 checkpoints."""
        return KeyValueMemoryParams(
            d_k=self.d_k, n_keys=self.n_keys, exponents=self.exponents,
            learning_rates=self.learning_rate if self.learning_rates is None else self.learning_rates,
            init_exponents=0.0 if self.init_exponents is None else self.init_exponents,
            optimizer=self.optimizer, loss=self.loss, fresh_data=self.fresh_data, train_values=self.train_values,
            n_steps=self.n_steps, checkpoint_every=max(1, math.ceil(self.n_steps / 60)),
            n_seeds=self.n_seeds, seed=self.seed,
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Curve:
    """Statistics of one quantity over the seeds, against the steps; arrays have the axes (n_runs, n_checkpoints)."""

    # mean, standard_error: mean over the seeds, and its standard error (NaN for one seed)
    mean: NDArray[np.float64]
    standard_error: NDArray[np.float64]
    # low, high: smallest and largest value of any seed
    low: NDArray[np.float64]
    high: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TrainingRaceResult:
    """Measurements of a race so far; complete when `step` is `params.n_steps`."""

    params: TrainingRaceParams
    step: int  # last step measured
    progress: float  # step / n_steps, from 0 to 1
    steps: NDArray[np.int_]  # (n_checkpoints,)
    loss: Curve
    accuracy: Curve
    entropy_nats: Curve
    gradient_norm: Curve
    median_row_gradient: Curve
    # maps: attention weights of the first seed at each of steps, (n_runs, n_queries, n_keys); key j is right in row j
    maps: tuple[NDArray[np.float64], ...]
    diverged: NDArray[np.bool_]  # (n_runs,): True if a seed of the run has overflowed
    uniform_loss: float  # loss of uniform attention: (1 − 1/n_keys)/2, or ln n_keys for the loss on the weights
    # first_gradient_ratio: gradient norm at step 0, smallest exponent's run ÷ run nearest to 1/√d_k
    first_gradient_ratio: float

    @property
    def attention_weights(self) -> NDArray[np.float64]:
        """Attention weights at the last step measured."""
        return self.maps[-1]


@dataclass(frozen=True, eq=False)
class RaceStart:
    """Attention of every run before the first step, for the first seed."""

    params: TrainingRaceParams
    attention_weights: NDArray[np.float64]  # (n_runs, n_queries, n_keys); column j is the right key of row j
    largest_weight: NDArray[np.float64]  # (n_runs,): largest weight of a row, averaged over the rows
    # right: share of the rows whose largest weight is on the right key. All runs have the same share, because they
    # differ in the size of the scores, not in their order.
    right: float
    same: bool  # True if all runs start from the same attention, up to rounding


@dataclass(frozen=True, eq=False)
class LearningRateSweep:
    """Loss and accuracy at every learning rate and recorded step; arrays have the axes (n_runs, n_rates, n_steps)."""

    params: TrainingRaceParams
    rates: tuple[float, ...]
    steps: tuple[int, ...]  # entries of `SWEEP_STEPS` below the race's last step, and the last step
    # loss, accuracy: means over the seeds; NaN where not trained yet
    loss: NDArray[np.float64]
    accuracy: NDArray[np.float64]
    diverged: NDArray[np.bool_]  # True where the loss is NaN, infinite or more than ten times the first loss
    solved: NDArray[np.bool_]  # True where the accuracy is at least 0.95
    best_rates: tuple[float, ...]  # for each run the rate with the smallest mean final loss
    # best_loss, best_accuracy (n_runs,)
    best_loss: NDArray[np.float64]
    best_accuracy: NDArray[np.float64]
    # best_at_edge (n_runs,): True if the best rate is the first or the last: a better one may lie beyond it
    best_at_edge: NDArray[np.bool_]
    progress: float  # share of all steps done so far

    @property
    def solved_rates(self) -> tuple[tuple[float, ...], ...]:
        """Rates that have solved the task at the last step, for each run."""
        return tuple(tuple(self.rates[i] for i in np.flatnonzero(run)) for run in self.solved[:, :, -1])

    @property
    def soonest(self) -> tuple[int | None, ...]:
        """First recorded step at which any rate has solved the task, for each run; None if no rate has."""
        anywhere = np.any(self.solved, axis=1)
        return tuple(self.steps[run.argmax()] if run.any() else None for run in anywhere)

    @property
    def n_tried(self) -> int:
        """Number of rates that have been trained to the last step."""
        return int(np.isfinite(self.accuracy[0, :, -1]).sum())


@dataclass(frozen=True, eq=False)
class DoseRow:
    """Row of the dose–response table: best learning rate for each scale at one d_k."""

    d_k: int
    optimizer: str
    # n_rates, n_steps: number of learning rates tried, and of training steps for each
    n_rates: int
    n_steps: int
    best_rates: tuple[float, ...]
    # loss, accuracy (n_runs,)
    loss: NDArray[np.float64]
    accuracy: NDArray[np.float64]
    n_solved: tuple[int, ...]  # for each run the number of rates that have solved the task at the last step
    progress: float  # share of the table's work done after this row


@dataclass(frozen=True, eq=False)
class DoseTable:
    """Rows of the dose–response table so far."""

    rows: tuple[DoseRow, ...]
    progress: float  # share of the work done so far; it also grows between rows


@dataclass(frozen=True)
class Preset:
    """Settings of an instructive race, and what it teaches."""

    title: str
    teaches: str  # description of this race, true at every d_k
    harmless: str  # conclusion shown if leaving out the scale does no harm
    changes: MappingProxyType[str, Any]  # changed fields of `TrainingRaceParams`
    best_rates: bool = False  # True if a fair race needs each run's best learning rate, from a sweep


@dataclass(frozen=True)
class TransformerParams:
    """Learning rate of the trained transformers, the same for every way to scale."""

    rate: float = 0.003  # one of `RATES`

    def __post_init__(self) -> None:
        if self.rate not in RATES:
            raise ValueError(f"rate must be one of {', '.join(f'{rate:g}' for rate in RATES)}, but got {self.rate!r}")


@dataclass(frozen=True, eq=False)
class TransformersResult:
    """Comparison of trained transformers; curves have the axes (n_ways, n_steps)."""

    params: TransformerParams
    steps: NDArray[np.int_]  # (n_steps,)
    loss: Curve  # on held-out text, at params.rate
    accuracy: Curve  # on held-out text
    gradient_norm: Curve
    # score_std, entropy_nats: mean over heads and seeds; low and high are extremes over all heads and seeds
    score_std: Curve
    entropy_nats: Curve
    last_loss: Curve  # (n_ways, n_rates): loss on held-out text after the last step
    # first_std (n_ways,): root mean square of score_std over heads and seeds before the first step
    # predicted_std (n_ways,): prediction of first_std from PyTorch's initial weights
    first_std: NDArray[np.float64]
    predicted_std: NDArray[np.float64]
    works: NDArray[np.bool_]  # (n_ways, n_rates): True if every seed's last loss is below `bigram_loss`
    best: NDArray[np.int_]  # (n_ways,): index of the rate with the smallest mean last loss
    bigram_loss: float  # loss of a table that counts which character follows which
    most_entropy: float  # entropy of attention rows with equal weights
    about: dict[str, Any]  # facts about the text, the model and the training


def _preset(title, teaches, *, harmless="", best_rates=False, **changes):
    return Preset(title, teaches, harmless, MappingProxyType(changes), best_rates)


PRESETS = MappingProxyType(
    {
        "race": _preset(
            "The race", "Every scale starts from the same weights and learns one fixed set of keys and queries.",
        ),
        "small_d_k": _preset(
            "Small dₖ", "With few components raw scores are small anyway: at dₖ = 8 their standard deviation is 2.8.",
            d_k=8,
        ),
        "loss_on_weights": _preset(
            "Loss on the weights", "A logarithm right behind the softmax cancels its Jacobian: the gradient at the "
            "scores is p − y, which is small only where the answer is nearly right.",
            harmless="With the loss right behind the softmax, large scores do not stop the training.",
            loss="weights", learning_rate=0.1,
        ),
        "fresh_data": _preset(
            "Fresh data every step", "New keys at every step keep bringing new near-ties to learn from. The learning "
            "rate is 0.3, smaller than in the race, and there are 16 pairs.",
            harmless="With new data at every step, attention without the scale learns too.",
            fresh_data=True, n_keys=16, n_steps=400, learning_rate=0.3,
        ),
        "smaller_start": _preset(
            "A smaller start", "Smaller weights at the start, divided by the fourth root of dₖ, make the first raw "
            "scores as small as ÷ √dₖ does.",
            harmless="The scale sets where training starts and how large its steps are, not what attention can "
            "represent.",
            init_exponents=(0.25, 0.0, -0.25),
        ),
        "trainable_values": _preset(
            "Trainable V", "With V to train as well, a wrong key can learn to hold the right value. The loss sees "
            "that; “right answers” still counts the keys.",
            best_rates=True, train_values=True,
        ),
        "longer": _preset(
            "Ten times longer", "Every scale has ten times the steps, and its own best learning rate.",
            best_rates=True, n_steps=3000,
        ),
        "adam": _preset(
            "Adam", "Adam divides the gradient of each weight by its running size.",
            optimizer="adam", learning_rate=0.001,
        ),
    }
)  # fmt: skip


def learnt(result: TrainingRaceResult) -> tuple[bool, ...]:
    """Return, for each run, True if at least 95 % of its answers are right at the last step, averaged over seeds."""
    return tuple((result.accuracy.mean[:, -1] >= SOLVED_ACCURACY).tolist())


def learnt_by(result: TrainingRaceResult) -> tuple[int | None, ...]:
    """Return, for each run, the first step from which `learnt` holds to the end; None if it fails at the end."""
    short = ~(result.accuracy.mean >= SOLVED_ACCURACY)  # True for NaN, after an overflow
    since = [int(np.flatnonzero(run).max(initial=-1)) + 1 for run in short]
    return tuple(int(result.steps[at]) if at < len(result.steps) else None for at in since)


def in_doubt(result: TrainingRaceResult) -> tuple[bool, ...]:
    """Return, for each run, True if other seeds may change `learnt`: accuracy within two standard errors of 0.95."""
    share, error = result.accuracy.mean[:, -1], result.accuracy.standard_error[:, -1]
    return tuple((np.abs(share - SOLVED_ACCURACY) < 2 * error).tolist())


def right_in_map(result: TrainingRaceResult) -> tuple[int, ...]:
    """Count, for each run, the rows of the first seed's last map whose largest weight is on the right key."""
    return tuple(_right_rows(result.attention_weights).tolist())


def learnt_in_map(result: TrainingRaceResult) -> tuple[bool, ...]:
    """Return, for each run, True if at least 95 % of the rows of the first seed's last map are right."""
    return tuple(right >= SOLVED_ACCURACY * result.params.n_keys for right in right_in_map(result))


def right_by_step(result: TrainingRaceResult) -> NDArray[np.int_]:
    """Return the counts of `right_in_map` at every measured step, (n_runs, n_checkpoints)."""
    return np.stack([_right_rows(each) for each in result.maps], axis=-1)


def _right_rows(weights):
    """Count, in each map, the finite rows with the largest weight on the diagonal."""
    found = weights.argmax(axis=-1) == np.arange(weights.shape[-1])
    return np.count_nonzero(found & np.isfinite(weights).all(axis=-1), axis=-1)


def trend(result: TrainingRaceResult) -> tuple[str, ...]:
    """Return, for each run, the trend of its right rows over the last third of the steps so far.

    "complete" if all rows are right; "rising" or "falling" if the number of right rows changed, or the mean weight on
    the right key by more than 0.01; otherwise "settled", or "open" if the mean largest weight of a row is below ½.
    Fresh data change the rows at every step, so only the mean weight counts. "" before the third measured step.
    """
    if len(result.steps) < _TREND_FROM:
        return ("",) * len(result.params.exponents)
    before, fixed = race_at(result, 2 * result.step // 3), not result.params.fresh_data
    rows, weight = (after - then for after, then in zip(_right(result), _right(before), strict=True))
    change = np.where(fixed & (rows != 0), rows, np.where(abs(weight) > _SMALLEST_CHANGE, weight, 0))
    complete = fixed & (_right(result)[0] == result.params.n_keys)
    chosen = result.attention_weights.max(axis=-1).mean(axis=-1) >= 0.5
    which = [complete, change > 0, change < 0, chosen]
    return tuple(np.select(which, ["complete", "rising", "falling", "settled"], "open").tolist())


def _right(result):
    """Return, for each run, the number of right rows in the last map, and the mean weight on the right key."""
    return np.array(right_in_map(result)), result.attention_weights.diagonal(axis1=-2, axis2=-1).mean(axis=-1)


def race_at(result: TrainingRaceResult, step: int) -> TrainingRaceResult:
    """Return the result as it was at `step`, or at the last measured step before it."""
    n = max(1, int(np.searchsorted(result.steps, step, side="right")))
    if n == len(result.steps):
        return result
    curves = {name: _until(getattr(result, name), n) for name in QUANTITIES}
    finite = np.isfinite(curves["loss"].mean[:, -1]) & np.isfinite(curves["gradient_norm"].mean[:, -1])
    there = int(result.steps[n - 1])
    return replace(
        result, step=there, progress=there / result.params.n_steps, steps=result.steps[:n], maps=result.maps[:n],
        diverged=~finite, **curves,
    )  # fmt: skip


def _until(curve, n):
    return Curve(*(getattr(curve, each.name)[:, :n] for each in fields(curve)))


def race_outcome(result: TrainingRaceResult) -> str:
    """Return "harm" if only the run with 1/√d_k has learnt, else "harmless" (both), "neither" or "only_without"."""
    exponents = result.params.exponents
    if not {0.0, 0.5} <= set(exponents):
        raise ValueError(f"exponents must hold 0 and 0.5, but got {exponents}")
    right = learnt(result)
    names = {(False, True): "harm", (True, True): "harmless", (False, False): "neither", (True, False): "only_without"}
    return names[right[exponents.index(0.0)], right[exponents.index(0.5)]]


def measure_race_start(params: TrainingRaceParams) -> RaceStart:
    """Return the attention of every run before the first step, for the first seed."""
    weights = starting_attention(params.memory())
    right = weights[0].argmax(axis=-1) == np.arange(params.n_keys)
    same = bool(np.allclose(weights, weights[:1], rtol=1e-6, atol=1e-12))
    return RaceStart(params, weights, weights.max(axis=-1).mean(axis=-1), float(right.mean()), same)


def race_frames(params: TrainingRaceParams, *, pauses: bool = False) -> Iterator[TrainingRaceResult]:
    """Run the race and yield the measurements so far at every checkpoint."""
    if not isinstance(params, TrainingRaceParams):
        raise TypeError(f"params must be TrainingRaceParams, but got {type(params).__name__}")
    checkpoints: list[MemoryCheckpoint] = []
    maps: tuple[NDArray[np.float64], ...] = ()
    frame = None
    for checkpoint in training_steps(params.memory()):
        if checkpoint is not None:
            checkpoints.append(checkpoint)
            maps = (*maps, checkpoint.attention_weights[:, :, checkpoint.targets])
            frame = _so_far(params, checkpoints, maps)
        if checkpoint is not None or pauses:
            yield frame  # type: ignore[misc]  # step 0 has a checkpoint


def measure_training_race(params: TrainingRaceParams, *, check: Callable[[], object] = proceed) -> TrainingRaceResult:
    """Run the race to its end."""
    return _last(race_frames(params, pauses=True), check)


def sweep_learning_rates(
    params: TrainingRaceParams, rates: Sequence[float] | None = None, *, check: Callable[[], object] = proceed
) -> LearningRateSweep:
    """Find, for every run, the learning rates that solve the task, and the number of steps they need."""
    return _last(sweep_frames(params, rates, pauses=True), check)


def sweep_frames(
    params: TrainingRaceParams, rates: Sequence[float] | None = None, *, pauses: bool = False
) -> Iterator[LearningRateSweep]:
    """Train with the learning rates, a few together, and yield the sweep so far."""
    rates = tuple(HALF_DECADES[params.optimizer] if rates is None else rates)
    races, done = _races_of(params, rates), 0
    steps = races[0].checkpoint_steps
    seen, frame = np.full((2, len(params.exponents), len(rates), len(steps)), math.nan), None
    for race in races:
        n, place = len(race.exponents) // len(params.exponents), iter(range(len(steps)))
        for step, state in enumerate(training_steps(race)):
            progress = (done + n * step / params.n_steps) / len(rates)
            if state is not None:
                with np.errstate(over="ignore", invalid="ignore"):  # a mean of huge losses may overflow
                    means = np.array([state.loss.mean(axis=-1), state.accuracy.mean(axis=-1)])
                seen[:, :, done : done + n, next(place)] = means.reshape(2, -1, n)
                frame = _sweep(params, rates, steps[1:], seen, progress)
                yield frame
            elif pauses:
                yield replace(frame, progress=progress)  # type: ignore[misc, type-var]  # step 0 has a checkpoint
        done += n


def sweep_price(params: TrainingRaceParams, rates: Sequence[float] | None = None) -> Price:
    """Return the `Price` of running `sweep_frames` to the end."""
    races = _races_of(params, tuple(HALF_DECADES[params.optimizer] if rates is None else rates))
    return sum((race.price + Price(len(race.measured_steps) * _FRAME) for race in races), Price())


def dose_response(
    dims: Sequence[int] = DOSE_DIMS,
    *,
    optimizers: Sequence[str] = OPTIMIZERS,
    n_steps: int = 300,
    n_seeds: int = 3,
    seed: int = 0,
    check: Callable[[], object] = proceed,
) -> Iterator[DoseRow]:
    """Yield the rows of the dose–response table: the best final loss for each scale at every d_k."""
    n_rows = 0
    frames = dose_frames(dims, optimizers=optimizers, n_steps=n_steps, n_seeds=n_seeds, seed=seed, pauses=True)
    for table in frames:
        check()
        if len(table.rows) > n_rows:
            n_rows = len(table.rows)
            yield table.rows[-1]


def dose_frames(
    dims: Sequence[int] = DOSE_DIMS,
    *,
    optimizers: Sequence[str] = OPTIMIZERS,
    n_steps: int = 300,
    n_seeds: int = 3,
    seed: int = 0,
    pauses: bool = False,
) -> Iterator[DoseTable]:
    """Yield the dose–response table so far, after each row and between rows."""
    races = _dose_races(dims, optimizers, n_steps, n_seeds, seed)
    work = np.cumsum([0, *(sweep_price(race).numbers for race in races)])
    rows: list[DoseRow] = []
    for race, before, after in zip(races, work[:-1] / work[-1], work[1:] / work[-1], strict=True):
        for best in sweep_frames(race, pauses=pauses):
            if best.progress < 1:
                yield DoseTable(tuple(rows), float(before + best.progress * (after - before)))
        rows.append(_dose_row(best, float(after)))
        yield DoseTable(tuple(rows), float(after))


def dose_price(
    dims: Sequence[int] = DOSE_DIMS, *, optimizers: Sequence[str] = OPTIMIZERS, n_steps: int = 300, n_seeds: int = 3
) -> Price:
    """Return the `Price` of running `dose_frames` to the end."""
    return sum((sweep_price(race) for race in _dose_races(dims, optimizers, n_steps, n_seeds, 0)), Price())


def preset_params(name: str, **shared: Any) -> TrainingRaceParams:
    """Return the `TrainingRaceParams` of a preset; shared sets the fields that the preset does not change."""
    changes = PRESETS[check_choice("preset", name, tuple(PRESETS))].changes
    return TrainingRaceParams(**{**shared, **changes})


def compare_transformers(params: TransformerParams) -> TransformersResult:
    """Return the transformers' losses and score spreads at one rate, and the rates at which each way to scale works."""
    kept, at = trained_transformers(), RATES.index(params.rate)
    last, bigram = _curve(np.moveaxis(kept.held_out_loss[..., -1], 2, 1)), kept.about["bigram_loss"]
    finite = np.where(np.isnan(last.mean), math.inf, last.mean)
    return TransformersResult(
        params=params, steps=kept.steps, loss=_curve(kept.held_out_loss[:, at]), accuracy=_curve(kept.accuracy[:, at]),
        gradient_norm=_curve(kept.gradient_norm[:, at]), score_std=_of_heads(kept.score_std[:, at]),
        entropy_nats=_of_heads(kept.entropy_nats[:, at]), last_loss=last,
        first_std=np.sqrt((kept.score_std[:, at, :, 0] ** 2).mean(axis=(1, 2, 3))),
        predicted_std=predicted_std(kept.about), works=last.high < bigram, best=finite.argmin(axis=-1),
        bigram_loss=bigram, most_entropy=kept.about["most_entropy"], about=dict(kept.about),
    )  # fmt: skip


def _of_heads(values):
    """Return statistics of values (n_ways, n_seeds, n_steps, n_layers, n_heads); standard errors are over the seeds."""
    return Curve(
        *mean_and_error(values.mean(axis=(-2, -1)), axis=1), values.min(axis=(1, 3, 4)), values.max(axis=(1, 3, 4))
    )


def predicted_std(about: Mapping[str, Any]) -> NDArray[np.float64]:
    """Return the standard deviation of initial scaled scores for each way to scale, if tokens were independent."""
    d_k, d_model = about["d_k"], about["d_model"]
    root = math.sqrt(projection_variance("torch_linear", d_model, d_model // d_k).scaled_score)
    return np.array([root * math.sqrt(d_k), root, root / math.sqrt(d_k), 1.0])


def _so_far(params, checkpoints, maps):
    last = checkpoints[-1]
    curves = {name: _curve(np.stack([getattr(each, name) for each in checkpoints], axis=-1)) for name in QUANTITIES}
    uniform = (1 - 1 / params.n_keys) / 2 if params.loss == "output" else math.log(params.n_keys)
    return TrainingRaceResult(
        params=params, step=last.step, progress=last.step / params.n_steps,
        steps=np.array([each.step for each in checkpoints]),
        **curves,
        maps=maps,
        diverged=last.diverged.any(axis=-1),
        uniform_loss=uniform,
        first_gradient_ratio=_first_ratio(params, curves["gradient_norm"].mean[:, 0]),
    )  # fmt: skip


def _first_ratio(params, norms):
    exponents = np.array(params.exponents)
    return float(norms[exponents.argmin()] / norms[np.abs(exponents - 0.5).argmin()])


def _curve(values):
    """Return the statistics over the seeds, the middle axis."""
    with np.errstate(over="ignore", invalid="ignore"):  # values may be close to overflow
        return Curve(*mean_and_error(values, axis=1), values.min(axis=1), values.max(axis=1))


def _last(frames, check):
    """Return the last frame; call check between frames, so that it can end the computation by raising an exception."""
    last = None
    for frame in frames:
        check()
        last = frame
    return last


def _races_of(params, rates):
    """Return the settings of a sweep's trainings: runs for every scale at a few rates, which vary fastest."""
    if not 1 <= len(rates) <= 256:
        raise ValueError(f"rates must be at least 1 and at most 256, but got {len(rates)}")
    steps = *(step for step in SWEEP_STEPS if step < params.n_steps), params.n_steps
    one = replace(params.memory(), checkpoint_steps=(0, *steps))
    size = max(1, min(_CACHED // one.price.bytes, MOST_RUNS // len(one.exponents)))
    groups = [rates[first : first + size] for first in range(0, len(rates), size)]
    return [_at_rates(one, each) for each in groups]


def _at_rates(memory, rates):
    """Return the settings of a training with every run of `memory` at each of these rates."""
    exponents, init = (np.repeat(each, len(rates)) for each in (memory.exponents, memory.init_exponents))
    return replace(
        memory, exponents=exponents, init_exponents=init, learning_rates=np.tile(rates, len(memory.exponents))
    )


def _sweep(params, rates, steps, seen, progress):
    (first, loss), (_, accuracy) = ((part[..., :1], part[..., 1:]) for part in seen.copy())
    final = loss[..., -1]
    best = np.where(np.isnan(final), math.inf, final).argmin(axis=-1)
    runs = np.arange(len(best))
    return LearningRateSweep(
        params=params, rates=rates, steps=steps, loss=loss, accuracy=accuracy,
        diverged=~np.isnan(accuracy) & ~(loss <= _DIVERGED * first),  # True for a NaN loss too
        solved=accuracy >= SOLVED_ACCURACY,
        best_rates=tuple(rates[i] for i in best),
        best_loss=final[runs, best], best_accuracy=accuracy[runs, best, -1],
        best_at_edge=(best == 0) | (best == len(rates) - 1),
        progress=progress,
    )  # fmt: skip


def _dose_races(dims, optimizers, n_steps, n_seeds, seed):
    each = {"n_steps": n_steps, "n_seeds": n_seeds, "seed": seed}
    return [TrainingRaceParams(d_k=d_k, optimizer=optimizer, **each) for d_k in dims for optimizer in optimizers]


def _dose_row(sweep, progress):
    race, solved = sweep.params, tuple(map(len, sweep.solved_rates))
    best = sweep.best_rates, sweep.best_loss, sweep.best_accuracy
    return DoseRow(race.d_k, race.optimizer, len(sweep.rates), race.n_steps, *best, solved, progress)
