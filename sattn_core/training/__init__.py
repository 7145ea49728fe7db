"""Training of attention, and records of trained models."""
