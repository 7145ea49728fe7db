"""Why √, and what else do people divide by? Exponents, published rules and real bugs.

Of all powers of d_k only d_k^½ keeps the variance of scores constant, and only d_k¹ the mean of aligned scores.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from sattn_core._checks import check_choice, check_dims, check_integer, check_number
from sattn_core._memory import remembered
from sattn_core.bands.standard_errors import mean_and_error, variance_error
from sattn_core.draws.pair_scores import growing_scores
from sattn_core.draws.short_answers import ShortAnswers as ShortAnswers
from sattn_core.draws.short_answers import short_answers as short_answers
from sattn_core.laws.components import PairLaw, draw_queries_and_keys
from sattn_core.laws.moments import correlated_pair_moments
from sattn_core.layers.attention import attention
from sattn_core.layers.initialisation import check_heads, init_scheme
from sattn_core.layers.layer_norm import layer_norm
from sattn_core.layers.rules import SCALING_RULES
from sattn_core.layers.softmax import entropy_nats, softmax

EXPONENT_DIMS = tuple(2**j for j in range(11))
RULE_DIMS = tuple(2**j for j in range(2, 11))
RULE_KEYS = tuple(2**j for j in range(2, 13))
# Most components of q and k, and most scores, per curve point; the smallest number of draws may exceed these limits
_CURVE_NUMBERS, _CURVE_SCORES = 300_000, 10_000


@dataclass(frozen=True)
class ExponentParams:
    """Scores scaled by d_k ** −exponent, for pairs (q, k) with correlation ρ."""

    exponent: float = 0.5  # 0 to 1
    correlation: float = 0.0  # −1 to 1
    n_samples: int = 4_000  # 100 to 100,000: number of pairs; a larger d_k appends components to the same pairs
    seed: int = 0  # at least 0

    def __post_init__(self) -> None:
        check_number("exponent", self.exponent, 0, 1)
        check_number("correlation", self.correlation, -1, 1)
        check_integer("n_samples", self.n_samples, 100, 100_000)
        check_integer("seed", self.seed, 0)


@dataclass(frozen=True, eq=False)
class ExponentCurve:
    """Moments of the scaled scores against d_k for one exponent; arrays have one entry per dimension."""

    exponent: float
    # variance, variance_error: measured variance of the scaled scores, and its standard error
    # variance_theory: (1 + ρ²) d_k^(1 − 2 exponent)
    variance: NDArray[np.float64]
    variance_theory: NDArray[np.float64]
    variance_error: NDArray[np.float64]
    # mean, mean_theory, mean_error: measured mean, ρ d_k^(1 − exponent), and the measured mean's standard error
    mean: NDArray[np.float64]
    mean_theory: NDArray[np.float64]
    mean_error: NDArray[np.float64]
    # variance_is_flat, mean_is_flat: True if the theory gives the same value at every d_k
    variance_is_flat: bool
    mean_is_flat: bool


@dataclass(frozen=True, eq=False)
class ExponentResult:
    """Curves for the learner's exponent and for 0, ½ and 1."""

    params: ExponentParams
    dims: tuple[int, ...]
    curves: tuple[ExponentCurve, ...]  # for the learner's exponent, then for 0, ½ and 1 where different


@dataclass(frozen=True)
class RulesParams:
    """Settings of the scores to which all rules are applied."""

    d_k: int = 64  # 1 to 1,024
    n_keys: int = 64  # 2 to 4,096
    n_queries: int = 32  # 1 to 64
    correlation: float = 0.0  # −1 to 1, between query i and key i: 0 before training, positive after it
    seed: int = 0  # at least 0

    def __post_init__(self) -> None:
        check_integer("d_k", self.d_k, 1, 1024)
        check_integer("n_keys", self.n_keys, 2, 4096)
        check_integer("n_queries", self.n_queries, 1, 64)
        check_number("correlation", self.correlation, -1, 1)
        check_integer("seed", self.seed, 0)


@dataclass(frozen=True, eq=False)
class RuleResult:
    """One rule applied to the shared scores, and the texts of its card."""

    name: str
    title: str
    formula: str
    fixes: str
    source: str
    check_text: str
    check_value: float  # computed value of the number in check_text
    # scores, attention_weights (n_keys,): scores of the first query after the rule, and their softmax
    scores: NDArray[np.float64]
    attention_weights: NDArray[np.float64]
    score_std: float  # mean standard deviation within a row, after the rule
    # entropy_nats, effective_keys, max_weight: means over the queries
    entropy_nats: float
    effective_keys: float
    max_weight: float


@dataclass(frozen=True, eq=False)
class RulesResult:
    """Results of all rules on the same scores."""

    params: RulesParams
    raw_scores: NDArray[np.float64]  # (n_keys,): raw scores of the first query
    rules: tuple[RuleResult, ...]  # in the order of `SCALING_RULES`


