"""Bands: how far chance may move a measurement from its prediction."""
