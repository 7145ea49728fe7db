"""Published rules for scaling scores, as functions of the raw scores and other inputs."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, SupportsFloat

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sattn_core._checks import broadcasts_to, check_array, check_integer, check_number, require_finite
from sattn_core.layers.layer_norm import layer_norm
from sattn_core.layers.softmax import entropy_nats

CONTEXT = ("d_k", "Q", "K", "sigma_q", "sigma_k")  # inputs that every rule accepts besides the raw scores
_ADAPTIVE = (-0.037, 0.481, -2.3, 4.917, -1.791)  # coefficients of β in the entropy, highest power first


@dataclass(frozen=True, eq=False)
class ScalingRule:
    """Rule that turns raw scores q·k into the scores that enter the softmax.

    Attributes
    ----------
    name, title : str
        Key in `SCALING_RULES`, and name to display.
    formula : str
        LaTeX formula; s is the raw score q·k, d is d_k.
    fixes : str
        Problem that the rule solves.
    source : str
        Citation, and the place of the formula.
    needs : tuple of str
        Inputs among d_k, Q, K, sigma_q and sigma_k that `apply` requires besides the raw scores.
    options : mapping
        Options of this rule and their defaults.
    check_text : str
        Description of the number that `check()` computes.

    Examples
    --------
    >>> SCALING_RULES["vaswani"].apply([[8.0, 16.0]], d_k=64)
    array([[1., 2.]])
    """

    name: str
    title: str
    formula: str
    fixes: str
    source: str
    needs: tuple[str, ...]
    function: Callable[..., NDArray[np.float64]] = field(repr=False)
    check_text: str
    checked: Callable[[], SupportsFloat] = field(repr=False)
    options: MappingProxyType[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    def apply(
        self,
        raw_scores: ArrayLike,
        *,
        d_k: int | None = None,
        Q: ArrayLike | None = None,
        K: ArrayLike | None = None,
        sigma_q: float | None = None,
        sigma_k: float | None = None,
        **options: Any,
    ) -> NDArray[np.float64]:
        """Return the scores that enter the softmax, of the shape of raw_scores (…, n_queries, n_keys).

        Raw scores must be finite, because masking comes after the rule. The other inputs may have at most as
        many axes as the scores; with fewer axes they serve all heads. Every rule accepts d_k, Q, K and the largest
        singular values, whether it needs them or not; Q and K must be those of the raw scores. The options
        must be options of this rule.
        """
        scores = check_array("raw_scores", raw_scores, min_ndim=2, min_length=1)
        self._check_options(options)
        context = dict(zip(CONTEXT, (d_k, Q, K, sigma_q, sigma_k), strict=True))
        missing = [name for name in self.needs if context[name] is None]
        if missing:
            raise TypeError(f"the rule {self.name} needs {', '.join(missing)} besides the raw scores")
        context |= _check_rows(raw_scores, scores, d_k, Q, K)
        given = {name: context[name] for name in self.needs} | self.options | options
        with np.errstate(over="ignore", invalid="ignore"):
            return require_finite(f"the scores after {self.title}", self.function(scores, **given))

    def _check_options(self, options):
        unknown = [name for name in options if name not in self.options]
        if unknown:
            allowed = f"one of {', '.join(self.options)}" if self.options else "left out, for it has none"
            raise TypeError(f"an option of the rule {self.name} must be {allowed}, but got {', '.join(unknown)}")

    def check(self) -> float:
        """Compute and return the number that `check_text` describes."""
        return float(self.checked())


def min_entropy_bound(spectral_bound: float, n_keys: int) -> float:
    """Return the smallest entropy of a row of norm at most σ: H = ln(1 + (n−1)b) + σ√(n(n−1)) b/(1 + (n−1)b).

    b = e^(−σ√(n/(n−1))). Reference: Zhai et al. (2023), arXiv:2303.06296, which asks for such a bound.
    """
    n, sigma = check_integer("n_keys", n_keys, 2), check_number("spectral_bound", spectral_bound, 0)
    b = math.exp(-sigma * math.sqrt(n / (n - 1)))
    return math.log1p((n - 1) * b) + sigma * math.sqrt(n * (n - 1)) * b / (1 + (n - 1) * b)


def _d_k(d_k):
    return check_integer("d_k", d_k, 1)


def _positive(name, value):
    return check_number(name, value, 0, open_low=True)


def _vaswani(scores, d_k):
    return scores / math.sqrt(_d_k(d_k))


def _no_scale(scores):
    return scores


def _mup(scores, d_k, mup_alpha):
    return scores * (_positive("mup_alpha", mup_alpha) / _d_k(d_k))


def _granite(scores, attention_multiplier):
    return scores * _positive("attention_multiplier", attention_multiplier)


def _gemma_2(scores, query_pre_attn_scalar):
    return scores / math.sqrt(_positive("query_pre_attn_scalar", query_pre_attn_scalar))


def _check_rows(raw_scores, scores, d_k, Q, K):
    """Return Q and K as arrays, if given; raise ValueError if the raw scores are not Q Kᵀ."""
    rows = {}
    for name, value, n_rows, what in (("Q", Q, scores.shape[-2], "queries"), ("K", K, scores.shape[-1], "keys")):
        if value is not None:
            rows[name] = array = check_array(name, value, min_ndim=2, min_length=1)
            if array.shape[-2] != n_rows:
                rule = f"the {n_rows} rows that the scores have {what}"
                raise ValueError(f"{name} must have {rule}, but got {array.shape[-2]}")
            _check_fits(f"the heads of {name}", array.shape[:-2], scores.shape[:-2])
            if d_k is not None and check_integer("d_k", d_k, 1) != array.shape[-1]:
                raise ValueError(f"d_k must be the {array.shape[-1]} columns of {name}, but got {d_k}")
    if len(rows) == 2:
        _check_product(scores, **rows, unit=max(map(_rounding_unit, (raw_scores, Q, K))))
    return rows


def _check_product(scores, Q, K, unit):
    if Q.shape[-1] != K.shape[-1]:
        raise ValueError(f"Q and K must have the same d_k (columns), but got shapes {Q.shape} and {K.shape}")
    with np.errstate(over="ignore", invalid="ignore"):
        product = Q @ K.swapaxes(-1, -2)
        off = np.abs(scores - product)
        sizes = np.linalg.norm(Q, axis=-1)[..., :, None] * np.linalg.norm(K, axis=-1)[..., None, :]
    # In any order, a sum of d_k products has a rounding error of at most d_k units of |q||k|. The raw scores and Q Kᵀ
    # are such sums.
    wrong = off > 4 * (Q.shape[-1] + 2) * unit * sizes
    if wrong.any():
        got, at = np.broadcast_to(product, scores.shape)[wrong][0], tuple(int(i) for i in np.argwhere(wrong)[0])
        raise ValueError(f"raw_scores must be Q Kᵀ of the Q and K given with them, {got:.6g} at {at}, but got "
                         f"{scores[at]:.6g}")  # fmt: skip


def _rounding_unit(value):
    """Return the rounding unit of the type in which the numbers were given; lists and integers count as float64."""
    dtype = np.asarray(value).dtype
    if dtype.isbuiltin == 2:  # a registered type such as bfloat16, whose precision NumPy does not know
        steps = np.ldexp(1.0, -np.arange(53))
        return float(steps[(1 + steps).astype(dtype).astype(np.float64) != 1].min())
    return float(np.finfo(dtype if dtype.kind == "f" else np.float64).eps)


def _check_fits(name, shape, wanted):
    if not broadcasts_to(shape, wanted):
        raise ValueError(f"{name} must have the shape {wanted} of the raw scores or repeat to it, but got {shape}")


def _cosines(scores, Q, K):
    norms = np.linalg.norm(Q, axis=-1)[..., :, None] * np.linalg.norm(K, axis=-1)[..., None, :]
    if (norms == 0).any():
        raise ValueError("Q and K must have no row of zeros for a cosine, but got one")
    return scores / require_finite("each norm of a row of Q times that of a row of K", norms)


def _qk_norm(scores, Q, K, qk_norm_length, qk_norm_gain):
    cosines = _cosines(scores, Q, K)
    if qk_norm_gain is None:
        default = max(scores.shape[-1], 3)
        length = check_integer("qk_norm_length", default if qk_norm_length is None else qk_norm_length, 3)
        qk_norm_gain = math.log2(length**2 - length)
    return check_number("qk_norm_gain", qk_norm_gain) * cosines


def _vit_22b(scores, Q, K):
    normed = layer_norm(Q) @ layer_norm(K).swapaxes(-1, -2) / math.sqrt(Q.shape[-1])
    return np.broadcast_to(normed, scores.shape).copy()


def _swin_v2(scores, Q, K, swin_tau, position_bias):
    tau = check_number("swin_tau", swin_tau, 0.01)
    return _cosines(scores, Q, K) / tau + _bias(scores, position_bias)


def _swin_v1(scores, d_k, position_bias):
    return scores / math.sqrt(_d_k(d_k)) + _bias(scores, position_bias)


def _bias(scores, position_bias):
    bias = check_array("position_bias", position_bias)
    _check_fits("position_bias", bias.shape, scores.shape)
    return bias


def _soft_cap(scores, d_k, soft_cap):
    cap = _positive("soft_cap", soft_cap)
    return cap * np.tanh(scores / (math.sqrt(_d_k(d_k)) * cap))


def _sigma_reparam(scores, d_k, sigma_q, sigma_k, gamma):
    """Return the scores for W ← γ W/σ_max(W) in both projections; each score is divided by both singular values."""
    shrink = _positive("gamma", gamma) ** 2 / (_positive("sigma_q", sigma_q) * _positive("sigma_k", sigma_k))
    return scores * (shrink / math.sqrt(_d_k(d_k)))


def _log_n(scores, d_k, n_train):
    n_train = check_integer("n_train", n_train, 2)
    return scores * (math.log(scores.shape[-1]) / math.log(n_train) / math.sqrt(_d_k(d_k)))


def _ssmax(scores, d_k, ssmax_s):
    return scores * (check_number("ssmax_s", ssmax_s) * math.log(scores.shape[-1]) / math.sqrt(_d_k(d_k)))


def _yarn(scores, d_k, extension):
    root = 0.1 * math.log(check_number("extension", extension, 1)) + 1  # √(1/t), applied to q and to k
    return scores * (root**2 / math.sqrt(_d_k(d_k)))


def _llama_4(scores, d_k, positions):
    positions = check_array("positions", positions)
    _check_fits("positions", positions.shape, scores.shape[:-1])
    if (positions < 0).any():
        raise ValueError(f"positions must be at least 0, but got {positions.min():g}")
    temperature = 1 + 0.1 * np.log(np.floor((positions + 1) / 8192) + 1)
    return scores / math.sqrt(_d_k(d_k)) * temperature[..., None]


def _t5(scores, d_k):
    """Divide by √d_k; T5 itself does not, but its initial W_Q is √d_k times smaller."""
    return scores / math.sqrt(_d_k(d_k))


def _qk_clip(scores, d_k, clip_tau):
    scaled = scores / math.sqrt(_d_k(d_k))
    largest = scaled.max(axis=(-1, -2), keepdims=True, initial=0.0)
    return scaled * (_positive("clip_tau", clip_tau) / np.maximum(largest, clip_tau))


def _adaptive_temperature(scores, d_k):
    scaled = scores / math.sqrt(_d_k(d_k))
    return scaled * adaptive_beta(entropy_nats(scaled))[..., None]


def adaptive_beta(entropy: ArrayLike) -> NDArray[np.float64]:
    """Return the inverse temperature of the adaptive rule, a polynomial of the entropy; 1 up to 0.5 nats."""
    entropy = check_array("entropy", entropy)
    return np.where(entropy > 0.5, np.maximum(np.polyval(_ADAPTIVE, entropy), 1.0), 1.0)


def _key_length_sum(scores, K):
    total = np.linalg.norm(K, axis=-1).sum(axis=-1)
    if (total == 0).any():
        raise ValueError("K must have a key that is not 0, but all are")
    return scores / require_finite("the sum of the key lengths", total)[..., None, None]


def _one_score(name, score, **context):
    return SCALING_RULES[name].apply([[score]], **context)[0, 0]


def _sharpest_vit_score():
    row = np.arange(64.0)[None]
    return SCALING_RULES["vit_22b"].apply(row @ row.T, Q=row, K=row)[0, 0]


def _options(**defaults):
    return MappingProxyType(defaults)


SCALING_RULES: Mapping[str, ScalingRule] = MappingProxyType(
    {
        rule.name: rule
        for rule in (
            ScalingRule(
                "vaswani", "1/√d_k", r"s/\sqrt{d}", "Spread of the scores of independent q and k at the start.",
                "Vaswani et al. (2017), arXiv:1706.03762, section 3.2.1", ("d_k",), _vaswani,
                "Multiplier at d_k = 64", lambda: _one_score("vaswani", 1.0, d_k=64),
            ),
            ScalingRule(
                "no_scale", "No scale", "s", "Nothing: the comparison.",
                "Luong, Pham and Manning (2015), arXiv:1508.04025, the score “dot”", (), _no_scale,
                "Score 8 stays", lambda: _one_score("no_scale", 8.0),
            ),
            ScalingRule(
                "mup", "muP", r"\alpha s/d", "q and k that align while training, so that q·k grows "
                "like d. With muP's own start and a rate for each kind of weight, what suits a small width then suits "
                "a large one; of random q and k it says nothing. Its code has α = 8: 1/√d at d = 64.",
                "Yang et al. (2022), arXiv:2203.03466; README of microsoft/mup", ("d_k",), _mup,
                "Multiplier 8/d at d_k = 256", lambda: _one_score("mup", 1.0, d_k=256, mup_alpha=8.0),
                _options(mup_alpha=1.0),
            ),
            ScalingRule(
                "granite", "Granite 3 (8B)", r"m\,s,\quad m=1/128\text{ for heads of }128",
                "muP's 1/d in production: the 2B model with heads of 64 has m = 1/64.",
                "attention_multiplier in config.json of models derived from Granite 3.2", (), _granite,
                "Multiplier", lambda: _one_score("granite", 1.0), _options(attention_multiplier=1 / 128),
            ),
            ScalingRule(
                "qk_norm", "QKNorm", r"g\,\hat q\cdot\hat k,\quad g_0=\log_2(L^2-L)",
                "Bounds every score by a learned gain g.",
                "Henry et al. (2020), arXiv:2010.04245; code CyndxAI/QKNorm", ("Q", "K"), _qk_norm,
                "Starting gain at L = 100",
                lambda: _one_score("qk_norm", 1.0, Q=[[1.0]], K=[[1.0]], qk_norm_length=100),
                _options(qk_norm_length=None, qk_norm_gain=None),
            ),
            ScalingRule(
                "vit_22b", "ViT-22B", r"\mathrm{LN}(q)\cdot\mathrm{LN}(k)/\sqrt{d}",
                "Scores that grow in training until attention is one-hot and the loss diverges.",
                "Dehghani et al. (2023), arXiv:2302.05442; normalize_qk in the attention of google/flax",
                ("Q", "K"), _vit_22b,
                "Largest possible score at d_k = 64 (q = k)", _sharpest_vit_score,
            ),
            ScalingRule(
                "swin_v2", "Swin v2 (cosine)", r"\cos(q,k)/\tau+B", "A few pixel pairs that dominate a large "
                "post-norm network; τ is learned, above 0.01.",
                "Liu et al. (2022), arXiv:2111.09883; code microsoft/Swin-Transformer, swin_transformer_v2.py",
                ("Q", "K"), _swin_v2,
                "Largest multiplier, τ = 0.01",
                lambda: _one_score("swin_v2", 1.0, Q=[[1.0]], K=[[1.0]], swin_tau=0.01),
                _options(swin_tau=0.1, position_bias=0.0),
            ),
            ScalingRule(
                "swin_v1", "Swin v1", r"s/\sqrt{d}+B", "Adds where a key stands relative to the query.",
                "Liu et al. (2021), arXiv:2103.14030; code microsoft/Swin-Transformer, swin_transformer.py",
                ("d_k",), _swin_v1,
                "Score of s = 8 at d_k = 64, B = 1",
                lambda: _one_score("swin_v1", 8.0, d_k=64, position_bias=1.0), _options(position_bias=0.0),
            ),
            ScalingRule(
                "soft_cap", "Soft-capping (Gemma 2)", r"c\tanh(s/(c\sqrt d)),\quad c=50",
                "A hard bound on the scores with a smooth slope.",
                "Gemma Team (2024), arXiv:2408.00118; code google/gemma_pytorch, model.py", ("d_k",), _soft_cap,
                "Scaled score 100 after capping", lambda: _one_score("soft_cap", 100.0, d_k=1),
                _options(soft_cap=50.0),
            ),
            ScalingRule(
                "gemma_2_27b", "Gemma 2 27B", r"s/\sqrt{144},\quad 144=4608/32\text{, heads of }128",
                "Shows that the divisor need not be the head size.",
                "query_pre_attn_scalar in google/gemma_pytorch, config.py", (), _gemma_2,
                "Multiplier", lambda: _one_score("gemma_2_27b", 1.0), _options(query_pre_attn_scalar=144.0),
            ),
            ScalingRule(
                "sigma_reparam", "σReparam", r"W\leftarrow\gamma W/\sigma_{\max}(W)",
                "Entropy collapse: a bound on the spectral norms bounds the entropy from below.",
                "Zhai et al. (2023), arXiv:2303.06296; code apple/ml-sigma-reparam, vision/layers.py",
                ("d_k", "sigma_q", "sigma_k"), _sigma_reparam,
                "Smallest entropy of 64 keys at row norm 8, nats", lambda: min_entropy_bound(8.0, 64),
                _options(gamma=1.0),
            ),
            ScalingRule(
                "log_n", "log n", r"\frac{\ln n}{\ln n_0}\,s/\sqrt{d}",
                "Attention that gets flatter when there are more keys than the n₀ of training. Here n₀ = 512, and the "
                "factor counts at every n; Qwen's code has it beyond n₀ only.",
                "Chiang and Cholak (2022), arXiv:2202.12172, code ndnlp/parity (ln n); code of Qwen (ln n/ln n₀)",
                ("d_k",), _log_n,
                "Multiplier of one key pair at n = n₀ = 2 and d_k = 1",
                lambda: SCALING_RULES["log_n"].apply([[1.0, 1.0]], d_k=1, n_train=2)[0, 0],
                _options(n_train=512),
            ),
            ScalingRule(
                "ssmax", "Scalable softmax (SSMax)", r"s_0\ln(n)\,s/\sqrt{d}",
                "Attention that fades as n grows. A model learns s₀ for each head; 0.43 is the value of the paper's "
                "illustrative figure, not a trained one.",
                "Nakanishi (2025), arXiv:2501.19399, figure 1 for 0.43", ("d_k",), _ssmax,
                "Multiplier at s₀ = 0.43, n = 1024, before 1/√d_k",
                lambda: SCALING_RULES["ssmax"].apply(np.ones((1, 1024)), d_k=1)[0, 0],
                _options(ssmax_s=0.43),
            ),
            ScalingRule(
                "yarn", "YaRN", r"s/(t\sqrt d),\quad \sqrt{1/t}=0.1\ln(\text{extension})+1",
                "A context extended beyond the trained length.",
                "Peng et al. (2023), arXiv:2309.00071; code jquesnelle/yarn, get_mscale", ("d_k",), _yarn,
                "√(1/t) at 16 times the length", lambda: math.sqrt(_one_score("yarn", 1.0, d_k=1)),
                _options(extension=16.0),
            ),
            ScalingRule(
                "llama_4", "Llama 4 (layers without position encoding)",
                r"\bigl(1+0.1\ln(\lfloor (p+1)/8192\rfloor+1)\bigr)\,s/\sqrt d",
                "Long contexts at inference: a query far down the text is sharpened.",
                "Code meta-llama/llama-models, models/llama4/model.py", ("d_k",), _llama_4,
                "Multiplier at position 131071, before 1/√d_k",
                lambda: _one_score("llama_4", 1.0, d_k=1, positions=[131071]), _options(positions=131071),
            ),
            ScalingRule(
                "t5", "T5 (folded into the start)", r"s,\quad q\text{ drawn with std }1/\sqrt{E d}",
                "Nothing at run time: the factor sits in the starting W_Q. Shown for unit-variance q and k.",
                "Raffel et al. (2019), arXiv:1910.10683; comment in google-research/t5x, layers.py", ("d_k",), _t5,
                "Variance of the scores at the start, d_k = 64",
                lambda: 64 * _one_score("t5", 1.0, d_k=64) ** 2,
            ),
            ScalingRule(
                "qk_clip", "QK-Clip (Kimi K2)", r"s/\sqrt d\cdot\min(1,\tau/S_{\max}),\quad\tau=100",
                "Scores that explode under the Muon optimiser: after a step W_Q and W_K of a head with keys of its own "
                "both shrink by √(τ/S_max). Where heads share a rotary key, that key stays as it is and the rotary "
                "query takes the whole factor τ/S_max.",
                "Kimi Team (2025), arXiv:2507.20534, algorithm 1", ("d_k",), _qk_clip,
                "Scaled score 250 after clipping", lambda: _one_score("qk_clip", 250.0, d_k=1),
                _options(clip_tau=100.0),
            ),
            ScalingRule(
                "adaptive_temperature", "Adaptive temperature", r"\beta(H)\,s/\sqrt d",
                "Bounded scores over many keys cannot stay sharp: flat rows are sharpened.",
                "Veličković et al. (2024), arXiv:2410.01104", ("d_k",), _adaptive_temperature,
                "β at 2 nats", lambda: adaptive_beta(2.0),
            ),
            ScalingRule(
                "key_length_sum", "Sum of key lengths", r"s/\sum_j |k_j|",
                "A simulation study of alternatives; the whole row shrinks with n.",
                "“Alternatives to the Scaled Dot Product for Attention”, arXiv:2311.09406, abstract",
                ("K",), _key_length_sum,
                "Score 10 over keys of lengths 1 and 4",
                lambda: SCALING_RULES["key_length_sum"].apply([[10.0, 10.0]], K=[[1.0], [-4.0]])[0, 0],
            ),
        )
    }
)  # fmt: skip
