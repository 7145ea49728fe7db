"""Attention that learns: trainings, and records of trained models."""
