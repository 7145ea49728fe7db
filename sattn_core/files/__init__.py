"""Queries and keys of unknown origin: read from text and files, and reported on."""
