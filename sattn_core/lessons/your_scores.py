"""Is √d_k right for my model? Report on the q and k of a file, and sample files to try."""

import io
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sattn_core._checks import check_choice, check_integer
from sattn_core.cost import proceed
from sattn_core.files.reading import OPTIONS as OPTIONS
from sattn_core.files.reading import Reading as Reading
from sattn_core.files.reading import ScoreFileError
from sattn_core.files.score_files import LIMITS as LIMITS
from sattn_core.files.score_files import SUFFIXES as SUFFIXES
from sattn_core.files.score_files import is_text as is_text
from sattn_core.files.score_files import read_as
from sattn_core.files.score_report import MAX_HEADS as MAX_HEADS
from sattn_core.files.score_report import HeadReport, ScoreReport, measure_scores
from sattn_core.laws.components import draw_queries_and_keys
from sattn_core.layers.initialisation import init_scheme
from sattn_core.layers.layer_norm import layer_norm
from sattn_core.training.encoder_record import N_HEADS, N_LAYERS, recorded

SAMPLES = MappingProxyType(
    {
        "ideal": "Independent N(0, 1) components: what the rule assumes.",
        "layer_norm_mha": "x through LayerNorm and PyTorch's nn.MultiheadAttention start, 8 heads: variance ½ each.",
        "aligned": "Query i and key i correlated by 0.5, as after training: their own scores grow like d_k.",
        "anisotropic": "A few shared directions hold most of the variance: √d_k divides too little.",
        "heavy_tailed": "Sparse components with rare large values: the variance is right, the tail is not.",
    }
)
# Samples recorded from a trained encoder on a paragraph: the 12 heads of one layer. They ignore n_rows, d_k and seed.
TRAINED = MappingProxyType({f"trained_{i}": f"Layer {i} of a trained encoder." for i in range(1, N_LAYERS + 1)})
HOOK_SNIPPET = """\
import numpy as np
import torch

saved = []
attend = torch.nn.functional.scaled_dot_product_attention


def keep(query, key, *others, **options):
    saved.append((query.detach(), key.detach()))
    return attend(query, key, *others, **options)


# model, and batch, an input of it, are yours. One of Transformers: load it with attn_implementation="sdpa".
# What it gets are q and k after their norm, if the model has one, and after the rotation. In a model that does not
# call it, save q and k on the line before their product.
torch.nn.functional.scaled_dot_product_attention = keep
try:
    with torch.no_grad():
        model(batch)
finally:
    torch.nn.functional.scaled_dot_product_attention = attend

Q, K = saved[0]  # of the first layer, each (batch, heads, n, d_k)
K = K.repeat_interleave(Q.shape[1] // K.shape[1], dim=1)  # several heads of q may share one of k
Q, K = (each[0].float().cpu().numpy() for each in (Q, K))  # the first element of the batch
np.savez("q_and_k.npz", Q=Q, K=K)
"""
_HEADS = 8  # heads of the layer_norm_mha sample
PRIVACY = "Your file is read in memory for this page only: it is not stored, not logged and not sent on."


@dataclass(frozen=True)
class YourScoresParams:
    """Settings of a sample file."""

    sample: str = "ideal"  # key of `SAMPLES` or `TRAINED`
    n_rows: int = 256  # 2 to 1,024: number of queries, and of keys
    d_k: int = 64  # 2 to 256
    seed: int = 0  # at least 0

    def __post_init__(self) -> None:
        check_choice("sample", self.sample, (*SAMPLES, *TRAINED))
        check_integer("n_rows", self.n_rows, 2, 1024)
        check_integer("d_k", self.d_k, 2, 256)
        check_integer("seed", self.seed, 0)

    @property
    def n_heads(self) -> int:
        """Number of heads: 8 for layer_norm_mha, 12 for a layer of the trained encoder, otherwise 1."""
        if self.sample in TRAINED:
            return N_HEADS
        return _HEADS if self.sample == "layer_norm_mha" else 1


@dataclass(frozen=True)
class HeadRow:
    """Row of one head in the table of heads."""

    head: int  # counted from 0
    q_variance: float
    k_variance: float
    scaled_std: float  # spread of the scaled scores within a row
    exponent: float
    exponent_low: float
    exponent_high: float
    paired_correlation: float
    paired_lift: float
    paired_exponent: float
    # d_k / shape_factor, the number of directions that the scores use; above d_k if q and k use different directions
    effective_dimension: float
    # entropy_nats, max_weight, effective_keys: measured on attention with 1/√d_k
    entropy_nats: float
    max_weight: float
    effective_keys: float
    # unit_scale, divisor: scale at which a row's scores spread like those of ideal q and k, and 1 / unit_scale
    unit_scale: float
    divisor: float
    code: str


@dataclass(frozen=True, eq=False)
class YourScoresResult:
    """Results that the page shows about one Q and K."""

    report: ScoreReport
    shown: HeadReport  # report on the head to draw
    head: int  # index of this head, from 0
    rows: tuple[HeadRow, ...]
    divisor: float  # √d_k
    # measured_density (96,): density of the shown head's scaled scores minus row means, in bins report.scaled_edges
    measured_density: NDArray[np.float64]
    # exponent_line (n_dims,): fitted power law of the spread at the dimensions m of shown.row_exponent.dims
    # ideal_line (n_dims,): power law m^½ through the middle of the same spreads
    exponent_line: NDArray[np.float64]
    ideal_line: NDArray[np.float64]
    uniform_entropy: float  # ln n_keys
    # Effective dimension to expect of n independent q, and of n independent k: d_k (n−1) / (n + d_k), which is below
    # d_k because a sample makes equal directions look unequal
    ideal_effective_dimension: tuple[float, float]
    taken: tuple[str, ...] = ()  # notes on the shapes of the file's arrays, and on every guess
    reading: Reading | None = None  # options for reading this file


