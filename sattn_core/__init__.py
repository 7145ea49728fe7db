"""Scaled dot-product attention, and why it divides by the square root of d_k."""
