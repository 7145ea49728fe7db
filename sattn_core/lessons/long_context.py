"""And with very many keys? The weight that each rule gives one key with a large score, as keys are added.

1/√d_k keeps the spread of scores at 1 for every d_k, but ignores n: the n - 1 other keys together weigh like one key of
score ln(n - 1) + ½, which grows beyond any score.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, ndtr

from sattn_core._checks import check_integer, check_number
from sattn_core.bands.band import student_quantile
from sattn_core.bands.standard_errors import mean_and_error
from sattn_core.laws.one_key import MOST_KEYS, key_weight
from sattn_core.layers.rules import SCALING_RULES

SHORTEST = 16  # number of keys at the slider's first stop
_QUARTERS = tuple(m * 2**j for j in range(2, 18) for m in (4, 5, 6, 7))
STOPS = (*_QUARTERS, MOST_KEYS)
LENGTHS = (*range(2, 9), 10, 12, 14, *STOPS)  # 2 to 14: rows of a short text
SIMULATED = (16, 128, 1_024, 8_192, 65_536)
_ROWS, _SCORES, _FEWEST = 2_000, 2**18, 16  # at each length: most rows, most scores, fewest rows
_FIGURE = (3.0, -2.0)  # scores of one key and of all others in figure 1 of the SSMax paper
_QUIET = -10.0  # score of every key in a head that should have no output


@dataclass(frozen=True)
class LengthRule:
    """Rule for scores of standard deviation 1 (q·k ÷ √d_k): it multiplies them, or adds a sink of score 0."""

    name: str
    title: str
    formula: str  # in LaTeX
    source: str
    # ``multiplier(n_keys, d_k, n_train)`` is the factor on scores ÷ √d_k
    multiplier: Callable[[NDArray[np.float64], int, int], NDArray[np.float64]] = field(repr=False)
    sink: bool = False


def _yarn(n, d_k, n_train):
    extension = np.maximum(1.0, n / n_train)
    return (0.1 * np.log(extension) + 1.0) ** 2


RULES: Mapping[str, LengthRule] = MappingProxyType(
    {
        rule.name: rule
        for rule in (
            LengthRule(
                "vaswani", "1/√d_k", r"\mathrm{softmax}(s/\sqrt d)", SCALING_RULES["vaswani"].source,
                lambda n, d_k, n_train: np.ones_like(n),
            ),
            LengthRule(
                "softmax1", "softmax1", r"e^{s_i/\sqrt d}/(1+\sum_j e^{s_j/\sqrt d})",
                "Miller (2023), “Attention Is Off By One”, evanmiller.org",
                lambda n, d_k, n_train: np.ones_like(n), sink=True,
            ),
            LengthRule(
                "log_n", "log n", SCALING_RULES["log_n"].formula, SCALING_RULES["log_n"].source,
                lambda n, d_k, n_train: np.log(n) / math.log(n_train),
            ),
            LengthRule(
                "ssmax", "SSMax", SCALING_RULES["ssmax"].formula, SCALING_RULES["ssmax"].source,
                lambda n, d_k, n_train: SCALING_RULES["ssmax"].options["ssmax_s"] * np.log(n),
            ),
            LengthRule("yarn", "YaRN", SCALING_RULES["yarn"].formula, "Peng et al. (2023), arXiv:2309.00071", _yarn),
            LengthRule(
                "no_scale", "no scale", SCALING_RULES["no_scale"].formula, SCALING_RULES["no_scale"].source,
                lambda n, d_k, n_train: np.full_like(n, math.sqrt(d_k)),
            ),
        )
    }
)  # fmt: skip


@dataclass(frozen=True)
class LongContextParams:
    """Settings of a key with a given scaled score among keys with independent N(0, 1) scaled scores."""

    score: float = 8.0  # 1 to 14
    d_k: int = 64  # 1 to 1,024; matters only for the rule without the scale
    n_train: int = 512  # 32 to 131,072: number of keys at which log n and YaRN change nothing
    seed: int = 0  # at least 0: seed of the simulation

    def __post_init__(self) -> None:
        check_number("score", self.score, 1, 14)
        check_integer("d_k", self.d_k, 1, 1024)
        check_integer("n_train", self.n_train, 32, 2**17)
        check_integer("seed", self.seed, 0)

    def multipliers(self, lengths: Sequence[int]) -> NDArray[np.float64]:
        """Return the multiplier of the scores for each rule and length, (n_rules, n_lengths)."""
        n = np.array(lengths, dtype=float)
        return np.stack([rule.multiplier(n, self.d_k, self.n_train) for rule in RULES.values()])


@dataclass(frozen=True, eq=False)
class FadingResult:
    """Exact mean weight of the key; axis 0 of an array is the rule, axis 1 the length."""

    params: LongContextParams
    lengths: tuple[int, ...]
    names: tuple[str, ...]
    multipliers: NDArray[np.float64]
    weights: NDArray[np.float64]
    # half_length: first n at which the weight is below ½ under 1/√d_k
    # predicted_half: estimate of half_length, e^(score − ½) + 1
    half_length: int
    predicted_half: float

    def weight(self, rule: str, n: int) -> float:
        """Return the weight of the key under a rule at one of the lengths."""
        return float(self.weights[self.names.index(rule), self.lengths.index(n)])


@dataclass(frozen=True, eq=False)
class SimulatedFading:
    """Mean weights over drawn rows beside the exact means; axis 0 of an array is the rule, axis 1 the length."""

    lengths: tuple[int, ...]
    names: tuple[str, ...]
    n_rows: tuple[int, ...]  # rows drawn at each length
    measured: NDArray[np.float64]
    standard_error: NDArray[np.float64]
    predicted: NDArray[np.float64]
    # low, high: 95 % band of the mean, by Student's t
    low: NDArray[np.float64]
    high: NDArray[np.float64]


def quarter_row(n: int) -> int:
    """Return the number of keys in row n / 4 of a causal text of n words, at least 2."""
    return max(2, n // 4)


def crowd_score(n_keys: int) -> float:
    """Return ln(n − 1) + ½: a key of this score weighs as much as n − 1 keys with N(0, 1) scores, as E e^x = e^½."""
    return math.log(check_integer("n_keys", n_keys, 2) - 1) + 0.5


def expected_above(n_keys: int, score: float) -> float:
    """Return (n − 1) Φ(−score), the expected number of larger scores among n − 1 scores drawn from N(0, 1).

    >>> round(expected_above(16_384, 2.0), 1)
    372.7
    """
    return (check_integer("n_keys", n_keys, 2) - 1) * float(ndtr(-check_number("score", score)))


def fading_weights(params: LongContextParams, lengths: Sequence[int] = LENGTHS) -> FadingResult:
    """Return the key's mean weight for every rule and length, by quadrature over the other keys' scores."""
    lengths = tuple(check_integer("each of lengths", n, 2, MOST_KEYS) for n in lengths)
    multipliers = params.multipliers(lengths)
    weights = [_weights(params, lengths, *each) for each in zip(RULES.values(), multipliers, strict=True)]
    half = math.exp(params.score - 0.5) + 1.0
    return FadingResult(params, lengths, tuple(RULES), multipliers, np.array(weights), _half_length(params.score), half)


def _weights(params, lengths, rule, multipliers):
    """Return the key's mean weight under one rule at every length."""
    if not np.ptp(multipliers):
        return key_weight(np.array(lengths, float), multipliers[0] * params.score, multipliers[0], sink=rule.sink)
    pairs = zip(np.array(lengths, float), multipliers, strict=True)
    return [float(key_weight(n, each * params.score, each, sink=rule.sink)) for n, each in pairs]


