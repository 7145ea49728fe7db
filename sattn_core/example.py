"""The example of the lessons: the sentence whose word "it" asks four others, wherever four keys are shown."""

SENTENCE = "On the mat the cat slept: it was tired."
QUERY_WORD = "it"
KEY_WORDS = ("mat", "cat", "slept", "tired")  # in the order of the sentence


def key_words(n_keys: int) -> tuple[str, ...]:
    """Return the words of four keys; none of another number of keys, which are not named."""
    return KEY_WORDS if n_keys == len(KEY_WORDS) else ()
