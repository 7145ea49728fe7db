"""Bands within which chance moves a measurement around its prediction."""
