"""What the scores of given queries and keys are like, and which scale would suit them."""

import math
from dataclasses import dataclass

import numpy as np

from sattn_core._checks import check_array, check_integer
from sattn_core._records import record
from sattn_core.law import dot_product_pdf
from sattn_core.score_variance import score_variance_band
from sattn_core.softmax import entropy_nats, softmax
from sattn_core.sweep import bin_counts

MAX_ROWS, MAX_DIMENSION, MAX_HEADS, MAX_NUMBERS = 4096, 1024, 64, 4_000_000
LARGEST_NUMBER = 1e30
SCALED_EDGES = np.linspace(-6.0, 6.0, 97)
SHOWN_QUERIES = 128  # queries of each head whose softmax and histogram are computed
RIGHT_LOW, RIGHT_HIGH = 0.8, 1.25  # scaled standard deviation that the verdict calls right
VERDICTS = ("right", "aligned", "too_weak", "too_strong", "unclear", "no_variation")
_ALIGNED_LIFT, _ALIGNED_Z = 1.0, 6.0
_RESAMPLES = 1000
_ROUNDING = 16 * np.finfo(float).eps  # variation this much smaller than the numbers is none
_TINIEST = 1e-300  # 1 over it is still a float64


@dataclass(frozen=True)
class ComponentMoments:
    """Moments over all components of all rows.

    Attributes
    ----------
    mean, variance, kurtosis : float
        Kurtosis is the standardised fourth moment (normal: 3); NaN if all components are equal.
    effective_dimension : float
        (tr Σ)² / tr Σ² of the covariance Σ of the components, between 1 and d_k; NaN without variation.
    """

    mean: float
    variance: float
    kurtosis: float
    effective_dimension: float


@dataclass(frozen=True)
class Saturation:
    """Softmax of the scores under one scale, averaged over the first 128 queries.

    Attributes
    ----------
    name : {"1", "1/√d_k", "1/d_k", "1/std"}
    scale : float
        The multiplier; "1/std" gives the scores of a row a mean variance of 1.
    score_std : float
        Standard deviation inside a row.
    entropy_nats, effective_keys, max_weight : float
        Mean entropy, mean e^entropy and mean largest weight.
    """

    name: str
    scale: float
    score_std: float
    entropy_nats: float
    effective_keys: float
    max_weight: float


@record
class FittedExponent:
    """How a score's size grows with the number of components: size ∝ m ** value over sub-dimensions m.

    Attributes
    ----------
    value, low, high : float
        Least-squares slope in log–log and its 95 % bootstrap interval; NaN where it cannot be fitted.
    dims : tuple of int
        Numbers m of components: powers of two, and d_k.
    sizes : ndarray, shape (n_dims,)
        Root mean square over all subsets of m components (exact, no subset is drawn).
    """

    value: float
    low: float
    high: float
    dims: tuple[int, ...]
    sizes: np.ndarray


@record
class HeadReport:
    """One head.

    Attributes
    ----------
    query, key : ComponentMoments
    raw_mean, raw_std : float
        Over all score entries.
    within_row_std : float
        √ of the variance of the raw scores inside a row, averaged over rows: all that softmax sees.
    scaled_std : float
        within_row_std / √d_k; 1 is what the rule aims at.
    scaled_band : tuple of 2 floats
        95 % of independent standard normal q and k of these sizes give a scaled_std inside.
    unit_scale : float
        1 / within_row_std (∞ if there is no variation).
    size_factor, shape_factor : float
        scaled_std² is their product: mean square of a query component times variance of a key component,
        and what directions shared by q and k add (d_k over the effective dimension of the scores).
    paired_correlation : float
        Correlation of the components of query i with those of key i; NaN if the numbers of rows differ.
    paired_lift, paired_z : float
        Mean score of query i with key i, less the mean of all scores: in units of within_row_std, and of its
        own standard error. NaN if the numbers of rows differ.
    row_exponent, paired_exponent : FittedExponent
        Growth of the spread inside a row, and of the scores of query i with key i.
    saturation : tuple of Saturation
        For the scales 1, 1/√d_k, 1/d_k and unit_scale.
    scaled_counts : ndarray of int, shape (96,)
        Scores of the first 128 queries over √d_k, each less its row's mean, in the bins of `SCALED_EDGES`.
    scaled_below, scaled_above : int
        Scores outside the bins.
    verdict, reason : str
        One sentence, and what explains it.
    code : {"right", "aligned", "too_weak", "too_strong", "unclear", "no_variation"}
        Whether √d_k divides rightly; rightly but for query i with key i, which score more than one standard
        deviation above or below the rest; too little; too much; neither rightly nor wrongly as far as so few
        rows can tell (scaled_std lies in scaled_band); or the scores of a row are all equal up to rounding.
    """

    query: ComponentMoments
    key: ComponentMoments
    raw_mean: float
    raw_std: float
    within_row_std: float
    scaled_std: float
    scaled_band: tuple[float, float]
    unit_scale: float
    size_factor: float
    shape_factor: float
    paired_correlation: float
    paired_lift: float
    paired_z: float
    row_exponent: FittedExponent
    paired_exponent: FittedExponent
    saturation: tuple[Saturation, ...]
    scaled_counts: np.ndarray
    scaled_below: int
    scaled_above: int
    verdict: str
    reason: str
    code: str