@dataclass(frozen=True, eq=False)
class RuleCurves:
    """Mean entropy of every rule against d_k and against n_keys."""

    params: RulesParams
    names: tuple[str, ...]
    dims: tuple[int, ...]
    n_keys: tuple[int, ...]
    # against_d_k, against_d_k_error (n_rules, n_dims): entropy at min(params.n_keys, 256) keys, and its standard error
    against_d_k: NDArray[np.float64]
    against_d_k_error: NDArray[np.float64]
    # against_n_keys, against_n_keys_error (n_rules, n_lengths): entropy at params.d_k, and its standard error
    against_n_keys: NDArray[np.float64]
    against_n_keys_error: NDArray[np.float64]
    uniform: NDArray[np.float64]  # (n_lengths,): ln n_keys, the largest possible entropy


@dataclass(frozen=True)
class Bug:
    """A real mistake in a published implementation."""

    name: str
    title: str
    cause: str
    # issue, url: public report of the mistake
    issue: str
    url: str
    note: str  # outcome or background of the report
    # ``factor(d_model, n_heads)`` is the wrong multiplier of the raw scores
    factor: Callable[[int, int], float] = field(repr=False)
    fused: bool = False  # True for Xavier on one fused matrix of Q, K and V, where the multiplier is right


@dataclass(frozen=True)
class BugParams:
    """Settings of attention with one bug: x is layer-normalised, and each projection has Xavier weights."""

    bug: str = "d_model"  # key of `BUGS`
    d_model: int = 512  # 2 to 1,024
    n_heads: int = 8
    n_tokens: int = 64  # 2 to 256
    seed: int = 0  # at least 0

    def __post_init__(self) -> None:
        check_choice("bug", self.bug, tuple(BUGS))
        check_integer("d_model", self.d_model, 2, 1024)
        check_heads(self.d_model, self.n_heads)
        check_integer("n_tokens", self.n_tokens, 2, 256)
        check_integer("seed", self.seed, 0)


@dataclass(frozen=True, eq=False)
class BugSide:
    """Measurements of the right or the wrong computation."""

    multiplier: float  # multiplier of the raw scores
    # score_std, predicted_std: root mean square of the scores that enter the softmax, and its prediction
    score_std: float
    predicted_std: float
    # entropy_nats, max_weight: means over queries and heads
    entropy_nats: float
    max_weight: float
    attention_weights: NDArray[np.float64]  # (n_tokens, n_tokens): weights of the first head


@dataclass(frozen=True, eq=False)
class BugResult:
    """Results of the wrong and of the right computation from the same x."""

    params: BugParams
    bug: Bug
    d_k: int
    right: BugSide
    wrong: BugSide
    output_error: float  # norm of (wrong output − right output) ÷ norm of the right output
    output_cosine: float  # cosine between the two outputs


def _github(repository, kind, number):
    return f"https://github.com/{repository}/{kind}/{number}"


