"""Bands around predictions, within which chance alone keeps most measurements."""