@record
class ScoreReport:
    """Report of all heads.

    Attributes
    ----------
    n_heads, n_queries, n_keys, d_k : int
    heads : tuple of HeadReport
    scaled_std : ndarray, shape (n_heads,)
        Of every head, to compare.
    entropy_nats : ndarray, shape (n_heads, 4)
        Mean entropy under the scales 1, 1/√d_k, 1/d_k and 1/std.
    exponent, exponent_interval : float, tuple of 2 floats
        Row exponent of the head whose scaled_std is the median one, and its interval.
    scaled_edges, ideal_density : ndarray, shapes (97,), (96,)
        Bins of the histograms, and the density of the exact law of q·k/√d_k at their centres.
    verdict, reason : str
        One sentence for all heads, and what explains it.
    code : str
        "right" if that holds for every head; otherwise the code of the head farthest from 1 of those it does
        not, where heads that are "unclear" count only if there are no others.
    """

    n_heads: int
    n_queries: int
    n_keys: int
    d_k: int
    heads: tuple[HeadReport, ...]
    scaled_std: np.ndarray
    entropy_nats: np.ndarray
    exponent: float
    exponent_interval: tuple[float, float]
    scaled_edges: np.ndarray
    ideal_density: np.ndarray
    verdict: str
    reason: str
    code: str


