"""The words of the example sentence."""

import pytest

from sattn_core.example import KEY_WORDS, QUERY_WORD, SENTENCE, key_words


def test_sentence_has_the_key_words_in_order_and_the_query_once():
    words = SENTENCE.replace(":", "").replace(".", "").split()
    assert [word for word in words if word in KEY_WORDS] == list(KEY_WORDS)
    assert words.count(QUERY_WORD) == 1


@pytest.mark.parametrize(("n_keys", "words"), [(3, ()), (4, ("mat", "cat", "slept", "tired")), (5, ())])
def test_keys_have_words_only_if_there_are_four(n_keys, words):
    assert key_words(n_keys) == words
