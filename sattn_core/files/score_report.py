"""Report on the scores of given queries and keys, and on the scale that suits them."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sattn_core._checks import check_array
from sattn_core.bands.matrix_variance import row_variance_band
from sattn_core.cost import proceed
from sattn_core.draws.histograms import bin_counts
from sattn_core.files.score_growth import FittedExponent, no_exponent, paired_exponent, row_exponent
from sattn_core.laws.dot_product import dot_product_pdf
from sattn_core.layers.softmax import entropy_nats, softmax

MAX_ROWS, MAX_DIMENSION, MAX_HEADS, MAX_NUMBERS = 4096, 1024, 64, 4_000_000
LARGEST_NUMBER = 1e30
SCALED_EDGES = np.linspace(-6.0, 6.0, 97)
SHOWN_QUERIES = 128  # number of queries per head whose softmax and histogram are computed
RIGHT_LOW, RIGHT_HIGH = 0.8, 1.25  # the verdict is "right" if scaled_std / target_std is between these
_ALIGNED_LIFT, _ALIGNED_Z = 1.0, 6.0
_WIDER = 1.1  # heavy tails are named as the reason if tail_band is wider than scaled_band by this factor
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_ROUNDING = 16 * np.finfo(float).eps  # relative variation below this counts as none
_TINIEST = 1e-300  # smallest standard deviation that counts: its reciprocal does not overflow


@dataclass(frozen=True)
class ComponentMoments:
    """Moments over all components of all rows."""

    # kurtosis: standardised fourth moment (3 for a normal law), NaN if all components are equal
    mean: float
    variance: float
    kurtosis: float
    # (tr Σ)² / tr Σ² for the covariance Σ of the components, between 1 and d_k; NaN without variation
    effective_dimension: float


@dataclass(frozen=True)
class Saturation:
    """Statistics of the softmax with one scale, averaged over the first 128 queries."""

    name: str  # "1", "1/√d_k", "1/d_k" or "1/std"
    scale: float  # multiplier; "1/std" gives the scores of a row the spread target_std
    score_std: float  # standard deviation within a row
    # entropy_nats, effective_keys, max_weight: mean entropy, mean e^entropy and mean largest weight
    entropy_nats: float
    effective_keys: float
    max_weight: float


@dataclass(frozen=True, eq=False)
class HeadReport:
    """Report on one head."""

    query: ComponentMoments
    key: ComponentMoments
    n_keys: int
    d_k: int
    # raw_mean, raw_std: over all scores
    raw_mean: float
    raw_std: float
    within_row_std: float  # root of the mean variance of raw scores within a row, the only spread that softmax sees
    scaled_std: float  # within_row_std / √d_k, which should be target_std
    # √((n_keys − 1) / n_keys), the expected scaled_std for independent components of variance 1: below 1, because the
    # mean of a row's own scores is subtracted
    target_std: float
    # 95 % band of scaled_std for independent N(0, 1) components and these sizes
    scaled_band: tuple[float, float]
    # approximate 95 % band of scaled_std for independent components of variance 1 with the measured kurtosis; NaN
    # without a kurtosis
    tail_band: tuple[float, float]
    unit_scale: float  # target_std / within_row_std (∞ if there is no variation)
    # size_factor, shape_factor: scaled_std² is their product. size_factor: mean square of a query component times
    # variance of a key component; shape_factor: effect of directions that q and k share (d_k ÷ the effective
    # dimension of the scores)
    size_factor: float
    shape_factor: float
    # Correlation between the components of query i and of key i; NaN if the numbers of rows differ
    paired_correlation: float
    # Mean score of query i with key i minus the mean of all scores: paired_lift in units of within_row_std, paired_z in
    # units of its standard error (±∞ if all are equal). NaN if the numbers of rows differ.
    paired_lift: float
    paired_z: float
    # row_exponent, paired_exponent: growth of the spread within a row, and of the scores of query i with key i
    row_exponent: FittedExponent
    paired_exponent: FittedExponent
    saturation: tuple[Saturation, ...]  # for the scales 1, 1/√d_k, 1/d_k and unit_scale
    # (96,): counts in the bins of `SCALED_EDGES`, of the first 128 queries' scores ÷ √d_k minus their row means
    scaled_counts: NDArray[np.int_]
    # scaled_below, scaled_above: number of scores outside the bins
    scaled_below: int
    scaled_above: int

    @property
    def code(self) -> str:
        """Return the verdict on √d_k: "right", "aligned", "unclear", "too_weak", "too_strong" or "no_variation".

        "aligned": right, but the scores of query i with key i differ from the rest by more than one standard
        deviation. "unclear": there are too few rows to tell, because scaled_std is inside scaled_band.
        """
        if not self.scaled_std:
            return "no_variation"
        if RIGHT_LOW <= self.scaled_std / self.target_std <= RIGHT_HIGH:
            aligned = abs(self.paired_lift) > _ALIGNED_LIFT and abs(self.paired_z) > _ALIGNED_Z
            return "aligned" if aligned else "right"
        if _inside(self.scaled_std, self.scaled_band):
            return "unclear"
        return "too_weak" if self.scaled_std > self.target_std else "too_strong"

    @property
    def verdict(self) -> str:
        return _verdict(self)

    @property
    def reason(self) -> str:
        return _reason(self)

    @property
    def chance(self) -> str:
        return _chance(self)


@dataclass(frozen=True, eq=False)
class ScoreReport:
    """Report on all heads.

    Attributes
    ----------
    n_heads, n_queries, n_keys, d_k : int
    heads : tuple of HeadReport
    scaled_std : ndarray, shape (n_heads,)
        scaled_std of every head.
    entropy_nats : ndarray, shape (n_heads, 4)
        Mean entropy with the scales 1, 1/√d_k, 1/d_k and 1/std.
    exponent, exponent_interval : float, tuple of 2 floats
        Row exponent of the head with the median scaled_std, and its interval.
    scaled_edges, ideal_density : ndarray, shapes (97,), (96,)
        Bins of the histograms, and the density of the exact law of q·k/√d_k at their centres.
    verdict, reason : str
        One sentence on all heads, and its explanation.
    code : str
        "right" if √d_k is right for every head; otherwise, among the heads that are not right, the code of the
        one farthest from its target. "unclear" heads count only if no head is wrong.
    told : int
        Number, from 0, of the head that verdict, reason and code describe.
    right : int
        Number of heads for which √d_k is right.
    """

    n_heads: int
    n_queries: int
    n_keys: int
    d_k: int
    heads: tuple[HeadReport, ...]
    scaled_std: NDArray[np.float64]
    entropy_nats: NDArray[np.float64]
    exponent: float
    exponent_interval: tuple[float, float]
    scaled_edges: NDArray[np.float64]
    ideal_density: NDArray[np.float64]
    verdict: str
    reason: str
    code: str
    told: int
    right: int


def measure_scores(Q: ArrayLike, K: ArrayLike, *, check: Callable[[], object] = proceed) -> ScoreReport:
    """Measure raw scores s = q·k within their rows, and explain why Var(s)/d_k differs from its ideal value.

    Parameters
    ----------
    Q, K : array_like, shapes (n_queries, d_k), (n_keys, d_k), or (n_heads, n_queries, d_k), (n_heads, n_keys, d_k)
        At least 2 rows each; at most 4,096 rows, 1,024 dimensions, 64 heads and 4,000,000 numbers of size up to 1e30.
    check : callable, default `proceed`
        Called several times for every head; an exception that it raises ends the measurement.

    Returns
    -------
    ScoreReport
        In every head ``scaled_std**2 == size_factor * shape_factor``.

    Raises
    ------
    ValueError, TypeError
        If shapes do not fit, a number is not real and finite, or a limit is exceeded.

    Notes
    -----
    A constant added to a row does not change its softmax, so row means are subtracted. The mean square
    over all subsets of m components has a closed form in the trace and the sum of the elementwise
    product of E[q qᵀ] and Cov(k). The interval of an exponent (`score_growth`) is for the mean over
    rows like these. If q_i resembles k_i, their score also raises the exponent of its row, but less
    if there are more keys.

    References
    ----------
    Efron (1982), The Jackknife, the Bootstrap and Other Resampling Plans, chapter 6: the infinitesimal jackknife.

    Examples
    --------
    Query (1, 0) with keys (1, 0) and (−1, 0): raw scores ±1 with standard deviation 1, and 1/√2 after scaling.

    >>> report = measure_scores([[1, 0], [1, 0]], [[1, 0], [-1, 0]])
    >>> report.heads[0].within_row_std, round(report.heads[0].scaled_std, 6)
    (1.0, 0.707107)
    """
    Q, K = _checked(Q, K)
    heads = tuple(_measure_head(q, k, check) for q, k in zip(Q, K, strict=True))
    scaled_std = np.array([head.scaled_std for head in heads])
    middle = heads[int(np.argsort(scaled_std)[len(heads) // 2])].row_exponent
    centres = (SCALED_EDGES[1:] + SCALED_EDGES[:-1]) / 2
    root = math.sqrt(Q.shape[-1])
    verdict, reason, code, told = _overall(heads)
    return ScoreReport(
        n_heads=len(heads), n_queries=Q.shape[1], n_keys=K.shape[1], d_k=Q.shape[2],
        heads=heads,
        scaled_std=scaled_std,
        entropy_nats=np.array([[each.entropy_nats for each in head.saturation] for head in heads]),
        exponent=middle.value, exponent_interval=(middle.low, middle.high),
        scaled_edges=SCALED_EDGES.copy(),
        ideal_density=root * dot_product_pdf(root * centres, Q.shape[-1]),
        verdict=verdict, reason=reason, code=code, told=told, right=_right(heads),
    )  # fmt: skip


def check_score_shapes(shape_q: tuple[int, ...], shape_k: tuple[int, ...]) -> None:
    """Raise ValueError if Q and K of these shapes cannot be measured."""
    for name, shape in (("Q", shape_q), ("K", shape_k)):
        _check_one_shape(name, shape)
    if len(shape_q) != len(shape_k):
        raise ValueError(f"Q and K must both be 2-D or both 3-D, but got shapes {shape_q} and {shape_k}")
    if shape_q[-1] != shape_k[-1]:
        raise ValueError(f"Q and K must have the same d_k (last axis), but got shapes {shape_q} and {shape_k}")
    if shape_q[:-2] != shape_k[:-2]:
        raise ValueError(f"Q and K must have the same number of heads, but got shapes {shape_q} and {shape_k}")


def _check_one_shape(name, shape):
    if len(shape) not in (2, 3):
        raise ValueError(f"{name} must have shape (n, d_k) or (heads, n, d_k), but got {shape}")
    heads, rows, d_k = (1, *shape)[-3:]
    if heads < 1 or rows < 2 or d_k < 1:
        raise ValueError(f"{name} must have at least 2 rows, 1 dimension and 1 head, but got shape {shape}")
    if heads > MAX_HEADS or rows > MAX_ROWS or d_k > MAX_DIMENSION or heads * rows * d_k > MAX_NUMBERS:
        rule = f"at most {MAX_ROWS:,} rows, {MAX_DIMENSION:,} dimensions, {MAX_HEADS} heads, {MAX_NUMBERS:,} numbers"
        raise ValueError(f"{name} may have {rule}, but got shape {shape}")


def _checked(Q: ArrayLike, K: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    Q, K = check_array("Q", Q), check_array("K", K)
    check_score_shapes(Q.shape, K.shape)
    for name, array in (("Q", Q), ("K", K)):
        largest = np.abs(array).max()
        if largest > LARGEST_NUMBER:
            raise ValueError(f"{name} must hold numbers of at most {LARGEST_NUMBER:g} in size, but got {largest:g}")
    return Q.reshape((-1, *Q.shape[-2:])), K.reshape((-1, *K.shape[-2:]))


def _measure_head(Q, K, check):
    check()
    (Q, power_q), (K, power_k) = _near_one(Q), _near_one(K)
    d_k, q, k, power = Q.shape[1], _centred(Q), _centred(K), power_q + power_k
    # Mean square of the scores minus their row means = Σ (E[q qᵀ] ∘ Cov(k)), which needs no scores.
    M, C = Q.T @ Q / len(Q), k.T @ k / len(k)  # (d_k, d_k)
    variance, std = _spread(M * C, power)
    check()
    query = _component_moments(Q, q, power_q)
    check()
    key = _component_moments(K, k, power_k)
    check()
    growth = {"row_exponent": row_exponent(Q, k, M, C, power=power), **_paired(q, k, math.sqrt(variance), power)}
    check()
    size = float(np.square(Q).mean() * np.square(k).mean())
    return HeadReport(
        query=query, key=key, **_raw_moments(Q, K, variance, power),
        **_scaled(std, len(Q), len(K), d_k, (query.kurtosis, key.kurtosis)),
        size_factor=math.ldexp(size, 2 * power), shape_factor=float(variance / d_k / size) if size else math.nan,
        **growth,
        **_shown(np.ldexp(Q[:SHOWN_QUERIES] @ k.T, power), std, d_k),
    )  # fmt: skip


def _near_one(rows):
    """Return rows / 2**power, and power. The largest number returned is in [½, 1): its square cannot underflow."""
    power = math.frexp(np.abs(rows).max())[1]
    return np.ldexp(rows, -power), power


def _centred(rows):
    """Return the rows minus their mean, with exact zeros in components that do not vary."""
    centred = rows - rows[0]  # exactly 0 for equal numbers, unlike a difference from their rounded mean
    centred -= centred.mean(axis=0)
    return np.where(np.abs(centred).max(axis=0) > _ROUNDING * np.abs(rows).max(axis=0), centred, 0.0)


def _spread(H, power):
    """Return the variance within a row, and the standard deviation times 2**power; both 0 if they are mere rounding."""
    variance = float(H.sum())
    std = math.ldexp(math.sqrt(max(variance, 0.0)), power)
    return (variance, std) if variance > _ROUNDING * np.abs(H).sum() and std > _TINIEST else (0.0, 0.0)


def _raw_moments(Q, K, row_variance, power):
    """Return the mean and standard deviation of all scores, from the variance within rows and between row means."""
    between = np.square((Q - Q.mean(axis=0)) @ K.mean(axis=0)).mean()
    mean, std = float(Q.mean(axis=0) @ K.mean(axis=0)), math.sqrt(row_variance + between)
    return {"raw_mean": math.ldexp(mean, power), "raw_std": math.ldexp(std, power)}


def _shown(row_scores, std, d_k):
    counts, below, above = bin_counts(row_scores.ravel() / math.sqrt(d_k), SCALED_EDGES)
    return {
        "saturation": _saturation(row_scores, std, d_k),
        "scaled_counts": counts, "scaled_below": int(below), "scaled_above": int(above),
    }  # fmt: skip


def _component_moments(rows, centred, power):
    away = rows - rows[0, 0]  # exactly 0 for equal numbers, unlike a difference from their rounded mean
    squares = np.square(away - away.mean())
    variance, fourth = squares.mean(), np.square(squares).mean()
    # Compute tr Σ² from the smaller of XᵀX and XXᵀ.
    gram = centred @ centred.T if rows.shape[0] < rows.shape[1] else centred.T @ centred
    trace, square = np.trace(gram), np.square(gram).sum()
    return ComponentMoments(
        mean=math.ldexp(float(rows.mean()), power),
        variance=math.ldexp(float(variance), 2 * power),
        kurtosis=float(fourth / variance**2) if variance**2 > 0 else math.nan,
        effective_dimension=float(trace**2 / square) if square > 0 else math.nan,
    )


def _saturation(row_scores, std, d_k):
    scales = {
        "1": 1.0,
        "1/√d_k": d_k**-0.5,
        "1/d_k": 1 / d_k,
        "1/std": _target(row_scores.shape[1]) / std if std else 1.0,
    }
    each = []
    for name, scale in scales.items():
        entropy = entropy_nats(scale * row_scores)
        largest = softmax(scale * row_scores).max(axis=-1)
        means = float(entropy.mean()), float(np.exp(entropy).mean()), float(largest.mean())
        each.append(Saturation(name, scale, scale * std, *means))
    return tuple(each)


def _paired(q, k, std, power):
    """Return the statistics of query i with key i, from centred rows."""
    if len(q) != len(k):
        none = no_exponent(q.shape[1], np.full(2, math.nan))
        return dict.fromkeys(("paired_correlation", "paired_lift", "paired_z"), math.nan) | {"paired_exponent": none}
    products = q * k
    scores, n = products.sum(axis=-1), len(products)
    spread, error = np.sqrt(np.square(q).mean() * np.square(k).mean()), scores.std() / math.sqrt(n)
    return {
        "paired_correlation": float(products.mean() / spread) if spread else math.nan,
        "paired_lift": float(scores.mean() / std) if std else math.nan,
        "paired_z": float(scores.mean() / error) if error else _endless(scores.mean()),
        "paired_exponent": paired_exponent(q, k, power=power),
    }


def _endless(mean):
    return math.copysign(math.inf, mean) if mean else math.nan


def _scaled(std, n_queries, n_keys, d_k, kurtosis):
    """Return the spread within a row, and its target and bands."""
    target = _target(n_keys)
    return {
        "n_keys": n_keys, "d_k": d_k, "within_row_std": std, "scaled_std": std / math.sqrt(d_k), "target_std": target,
        "unit_scale": target / std if std else math.inf,
        "scaled_band": _band(n_queries, n_keys, d_k, (3.0, 3.0)),
        "tail_band": _band(n_queries, n_keys, d_k, kurtosis),
    }  # fmt: skip


def _target(n_keys):
    return math.sqrt((n_keys - 1) / n_keys)


def _band(n_queries, n_keys, d_k, kurtosis):
    """Return the 95 % band of scaled_std."""
    if any(map(math.isnan, kurtosis)):
        return math.nan, math.nan
    kurtosis_q, kurtosis_k = (max(1.0, each) for each in kurtosis)
    band = row_variance_band(n_queries, n_keys, d_k, kurtosis_q=kurtosis_q, kurtosis_k=kurtosis_k)
    return tuple(math.sqrt(end / d_k) for end in band)


def _inside(value, band):
    return band[0] <= value <= band[1]


def _verdict(head):
    if head.code == "no_variation":
        return "The scores of every row are all equal up to rounding: no scale changes what softmax does with them."
    aim = _aim(head)
    divisor = f"{_digits(1 / head.unit_scale)} would give {'1' if aim == '1' else 'that'}"
    ends = {
        "right": f"close to {aim}: √d_k is right for these q and k.",
        "aligned": f"close to {aim}, but query i scores {_digits(abs(head.paired_lift))} of them "
        f"{_way(head.paired_lift)[0]} with key i.",
        "too_weak": f"above {aim}: √d_k divides too little, {divisor}.",
        "too_strong": f"below {aim}: √d_k divides too much, {divisor}.",
        "unclear": "but so may ideal q and k of this size: too few rows to tell whether √d_k is right.",
    }
    start = f"Divided by √d_k = {math.sqrt(head.d_k):.4g}, the scores of a row have standard deviation"
    return f"{start} {_digits(head.scaled_std)}, {ends[head.code]}"


def _aim(head):
    target = _target_text(head)
    return target if target == "1" else f"the {target} that ideal q and k give with {head.n_keys} keys"


def _target_text(head):
    return f"{head.target_std:.2g}"


def _digits(value):
    """Return the number as text with four significant digits."""
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else "undefined" if math.isnan(value) else "infinite"
    if not 1e-4 <= abs(value) < 1e7:
        mantissa, _, power = f"{value:.3e}".partition("e")
        return f"{mantissa} × 10{str(int(power)).translate(_SUPERSCRIPT)}"
    return f"{value:,.{max(0, 3 - int(f'{value:.3e}'.partition('e')[2]))}f}"


def _way(lift):
    return ("higher", "the same way") if lift > 0 else ("lower", "opposite ways")


def _reason(head):
    """Return a sentence that explains the scaled variance, by the larger of its two factors."""
    size, shape, exponent, square = head.size_factor, head.shape_factor, head.paired_exponent.value, head.target_std**2
    if head.code == "no_variation":
        return "Softmax sees only differences inside a row."
    if head.code == "aligned":
        grown = (
            f"their scores grow like d_k^{_digits(exponent)}"
            if math.isfinite(exponent)
            else "their scores outgrow √d_k"
        )
        way = _way(head.paired_lift)[1]
        return f"q and k of one row point {way}: {grown}, which √d_k does not keep steady; see 1/d_k."
    if head.code == "right":
        return f"Size of the components contributes a factor {_digits(size)}, their directions {_digits(shape)}."
    if head.code == "unclear":
        return "More rows narrow the band of what ideal q and k give."
    if not size or abs(math.log(size / square)) >= abs(math.log(shape)):
        wrong = f"mean square of q times variance of k is {_digits(size)} instead of {square:.2g}"
        return f"Their components have the wrong size: {wrong}."
    how = "share directions" if shape > 1 else "avoid each other's directions"
    return f"q and k {how}: that multiplies the variance of the scores by {_digits(shape)}."


def _chance(head):
    """Return sentences that compare the spread with its band, and explain a spread outside it if √d_k is right."""
    low, high = head.scaled_band
    where = "inside" if _inside(head.scaled_std, head.scaled_band) else "outside"
    text = f"The spread is {where} the 95 % band of ideal q and k, {_digits(low)} to {_digits(high)}."
    if where == "inside":
        return text
    close = head.code in ("right", "aligned")
    explained = _inside(head.scaled_std, head.tail_band)
    if (explained or close) and head.tail_band[1] - head.tail_band[0] > _WIDER * (high - low):
        kurtosis = f"kurtosis {_digits(head.query.kurtosis)} and {_digits(head.key.kurtosis)} instead of 3"
        wider, which = " to ".join(map(_digits, head.tail_band)), "inside that" if explained else "outside that too"
        text += f" Those are normal; tails as heavy as here ({kurtosis}) give a wider one, {wider}, "
        text += f"and the spread is {which}."
    if explained or not close:
        return text
    small = f"it is small enough to count as close to {_target_text(head)}"
    return f"{text} Chance seldom makes such a difference, but {small}."


def _overall(heads):
    unclear = [head for head in heads if head.code == "unclear"]
    wrong = [head for head in heads if head.code not in ("right", "unclear")] or unclear
    aligned = [head for head in heads if head.code == "aligned"]
    farthest = max(wrong or heads, key=_lift if wrong and len(wrong) == len(aligned) else _distance)
    told = [head is farthest for head in heads].index(True)
    if len(heads) == 1:
        return farthest.verdict, farthest.reason, farthest.code, told
    where = _where(farthest, told + 1)
    if not wrong:
        return f"√d_k is right for all {len(heads)} heads; farthest off, {where}.", farthest.reason, "right", told
    few = f", unclear for {len(unclear)}" if unclear else ""
    suits = f", though the spread suits {len(aligned)} of the others" if aligned else ""
    verdict = f"√d_k is right for {_right(heads)} of {len(heads)} heads{few}{suits}; {where}."
    return verdict, farthest.reason, farthest.code, told


def _where(head, number):
    """Return text on the standard deviation of a head, or on the paired lift of an aligned head."""
    if head.code == "aligned":
        lift, (way, _) = _digits(abs(head.paired_lift)), _way(head.paired_lift)
        return f"in head {number} query i scores {lift} standard deviations {way} with key i"
    return f"head {number} has standard deviation {_digits(head.scaled_std)}"


def _lift(head):
    return abs(head.paired_lift)


def _right(heads):
    return sum(head.code == "right" for head in heads)


def _distance(head):
    """Return |ln(scaled_std / target_std)|."""
    return abs(math.log(head.scaled_std / head.target_std)) if head.scaled_std else math.inf