def measure_your_scores(
    Q: ArrayLike, K: ArrayLike, *, head: int = 0, check: Callable[[], object] = proceed
) -> YourScoresResult:
    """Return all that the page shows about Q and K: the report of `measure_scores`, and one head's curves."""
    report = measure_scores(Q, K, check=check)
    head = check_integer("head", head, 0, report.n_heads - 1)
    shown = report.heads[head]
    inside = shown.scaled_counts / max(1, shown.scaled_counts.sum() + shown.scaled_below + shown.scaled_above)
    return YourScoresResult(
        report=report, shown=shown, head=head,
        rows=tuple(_head_row(h, each, report.d_k) for h, each in enumerate(report.heads)),
        divisor=math.sqrt(report.d_k),
        measured_density=inside / np.diff(report.scaled_edges),
        exponent_line=_line(shown.row_exponent, shown.row_exponent.value),
        ideal_line=_line(shown.row_exponent, 0.5),
        uniform_entropy=math.log(report.n_keys),
        ideal_effective_dimension=tuple(  # type: ignore[arg-type]  # two of them
            report.d_k * (n - 1) / (n + report.d_k) for n in (report.n_queries, report.n_keys)
        ),
    )  # fmt: skip


def read_your_scores(
    q_file: tuple[str, bytes],
    k_file: tuple[str, bytes] | None = None,
    *,
    head: int = 0,
    reading: Reading | None = None,
    check: Callable[[], object] = proceed,
) -> tuple[YourScoresResult, None] | tuple[None, str]:
    """Read one or two files and measure them; return (result, None), or (None, error message)."""
    try:
        Q, K, taken = read_as(q_file, k_file, reading)
        result = measure_your_scores(Q, K, head=min(head, len(Q) - 1) if Q.ndim == 3 else 0, check=check)
        return replace(result, taken=taken, reading=reading), None
    except ScoreFileError as problem:
        return None, str(problem)


def sample_scores(params: YourScoresParams) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return Q and K of one sample, shape (n_rows, d_k), or (n_heads, n_rows, d_k) if there are several heads."""
    n, d = params.n_rows, params.d_k
    if params.sample in TRAINED:
        return trained_layer(params.sample)
    if params.sample == "layer_norm_mha":
        return _layer_norm_mha(params)
    law = "sparse" if params.sample == "heavy_tailed" else "normal"
    correlation = 0.5 if params.sample == "aligned" else 0.0
    Q, K = draw_queries_and_keys(n, n, d, law=law, correlation=correlation, seed=params.seed)
    if params.sample == "anisotropic":
        sizes = np.exp(-8.0 * np.arange(d) / d)  # variances of the directions, before scaling to mean 1
        turn = np.linalg.qr(np.random.Generator(np.random.SFC64(params.seed)).standard_normal((d, d)))[0]
        # Make the variances exact: with two directions, chance alone would sometimes make the scores look right.
        Q, K = Q / np.sqrt(np.square(Q).mean(axis=0)), (K - K.mean(axis=0)) / K.std(axis=0)
        Q, K = (rows * np.sqrt(sizes / sizes.mean()) @ turn for rows in (Q, K))
    return Q, K


def trained_layer(sample: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the recorded Q and K of one layer's heads, each (12, n_tokens, 32)."""
    found, at = recorded("paragraph"), list(TRAINED).index(check_choice("sample", sample, tuple(TRAINED)))
    return found.queries[at].astype(np.float64), found.keys[at].astype(np.float64)


def sample_file(params: YourScoresParams) -> tuple[str, bytes]:
    """Return name and bytes of the sample as an .npz file."""
    Q, K = sample_scores(params)
    stream = io.BytesIO()
    np.savez_compressed(stream, Q=Q.astype(np.float32), K=K.astype(np.float32))
    return f"{params.sample}.npz", stream.getvalue()


def _layer_norm_mha(params):
    n_heads, d_model = params.n_heads, params.n_heads * params.d_k
    rng = np.random.Generator(np.random.SFC64(params.seed))
    x = layer_norm(rng.standard_normal((params.n_rows, d_model)))
    weights = init_scheme("torch_multihead_attention").draw(rng, d_model, n_heads, (2, d_model, d_model))
    return tuple((x @ W).reshape(-1, n_heads, params.d_k).swapaxes(0, 1) for W in weights)


def _head_row(index, head, d_k):
    scaled = head.saturation[1]
    return HeadRow(
        head=index,
        q_variance=head.query.variance, k_variance=head.key.variance,
        scaled_std=head.scaled_std,
        exponent=head.row_exponent.value, exponent_low=head.row_exponent.low, exponent_high=head.row_exponent.high,
        paired_correlation=head.paired_correlation, paired_lift=head.paired_lift,
        paired_exponent=head.paired_exponent.value,
        effective_dimension=d_k / head.shape_factor if head.shape_factor else math.nan,
        entropy_nats=scaled.entropy_nats, max_weight=scaled.max_weight, effective_keys=scaled.effective_keys,
        unit_scale=head.unit_scale, divisor=1 / head.unit_scale, code=head.code,
    )  # fmt: skip


def _line(fitted, exponent):
    """Return a power law, a straight line in log–log, with this exponent through the middle of the measured sizes."""
    sizes, dims = fitted.sizes, np.log(fitted.dims)
    if not (sizes > 0).all():
        return np.full(len(sizes), math.nan)
    return np.exp(np.log(sizes).mean() + exponent * (dims - dims.mean()))
