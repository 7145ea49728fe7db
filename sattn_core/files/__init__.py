"""Queries and keys of unknown origin: readers of text and files, and a report."""
