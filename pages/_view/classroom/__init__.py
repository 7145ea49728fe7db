"""A class on its phones: what it is asked at each moment, and the store of its answers."""