BUGS = MappingProxyType(
    {
        bug.name: bug
        for bug in (
            Bug(
                "d_model", "d_model in place of d_k", "Divides by the square root of the model's width, not of the "
                "head's: the scores are √n_heads times too small and attention is too flat.",
                "karpathy/ng-video-lecture, pull request 6", _github("karpathy/ng-video-lecture", "pull", 6),
                "Merged; the same slip was fixed in vit-pytorch (issue 65) and many copies.",
                lambda E, H: E**-0.5,
            ),
            Bug(
                "forgotten", "Scale forgotten", "A fallback path calls attention with scale 1: the scores are √d_k "
                "times too large and attention is nearly one-hot.",
                "mlc-ai/mlc-llm, pull request 3426", _github("mlc-ai/mlc-llm", "pull", 3426),
                "Merged; on a BERT encoder the fix took the cosine to the reference from 0.862 to 0.999989.",
                lambda E, H: 1.0,
            ),
            Bug(
                "divided_by_scale", "Multiplied where it should divide", "scale is already 1/√d_k, and the code "
                "divides by it: the scores are multiplied by √d_k.",
                "esceptico/perceiver-io, issue 9", _github("esceptico/perceiver-io", "issues", 9),
                "Closed, fixed.",
                lambda E, H: (E // H) ** 0.5,
            ),
            Bug(
                "twice", "Applied twice", "The query is scaled, and then the attention function scales again by its "
                "default, which makes 1/d_k in all.",
                "huggingface/transformers, pull request 38290", _github("huggingface/transformers", "pull", 38290),
                "Merged; the OPT models scaled the query and left the default scale of the kernel on.",
                lambda E, H: H / E,
            ),
            Bug(
                "root_of_root", "√√d_k once", "1/√√d_k is right on q and on k, because the two multiply to 1/√d_k. On "
                "one of them alone it divides too little.",
                "openai/guided-diffusion, issue 38", _github("openai/guided-diffusion", "issues", 38),
                "No bug there: the code scales both. The issue shows how easily it is read as one.",
                lambda E, H: (E // H) ** -0.25,
            ),
            Bug(
                "latent", "Size of the latent in MLA", "MLA keeps one latent vector for all heads. Its "
                "size, 576 where a key has 192, took the place of the key's: the scores are √3 times too small and "
                "attention is too flat.",
                "vllm-project/vllm, pull request 48658", _github("vllm-project/vllm", "pull", 48658),
                "Reported with a fix, closed when read. In ollama, with 576 for 256, the fix is merged (pull request "
                "13893). Here the latent has three times the size of a key too.",
                lambda E, H: (3 * E // H) ** -0.5,
            ),
            Bug(
                "fused_qkv", "Xavier on a fused QKV matrix", "One matrix for Q, K and V has three times the outputs, "
                "so Xavier draws every weight √2 times too small: q, k and v have variance ½, the scores half the "
                "spread.",
                "pytorch/pytorch, issue 166378", _github("pytorch/pytorch", "issues", 166378),
                "Open when read; also asked in phlippe/uvadlc_notebooks, issue 92.",
                lambda E, H: (E // H) ** -0.5, True,
            ),
        )
    }
)  # fmt: skip


def measure_exponents(params: ExponentParams, dims: Sequence[int] = EXPONENT_DIMS) -> ExponentResult:
    """Measure variance and mean of q·k / d_k^α against d_k; in theory (1 + ρ²) d_k^(1−2α) and ρ d_k^(1−α)."""
    pair_law, dims = PairLaw(correlation=params.correlation), check_dims(dims)
    check_integer("the last entry of dims", dims[-1], 1, 1024)
    raw = np.array([(s.mean(), s.var(ddof=1)) for s in growing_scores(dims, params.n_samples, pair_law, params.seed)])
    exponents = (params.exponent, *(each for each in (0.0, 0.5, 1.0) if each != params.exponent))
    theory = [correlated_pair_moments(d_k, params.correlation) for d_k in dims]
    curves = tuple(_exponent_curve(exponent, params, dims, theory, *raw.T) for exponent in exponents)
    return ExponentResult(params, dims, curves)


def compare_rules(params: RulesParams) -> RulesResult:
    """Apply every rule of `SCALING_RULES` to the same raw scores.

    Learned parameters have their initial or published values: gains, τ, s₀, extension 16, position 131,071,
    n₀ = 512, and for σReparam the largest singular value of a random square projection, 2.
    """
    Q, K = _queries_and_keys(params, params.d_k, params.n_keys, params.n_queries)
    raw = Q @ K.T
    rules = tuple(_rule_result(rule, _applied(rule, raw, Q, K)) for rule in SCALING_RULES.values())
    return RulesResult(params, raw[0], rules)


def rule_curves(
    params: RulesParams, *, dims: Sequence[int] = RULE_DIMS, n_keys: Sequence[int] = RULE_KEYS
) -> RuleCurves:
    """Return the mean entropy of every rule against d_k and against the number of keys."""
    short, longest = min(params.n_keys, 256), max(dims)
    by_dimension = [_entropies(params, check_integer("an entry of dims", d, 1, 1024), short, longest) for d in dims]
    lengths = [check_integer("an entry of n_keys", n, 2, 4096) for n in n_keys]
    by_length = [_entropies(params, params.d_k, n, params.d_k) for n in lengths]
    return RuleCurves(
        params, tuple(SCALING_RULES), tuple(dims), tuple(n_keys), *np.transpose(by_dimension, (1, 2, 0)),
        *np.transpose(by_length, (1, 2, 0)), np.log(np.array(n_keys, dtype=np.float64)),
    )  # type: ignore[call-arg]  # fmt: skip


def measure_bug(params: BugParams) -> BugResult:
    """Run attention with a real bug and without it, on the same x, at the start of training."""
    return _bug_result(params, *_right_attention(params))


def measure_museum(params: BugParams) -> tuple[BugResult, ...]:
    """Run `measure_bug` for every bug of `BUGS`, on the same x."""
    right = _right_attention(params)
    return tuple(_bug_result(replace(params, bug=bug), *right) for bug in BUGS)


def _right_attention(params):
    """Return queries, keys and values of every head for a layer-normalised x, and the right attention on them."""
    E, H, n = params.d_model, params.n_heads, params.n_tokens
    rng = np.random.Generator(np.random.SFC64(params.seed))
    x = layer_norm(rng.standard_normal((n, E)))
    weights = init_scheme("xavier_square").draw(rng, E, H, (3, E, E))
    Q, K, V = ((x @ W).reshape(n, H, E // H).swapaxes(0, 1) for W in weights)
    return Q, K, V, attention(Q, K, V)


def _bug_result(params, Q, K, V, right):
    bug, E, H = BUGS[params.bug], params.d_model, params.n_heads
    d = E // H
    shrink = 0.5 if bug.fused else 1.0  # factor on Q Kᵀ, as Q and K are each √½ times as large
    wrong = attention(Q, K, math.sqrt(shrink) * V, scale=shrink * bug.factor(E, H))
    return BugResult(
        params=params, bug=bug, d_k=d,
        right=_bug_side(right, d**-0.5, d**-0.5, d),
        wrong=_bug_side(wrong, bug.factor(E, H), shrink * bug.factor(E, H), d),
        output_error=float(np.linalg.norm(wrong.output - right.output) / np.linalg.norm(right.output)),
        output_cosine=_cosine(wrong.output, right.output),
    )  # fmt: skip


def _exponent_curve(exponent, params, dims, theory, raw_mean, raw_variance):
    d, n = np.array(dims, dtype=np.float64), params.n_samples
    c = d**-exponent
    variance, mean = (np.array([getattr(each, name) for each in theory]) for name in ("variance", "mean"))
    excess = np.array([each.excess_kurtosis for each in theory])
    return ExponentCurve(
        exponent=exponent,
        variance=c**2 * raw_variance, variance_theory=c**2 * variance,
        variance_error=c**2 * variance_error(variance, excess, n),
        mean=c * raw_mean, mean_theory=c * mean, mean_error=c * np.sqrt(variance / n),
        variance_is_flat=exponent == 0.5, mean_is_flat=exponent == 1 or params.correlation == 0,
    )  # fmt: skip


def _queries_and_keys(params, d_k, n_keys, n_queries):
    return draw_queries_and_keys(n_queries, n_keys, d_k, correlation=params.correlation, seed=params.seed)


def _applied(rule, raw, Q, K):
    """Apply the rule to the inputs it needs; sigma_q and sigma_k are 2, as for a random square projection."""
    context = {"d_k": Q.shape[-1], "Q": Q, "K": K, "sigma_q": 2.0, "sigma_k": 2.0}
    return rule.apply(raw, **{name: context[name] for name in rule.needs})


@remembered(16)
def _check_value(name):
    """Return the number in the check_text of a rule; it does not depend on the scores."""
    return SCALING_RULES[name].check()


def _rule_result(rule, scores):
    entropy, weights = entropy_nats(scores), softmax(scores)
    return RuleResult(
        name=rule.name, title=rule.title, formula=rule.formula, fixes=rule.fixes, source=rule.source,
        check_text=rule.check_text, check_value=_check_value(rule.name),
        scores=scores[0].copy(), attention_weights=weights[0].copy(),
        score_std=float(scores.std(axis=-1).mean()), entropy_nats=float(entropy.mean()),
        effective_keys=float(np.exp(entropy).mean()), max_weight=float(weights.max(axis=-1).mean()),
    )  # fmt: skip


def _curve_draws(d_k, n_keys):
    """Return, for one curve point, the number of queries per draw, which share their keys, and the number of draws."""
    n_queries = 32 if n_keys > 64 else min(n_keys, 16)
    most = min(_CURVE_NUMBERS // ((n_queries + n_keys) * d_k), _CURVE_SCORES // (n_queries * n_keys))
    return n_queries, max(most, 4 if n_keys <= 256 else 1)


def _entropies(params, d_k, n_keys, longest):
    """Return the mean entropy of every rule at one d_k and n_keys, and its standard error, (2, n_rules).

    The number of draws depends on `longest`, the largest d_k of the curve, not on d_k.
    """
    n_queries, draws = _curve_draws(longest, n_keys)
    Q, K = _queries_and_keys(params, d_k, draws * n_keys, draws * n_queries)
    aligned, others = np.split(K, [draws * n_queries])  # keys paired with a query, and the other keys
    Q, aligned, others = (each.reshape(draws, -1, d_k) for each in (Q, aligned, others))
    K = np.concatenate([aligned, others], axis=1)
    raw = Q @ K.swapaxes(-1, -2)
    each = [entropy_nats(_applied(rule, raw, Q, K)).mean(axis=-1) for rule in SCALING_RULES.values()]
    return mean_and_error(np.array(each))


def _bug_side(steps, multiplier, effective, d_k):
    return BugSide(
        multiplier=multiplier,
        score_std=float(np.sqrt(np.square(steps.scaled_scores).mean())),
        predicted_std=effective * math.sqrt(d_k),
        entropy_nats=float(entropy_nats(steps.scaled_scores).mean()),
        max_weight=float(steps.attention_weights.max(axis=-1).mean()),
        attention_weights=steps.attention_weights[0].copy(),
    )


def _cosine(a, b):
    return float(np.sum(a * b) / (np.linalg.norm(a) * np.linalg.norm(b)))
