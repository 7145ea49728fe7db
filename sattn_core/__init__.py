"""Scaled dot-product attention, and why it divides by the square root of d_k."""

from sattn_core.bands.matrix_variance import ScoreVarianceMoments, score_variance_band, score_variance_moments
from sattn_core.draws.pair_scores import draw_pair_scores
from sattn_core.draws.sweep import DimensionSweep, dimension_sweep
from sattn_core.files.score_report import ScoreReport, measure_scores
from sattn_core.laws.components import COMPONENT_LAWS, ComponentLaw, PairLaw, append_components, draw_queries_and_keys
from sattn_core.laws.dot_product import dot_product_cdf, dot_product_pdf, dot_product_ppf
from sattn_core.laws.moments import (
    DotProductMoments,
    correlated_pair_moments,
    dot_product_moments,
    paired_score_moments,
    product_variance,
)
from sattn_core.laws.one_key import expected_key_weight
from sattn_core.laws.saturation import (
    ExpectedSoftmax,
    critical_score_std,
    expected_attention,
    expected_attention_curve,
    expected_softmax,
    own_share_limit,
)
from sattn_core.layers.attention import AttentionGradients, AttentionSteps, attention, attention_backward
from sattn_core.layers.binary_formats import BINARY_FORMATS, BinaryFormat, round_to_format
from sattn_core.layers.initialisation import INIT_SCHEMES, ProjectionVariance, projection_variance
from sattn_core.layers.layer_norm import layer_norm
from sattn_core.layers.outputs import own_share
from sattn_core.layers.products import frobenius, hadamard, row_wise_dot
from sattn_core.layers.rules import SCALING_RULES, ScalingRule
from sattn_core.layers.scores import raw_scores, scale_factor
from sattn_core.layers.softmax import (
    effective_keys,
    entropy_nats,
    log_softmax,
    softmax,
    softmax_jacobian,
    softmax_jacobian_norm,
)
from sattn_core.training.key_value_memory import KeyValueMemoryParams, MemoryCheckpoint, train_key_value_memory

__version__ = "1.0.0"

__all__ = [
    "BINARY_FORMATS",
    "COMPONENT_LAWS",
    "INIT_SCHEMES",
    "SCALING_RULES",
    "AttentionGradients",
    "AttentionSteps",
    "BinaryFormat",
    "ComponentLaw",
    "DimensionSweep",
    "DotProductMoments",
    "ExpectedSoftmax",
    "KeyValueMemoryParams",
    "MemoryCheckpoint",
    "PairLaw",
    "ProjectionVariance",
    "ScalingRule",
    "ScoreReport",
    "ScoreVarianceMoments",
    "append_components",
    "attention",
    "attention_backward",
    "correlated_pair_moments",
    "critical_score_std",
    "dimension_sweep",
    "dot_product_cdf",
    "dot_product_moments",
    "dot_product_pdf",
    "dot_product_ppf",
    "draw_pair_scores",
    "draw_queries_and_keys",
    "effective_keys",
    "entropy_nats",
    "expected_attention",
    "expected_attention_curve",
    "expected_key_weight",
    "expected_softmax",
    "frobenius",
    "hadamard",
    "layer_norm",
    "log_softmax",
    "measure_scores",
    "own_share",
    "own_share_limit",
    "paired_score_moments",
    "product_variance",
    "projection_variance",
    "raw_scores",
    "round_to_format",
    "row_wise_dot",
    "scale_factor",
    "score_variance_band",
    "score_variance_moments",
    "softmax",
    "softmax_jacobian",
    "softmax_jacobian_norm",
    "train_key_value_memory",
]