def _half_length(score):
    """Return the first n at which the key's mean weight is below ½, by bisection, since it falls as n grows."""
    low, high = 1, MOST_KEYS
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if key_weight(np.float64(middle), score) < 0.5 else (middle, high)
    return high


# --- simulated -----------------------------------------------------------------------------------


def _rows_at(n):
    return max(_FEWEST, min(_ROWS, _SCORES // n))


def simulate_fading(params: LongContextParams) -> SimulatedFading:
    """Draw rows and average the weight of the key; every rule gets the same scores."""
    rng = np.random.Generator(np.random.SFC64(params.seed))
    multipliers, n_rows = params.multipliers(SIMULATED), tuple(map(_rows_at, SIMULATED))
    found = np.zeros((3, len(RULES), len(SIMULATED)))
    for i, (n, rows) in enumerate(zip(SIMULATED, n_rows, strict=True)):
        others = rng.standard_normal((rows, n - 1)) - params.score
        for j, rule in enumerate(RULES.values()):
            weights = _simulated(others, params.score, multipliers[j, i], rule.sink)
            found[:, j, i] = *mean_and_error(weights), student_quantile(rows)
    measured, error, quantile = found
    predicted = fading_weights(params, SIMULATED).weights
    low, high = predicted - quantile * error, predicted + quantile * error
    return SimulatedFading(SIMULATED, tuple(RULES), n_rows, measured, error, predicted, low, high)


def _simulated(others, score, multiplier, sink):
    """Return the key's weight in every row; others (n_rows, n_keys − 1) are the other keys' scores minus its score."""
    total = np.exp(multiplier * others).sum(axis=-1)
    return 1.0 / (1.0 + total + (math.exp(-multiplier * score) if sink else 0.0))


# --- claims of the papers ------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class LengthClaims:
    """Numbers behind the papers' claims; pairs hold the values at SHORTEST and at MOST_KEYS keys."""

    lengths: tuple[int, int]
    # plain, ssmax: weight of a key of score 3 among keys of score −2 under softmax and SSMax (figure 1 of the paper)
    plain: tuple[float, float]
    ssmax: tuple[float, float]
    quiet: tuple[float, float]  # total weight of all keys under softmax1 if each has score −10
    yarn_root: float  # YaRN's √(1/t) at 16 times the training length
    # lowest, highest: smallest and largest weight that log n gives a key of `score` at LENGTHS of at least n_train
    lowest: float
    highest: float
    first: tuple[float, float]  # probability that no other key has a larger score, Φ(score)^(n − 1)


def check_claims(params: LongContextParams) -> LengthClaims:
    """Compute the numbers behind the papers' claims, in closed form except for log n."""
    n = np.array([SHORTEST, MOST_KEYS], dtype=float)
    gap, factor = _FIGURE[0] - _FIGURE[1], SCALING_RULES["ssmax"].options["ssmax_s"] * np.log(n)
    plain, ssmax = (1.0 / (1.0 + (n - 1.0) * np.exp(-each * gap)) for each in (1.0, factor))
    quiet = n * math.exp(_QUIET) / (1.0 + n * math.exp(_QUIET))
    found = fading_weights(params, [each for each in LENGTHS if each >= params.n_train])
    kept = found.weights[found.names.index("log_n")]
    first = np.exp((n - 1.0) * log_ndtr(params.score))
    few = [(float(low), float(high)) for low, high in (plain, ssmax, quiet, first)]
    root, ends = SCALING_RULES["yarn"].check(), (float(kept.min()), float(kept.max()))
    return LengthClaims((SHORTEST, MOST_KEYS), few[0], few[1], few[2], root, *ends, few[3])
