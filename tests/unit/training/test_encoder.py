import hashlib
import json
import struct

import numpy as np
import pytest

from sattn_core.training.encoder import cosines, encode, encode_price, open_weights

D_MODEL, N_HEADS, N_LAYERS, N_WORDS, N_PLACES = 12, 3, 2, 20, 9
TOKENS = (3, 17, 0, 3, 9)


def random_weights(seed=0):
    """Return random weights of a small encoder, with BERT's names and shapes."""
    rng = np.random.default_rng(seed)
    shapes = {
        "embeddings.word_embeddings.weight": (N_WORDS, D_MODEL),
        "embeddings.position_embeddings.weight": (N_PLACES, D_MODEL),
        "embeddings.token_type_embeddings.weight": (2, D_MODEL),
        **pair("embeddings.LayerNorm", D_MODEL),
    }
    for i in range(N_LAYERS):
        at = f"encoder.layer.{i}"
        for name in (*(f"attention.self.{each}" for each in ("query", "key", "value")), "attention.output.dense"):
            shapes |= pair(f"{at}.{name}", D_MODEL, D_MODEL)
        shapes |= pair(f"{at}.attention.output.LayerNorm", D_MODEL) | pair(f"{at}.output.LayerNorm", D_MODEL)
        shapes |= pair(f"{at}.intermediate.dense", 4 * D_MODEL, D_MODEL)
        shapes |= pair(f"{at}.output.dense", D_MODEL, 4 * D_MODEL)
    return {name: rng.standard_normal(shape) for name, shape in shapes.items()}


def pair(name, *shape):
    return {f"{name}.weight": shape, f"{name}.bias": shape[:1]}


@pytest.fixture(scope="module")
def weights():
    return random_weights()


@pytest.fixture(scope="module")
def run(weights):
    return encode(weights, TOKENS, n_heads=N_HEADS)


def test_queries_keys_and_hidden_states_have_their_shapes(run):
    assert run.queries.shape == run.keys.shape == (N_LAYERS, N_HEADS, len(TOKENS), D_MODEL // N_HEADS)
    assert run.hidden.shape == (N_LAYERS + 1, len(TOKENS), D_MODEL)


def test_queries_and_keys_are_returned_before_the_scale(weights, run):
    for name, found in (("query", run.queries), ("key", run.keys)):
        at = f"encoder.layer.1.attention.self.{name}"
        whole = run.hidden[1] @ weights[f"{at}.weight"].T + weights[f"{at}.bias"]
        assert np.allclose(found[1, 2], whole[:, 8:], rtol=0, atol=1e-12)


def test_an_embedding_has_length_1(run):
    assert np.allclose(np.linalg.norm(run.embeddings, axis=-1), 1, rtol=0, atol=1e-14)


def test_exponent_changes_nothing_before_the_first_softmax(weights, run):
    other = encode(weights, TOKENS, n_heads=N_HEADS, exponent=0.0)
    assert np.array_equal(other.queries[0], run.queries[0])
    assert np.array_equal(other.hidden[0], run.hidden[0])
    assert not np.allclose(other.hidden[1], run.hidden[1], rtol=0, atol=1e-3)


def test_float32_differs_by_rounding_only(weights, run):
    half = encode(weights, TOKENS, n_heads=N_HEADS, dtype=np.float32)
    assert half.hidden.dtype == half.queries.dtype == np.float32
    assert 0 < np.abs(half.hidden - run.hidden).max() < 1e-4


def test_normalised_sum_of_word_position_and_type_by_hand(weights):
    """Use three orthogonal rows of signs: h + 2 g + 2 k has mean 0 and standard deviation 3."""
    h, g = np.repeat([1.0, -1.0], 6), np.tile(np.repeat([1.0, -1.0], 3), 2)
    k = h * g
    tables = {
        "word": np.tile(h, (N_WORDS, 1)),
        "position": np.zeros((N_PLACES, D_MODEL)),
        "token_type": np.array([2 * k]),
    }
    tables["position"][1] = 2 * g
    known = {f"embeddings.{name}_embeddings.weight": table for name, table in tables.items()}
    norm = {"embeddings.LayerNorm.weight": np.full(D_MODEL, 3.0), "embeddings.LayerNorm.bias": np.ones(D_MODEL)}
    first, second = encode(weights | known | norm, TOKENS[:2], n_heads=N_HEADS).hidden[0]
    assert np.allclose(first, 3 * (h + 2 * k) / np.sqrt(5) + 1, rtol=0, atol=1e-11)
    assert np.allclose(second, h + 2 * g + 2 * k + 1, rtol=0, atol=1e-11)


def test_only_positions_carry_the_order_of_tokens(weights):
    """Set all position embeddings to 0: reversed tokens must give the same rows, reversed."""
    alike = dict(weights)
    alike["embeddings.position_embeddings.weight"] = np.zeros((N_PLACES, D_MODEL))
    there, back = (encode(alike, tokens, n_heads=N_HEADS).hidden for tokens in (TOKENS, TOKENS[::-1]))
    assert np.allclose(there, back[:, ::-1], rtol=0, atol=1e-11)


@pytest.mark.parametrize("exponent", [0.0, 0.5, 0.8])
def test_layers_agree_with_pytorch(weights, exponent, torch):
    """Multiply PyTorch's queries by a factor, because its scale is always 1/√d_k."""
    found = encode(weights, TOKENS, n_heads=N_HEADS, exponent=exponent).hidden
    for i in range(N_LAYERS):
        layer = _torch_layer(torch, weights, f"encoder.layer.{i}", (D_MODEL / N_HEADS) ** (0.5 - exponent))
        expected = layer(torch.tensor(found[i])[None])[0].numpy()
        assert np.allclose(found[i + 1], expected, rtol=0, atol=1e-12)


def _torch_layer(torch, weights, at, factor):
    layer = torch.nn.TransformerEncoderLayer(
        D_MODEL, N_HEADS, 4 * D_MODEL, 0.0, "gelu", layer_norm_eps=1e-12, batch_first=True, dtype=torch.float64
    )
    layer = layer.eval().requires_grad_(False)
    for kind in ("weight", "bias"):
        parts = [weights[f"{at}.attention.self.{name}.{kind}"] for name in ("query", "key", "value")]
        getattr(layer.self_attn, f"in_proj_{kind}").data = torch.tensor(np.concatenate([factor * parts[0], *parts[1:]]))
        for module, name in (
            (layer.self_attn.out_proj, "attention.output.dense"), (layer.norm1, "attention.output.LayerNorm"),
            (layer.linear1, "intermediate.dense"), (layer.linear2, "output.dense"), (layer.norm2, "output.LayerNorm"),
        ):  # fmt: skip
            getattr(module, kind).data = torch.tensor(weights[f"{at}.{name}.{kind}"])
    return layer


def test_embeddings_agree_with_pytorch(weights, run, torch):
    words, places, kinds = (
        weights[f"embeddings.{name}_embeddings.weight"] for name in ("word", "position", "token_type")
    )
    x = torch.tensor(words[list(TOKENS)] + places[: len(TOKENS)] + kinds[0])
    scale, shift = (torch.tensor(weights[f"embeddings.LayerNorm.{name}"]) for name in ("weight", "bias"))
    expected = torch.nn.functional.layer_norm(x, (D_MODEL,), scale, shift, 1e-12).numpy()
    assert np.allclose(run.hidden[0], expected, rtol=0, atol=1e-13)


def test_cosines_by_hand():
    assert cosines([[1, 0], [3, 4], [0, 0]], [[1, 1], [6, 8], [1, 0]]).round(12).tolist() == [0.707106781187, 1.0, 0.0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tokens": [1]}, "tokens must be 2 to 9, but got 1"),
        ({"tokens": [1] * 10}, "tokens must be 2 to 9, but got 10"),
        ({"tokens": [1, 20]}, "an entry of tokens must be between 0 and 19, but got 20"),
        ({"n_heads": 5}, "n_heads must divide d_model = 12, but got 5"),
        ({"exponent": 1.1}, "exponent must be a finite number in"),
        ({"dtype": np.float16}, "dtype must be float32 or float64, but got float16"),
    ],
)
def test_bad_arguments_are_refused(weights, change, message):
    arguments = {"tokens": TOKENS, "n_heads": N_HEADS} | change
    with pytest.raises(ValueError, match=message):
        encode(weights, arguments.pop("tokens"), **arguments)


