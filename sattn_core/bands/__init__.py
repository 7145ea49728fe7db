"""Bands: how far what is measured may lie from what the laws say."""
