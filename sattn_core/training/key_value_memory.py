"""Key–value memory, a small task that attention must learn, with and without the scale.

Every query has one right key. Trainable W_Q and W_K turn n_keys inputs x into queries and n_keys other inputs
into keys, and the output softmax(c Q Kᵀ) V should be the value of the right key. All runs (scale, learning
rate, initialisation) and all seeds are trained together, as leading axes of the arrays.

Gradient descent on fixed inputs X moves Q = X W by −rate · X Xᵀ ∂loss/∂Q. So Q and K are trained instead of the
weights, with fewer products.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sattn_core._checks import check_choice, check_integer, check_number
from sattn_core.cost import CALL, DRAWN, FUNCTION, MATRIX, MULTIPLIED, STREAM, Price, proceed
from sattn_core.layers.attention import _backward, _forward
from sattn_core.layers.layer_norm import layer_norm
from sattn_core.layers.softmax import entropy_nats, log_softmax

OPTIMIZERS = ("sgd", "adam")
LOSSES = ("output", "weights")
MOST_RUNS = 256  # most runs that are trained together
_ADAM = (0.9, 0.999, 1e-8)
_UPDATE = {"sgd": 2, "adam": 10}  # passes over the trained weights per step
_COPIES = {"sgd": 3, "adam": 5}  # arrays of the weights' size: weights, two gradients, and the moments
_WEIGHT_STREAM, _DATA_STREAM = 0, 1


@dataclass(frozen=True)
class KeyValueMemoryParams:
    """Settings of a training of several runs; a run has a scale exponent, a learning rate and an initialisation.

    Attributes
    ----------
    d_k : int, 1 to 1,024
    n_keys, d_model : int, 2 to 256 and 1 to 512
        Number of keys, and of queries, and the width of their inputs.
    exponents : tuple of float, −1 to 2
        One per run: scale = d_k ** −exponent.
    learning_rates : tuple of float, above 0
        One per run; a single number serves all runs.
    init_exponents : tuple of float, −1 to 2
        One per run: the initial W_Q and W_K, with entries N(0, 1/d_model), are multiplied by d_k ** −init_exponent.
    optimizer : {"sgd", "adam"}
        Gradient descent on the whole set, or Adam (0.9, 0.999, 1e-8).
    loss : {"output", "weights"}
        Mean over the queries of ½ |output − value of the right key|², or of −ln(weight of the right key).
    fresh_data : bool
        True draws new keys at every step, and a query then has the input of its right key. False keeps one set of
        unrelated keys and queries.
    train_values : bool
        True trains V too, which starts at the right values.
    n_steps : int, 0 to 20,000
    checkpoint_every : int, at least 1
    checkpoint_steps : tuple of int or None
        Steps to measure instead of every `checkpoint_every`-th step; the last step is always measured.
    n_seeds : int, 1 to 32
        Number of seeds that are trained together; the draw of one seed does not depend on it.
    seed : int, at least 0

    Raises
    ------
    ValueError, TypeError
        If a field is outside its range, or the tuples differ in length.

    Examples
    --------
    >>> KeyValueMemoryParams().scales.tolist()
    [1.0, 0.125, 0.015625]
    """

    d_k: int = 64
    n_keys: int = 32
    d_model: int = 64
    exponents: tuple[float, ...] = (0.0, 0.5, 1.0)
    learning_rates: tuple[float, ...] | float = 1.0
    init_exponents: tuple[float, ...] | float = 0.0
    optimizer: str = "sgd"
    loss: str = "output"
    fresh_data: bool = False
    train_values: bool = False
    n_steps: int = 300
    checkpoint_every: int = 10
    checkpoint_steps: tuple[int, ...] | None = None
    n_seeds: int = 5
    seed: int = 0

    def __post_init__(self) -> None:
        check_integer("d_k", self.d_k, 1, 1024)
        check_integer("n_keys", self.n_keys, 2, 256)
        check_integer("d_model", self.d_model, 1, 512)
        check_integer("n_steps", self.n_steps, 0, 20_000)
        check_integer("checkpoint_every", self.checkpoint_every, 1)
        check_integer("n_seeds", self.n_seeds, 1, 32)
        check_integer("seed", self.seed, 0, None)
        check_choice("optimizer", self.optimizer, OPTIMIZERS)
        check_choice("loss", self.loss, LOSSES)
        for step in self.checkpoint_steps or ():
            check_integer("an entry of checkpoint_steps", step, 0, self.n_steps)
        for name in ("fresh_data", "train_values"):
            if not isinstance(getattr(self, name), (bool, np.bool_)):
                raise TypeError(f"{name} must be True or False, but got {getattr(self, name)!r}")
        self._set_runs("exponents", -1, 2, None)
        self._set_runs("learning_rates", 0, 1e6, len(self.exponents), open_low=True)
        self._set_runs("init_exponents", -1, 2, len(self.exponents))

    def _set_runs(self, name, low, high, n_runs, **interval):
        """Store the field as a tuple of checked floats, one per run."""
        value = getattr(self, name)
        values = tuple(value) if isinstance(value, (tuple, list, np.ndarray)) else (value,) * (n_runs or 1)
        values = tuple(check_number(f"an entry of {name}", each, low, high, **interval) for each in values)
        if n_runs is None and not 1 <= len(values) <= MOST_RUNS:
            raise ValueError(f"{name} must hold between 1 and {MOST_RUNS} runs, but got {len(values)}")
        if n_runs is not None and len(values) != n_runs:
            raise ValueError(f"{name} must hold one number for each of the {n_runs} runs, but got {len(values)}")
        object.__setattr__(self, name, values)

    @property
    def scales(self) -> NDArray[np.float64]:
        """Multiplier of the raw scores for each run, d_k ** −exponent."""
        return float(self.d_k) ** -np.array(self.exponents)

    @property
    def measured_steps(self) -> set[int]:
        """Steps of the checkpoints."""
        every = range(0, self.n_steps + 1, self.checkpoint_every)
        return {*(every if self.checkpoint_steps is None else self.checkpoint_steps), self.n_steps}

    @property
    def price(self) -> Price:
        """`Price` of the whole training."""
        n = self.n_keys
        vectors = (4 if self._trains_queries else 5) * n * self.d_k
        numbers = self.n_runs * (_COPIES[self.optimizer] * self._n_trained + vectors + 9 * n * n)
        numbers = max(numbers, (self.n_runs + 3 * self.n_seeds) * 2 * self.d_model * self.d_k)
        kept = len(self.measured_steps) * len(self.exponents) * self.n_keys**2
        steps = (self.n_steps + 1) * self._step + len(self.measured_steps) * self._measurement
        return Price(self._start + steps, 8 * (numbers + kept))

    @property
    def n_runs(self) -> int:
        """Number of trained memories, one for every run and seed."""
        return len(self.exponents) * self.n_seeds

    @property
    def _trains_queries(self):
        """True if Q and K are trained in place of W_Q and W_K: possible here, and fewer products."""
        return self.optimizer == "sgd" and not self.fresh_data and self.n_keys <= 2 * self.d_model

    @property
    def _n_weights(self):
        return 2 * self.d_model * self.d_k + self.n_keys**2 * self.train_values

    @property
    def _n_trained(self):
        n_rows = self.n_keys if self._trains_queries else self.d_model
        return 2 * n_rows * self.d_k + self.n_keys**2 * self.train_values

    @property
    def _start(self):
        drawn = self.n_seeds * (3 * STREAM + DRAWN["standard_normal"] * 2 * self.d_model * self.d_k)
        data = 0 if self.fresh_data else self._data
        return drawn + data + 100 * CALL + self.n_runs * (2 * self._n_weights + self._projected)

    @property
    def _projected(self):
        """Work of the products of all inputs and weights."""
        return MULTIPLIED * 2 * self.n_keys * self.d_model * self.d_k

    @property
    def _data(self):
        """Work of drawing one data set for every seed."""
        numbers = self.n_keys * self.d_model * (1 if self.fresh_data else 2)
        return self.n_seeds * (25 * CALL + DRAWN["standard_normal"] * (numbers + self.n_keys) + 15 * numbers)

    @property
    def _step(self):
        n, d_k, adam = self.n_keys, self.d_k, self.optimizer == "adam"
        values = (3 if self.loss == "output" else 1) * self.train_values  # number of products with V or its gradient
        inputs = 2 * n if self._trains_queries else 4 * self.d_model
        products = (inputs + 3 * n) * n * d_k + values * n**3
        passes = _UPDATE[self.optimizer] * self._n_trained + (10 + FUNCTION) * n * n + 6 * n
        work = self.n_runs * (MULTIPLIED * products + (8 + values) * MATRIX + passes)
        return work + (30 + 20 * adam) * CALL + (self._data if self.fresh_data else 0)

    @property
    def _measurement(self):
        n = self.n_keys
        numbers = 2 * self._n_weights + self._projected + (24 + FUNCTION) * n * n + 34 * n
        return self.n_runs * numbers + 60 * CALL


@dataclass(frozen=True, eq=False)
class MemoryCheckpoint:
    """State of all runs before the update of a step; arrays have the axes (n_runs, n_seeds).

    Attributes
    ----------
    step : int
        Number of updates so far.
    loss : ndarray
        Mean loss over the queries; NaN once a run has diverged.
    accuracy : ndarray
        Share of queries whose largest weight is on the right key.
    entropy_nats : ndarray, nats
        Mean entropy of the attention rows.
    gradient_norm : ndarray
        Norm of the loss gradient in all trained weights together.
    median_row_gradient : ndarray
        Median over the queries of |∂(the query's loss)/∂(its scaled scores)|.
    diverged : ndarray of bool
        True where a number has overflowed.
    attention_weights : ndarray, shape (n_runs, n_queries, n_keys)
        Attention weights of the first seed.
    targets : ndarray of int, shape (n_queries,)
        Right key of every query of the first seed.
    """

    step: int
    loss: NDArray[np.float64]
    accuracy: NDArray[np.float64]
    entropy_nats: NDArray[np.float64]
    gradient_norm: NDArray[np.float64]
    median_row_gradient: NDArray[np.float64]
    diverged: NDArray[np.bool_]
    attention_weights: NDArray[np.float64]
    targets: NDArray[np.int_]


@dataclass(eq=False)
class _Memory:
    """Trained arrays, with leading axes (n_runs, n_seeds), and their data, with leading axis (n_seeds,).

    weights has the keys W_Q and W_K, or Q and K if these are trained in their place, and V if it is trained.
    """

    params: KeyValueMemoryParams
    generators: list[np.random.Generator]
    weights: dict[str, NDArray[np.float64]]
    X_q: NDArray[np.float64] = None  # type: ignore[assignment]  # (n_seeds, n_queries, d_model)
    X_k: NDArray[np.float64] = None  # type: ignore[assignment]  # (n_seeds, n_keys, d_model)
    targets: NDArray[np.int_] = None  # type: ignore[assignment]  # (n_seeds, n_queries)
    wanted: NDArray[np.float64] = None  # type: ignore[assignment]  # one-hot rows of the right keys, (n_seeds, n_queries, n_keys)
    moments: dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]] = field(default_factory=dict)

    @cached_property
    def scale(self) -> NDArray[np.float64]:
        return self.params.scales[:, None, None, None]

    @cached_property
    def learning_rate(self) -> NDArray[np.float64]:
        return np.array(self.params.learning_rates)[:, None, None, None]

    @cached_property
    def identity(self) -> NDArray[np.float64]:
        return np.eye(self.params.n_keys)

    @cached_property
    def products_of_inputs(self) -> tuple[NDArray[np.float64], ...]:
        """X Xᵀ of queries and keys, if X is fixed."""
        return tuple(X @ X.swapaxes(-1, -2) for X in (self.X_q, self.X_k))


def train_key_value_memory(
    params: KeyValueMemoryParams, *, check: Callable[[], object] = proceed
) -> Iterator[MemoryCheckpoint]:
    """Train W_Q and W_K by W ← W − rate · ∂loss/∂W and yield checkpoints.

    Parameters
    ----------
    params : KeyValueMemoryParams
    check : callable, optional
        Called after every step; an exception that it raises ends the training.

    Returns
    -------
    iterator of MemoryCheckpoint
        Checkpoints at step 0, every `checkpoint_every` steps or at `checkpoint_steps`, and at the last step. All
        runs of a seed start from the same draw. 0 ≤ entropy_nats ≤ ln n_keys and 0 ≤ accuracy ≤ 1 unless the run
        has diverged. The training proceeds only while the iterator is read; nothing runs in the background.

    Raises
    ------
    TypeError
        If params are not `KeyValueMemoryParams`.

    Notes
    -----
    With a squared error of the output and one fixed data set, training without the scale is far slower
    and works in a far narrower range of learning rates; at large rates it freezes. This need not hold for
    other tasks. The scale does not change what attention can represent: scale 1 with rate r is equivalent,
    step by step, to scale 1/√d_k with initial weights times d_k^¼ and rate r √d_k; for Adam, up to its ε,
    with rate r d_k^¼.

    References
    ----------
    Vaswani et al. (2017), "Attention Is All You Need", arXiv:1706.03762, section 3.2.1 (the claim).
    Kingma and Ba (2015), "Adam: A Method for Stochastic Optimization", arXiv:1412.6980, algorithm 1.

    Examples
    --------
    With an exponent of 2 the first scores are near 0, so attention is uniform and the loss (1 − 1/n_keys)/2:

    >>> params = KeyValueMemoryParams(d_k=1024, exponents=(2.0,), n_steps=0, n_seeds=1, n_keys=4)
    >>> next(train_key_value_memory(params)).loss.round(3).tolist()
    [[0.375]]
    """
    if not isinstance(params, KeyValueMemoryParams):
        raise TypeError(f"params must be KeyValueMemoryParams, but got {type(params).__name__}")
    return _checkpoints(params, check)


def _checkpoints(params, check):
    for checkpoint in training_steps(params):
        check()
        if checkpoint is not None:
            yield checkpoint


def starting_attention(params: KeyValueMemoryParams) -> NDArray[np.float64]:
    """Return softmax(c Q Kᵀ) of every run before the first step, for the first seed, without training."""
    memory = _start(replace(params, n_seeds=1))
    _draw_data(memory)
    *_, steps = _attend(memory)
    return steps.attention_weights[:, 0][:, :, memory.targets[0]]


def training_steps(params: KeyValueMemoryParams) -> Iterator[MemoryCheckpoint | None]:
    """Train like `train_key_value_memory`; yield a checkpoint at each measured step, and None at all other steps."""
    memory, measured = _start(params), params.measured_steps
    if params._trains_queries:
        _draw_data(memory)
        _replace_weights(memory)
    for step in range(params.n_steps + 1):
        with np.errstate(over="ignore", invalid="ignore"):
            _draw_data(memory)
            steps = _attend(memory)
            gradients, d_scores = _gradients(memory, *steps)
            checkpoint = _checkpoint(step, memory, steps[-1], gradients, d_scores) if step in measured else None
        yield checkpoint
        if step < params.n_steps:
            with np.errstate(over="ignore", invalid="ignore"):
                _update(memory, gradients, step + 1)


def _start(params):
    """Draw the initial weights of every seed; those of different runs differ only by a factor."""
    shape = (params.d_k, 2, params.d_model)
    drawn = [_generator(params.seed, i, _WEIGHT_STREAM).standard_normal(shape) for i in range(params.n_seeds)]
    drawn = np.ascontiguousarray(np.stack(drawn).transpose(2, 0, 3, 1)) / np.sqrt(params.d_model)
    size = float(params.d_k) ** -np.array(params.init_exponents)[:, None, None, None]
    weights = {"W_Q": size * drawn[0], "W_K": size * drawn[1]}  # (n_runs, n_seeds, d_model, d_k)
    if params.train_values:
        n_keys = params.n_keys
        weights["V"] = np.tile(np.eye(n_keys), (len(params.exponents), params.n_seeds, 1, 1))
    generators = [_generator(params.seed, i, _DATA_STREAM) for i in range(params.n_seeds)]
    return _Memory(params, generators, weights)


def _generator(seed, i, stream):
    return np.random.Generator(np.random.SFC64(np.random.SeedSequence(seed, spawn_key=(i, stream))))


def _draw_data(memory):
    """Draw one data set per seed, once or, if params.fresh_data, at every call."""
    params = memory.params
    if memory.X_q is not None and not params.fresh_data:
        return
    drawn = [_one_data_set(rng, params) for rng in memory.generators]
    memory.X_q, memory.X_k, memory.targets = (np.stack(parts) for parts in zip(*drawn, strict=True))
    memory.wanted = memory.identity[memory.targets]


def _one_data_set(rng, params):
    X_k = layer_norm(rng.standard_normal((params.n_keys, params.d_model)))
    targets = rng.permutation(params.n_keys)
    if params.fresh_data:
        return X_k[targets], X_k, targets
    return layer_norm(rng.standard_normal((params.n_keys, params.d_model))), X_k, targets


def _replace_weights(memory):
    """Train Q and K from here on, in place of W_Q and W_K."""
    Q, K = _queries_and_keys(memory)
    del memory.weights["W_Q"], memory.weights["W_K"]
    memory.weights |= {"Q": Q, "K": K}


def _queries_and_keys(memory):
    if "Q" in memory.weights:
        return memory.weights["Q"], memory.weights["K"]
    # (n_seeds, n, d_model) (n_runs, n_seeds, d_model, d_k)
    return memory.X_q @ memory.weights["W_Q"], memory.X_k @ memory.weights["W_K"]


def _attend(memory):
    """Return Q = X_q W_Q, K = X_k W_K, V, and the steps of softmax(c Q Kᵀ) V; V is None if it is the identity."""
    Q, K = _queries_and_keys(memory)
    V = memory.weights.get("V")
    return Q, K, V, _forward(Q, K, V, memory.scale, None)


def _gradients(memory, Q, K, V, steps):
    """Return the gradients of the loss in Q, in K and, if it is trained, in V by name, and in the scaled scores."""
    n_queries = memory.params.n_keys
    if memory.params.loss == "output":
        d_output, fixed_values = (steps.output - memory.wanted) / n_queries, not memory.params.train_values
        attention = _backward(Q, K, V, d_output, memory.scale, steps, only_queries_and_keys=fixed_values)
        d_scores, d_Q, d_K, d_V = attention.d_scaled_scores, attention.d_Q, attention.d_K, attention.d_V
    else:
        d_scores = (steps.attention_weights - memory.wanted) / n_queries
        d_Q, d_K = memory.scale * (d_scores @ K), memory.scale * (d_scores.swapaxes(-1, -2) @ Q)
        d_V = None if V is None else np.zeros_like(V)  # this loss does not use the values
    gradients = {"Q": d_Q, "K": d_K}
    if memory.params.train_values:
        gradients["V"] = d_V
    return gradients, d_scores


def _in_weights(memory, gradients):
    """Return the gradients in W_Q and W_K, for those in Q and K, and the others as they are."""
    d_Q, d_K = memory.X_q.swapaxes(-1, -2) @ gradients["Q"], memory.X_k.swapaxes(-1, -2) @ gradients["K"]
    return {"W_Q": d_Q, "W_K": d_K} | {name: each for name, each in gradients.items() if name == "V"}


def _changes(memory, gradients):
    """Return the change of each trained array in a step of gradient descent at rate −1."""
    if "Q" not in memory.weights:
        return _in_weights(memory, gradients)
    of_queries, of_keys = memory.products_of_inputs
    return gradients | {"Q": of_queries @ gradients["Q"], "K": of_keys @ gradients["K"]}


def _update(memory, gradients, step):
    """Make one step of gradient descent or Adam, in place."""
    for name, gradient in _changes(memory, gradients).items():
        rate = memory.learning_rate
        if memory.params.optimizer == "adam":
            rate = rate * _adam_direction(memory.moments, name, gradient, step)
        gradient *= rate
        memory.weights[name] -= gradient


def _adam_direction(moments, name, gradient, step):
    """Replace the gradient, in place, by m̂ / (√v̂ + ε) up to a factor, and return this factor.

    m and v are the running means of the gradient and its square without their factors 1 − b. These factors
    and both bias corrections are part of ε and the returned factor, which saves passes over the weights.
    """
    b1, b2, eps = _ADAM
    if name not in moments:
        moments[name] = np.zeros_like(gradient), np.zeros_like(gradient)
    m, v = moments[name]
    m *= b1
    m += gradient
    v *= b2
    gradient *= gradient
    v += gradient
    size = np.sqrt((1 - b2) / (1 - b2**step))
    np.sqrt(v, out=gradient)
    gradient += eps / size
    np.divide(m, gradient, out=gradient)
    return (1 - b1) / (1 - b1**step) / size


def _checkpoint(step, memory, steps, gradients, d_scores):
    P, wanted = steps.attention_weights, memory.wanted
    if memory.params.loss == "output":
        loss = 0.5 * np.square(steps.output - wanted).sum(axis=-1).mean(axis=-1)
    else:
        loss = _of_finite(steps.scaled_scores, lambda scores, at: -(log_softmax(scores) * wanted[at]).sum(axis=-1))
    squares = sum(np.square(each).sum(axis=(-1, -2)) for each in _in_weights(memory, gradients).values())
    rows = memory.params.n_keys * np.sqrt(np.square(d_scores).sum(axis=-1))
    return MemoryCheckpoint(
        step=step,
        loss=loss,
        accuracy=(P.argmax(axis=-1) == memory.targets).mean(axis=-1),
        entropy_nats=_of_finite(steps.scaled_scores, lambda scores, at: entropy_nats(scores)),
        gradient_norm=np.sqrt(squares),
        median_row_gradient=np.median(rows, axis=-1),
        diverged=~np.isfinite(loss) | ~np.isfinite(squares),
        attention_weights=P[:, 0].copy(),
        targets=memory.targets[0].copy(),
    )


def _of_finite(scores, row_values):
    """Return the mean of row_values(scores, seeds) over the rows; NaN for runs whose scores have overflowed."""
    means = np.full(scores.shape[:2], np.nan)
    finite = np.isfinite(scores).all(axis=(-1, -2))
    means[finite] = row_values(scores[finite], np.nonzero(finite)[1]).mean(axis=-1)
    return means
