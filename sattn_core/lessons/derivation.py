"""Derivation of √d_k, each line checked on simulated q and k.

q_i = mean_q + √variance_q · a_i and k_i = mean_k + √variance_k · (ρ a_i + √(1−ρ²) b_i). The a_i have mean 0,
variance 1 and the same correlation r between any two components; so have the b_i, independently.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sattn_core._checks import check_integer, check_number
from sattn_core.laws.heavy_tails import median_size
from sattn_core.layers.scores import scale_factor

SEEN_BEYOND = 4.0  # a line is seen to fail if its two sides differ by more standard errors than this
LINE_NAMES = (
    "sum", "linearity", "product_of_means", "zero_mean", "variance_of_sum",
    "variance_of_product", "variance_d_k", "scaling", "unit_variance",
)  # fmt: skip
LINE_FORMULAS = (
    r"s = q \cdot k = \sum_{i=1}^{d_k} q_i k_i",
    r"\mathbb{E}[s] = \sum_{i=1}^{d_k} \mathbb{E}[q_i k_i]",
    r"\mathbb{E}[q_i k_i] = \mathbb{E}[q_i]\,\mathbb{E}[k_i]",
    r"\mathbb{E}[s] = 0",
    r"\operatorname{Var}(s) = \sum_{i=1}^{d_k} \operatorname{Var}(q_i k_i)",
    r"\operatorname{Var}(q_i k_i) = (\operatorname{Var} q_i + \mathbb{E}[q_i]^2)"
    r"(\operatorname{Var} k_i + \mathbb{E}[k_i]^2) - \mathbb{E}[q_i]^2\,\mathbb{E}[k_i]^2",
    r"\operatorname{Var}(s) = d_k",
    r"\operatorname{Var}(c\,s) = c^2 \operatorname{Var}(s)",
    r"\operatorname{Var}(s / \sqrt{d_k}) = 1",
)
ASSUMPTIONS = (
    "definition", "means_exist", "q_and_k_uncorrelated", "means_zero", "terms_uncorrelated",
    "q_and_k_independent", "means_zero_variances_one", "variance_exists", "all_of_them",
)  # fmt: skip
SCORE_LINES = {"mean_zero": 3, "variance_d_k": 6, "scaled_variance_one": 8}  # name -> index among the nine lines
CHECKS = ("holds", "fails", "cannot be checked")
_CACHED_NUMBERS = 65_536  # numbers in one array of a block, which then stays in the processor's cache


@dataclass(frozen=True)
class DerivationParams:
    """Settings of the simulated pairs; the defaults break no assumption."""

    d_k: int = 64  # 1 to 4,096
    n_samples: int = 5_000  # 100 to 100,000: number of simulated pairs (q, k)
    # mean_q, mean_k: −10 to 10
    mean_q: float = 0.0
    mean_k: float = 0.0
    # variance_q, variance_k: above 0, at most 100. For ν ≤ 2 no variance exists; then components of q and k are
    # Student t times √variance_q and √variance_k.
    variance_q: float = 1.0
    variance_k: float = 1.0
    correlation: float = 0.0  # −1 to 1: ρ between q_i and k_i
    component_correlation: float = 0.0  # 0 to 1: r between any two components of q, and of k
    nu: float | None = None  # 1.5 to 100: degrees of freedom of Student t components; None for normal components
    seed: int = 0  # at least 0

    def __post_init__(self) -> None:
        check_integer("d_k", self.d_k, 1, 4096)
        check_integer("n_samples", self.n_samples, 100, 100_000)
        check_integer("seed", self.seed, 0)
        for name in ("mean_q", "mean_k"):
            check_number(name, getattr(self, name), -10.0, 10.0)
        for name in ("variance_q", "variance_k"):
            check_number(name, getattr(self, name), 0.0, 100.0, open_low=True)
        check_number("correlation", self.correlation, -1.0, 1.0)
        check_number("component_correlation", self.component_correlation, 0.0, 1.0)
        if self.nu is not None:
            check_number("nu", self.nu, 1.5, 100.0)
            if self.correlation or self.component_correlation:
                raise ValueError(f"nu must be None where a correlation is not 0, but got {self.nu:g}")


@dataclass(frozen=True)
class DerivationLine:
    """One line of the derivation and its check on the draws."""

    number: int  # counted from 1
    # name, formula, assumption: entries of `LINE_NAMES`, `LINE_FORMULAS` (KaTeX) and `ASSUMPTIONS`
    name: str
    formula: str
    assumption: str
    # left, right: both sides, measured on the same draws; averaged over components if the line has an index i
    left: float
    right: float
    # left_error, right_error: standard error of each side; 0 for a constant side, such as d_k
    left_error: float
    right_error: float
    standard_error: float  # standard error of left − right, from the same draws; 0 for an algebraic identity
    z: float  # (left − right) / standard_error; 0 for an identity
    holds: bool  # True if the line is exactly true for these parameters
    seen_to_fail: bool  # True if |z| > 4 and the error bar is usable
    # reliable: False if the tails are too heavy for a usable error bar: its expectation would be infinite
    reliable: bool

    @property
    def check(self) -> str:
        """One of `CHECKS`; a true line without a usable error bar "cannot be checked"."""
        return _check(self.holds, self.reliable)


@dataclass(frozen=True)
class ScoreLine:
    """One of the three lines of the short derivation, checked on the scores at one d_k."""

    name: str  # key of `SCORE_LINES`
    predicted: float  # prediction of the derivation: mean 0, variance d_k, variance 1 after division by √d_k
    exact: float  # exact value for the parameters; inf for a variance that does not exist
    measured: float
    standard_error: float
    holds: bool  # True if the prediction is exactly true for the parameters
    reliable: bool  # False if the tails are too heavy for a usable error bar, as in `DerivationLine`

    @property
    def z(self) -> float:
        """(measured − predicted) / standard_error."""
        return (self.measured - self.predicted) / self.standard_error

    @property
    def seen_to_fail(self) -> bool:
        """Return True if |z| > 4 and the error bar is usable."""
        return bool(self.reliable and abs(self.z) > SEEN_BEYOND)

    @property
    def check(self) -> str:
        """One of `CHECKS`, as in `DerivationLine`."""
        return _check(self.holds, self.reliable)


@dataclass(frozen=True, eq=False)
class ScoreGrowth:
    """Moments of the raw scores of the same pairs at every dimension up to params.d_k."""

    params: DerivationParams  # params.d_k is the largest dimension
    # mean, variance (d_k,): measured on the first 1, 2, 3, … components; the variance divides by n_samples
    # mean_error, variance_error (d_k,): standard errors of mean and variance
    mean: NDArray[np.float64]
    variance: NDArray[np.float64]
    mean_error: NDArray[np.float64]
    variance_error: NDArray[np.float64]
    # exact_mean, exact_variance (d_k,): exact moments; the variance is inf if it does not exist
    exact_mean: NDArray[np.float64]
    exact_variance: NDArray[np.float64]

    @property
    def spread(self) -> NDArray[np.float64]:
        """Standard deviations of the raw scores, (d_k,)."""
        return np.sqrt(self.variance)

    @property
    def spread_error(self) -> NDArray[np.float64]:
        """Standard errors of `spread`, (d_k,), to first order."""
        return self.variance_error / (2 * self.spread)

    def divided(self, d_k: int, exponent: float) -> "DividedScores":
        """Return the moments of q·k / d_k^exponent at this d_k."""
        d_k, variance = check_integer("d_k", d_k, 1, self.params.d_k), variance_after_dividing(d_k, exponent)
        c = scale_factor(d_k, exponent)
        measured, error = (float(c**2 * each[d_k - 1]) for each in (self.variance, self.variance_error))
        return DividedScores(exponent, c, variance, math.sqrt(variance), measured, error)

    def at(self, d_k: int) -> tuple[ScoreLine, ...]:
        """Return the checks of the three lines at this d_k, in the order of `SCORE_LINES`."""
        i, params = check_integer("d_k", d_k, 1, self.params.d_k) - 1, self.params
        exact, holds, reliable = exact_scores(params, d_k), _truths(params, d_k), _reliable(params)
        numbers = (
            (0.0, exact.mean, self.mean[i], self.mean_error[i]),
            (float(d_k), exact.variance, self.variance[i], self.variance_error[i]),
            (1.0, exact.variance / d_k, self.variance[i] / d_k, self.variance_error[i] / d_k),
        )
        found = []
        for (name, index), line in zip(SCORE_LINES.items(), numbers, strict=True):
            predicted, true, measured, error = map(float, line)
            found.append(
                ScoreLine(name, predicted, true, measured, error, holds=bool(holds[index]), reliable=reliable[index])
            )
        return tuple(found)


@dataclass(frozen=True)
class DividedScores:
    """Moments of scores divided by a power of d_k, pictured as a square with area `variance` and side `spread`."""

    exponent: float  # exponent of d_k: 0 (raw), ½ (÷ √d_k), 1 (÷ d_k)
    multiplier: float  # c = d_k^(−exponent)
    variance: float  # c² d_k, if no assumption is broken
    spread: float  # c √d_k
    # measured, standard_error: variance of the drawn scores, times c²
    measured: float
    standard_error: float


@dataclass(frozen=True)
class ExactScores:
    """Exact moments of s = q·k for the parameters; inf where they do not exist."""

    mean: float
    variance: float
    within_row_variance: float  # variance over independent keys for one query: the only spread that softmax sees
    effective_dimension: float  # d_k / (1 + (d_k − 1) r²), the equivalent number of uncorrelated components
    right_rule: str  # name of the rule that gives the right divisor, see `_right_rule`
    right_divisor: float  # divisor to use instead of √d_k


@dataclass(frozen=True, eq=False)
class DerivationResult:
    """All lines, the first line that fails, and the divisor that would be right."""

    params: DerivationParams
    lines: tuple[DerivationLine, ...]
    first_failing: int | None  # number of the first line that is not true
    first_seen: int | None  # number of the first line that the draws show to fail
    exact: ExactScores
    # mean, mean_error, variance, variance_error: measured on the raw scores
    mean: float
    mean_error: float
    variance: float
    variance_error: float
    # within_row_variance: half the mean squared difference between a query's scores with the keys of two other pairs
    # within_row_error: standard error of within_row_variance
    within_row_variance: float
    within_row_error: float
    # right_within_row_std: √within_row_variance ÷ right divisor; about 1 if that divisor is a standard deviation
    right_within_row_std: float
    # effective_dimension: variance_q variance_k d_k² / measured variance. This holds only for means of 0, uncorrelated
    # q and k, and a finite variance; otherwise effective_dimension and effective_dimension_error are NaN.
    effective_dimension: float
    effective_dimension_error: float
    divisor: float  # √d_k
    # scaled_mean, scaled_std, scaled_typical: mean, standard deviation and median size of the scores divided by √d_k
    scaled_mean: float
    scaled_std: float
    scaled_typical: float
    # right_mean, right_std, right_typical: these three for the scores divided by the right divisor
    right_mean: float
    right_std: float
    right_typical: float

    @property
    def checks(self) -> dict[str, int]:
        """Number of lines with each result of `CHECKS`, by name."""
        found = [line.check for line in self.lines]
        return {name: found.count(name) for name in CHECKS}


@dataclass(frozen=True, eq=False)
class _Draws:
    """Sums over components: one number per sample in the first seven fields, of sample moments in the last four."""

    scores: NDArray[np.float64]  # Σ q_i k_i
    dots: NDArray[np.float64]  # Σ q_i k_i, computed as a dot product
    covariance: NDArray[np.float64]  # Σ (q_i − mean)(k_i − mean)
    squares: NDArray[np.float64]  # Σ (q_i k_i − mean)²
    rule: NDArray[np.float64]  # influence of each sample on `rule_value`
    row_one: NDArray[np.float64]  # row_one, row_two: Σ q_i k'_i and Σ q_i k''_i with the keys of the next two samples
    row_two: NDArray[np.float64]
    mean_products: float
    products_of_means: float
    variances: float
    rule_value: float


def measure_derivation(params: DerivationParams) -> DerivationResult:
    """Check each line of the derivation, from s = Σ q_i k_i to Var(s/√d_k) = 1, on simulated pairs.

    Both sides of a line use the same draws; the standard error of their difference comes from influence
    functions. `holds` is the exact truth, and `seen_to_fail` the verdict of the draws. If a line fails by
    too little for n_samples to show, both are False.
    """
    draws, exact = _simulate(params), exact_scores(params)
    lines = _lines(params, draws)
    n, d = np.sqrt(params.n_samples), params.d_k
    variance, spread = draws.scores.var(), (draws.scores - draws.scores.mean()) ** 2
    uncorrelated = params.correlation == params.mean_q == params.mean_k == 0 and np.isfinite(exact.variance)
    effective = params.variance_q * params.variance_k * d**2 / variance if uncorrelated else np.nan
    return DerivationResult(
        params=params, lines=lines, exact=exact,
        first_failing=next((line.number for line in lines if not line.holds), None),
        first_seen=next((line.number for line in lines if line.seen_to_fail), None),
        mean=float(draws.scores.mean()), mean_error=float(draws.scores.std() / n),
        variance=float(variance), variance_error=float(spread.std() / n),
        **_within_row(draws, exact), effective_dimension=float(effective),
        effective_dimension_error=float(effective * spread.std() / n / variance),
        divisor=float(np.sqrt(d)),
        **_shape("scaled", draws.scores / np.sqrt(d)), **_shape("right", draws.scores / exact.right_divisor),
    )  # fmt: skip


def measure_growth(params: DerivationParams) -> ScoreGrowth:
    """Return mean and variance of s = q·k at every dimension up to params.d_k, on the pairs of `measure_derivation`."""
    scores, found = np.zeros(params.n_samples), []
    for q, k in _component_blocks(params):
        running = np.multiply(q, k)
        running[0] += scores
        np.cumsum(running, axis=0, out=running)  # (component, sample)
        scores = running[-1].copy()
        found.append(_moments(running))
    product_mean, variance, covariance = _product_moments(params)
    d = np.arange(1, params.d_k + 1)
    finite = params.nu is None or params.nu > 2
    exact = d * variance + d * (d - 1) * covariance if finite else np.full(len(d), np.inf)
    mean, spread, mean_error, variance_error = np.concatenate(found, axis=1)
    return ScoreGrowth(params, mean, spread, mean_error, variance_error, d * product_mean, exact)


def _moments(running):
    """Return the mean and variance of each row and their standard errors; overwrites the rows."""
    n = running.shape[1]
    mean = running.mean(axis=1)
    running -= mean[:, None]
    np.multiply(running, running, out=running)
    variance = running.mean(axis=1)
    fourth = np.einsum("dn,dn->d", running, running) / n
    return mean, variance, np.sqrt(variance / n), np.sqrt(np.maximum(fourth - variance**2, 0) / n)


def spread_ratio(params: DerivationParams, factor: int = 4) -> float:
    """Return the ratio of the spreads of raw scores at two dimensions, σ(factor · d_k) / σ(d_k).

    If there is no variance, return the ratio of the median sizes.
    """
    factor = check_integer("factor", factor, 1, 4096 // params.d_k)
    dims = params.d_k, factor * params.d_k
    here, there = (exact_scores(params, d_k) for d_k in dims)
    if params.nu is not None and np.isinf(here.variance):
        few, many = (median_size(d_k, params.nu) for d_k in dims)
        return many / few
    return float(np.sqrt(there.variance / here.variance))


def variance_after_dividing(d_k: int, exponent: float) -> float:
    """Return Var(s / d_k^exponent) = d_k^(1 − 2 exponent), which holds if no assumption is broken."""
    power = 1 - 2 * check_number("exponent", exponent, 0.0, 1.0)
    return float(check_integer("d_k", d_k, 1) ** power)


def unit_cells(d_k: int) -> NDArray[np.float64]:
    """Return 0, 1, 2, … and √d_k, the edges of unit cells along the side of a square of area d_k.

    The last cell is narrower unless d_k is a square number.
    """
    side = math.sqrt(check_integer("d_k", d_k, 1))
    return np.append(np.arange(math.ceil(side), dtype=float), side)


def exact_scores(params: DerivationParams, d_k: int | None = None) -> ExactScores:
    """Return the exact mean and variance of s = q·k: Var = d Var(q_i k_i) + d (d − 1) Cov(q_i k_i, q_j k_j).

    Right divisors: √d_k if no assumption is broken; √(d_k variance_q variance_k) for other variances; the
    within-row standard deviation for non-zero means, since softmax does not see what all keys share;
    √(variance_q variance_k) d_k/√d_eff for correlated components; d_k for aligned pairs, whose mean grows
    like d_k; d_k^(1/ν), up to logarithms, if there is no variance. If several apply, use the last.
    The argument d_k, if given, replaces params.d_k.

    Reference: Yang et al. (2022), "Tensor Programs V", arXiv:2203.03466 (1/d for aligned pairs).
    """
    d, r = d_k or params.d_k, params.component_correlation
    mean_product, variance_product, covariance = _product_moments(params)
    within = (1 - r) * d * (params.variance_q + params.mean_q**2)
    within += r * (d * params.variance_q * (1 + (d - 1) * r) + (d * params.mean_q) ** 2)
    finite = params.nu is None or params.nu > 2
    return ExactScores(
        mean=float(d * mean_product),
        variance=float(d * variance_product + d * (d - 1) * covariance) if finite else np.inf,
        within_row_variance=float(params.variance_k * within) if finite else np.inf,
        effective_dimension=d / (1 + (d - 1) * r**2),
        right_rule=_right_rule(params),
        right_divisor=_right_divisor(params, d),
    )


def _product_moments(params):
    """Return the mean and variance of q_i k_i, and its covariance with q_j k_j, i ≠ j."""
    mq, mk, vq, vk = params.mean_q, params.mean_k, params.variance_q, params.variance_k
    rho, r = params.correlation, params.component_correlation
    c = rho * np.sqrt(vq * vk)
    mean = mq * mk + c
    variance = vq * vk + c**2 + mq**2 * vk + mk**2 * vq + 2 * mq * mk * c
    # covariance has the form of variance, but with Cov(q_i, q_j) = r vq, Cov(k_i, k_j) = r vk, Cov(q_i, k_j) = r c.
    covariance = r**2 * (vq * vk + c**2) + r * (mq**2 * vk + mk**2 * vq + 2 * mq * mk * c)
    return mean, variance, covariance


def _right_rule(params):
    if params.nu is not None and params.nu <= 2:
        return "tail_power"
    if params.correlation:
        return "d_k"
    if params.component_correlation:
        return "effective_dimension"
    if params.mean_q or params.mean_k:
        return "within_row"
    return "sqrt_d_k" if params.variance_q * params.variance_k == 1 else "component_variances"


def _right_divisor(params, d):
    size = params.variance_q * params.variance_k
    spread = 1 + (d - 1) * params.component_correlation**2  # d / d_eff
    divisors = {
        "sqrt_d_k": np.sqrt(d),
        "component_variances": np.sqrt(d * size),
        "within_row": np.sqrt(d * params.variance_k * (params.variance_q + params.mean_q**2)),
        "effective_dimension": np.sqrt(d * spread * size),
        "d_k": d,
        "tail_power": d ** (1 / params.nu) if params.nu else np.nan,
    }
    return float(divisors[_right_rule(params)])


def _simulate(params):
    samples, numbers = np.zeros((7, params.n_samples)), np.zeros(4)
    for q, k in _component_blocks(params):
        block_samples, block_numbers = _block_terms(q, k)
        samples += block_samples
        numbers += block_numbers
    return _Draws(*samples, *numbers.tolist())


def _block_terms(q, k):
    """Return the `_Draws` sums over one block of components, given q and k of shape (n_components, n_samples)."""
    x, qq, kk = q * k, q * q, k * k
    mean_q, mean_k, mean_x, square_q, square_k = (values.mean(axis=1) for values in (q, k, x, qq, kk))
    variance = np.einsum("in,in->i", x, x) / x.shape[1] - mean_x**2
    rule = square_q * square_k - mean_q**2 * mean_k**2
    total = x.sum(axis=0)
    covariance = total - mean_k @ q - mean_q @ k + mean_q @ mean_k
    squares = np.einsum("in,in->n", x, x) - 2 * (mean_x @ x) + mean_x @ mean_x
    # First-order influence of each sample on `rule`, a function of four moments: sum of derivative times sample.
    effects = ((square_k, qq), (square_q, kk), (-2 * mean_q * mean_k**2, q), (-2 * mean_k * mean_q**2, k))
    influence = sum(slope @ values for slope, values in effects)
    dots, *row = (np.einsum("in,in->n", q, np.roll(k, -shift, axis=1)) for shift in range(3))
    samples = total, dots, covariance, squares, influence, *row
    return np.array(samples), np.array([mean_x.sum(), mean_q @ mean_k, variance.sum(), rule.sum()])


def _component_blocks(params):
    """Yield blocks of components of q and of k, each of shape (n_components, n_samples)."""
    streams = [np.random.SeedSequence(params.seed, spawn_key=(stream,)) for stream in range(3)]
    rng_a, rng_b, rng_shared = (np.random.Generator(np.random.SFC64(stream)) for stream in streams)
    shared_a, shared_b = rng_shared.standard_normal((2, params.n_samples))
    rho, r = params.correlation, params.component_correlation
    block = max(1, _CACHED_NUMBERS // params.n_samples)
    stops = [*range(block, params.d_k, block), params.d_k]
    for start, stop in zip([0, *stops], stops, strict=False):
        shape = (stop - start, params.n_samples)
        a, b = _components(rng_a, shape, params.nu), _components(rng_b, shape, params.nu)
        if r:
            a, b = np.sqrt(1 - r) * a + np.sqrt(r) * shared_a, np.sqrt(1 - r) * b + np.sqrt(r) * shared_b
        if rho:
            b = rho * a + np.sqrt(1 - rho**2) * b
        q, k = _located(a, params.mean_q, params.variance_q), _located(b, params.mean_k, params.variance_k)
        yield q, k


def _located(values, mean, variance):
    return values if (mean, variance) == (0, 1) else mean + np.sqrt(variance) * values


def _components(rng, shape, nu):
    if nu is None:
        return rng.standard_normal(shape)
    return rng.standard_t(nu, shape) * (np.sqrt((nu - 2) / nu) if nu > 2 else 1.0)


def _lines(params, draws):
    """Return the nine lines, each from its two sides and the influence of every sample on both."""
    d, c, s = params.d_k, params.d_k**-0.5, draws.scores
    spread, scaled_spread = (s - s.mean()) ** 2, (c * s - (c * s).mean()) ** 2
    zero = np.zeros_like(s)
    sides = (
        (draws.dots.mean(), s.mean(), draws.dots, s),
        (s.mean(), draws.mean_products, s, s),
        (draws.mean_products / d, draws.products_of_means / d, s / d, (s - draws.covariance) / d),
        (s.mean(), 0.0, s, zero),
        (s.var(), draws.variances, spread, draws.squares),
        (draws.variances / d, draws.rule_value / d, draws.squares / d, draws.rule / d),
        (s.var(), float(d), spread, zero),
        ((c * s).var(), c**2 * s.var(), scaled_spread, c**2 * spread),
        ((c * s).var(), 1.0, scaled_spread, zero),
    )
    truths = zip(_truths(params, params.d_k), _reliable(params), strict=True)
    return tuple(_line(i, *side, *truth) for i, (side, truth) in enumerate(zip(sides, truths, strict=True)))


def _line(index, left, right, influence_left, influence_right, holds, reliable):
    root_n, size = np.sqrt(len(influence_left)), np.std(influence_left)
    errors = size / root_n, np.std(influence_right) / root_n
    error = np.std(influence_left - influence_right) / root_n
    rounding = 1e-12 * (abs(left) + abs(right) + size)
    if abs(left - right) <= rounding and error <= rounding:  # the line is an identity
        error, z = 0.0, 0.0
    else:
        z = (left - right) / error
    texts = index + 1, LINE_NAMES[index], LINE_FORMULAS[index], ASSUMPTIONS[index]
    numbers = map(float, (left, right, *errors, error, z))
    return DerivationLine(*texts, *numbers, bool(holds), bool(reliable and abs(z) > SEEN_BEYOND), reliable)  # type: ignore[call-arg, arg-type]


def _truths(params, d_k):
    """Return, for each of the nine lines, True if it is exactly true for the parameters."""
    exact = exact_scores(params, d_k)
    finite = np.isfinite(exact.variance)
    mean_product, _, covariance = _product_moments(params)
    c = mean_product - params.mean_q * params.mean_k  # Cov(q_i, k_i)
    same_variance = abs(c**2 + 2 * params.mean_q * params.mean_k * c) < 1e-12
    is_d_k = finite and np.isclose(exact.variance, d_k, rtol=1e-12, atol=0)
    return (
        True,
        True,
        params.correlation == 0,
        abs(mean_product) < 1e-12,
        finite and (d_k == 1 or abs(covariance) < 1e-12),
        finite and same_variance,
        is_d_k,
        finite,
        is_d_k,
    )


def _reliable(params):
    """Return, for each line, True if its standard error is usable: ν > 2 for means, ν > 4 for variances."""
    means, variances = (params.nu is None or params.nu > moments for moments in (2, 4))
    return (True, True, means, means, variances, variances, variances, True, variances)


def _check(holds, reliable):
    if not holds:
        return "fails"
    return "holds" if reliable else "cannot be checked"


def _within_row(draws, exact):
    halves = 0.5 * (draws.row_one - draws.row_two) ** 2
    centred = halves - halves.mean()
    # Neighbouring samples share one key, so their covariance counts too.
    spread = np.mean(centred**2) + 2 * np.mean(centred * np.roll(centred, 1))
    return {
        "within_row_variance": float(halves.mean()),
        "within_row_error": float(np.sqrt(max(spread, 0.0) / len(halves))),
        "right_within_row_std": float(np.sqrt(halves.mean()) / exact.right_divisor),
    }


def _shape(name, scores):
    return {
        f"{name}_mean": float(scores.mean()),
        f"{name}_std": float(scores.std()),
        f"{name}_typical": float(np.median(np.abs(scores))),
    }
