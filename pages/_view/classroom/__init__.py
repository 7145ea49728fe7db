"""A class on its phones: its moment and its store."""