def measure_scores(Q, K, *, seed=0):
    """Measure raw scores s = q·k inside their rows: is Var(s)/d_k = 1, and if not, why not?

    Parameters
    ----------
    Q : array_like, shape (n_queries, d_k) or (n_heads, n_queries, d_k)
    K : array_like, shape (n_keys, d_k) or (n_heads, n_keys, d_k)
        At least 2 rows each; at most 4,096 rows, 1,024 dimensions, 64 heads and 4,000,000 numbers.
    seed : int, default 0
        Of the bootstrap samples.

    Returns
    -------
    ScoreReport
        In every head ``scaled_std**2 == size_factor * shape_factor``.

    Raises
    ------
    ValueError
        If shapes do not fit, a number is not finite or above 1e30 in size, or a limit is passed.
    TypeError
        If Q or K does not hold real numbers.

    Notes
    -----
    A constant added to a row changes nothing in softmax, so a row's own mean is left out. The mean
    square over all subsets of m components has a closed form in the trace and the sum of the
    elementwise product of E[q qᵀ] and Cov(k); no subset is drawn. Each bootstrap sample weights all rows
    anew (if there are as many keys as queries, query i and key i are one row); trace and sum change by what
    the queries change times what the keys change, which is exact to first order in the weights. The interval
    is about what rows of these numbers give on average, and errs on the wide side. Where q_i resembles k_i,
    that one score of n_keys lifts the exponent of a row too, the less the more keys.

    References
    ----------
    Rubin (1981), "The Bayesian bootstrap", Annals of Statistics 9(1).
    Owen (2007), "The pigeonhole bootstrap", Annals of Applied Statistics 1(2): rows and columns.

    Examples
    --------
    Query (1, 0) against keys (1, 0) and (−1, 0): raw scores ±1, of variance 1, and 1/√2 after scaling.

    >>> report = measure_scores([[1, 0], [1, 0]], [[1, 0], [-1, 0]])
    >>> report.heads[0].within_row_std, round(report.heads[0].scaled_std, 6)
    (1.0, 0.707107)
    """
    Q, K = _checked(Q, K)
    weights = _weights(check_integer("seed", seed, 0, None), Q.shape[1], K.shape[1])
    heads = tuple(_measure_head(q, k, weights) for q, k in zip(Q, K, strict=True))
    scaled_std = np.array([head.scaled_std for head in heads])
    middle = heads[int(np.argsort(scaled_std)[len(heads) // 2])].row_exponent
    centres = (SCALED_EDGES[1:] + SCALED_EDGES[:-1]) / 2
    root = math.sqrt(Q.shape[-1])
    verdict, reason, code = _overall(heads)
    return ScoreReport(
        n_heads=len(heads), n_queries=Q.shape[1], n_keys=K.shape[1], d_k=Q.shape[2],
        heads=heads,
        scaled_std=scaled_std,
        entropy_nats=np.array([[each.entropy_nats for each in head.saturation] for head in heads]),
        exponent=middle.value, exponent_interval=(middle.low, middle.high),
        scaled_edges=SCALED_EDGES.copy(),
        ideal_density=root * dot_product_pdf(root * centres, Q.shape[-1]),
        verdict=verdict, reason=reason, code=code,
    )  # fmt: skip


def check_score_shapes(shape_q, shape_k):
    """Raise one sentence if arrays of these shapes cannot be measured; for files whose header only is read."""
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


def _checked(Q, K):
    Q, K = check_array("Q", Q), check_array("K", K)
    check_score_shapes(Q.shape, K.shape)
    for name, array in (("Q", Q), ("K", K)):
        largest = np.abs(array).max()
        if largest > LARGEST_NUMBER:
            raise ValueError(f"{name} must hold numbers of at most {LARGEST_NUMBER:g} in size, but got {largest:g}")
    return Q.reshape((-1, *Q.shape[-2:])), K.reshape((-1, *K.shape[-2:]))


def _measure_head(Q, K, weights):
    (Q, power_q), (K, power_k) = _near_one(Q), _near_one(K)
    d_k, q, k, power = Q.shape[-1], _centred(Q), _centred(K), power_q + power_k
    # Mean square of the scores less their row's mean = Σ (E[q qᵀ] ∘ Cov(k)), without forming the scores.
    M, C = Q.T @ Q / len(Q), k.T @ k / len(k)  # (d_k, d_k)
    variance, std = _spread(M * C, power)
    size = float(np.square(Q).mean() * np.square(k).mean())
    factors = math.ldexp(size, 2 * power), float(variance / d_k / size) if size else math.nan
    paired, band = _paired(q, k, math.sqrt(variance), power, weights), _ideal_band(len(Q), len(K), d_k)
    return HeadReport(
        query=_component_moments(Q, q, power_q), key=_component_moments(K, k, power_k),
        **_raw_moments(Q, K, variance, power), within_row_std=std, scaled_std=std / math.sqrt(d_k),
        scaled_band=band,
        unit_scale=1 / std if std else math.inf, size_factor=factors[0], shape_factor=factors[1],
        **paired,
        row_exponent=_fit(d_k, power, np.array([(M * C).trace(), variance]), _row_parts(Q, k, M, C), weights),
        **_shown(np.ldexp(Q[:SHOWN_QUERIES] @ k.T, power), std, d_k),
        **_verdict(std / math.sqrt(d_k), band, *factors, d_k, paired),
    )  # fmt: skip


def _near_one(rows):
    """The rows over the power of two next to their largest number, lest a square underflow; and the power."""
    power = math.frexp(np.abs(rows).max())[1]
    return np.ldexp(rows, -power), power


def _centred(rows):
    """Rows less their mean; exactly 0 in components that do not vary."""
    centred = rows - rows[0]  # a mean of equal numbers need not equal them
    centred -= centred.mean(axis=0)
    return np.where(np.abs(centred).max(axis=0) > _ROUNDING * np.abs(rows).max(axis=0), centred, 0.0)


def _spread(H, power):
    """Variance inside a row, and the standard deviation in the units of the scores; 0 if it is but rounding."""
    variance = float(H.sum())
    std = math.ldexp(math.sqrt(max(variance, 0.0)), power)
    return (variance, std) if variance > _ROUNDING * np.abs(H).sum() and std > _TINIEST else (0.0, 0.0)


def _raw_moments(Q, K, row_variance, power):
    """Mean and standard deviation of all scores: inside rows, and between the rows' means."""
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
    away = rows - rows[0, 0]  # a mean of equal numbers need not equal them
    squares = np.square(away - away.mean())
    variance, fourth = squares.mean(), np.square(squares).mean()
    # tr Σ² through the smaller of XᵀX and XXᵀ.
    gram = centred @ centred.T if rows.shape[0] < rows.shape[1] else centred.T @ centred
    trace, square = np.trace(gram), np.square(gram).sum()
    return ComponentMoments(
        mean=math.ldexp(float(rows.mean()), power),
        variance=math.ldexp(float(variance), 2 * power),
        kurtosis=float(fourth / variance**2) if variance**2 > 0 else math.nan,
        effective_dimension=float(trace**2 / square) if square > 0 else math.nan,
    )


def _ideal_band(n_queries, n_keys, d_k):
    """Band of the scaled standard deviation; rows centred, n_keys − 1 of n_keys degrees are left."""
    low, high = score_variance_band(n_queries, n_keys, d_k)
    shrink = (n_keys - 1) / n_keys / (1 - 1 / (n_queries * n_keys))
    return math.sqrt(low * shrink / d_k), math.sqrt(high * shrink / d_k)


def _saturation(row_scores, std, d_k):
    scales = {"1": 1.0, "1/√d_k": d_k**-0.5, "1/d_k": 1 / d_k, "1/std": 1 / std if std else 1.0}
    each = []
    for name, scale in scales.items():
        entropy = entropy_nats(scale * row_scores)
        largest = softmax(scale * row_scores).max(axis=-1)
        means = float(entropy.mean()), float(np.exp(entropy).mean()), float(largest.mean())
        each.append(Saturation(name, scale, scale * std, *means))
    return tuple(each)


def sub_dimensions(d_k):
    """Numbers of components at which growth is measured: powers of two, and d_k."""
    return (*(2**j for j in range(d_k.bit_length()) if 2**j < d_k), d_k)


def mean_over_subsets(dims, d_k, diagonal, total):
    """Mean of Σ_{a, b in A} H_ab over all subsets A of m of d_k components; from tr H and the sum of H.

    A holds one component with probability m/d_k and two with m (m−1) / (d_k (d_k−1)).
    """
    m = np.asarray(dims, dtype=np.float64)
    pairs = m * (m - 1) / (d_k * (d_k - 1)) if d_k > 1 else np.zeros_like(m)
    return m / d_k * diagonal[..., None] + pairs * (total - diagonal)[..., None]


def _weights(seed, n_queries, n_keys):
    """Weights of the Bayesian bootstrap for queries and keys, the same for both if they are as many."""
    rng = np.random.Generator(np.random.SFC64(seed))
    sizes = {n: rng.standard_exponential((_RESAMPLES, n)) for n in dict.fromkeys((n_queries, n_keys))}
    return [sizes[n] / sizes[n].sum(axis=-1, keepdims=True) for n in (n_queries, n_keys)]


def _row_parts(Q, K, M, C):
    """What each query, and each key, has of tr H and of the sum of H: these are their means; K is centred."""
    return [
        np.array([np.square(rows) @ other.diagonal(), np.einsum("id,id->i", rows @ other, rows)])
        for rows, other in ((Q, C), (K, M))
    ]


def _fit(d_k, power, whole, parts, weights):
    """Growth of the root mean square over subsets; whole holds tr H and the sum of H, parts those of the rows."""
    dims = sub_dimensions(d_k)
    squares = mean_over_subsets(dims, d_k, *whole)
    sizes = np.ldexp(np.sqrt(np.maximum(squares, 0.0)), power)
    if d_k == 1 or not (squares > 0).all():
        return FittedExponent(math.nan, math.nan, math.nan, dims, sizes)
    x = np.log(dims) - np.log(dims).mean()
    resampled = whole * np.prod([w @ part.T / whole for w, part in zip(weights, parts, strict=False)], axis=0)
    several = np.vstack([squares, mean_over_subsets(dims, d_k, *resampled.T)])
    slopes = 0.5 * np.log(several) @ x / (x @ x)
    return FittedExponent(*map(float, (slopes[0], *np.quantile(slopes[1:], (0.025, 0.975)))), dims, sizes)


def _paired(q, k, std, power, weights):
    """What query i has to do with key i; from centred rows."""
    d_k = q.shape[-1]
    if len(q) != len(k):
        sizes = np.full(len(sub_dimensions(d_k)), math.nan)
        none = FittedExponent(math.nan, math.nan, math.nan, sub_dimensions(d_k), sizes)
        return dict.fromkeys(("paired_correlation", "paired_lift", "paired_z"), math.nan) | {"paired_exponent": none}
    products = q * k
    scores, n = products.sum(axis=-1), len(products)
    spread, error = np.sqrt(np.square(q).mean() * np.square(k).mean()), scores.std() / math.sqrt(n)
    parts = np.array([np.square(products).sum(axis=-1), np.square(scores)])
    return {
        "paired_correlation": float(products.mean() / spread) if spread else math.nan,
        "paired_lift": float(scores.mean() / std) if std else math.nan,
        "paired_z": float(scores.mean() / error) if error else math.nan,
        "paired_exponent": _fit(d_k, power, parts.mean(axis=-1), [parts], weights),
    }


def _verdict(scaled_std, band, size, shape, d_k, paired):
    if not scaled_std:
        sentence = "The scores of every row are all equal up to rounding: no scale changes what softmax does with them."
        return {"verdict": sentence, "reason": "Softmax sees only differences inside a row.", "code": "no_variation"}
    code, lift = _code(scaled_std, band, paired), paired["paired_lift"]
    start = f"Divided by √d_k = {math.sqrt(d_k):.3g}, the scores of a row have standard deviation {scaled_std:.3g}"
    ends = {
        "right": "close to 1: √d_k is right for these q and k.",
        "aligned": f"close to 1, but query i scores {abs(lift):.3g} of them {_way(lift)[0]} with key i.",
        "too_weak": f"above 1: √d_k divides too little, {math.sqrt(d_k) * scaled_std:.3g} would give 1.",
        "too_strong": f"below 1: √d_k divides too much, {math.sqrt(d_k) * scaled_std:.3g} would give 1.",
        "unclear": "but so may ideal q and k of this size: too few rows to tell whether √d_k is right.",
    }
    reason = _reason(code, size, shape, lift, paired["paired_exponent"].value)
    return {"verdict": f"{start}, {ends[code]}", "reason": reason, "code": code}


def _code(scaled_std, band, paired):
    if RIGHT_LOW <= scaled_std <= RIGHT_HIGH:
        aligned = abs(paired["paired_lift"]) > _ALIGNED_LIFT and abs(paired["paired_z"]) > _ALIGNED_Z
        return "aligned" if aligned else "right"
    if band[0] <= scaled_std <= band[1]:
        return "unclear"
    return "too_weak" if scaled_std > 1 else "too_strong"


def _way(lift):
    return ("higher", "the same way") if lift > 0 else ("lower", "opposite ways")


def _reason(code, size, shape, lift, exponent):
    """The larger of the two factors of the scaled variance explains it."""
    by_size = f"Their components have the wrong size: mean square of q times variance of k is {size:.3g} instead of 1."
    by_shape = (
        f"q and k share directions: that multiplies the variance of the scores by {shape:.3g}."
        if shape > 1
        else f"q and k avoid each other's directions: that multiplies the variance of the scores by {shape:.3g}."
    )
    if code == "aligned":
        grown = f"they grow like d_k^{exponent:.2f}" if math.isfinite(exponent) else "they grow faster than √d_k"
        return f"q and k of one row point {_way(lift)[1]}: {grown}, which √d_k does not keep steady; see 1/d_k."
    if code == "right":
        return f"Size of the components contributes a factor {size:.3g}, their directions {shape:.3g}."
    if code == "unclear":
        return "More rows narrow the band of what ideal q and k give."
    return by_size if not size or abs(math.log(size)) >= abs(math.log(shape)) else by_shape


def _overall(heads):
    unclear = [head for head in heads if head.code == "unclear"]
    wrong = [head for head in heads if head.code not in ("right", "unclear")] or unclear
    farthest = max(wrong or heads, key=lambda head: abs(math.log(head.scaled_std)) if head.scaled_std else math.inf)
    if len(heads) == 1:
        return farthest.verdict, farthest.reason, farthest.code
    number = [head is farthest for head in heads].index(True) + 1
    where = f"head {number} has standard deviation {farthest.scaled_std:.3g}"
    if not wrong:
        return f"√d_k is right for all {len(heads)} heads; farthest from 1, {where}.", farthest.reason, "right"
    right = sum(head.code == "right" for head in heads)
    few = f", unclear for {len(unclear)}" if unclear else ""
    return f"√d_k is right for {right} of {len(heads)} heads{few}; {where}.", farthest.reason, farthest.code
