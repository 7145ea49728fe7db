"""Example sentence of all lessons that show four keys: its word "it" attends to four other words."""

SENTENCE = "On the mat the cat slept: it was tired."
QUERY_WORD = "it"
KEY_WORDS = ("mat", "cat", "slept", "tired")  # in the order of the sentence


def key_words(n_keys: int) -> tuple[str, ...]:
    """Return the four words if n_keys is 4, otherwise an empty tuple."""
    return KEY_WORDS if n_keys == len(KEY_WORDS) else ()
