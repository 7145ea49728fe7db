"""The words of the example."""

import pytest

from sattn_core.example import KEY_WORDS, QUERY_WORD, SENTENCE, key_words


def test_the_words_of_the_keys_stand_in_the_sentence_in_their_order_and_the_query_once():
    words = SENTENCE.replace(":", "").replace(".", "").split()
    assert [word for word in words if word in KEY_WORDS] == list(KEY_WORDS)
    assert words.count(QUERY_WORD) == 1


@pytest.mark.parametrize(("n_keys", "words"), [(3, ()), (4, ("mat", "cat", "slept", "tired")), (5, ())])
def test_four_keys_have_names_and_others_have_none(n_keys, words):
    assert key_words(n_keys) == words