@pytest.mark.parametrize("name", ["embeddings.position_embeddings.weight", "encoder.layer.1.output.dense.bias"])
def test_missing_weights_are_named(weights, name):
    with pytest.raises(ValueError, match=f"weights must hold {name}, but do not"):
        encode({each: weights[each] for each in weights if each != name}, TOKENS, n_heads=N_HEADS)


def test_price_grows_with_every_argument():
    one = encode_price(64, 6, 384)
    for other in (encode_price(65, 6, 384), encode_price(64, 7, 384), encode_price(64, 6, 396)):
        assert other.numbers > one.numbers
        assert other.bytes > one.bytes


# --- a file of weights ---


def written(path, tensors):
    header, at = {"__metadata__": {"format": "pt"}}, 0
    for name, (kind, array) in tensors.items():
        header[name] = {"dtype": kind, "shape": array.shape, "data_offsets": [at, at + array.nbytes]}
        at += array.nbytes
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(array.tobytes() for _, array in tensors.values()))
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_weights_file_is_mapped_read_only(tmp_path):
    path, table = tmp_path / "model.safetensors", np.arange(6, dtype=np.float32).reshape(2, 3)
    digest = written(path, {"table": ("F32", table), "places": ("I64", np.arange(2))})
    found = open_weights(path, digest)
    assert np.array_equal(found["table"], table)
    assert found["places"].tolist() == [0, 1]
    assert isinstance(found["table"], np.memmap)
    assert not found["table"].flags.writeable


def test_weights_file_with_another_checksum_is_refused(tmp_path):
    path = tmp_path / "model.safetensors"
    written(path, {"table": ("F32", np.zeros(3, dtype=np.float32))})
    with pytest.raises(ValueError, match="safetensors must have the sha256 0000, but has"):
        open_weights(path, "0000")


def test_tensors_of_other_types_are_refused(tmp_path):
    path = tmp_path / "model.safetensors"
    digest = written(path, {"table": ("F16", np.zeros(3, dtype=np.float16))})
    with pytest.raises(ValueError, match="a tensor must be of F32 or I64, but got F16"):
        open_weights(path, digest)
