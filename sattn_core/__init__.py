"""Scaled dot-product attention, and why it divides by the square root of d_k."""

from sattn_core.components import COMPONENT_LAWS, append_coordinates, draw_queries_and_keys
from sattn_core.sweep import DimensionSweep, dimension_sweep

__all__ = [
    "COMPONENT_LAWS",
    "DimensionSweep",
    "append_coordinates",
    "dimension_sweep",
    "draw_queries_and_keys",
]
