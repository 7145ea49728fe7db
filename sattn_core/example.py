"""The example of the lessons, wherever four keys are shown: the word "it" of a sentence attends to four others."""

SENTENCE = "On the mat the cat slept: it was tired."
QUERY_WORD = "it"
KEY_WORDS = ("mat", "cat", "slept", "tired")  # in the order of the sentence


def key_words(n_keys: int) -> tuple[str, ...]:
    """Return the four words if n_keys is 4, otherwise none: other numbers of keys have no names."""
    return KEY_WORDS if n_keys == len(KEY_WORDS) else ()
