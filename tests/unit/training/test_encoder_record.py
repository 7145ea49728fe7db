import json

import numpy as np
import pytest

from sattn_core.training import encoder_record
from sattn_core.training.encoder import EncoderRun


def test_file_is_small_and_names_its_source():
    assert encoder_record.FILE.stat().st_size <= 2_000_000
    assert encoder_record.provenance()["model.safetensors, sha256"] == encoder_record.SHA256
    assert encoder_record.provenance()["license"] == "Apache License 2.0"
    assert encoder_record.D_MODEL == encoder_record.N_HEADS * encoder_record.D_K


@pytest.mark.parametrize("name", encoder_record.TEXTS)
def test_record_of_a_text_is_complete(name):
    found = encoder_record.recorded(name)
    shape = (encoder_record.N_LAYERS, encoder_record.N_HEADS, len(found.tokens), encoder_record.D_K)
    assert found.queries.shape == found.keys.shape == shape
    assert found.queries.dtype == found.keys.dtype == np.float16
    assert np.isfinite(found.queries).all()
    assert np.isfinite(found.keys).all()
    assert found.cosines.shape == (len(encoder_record.EXPONENTS), encoder_record.N_LAYERS)
    assert (found.tokens[0], found.tokens[-1]) == ("[CLS]", "[SEP]")


@pytest.mark.parametrize("name", encoder_record.TEXTS)
def test_embeddings_have_cosine_1_only_with_the_trained_scale(name):
    found = encoder_record.recorded(name).cosines
    right = encoder_record.EXPONENTS.index(0.5)
    assert np.allclose(found[right], 1, rtol=0, atol=1e-6)
    assert (np.delete(found, right, axis=0) < 1).all()


def test_tokens_spell_their_text():
    for name in encoder_record.TEXTS:
        found = encoder_record.recorded(name)
        glued = "".join(token.removeprefix("##") for token in found.tokens[1:-1])
        assert glued == found.text.lower().replace(" ", "")


def test_shuffled_text_has_the_same_tokens_in_another_order():
    there, shuffled = encoder_record.recorded("paragraph").tokens, encoder_record.recorded("shuffled").tokens
    assert sorted(there) == sorted(shuffled)
    assert there != shuffled


def test_queries_depend_on_the_position():
    """Compare the queries of one word at two positions, in the first layer."""
    found = encoder_record.recorded("cat")
    first, second = (i for i, token in enumerate(found.tokens) if token == "the")
    assert not np.allclose(found.queries[0, :, first], found.queries[0, :, second], rtol=0, atol=0.01)


def test_run_is_recorded_in_half_precision():
    rng = np.random.default_rng(0)
    right, other = (EncoderRun(*rng.standard_normal((2, 1, 2, 3, 4)), rng.standard_normal((2, 3, 8))) for _ in "ab")
    found = encoder_record.as_recorded("mine", "a b", ["a", "b"], [right, other], right)
    assert np.allclose(found.queries, right.queries, rtol=1e-3, atol=1e-6)
    assert found.cosines.shape == (2, 1)
    assert abs(found.cosines[0, 0] - 1) < 1e-6
    expected = other.embeddings[1] @ right.embeddings[1]
    assert abs(found.cosines[1, 0] - expected) < 1e-6


def test_an_unknown_text_is_refused():
    with pytest.raises(ValueError, match="name must be one of paragraph, shuffled, pronoun, cat, list"):
        encoder_record.recorded("poem")


def test_provenance_can_be_read_without_the_core():
    with np.load(encoder_record.FILE) as kept:
        assert set(json.loads(str(kept["provenance"]))) == set(encoder_record.provenance())
