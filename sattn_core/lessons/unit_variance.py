"""Are q and k really unit variance? x → LayerNorm → W_Q, W_K → q, k → raw scores → scaled scores.

LayerNorm fixes the norm of x for any data; the variance of q and k also depends on the initial weights.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sattn_core._checks import check_choice, check_integer, check_number
from sattn_core.draws.histograms import bin_counts
from sattn_core.laws.components import COMPONENT_LAWS
from sattn_core.layers.initialisation import INIT_SCHEMES, check_heads, init_scheme, projection_variance
from sattn_core.layers.layer_norm import layer_norm
from sattn_core.layers.softmax import softmax

NARROWEST, WIDEST = 2, 2048  # limits of d_model
STAGES = ("x", "layer_norm", "q", "k", "raw_scores", "scaled_scores")
_EACH_WEIGHT = 512  # largest d_model at which every weight is drawn
HISTOGRAM_EDGES = np.linspace(-5.0, 5.0, 61)  # in units of each stage's predicted standard deviation


@dataclass(frozen=True)
class UnitVarianceParams:
    """Settings of the pipeline."""

    d_model: int = 512  # 2 to 2,048
    n_heads: int = 8
    n_tokens: int = 64  # 2 to 256
    law: str = "normal"  # key of `COMPONENT_LAWS`: distribution of a component of x
    # x_mean, x_std: mean (−1,000 to 1,000) and standard deviation (above 0, up to 1,000) of a component of x
    x_mean: float = 0.0
    x_std: float = 1.0
    normalise: bool = True  # LayerNorm on or off
    scheme: str = "torch_multihead_attention"  # one of `INIT_SCHEMES`, for W_Q and W_K
    bias: bool = False  # True adds the layer's default bias, which is 0 except in `torch_linear`
    seed: int = 0  # at least 0

    def __post_init__(self) -> None:
        check_integer("d_model", self.d_model, NARROWEST, WIDEST)
        check_heads(self.d_model, self.n_heads)
        check_integer("n_tokens", self.n_tokens, 2, 256)
        check_choice("law", self.law, COMPONENT_LAWS)
        check_number("x_mean", self.x_mean, -1e3, 1e3)
        check_number("x_std", self.x_std, 0, 1e3, open_low=True)
        check_choice("scheme", self.scheme, INIT_SCHEMES)
        check_integer("seed", self.seed, 0)
        for name in ("normalise", "bias"):
            if not isinstance(getattr(self, name), (bool, np.bool_)):
                raise TypeError(f"{name} must be True or False, but got {getattr(self, name)!r}")

    @property
    def d_k(self) -> int:
        """Dimension of one head."""
        return self.d_model // self.n_heads


@dataclass(frozen=True, eq=False)
class PipelineStage:
    """Measurements of one stage of the pipeline beside their predictions."""

    name: str  # one of `STAGES`; there is no "layer_norm" when it is off
    # shape: (n_tokens, d_model), (n_heads, n_tokens, d_k) or (n_heads, n_tokens, n_tokens)
    shape: tuple[int, ...]
    # mean, std: measured mean, and root mean square about the predicted mean
    mean: float
    std: float
    # predicted_mean, predicted_std: predictions; for q, k and the scores expectations over random weights, given x
    predicted_mean: float
    predicted_std: float
    variance_error: float  # exact standard error of std²; 0 for "layer_norm", whose std is fixed
    # low, high: interval that holds std in about 95 % of draws: √(predicted variance ± 1.96 standard errors)
    low: float
    high: float
    z: float  # (std² − predicted variance) / variance_error; NaN for "layer_norm"
    ideal_std: float  # √d_k for raw scores, 1 for all other stages
    # edges (61,), counts (60,): histogram within 5 predicted standard deviations of the predicted mean
    edges: NDArray[np.float64]
    counts: NDArray[np.int_]
    outside: int  # number of values beyond the edges


@dataclass(frozen=True)
class SchemeRow:
    """One row of the table of initialisations."""

    name: str
    formula: str
    source: str
    # component_variance, raw_std, scaled_std: predictions for layer-normalised x
    component_variance: float
    raw_std: float
    scaled_std: float
    chosen: bool
    # Measurements for the chosen scheme and the learner's x; NaN for the other schemes
    measured_component_variance: float
    measured_raw_std: float
    measured_scaled_std: float


@dataclass(frozen=True, eq=False)
class UnitVarianceResult:
    """Stages of the pipeline and the table of initialisations."""

    params: UnitVarianceParams
    stages: tuple[PipelineStage, ...]
    schemes: tuple[SchemeRow, ...]  # all of `INIT_SCHEMES`, largest scaled_std first
    # Predictions for the chosen scheme and this x, without and with the layer's default bias
    scaled_std_without_bias: float
    scaled_std_with_bias: float
    # row_std: measured standard deviation of the scaled scores within a row, the only spread that softmax sees
    # predicted_row_std: expectation of row_std over random weights, given x
    row_std: float
    predicted_row_std: float


@dataclass(frozen=True, eq=False)
class StageSweep:
    """Expected standard deviation of every stage, for every d_k and every initialisation."""

    dims: tuple[int, ...]
    # n_heads: number of heads at each d_k: as requested, or the nearest number with d_model from 2 to 2,048
    n_heads: tuple[int, ...]
    stages: tuple[str, ...]  # `STAGES`, without "layer_norm" when it is off
    schemes: tuple[str, ...]  # `INIT_SCHEMES`
    # x_mean, x_std, normalise, bias: as requested
    x_mean: float
    x_std: float
    normalise: bool
    bias: bool
    std: NDArray[np.float64]  # (n_schemes, n_dims, n_stages)
    row_std: NDArray[np.float64]  # (n_schemes, n_dims): std of the scaled scores within a row of many keys


@dataclass(frozen=True, eq=False)
class SharedInputRow:
    """Scaled scores of tokens with themselves (diagonal) beside scores of two different tokens (off-diagonal)."""

    name: str  # "independent" W_Q and W_K; "tied_weights", W_K = W_Q; "same_vectors", Q = K = x in d_k dimensions
    # diagonal_mean, off_diagonal_mean, off_diagonal_std: measured over tokens and heads
    diagonal_mean: float
    off_diagonal_mean: float
    off_diagonal_std: float
    # Expectations over random weights, given x; for "same_vectors" over random x, given the norms after LayerNorm
    predicted_diagonal_mean: float
    predicted_off_diagonal_mean: float
    predicted_off_diagonal_std: float
    self_weight: float  # mean attention weight of a token on itself; 1/n_tokens would be neutral
    scores: NDArray[np.float64]  # (n_tokens, n_tokens): scaled scores of the first head


def measure_unit_variance(params: UnitVarianceParams) -> UnitVarianceResult:
    """Measure every stage of the pipeline: Var(q_i) = w |x|², Var(q·k) = d_k w² |x|² |x'|², w = Var of a weight.

    The standard errors describe the draw of the weights and hold for any x. Tokens share the weights, so these errors
    are larger than for as many independent numbers. If d_model is above 512, q and k are drawn instead of the weights,
    with the covariance w X Xᵀ that normal weights give them. For uniform weights, the distribution of a component of q
    is then off by less than 0.002.
    """
    rng = np.random.Generator(np.random.SFC64(params.seed))
    x, inputs = _inputs(params, rng)
    q, k = (_heads(_project(params, inputs, rng), params) for _ in range(2))
    raw = q @ k.swapaxes(-1, -2)  # (n_heads, n_tokens, n_tokens)
    component, score = _component_law(params, inputs), _score_law(params, inputs)
    stages = [_stage("x", x, params.x_mean, params.x_std**2, _input_error(params), 1.0)]
    if params.normalise:
        stages.append(_stage("layer_norm", inputs, 0.0, np.square(inputs).mean(), 0.0, 1.0))
    stages += [_stage(name, array, 0.0, *component, 1.0) for name, array in (("q", q), ("k", k))]
    d = params.d_k
    stages.append(_stage("raw_scores", raw, 0.0, *score, math.sqrt(d)))
    stages.append(_stage("scaled_scores", raw / math.sqrt(d), 0.0, score[0] / d, score[1] / d, 1.0))
    rows, within = _scheme_rows(params, stages), math.sqrt(raw.var(axis=-1, ddof=1).mean() / d)
    without, added = (_scaled_std(params, inputs, bias) for bias in (False, True))
    return UnitVarianceResult(params, tuple(stages), rows, without, added, within, _row_std(params, inputs))


def fitting_heads(d_k: int, n_heads: int) -> int:
    """Return the number of heads nearest to n_heads for which d_model is 2 to 2,048."""
    return min(max(n_heads, -(-NARROWEST // d_k)), WIDEST // d_k)


def expected_stages(
    dims: Sequence[int],
    *,
    n_heads: int = 8,
    x_mean: float = 0.0,
    x_std: float = 1.0,
    normalise: bool = True,
    bias: bool = False,
) -> StageSweep:
    """Return the expected standard deviations: √(E|x|² w) for q and k, √d_k E|x|² w for raw scores."""
    heads = [fitting_heads(check_integer("d_k", d_k, 1, 1024), check_integer("n_heads", n_heads, 1)) for d_k in dims]
    each = [
        UnitVarianceParams(d_k * n, n, x_mean=x_mean, x_std=x_std, normalise=normalise, bias=bias)
        for d_k, n in zip(dims, heads, strict=True)
    ]
    stages = tuple(name for name in STAGES if normalise or name != "layer_norm")
    found = np.array([[_expected(params, scheme) for params in each] for scheme in map(init_scheme, INIT_SCHEMES)])
    std, row_std = found[..., :-1], found[..., -1]
    return StageSweep(tuple(dims), tuple(heads), stages, INIT_SCHEMES, x_mean, x_std, normalise, bias, std, row_std)


def _expected(params, scheme):
    """Return the expected standard deviation of every stage, and of the scaled scores within a row."""
    square = 1.0 if params.normalise else params.x_mean**2 + params.x_std**2
    width = params.d_model * square + (params.bias and scheme.has_random_bias)
    component = width * scheme.weight_variance(params.d_model, params.n_heads)
    q, raw = math.sqrt(component), math.sqrt(params.d_k) * component
    # The mean of x and the bias are shared by all keys, so they do not spread the scores within a row.
    apart = params.d_model * (1.0 if params.normalise else params.x_std**2)
    row = component * math.sqrt(apart / width)
    return (params.x_std, *([1.0] if params.normalise else []), q, q, raw, component, row)


def measure_shared_input(params: UnitVarianceParams) -> tuple[SharedInputRow, ...]:
    """Compare independent W_Q and W_K with tied weights and with Q = K = x, whose scaled diagonal grows like √d_k."""
    rng = np.random.Generator(np.random.SFC64(params.seed))
    _, inputs = _inputs(params, rng)
    q, k = (_heads(_project(params, inputs, rng), params) for _ in range(2))
    # Variance of q_i if x has mean square 1; `or 1.0` because LayerNorm returns 0 for rows of equal components.
    law = _component_law(params, inputs)[0] / (np.square(inputs).mean() or 1.0)
    alone = _vectors(params, rng)
    return (
        _shared_row("independent", q, k, 0.0, 0.0, _independent_square(params, inputs, law)),
        _shared_row("tied_weights", q, q, *_tied_moments(params, inputs, law)),
        _shared_row("same_vectors", alone[None], alone[None], *_same_moments(params, alone)),
    )


def _inputs(params, rng):
    """Return x as drawn, and the input of the projections: x or LayerNorm(x)."""
    drawn = COMPONENT_LAWS[params.law].draw(rng, (params.n_tokens, params.d_model))
    x = params.x_mean + params.x_std * drawn
    return x, layer_norm(x) if params.normalise else x


def _vectors(params, rng):
    """Draw vectors of d_k components, to be used as queries and as keys."""
    drawn = COMPONENT_LAWS[params.law].draw(rng, (params.n_tokens, params.d_k))
    x = params.x_mean + params.x_std * drawn
    return layer_norm(x) if params.normalise else x


def _project(params, inputs, rng):
    scheme, X, width = init_scheme(params.scheme), _with_bias(params, inputs), params.d_model
    if width <= _EACH_WEIGHT:
        return X @ scheme.draw(rng, width, params.n_heads, (X.shape[1], width))
    # For normal W the columns of X W have covariance w X Xᵀ = w Rᵀ R. The columns of √w Rᵀ Z have the same covariance,
    # and the standard normal matrix Z has far fewer rows than W.
    R = np.asarray(np.linalg.qr(X.T, mode="r"))
    return math.sqrt(_weight_law(params)[0]) * (R.T @ rng.standard_normal((len(R), width)))


def _with_bias(params, inputs):
    """Return the inputs, with a component of 1 appended if there is a random bias."""
    biased = params.bias and init_scheme(params.scheme).has_random_bias
    return np.column_stack([inputs, np.ones(len(inputs))]) if biased else inputs


def _heads(rows, params):
    return rows.reshape(params.n_tokens, params.n_heads, params.d_k).swapaxes(0, 1)


def _gram(params, inputs):
    """Return tr G, tr G² and Σ_i (XᵀX)_ii² for G = X Xᵀ of the inputs X."""
    X = _with_bias(params, inputs)
    G = X @ X.T
    return np.trace(G), np.square(G).sum(), np.square(np.square(X).sum(axis=0)).sum()


def _weight_law(params):
    """Return the variance and excess kurtosis of a weight as drawn."""
    scheme = init_scheme(params.scheme)
    excess = scheme.kurtosis - 3 if params.d_model <= _EACH_WEIGHT else 0.0
    return scheme.weight_variance(params.d_model, params.n_heads), excess


def _component_law(params: UnitVarianceParams, inputs: NDArray[np.float64]) -> tuple[float, float]:
    """Return the expected mean square of all components of q given x, and its standard error.

    For a column u of weights with variance w, Var |X u|² = w² (2 tr G² + excess Σ (XᵀX)_ii²).
    """
    w, excess = _weight_law(params)
    trace, square, fourth = _gram(params, inputs)
    variance = w**2 * (2 * square + excess * fourth) / params.d_model
    return w * trace / params.n_tokens, math.sqrt(variance) / params.n_tokens


def _score_law(params: UnitVarianceParams, inputs: NDArray[np.float64]) -> tuple[float, float]:
    """Return the expected mean square of all raw scores given x, and its standard error.

    In one head T = |Q Kᵀ|² = tr(QᵀQ KᵀK). With m = w tr G, QᵀQ = m I + D and KᵀK = m I + D',
    Var T = 2 m² Var(tr D) + E tr(D D')².
    """
    (w, excess), d, n = _weight_law(params), params.d_k, params.n_tokens
    trace, square, fourth = _gram(params, inputs)
    diagonal = w**2 * (2 * square + excess * fourth)  # Var of one diagonal entry of D
    off = w**2 * square  # Var of one off-diagonal entry
    variance = 2 * (w * trace) ** 2 * d * diagonal + d * diagonal**2 + 2 * d * (d - 1) * off**2
    return d * (w * trace / n) ** 2, math.sqrt(variance / params.n_heads) / n**2


def _scaled_std(params, inputs, bias):
    """Return the predicted standard deviation of the scaled scores, with or without the default bias."""
    return math.sqrt(_score_law(replace(params, bias=bias), inputs)[0] / params.d_k)


def _row_std(params, inputs):
    """Return the predicted standard deviation of scaled scores within a row: w √(mean |x|² · total variance of x)."""
    apart = np.square(inputs - inputs.mean(axis=0)).sum() / (params.n_tokens - 1)
    return math.sqrt(_component_law(params, inputs)[0] * _weight_law(params)[0] * apart)


def _input_error(params):
    """Return the standard error of the mean square of x about its mean."""
    excess = COMPONENT_LAWS[params.law].kurtosis - 1
    return params.x_std**2 * math.sqrt(excess / (params.n_tokens * params.d_model))


def _stage(name, array, mean, variance, error, ideal):
    std = math.sqrt(variance)
    measured = float(np.square(array - mean).mean())
    edges = mean + (std or 1.0) * HISTOGRAM_EDGES
    counts, below, above = bin_counts(array.ravel(), edges)
    return PipelineStage(
        name=name, shape=array.shape,
        mean=float(array.mean()), std=math.sqrt(measured), predicted_mean=mean, predicted_std=std,
        variance_error=float(error),
        low=math.sqrt(max(variance - 1.96 * error, 0.0)), high=math.sqrt(variance + 1.96 * error),
        z=float((measured - variance) / error) if error else math.nan,
        ideal_std=ideal, edges=edges, counts=counts, outside=int(below + above),
    )  # fmt: skip


def _scheme_rows(params, stages):
    measured = {stage.name: stage.std for stage in stages}
    rows = []
    for name in INIT_SCHEMES:
        law = projection_variance(name, params.d_model, params.n_heads, bias=params.bias)
        chosen = name == params.scheme
        seen = (measured["q"] ** 2, measured["raw_scores"], measured["scaled_scores"]) if chosen else (math.nan,) * 3
        scheme = init_scheme(name)
        stds = math.sqrt(law.raw_score), math.sqrt(law.scaled_score)
        rows.append(SchemeRow(name, scheme.formula, scheme.source, law.query_component, *stds, chosen, *seen))
    return tuple(sorted(rows, key=lambda row: -row.scaled_std))


def _independent_square(params, inputs, law):
    """Return the expected mean square of off-diagonal scaled scores: mean of law² · mean(x_a²) · mean(x_b²), a ≠ b."""
    sizes = np.square(inputs).mean(axis=1)
    return law**2 * _off_mean(np.outer(sizes, sizes))


def _tied_moments(params, inputs, law):
    """Return, for W_K = W_Q, the scaled scores' diagonal mean, off-diagonal mean and off-diagonal mean square.

    Weights are treated as normal.
    """
    d, overlap = params.d_k, law * (inputs @ inputs.T) / params.d_model  # overlap: covariance of two tokens' q_i
    sizes = np.diag(overlap)
    square = (d + 1) * np.square(overlap) + np.outer(sizes, sizes)
    return math.sqrt(d) * sizes.mean(), math.sqrt(d) * _off_mean(overlap), _off_mean(square)


def _same_moments(params, vectors):
    """Return the moments of `_tied_moments` for Q = K = x; LayerNorm leaves x only d_k − 1 directions."""
    d, sizes = params.d_k, np.square(vectors).sum(axis=1)
    if params.normalise:
        return float(sizes.mean()) / math.sqrt(d), 0.0, _off_mean(np.outer(sizes, sizes)) / max(d - 1, 1) / d
    m, v = params.x_mean**2, params.x_std**2
    return math.sqrt(d) * (m + v), math.sqrt(d) * m, d * m**2 + 2 * m * v + v**2


def _off_mean(matrix):
    n = len(matrix)
    return float((matrix.sum() - np.trace(matrix)) / (n * (n - 1)))


def _shared_row(name, q, k, diagonal, off_mean, off_square):
    scores = q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1])
    on = np.eye(scores.shape[-1], dtype=bool)
    diagonals, others = scores[:, on], scores[:, ~on]
    return SharedInputRow(
        name=name,
        diagonal_mean=float(diagonals.mean()),
        off_diagonal_mean=float(others.mean()), off_diagonal_std=float(others.std()),
        predicted_diagonal_mean=float(diagonal), predicted_off_diagonal_mean=float(off_mean),
        predicted_off_diagonal_std=math.sqrt(max(off_square - off_mean**2, 0.0)),
        self_weight=float(softmax(scores)[:, on].mean()),
        scores=scores[0].copy(),
    )  # fmt: skip
