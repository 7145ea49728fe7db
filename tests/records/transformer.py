"""Record of a small decoder, trained with four ways to scale its scores.

A rebuild needs PyTorch (`tests/requirements-torch.txt`), and half an hour of one core. The text is PyTorch's own
documentation of its functions, `torch/_torch_docs.py`, read character by character. All ways and learning rates of one
seed have the same initial weights and the same batches.
"""

import hashlib
import json
import math
import os
import tempfile
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

TEXT = Path(torch.__file__).parent / "_torch_docs.py"
TEXT_SHA256 = "38bd167709f8998348da6aaa926b3af3cf2d6e8eb525ac3026d58a256ade1b90"
KEPT = Path(__file__).resolve().parents[2] / "sattn_core/training/trained_transformers.npz"

EXPONENTS = {"raw": 0.0, "root": 0.5, "whole": 1.0, "qk_norm": 0.5}  # the scale is d_k ** −exponent
WAYS = tuple(EXPONENTS)
RATES = (3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1)
SEEDS = tuple(range(5))
D_MODEL, D_MLP, N_LAYERS, N_HEADS, D_K = 128, 512, 2, 4, 64
CONTEXT, BATCH, N_STEPS, N_WARM_UP = 64, 4, 300, 30
STEPS = (*(0, 1, 2, 3, 5, 7, 10, 14, 19, 25, 30, 35, 40, 50, 60, 70, 80, 90), *range(100, 301, 20))
HELD_OUT = 0.1  # held-out share of the text, at its end
N_READ = 24  # number of held-out windows that are read at each recorded step
FEWEST_KEYS = 8  # spread and entropy of shorter rows are not measured
OF_MODEL = ("train_loss", "held_out_loss", "accuracy", "gradient_norm")
OF_HEAD = ("score_std", "entropy_nats")

# Tolerances for a rebuild with the same PyTorch on another processor, where rounding differs more with every step.
EARLY, EARLY_TOLERANCE = 5, {"rtol": 2e-3, "atol": 7e-4}  # up to step 5; one of the 1,536 predictions may differ
LATE_TOLERANCE = 0.1  # nats, for the mean held-out loss after the last step of runs that work


@dataclass(frozen=True)
class Run:
    """Settings of one training."""

    way: str
    rate: float
    seed: int

    @property
    def name(self):
        return f"{self.way}-{self.rate:g}-{self.seed}"


RUNS = tuple(Run(way, rate, seed) for seed, rate, way in product(SEEDS, RATES, WAYS))


class Attention(nn.Module):
    """Causal attention with four heads; QK-norm also layer-normalises every query and key."""

    def __init__(self, way):
        super().__init__()
        self.scale = D_K ** -EXPONENTS[way]
        self.to_qkv = nn.ModuleList([nn.Linear(D_MODEL, N_HEADS * D_K) for _ in range(3)])
        self.out = nn.Linear(N_HEADS * D_K, D_MODEL)
        norm = nn.LayerNorm if way == "qk_norm" else nn.Identity
        self.norm_q, self.norm_k = norm(D_K), norm(D_K)

    def forward(self, x, seen):
        q, k, v = (layer(x).unflatten(-1, (N_HEADS, D_K)).transpose(1, 2) for layer in self.to_qkv)
        scores = self.scale * self.norm_q(q) @ self.norm_k(k).mT
        seen.append(scores.detach())
        future = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        weights = scores.masked_fill(future, -math.inf).softmax(-1)
        return self.out((weights @ v).transpose(1, 2).flatten(2))


class Layer(nn.Module):
    """Attention and an MLP, each after a LayerNorm and with a residual connection."""

    def __init__(self, way):
        super().__init__()
        self.attention, self.norm_1, self.norm_2 = Attention(way), nn.LayerNorm(D_MODEL), nn.LayerNorm(D_MODEL)
        self.mlp = nn.Sequential(nn.Linear(D_MODEL, D_MLP), nn.GELU(), nn.Linear(D_MLP, D_MODEL))

    def forward(self, x, seen):
        x = x + self.attention(self.norm_1(x), seen)
        return x + self.mlp(self.norm_2(x))


class Decoder(nn.Module):
    """Decoder of two layers with learned positions; its random weights are the same for every way to scale."""

    def __init__(self, way, n_tokens):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(n_tokens, D_MODEL), nn.Embedding(CONTEXT, D_MODEL)
        self.layers = nn.ModuleList([Layer(way) for _ in range(N_LAYERS)])
        self.norm, self.out = nn.LayerNorm(D_MODEL), nn.Linear(D_MODEL, n_tokens)

    def forward(self, tokens):
        """Return the logits, and the scaled scores of each layer without the mask."""
        x, seen = self.tokens(tokens) + self.positions.weight, []
        for layer in self.layers:
            x = layer(x, seen)
        return self.out(self.norm(x)), seen


@cache
def read_text(path=TEXT):
    """Return the text as token numbers, and the number of distinct tokens."""
    read = path.read_bytes()
    found = hashlib.sha256(read).hexdigest()
    if found != TEXT_SHA256:
        raise ValueError(f"{path.name} must be that of the pinned PyTorch, sha256 {TEXT_SHA256}, but got {found}")
    characters, tokens = np.unique(list(read.decode()), return_inverse=True)
    return tokens, len(characters)


def parts(tokens):
    """Return the part of the text to train on, and the held-out part."""
    n = round(len(tokens) * (1 - HELD_OUT))
    return tokens[:n], tokens[n:]


def windows(tokens, rng, n):
    """Draw n random windows of the text, each with the character after it."""
    starts = rng.integers(len(tokens) - CONTEXT, size=n)
    return torch.from_numpy(tokens[starts[:, None] + np.arange(CONTEXT + 1)])


def held_out_windows(tokens):
    """Return the held-out windows on which every training is measured."""
    return windows(parts(tokens)[1], np.random.default_rng(len(SEEDS)), N_READ)


def bigram_loss():
    """Return the held-out loss of a bigram table, a model without attention."""
    tokens, n = read_text()
    trained, read = parts(tokens)[0], held_out_windows(tokens).numpy()
    counts = np.full((n, n), 0.1)  # not 0, because some pairs never occur in the text to train on
    np.add.at(counts, (trained[:-1], trained[1:]), 1)
    shares = counts / counts.sum(axis=1, keepdims=True)
    return float(-np.log(shares[read[:, :-1], read[:, 1:]]).mean())


def loss_of(logits, batch):
    return F.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())


def train(run, n_steps=N_STEPS):
    """Train one run and return its measurements at `STEPS`; the first axis of each is the step."""
    (tokens, n_tokens), _ = read_text(), torch.set_num_threads(1)
    trained, read = parts(tokens)[0], held_out_windows(tokens)
    torch.manual_seed(run.seed)
    model, rng = Decoder(run.way, n_tokens), np.random.default_rng(run.seed)
    optimizer = torch.optim.Adam(model.parameters(), lr=run.rate, fused=True)
    kept = {name: [] for name in (*OF_MODEL, *OF_HEAD)}
    for step in range(n_steps + 1):
        batch = windows(trained, rng, BATCH)
        loss = loss_of(model(batch[:, :-1])[0], batch)
        optimizer.zero_grad()
        loss.backward()
        if step in STEPS:
            measured = {"train_loss": loss.item(), "gradient_norm": _gradient_norm(model), **look(model, read)}
            for name, values in kept.items():
                values.append(measured[name])
        for group in optimizer.param_groups:
            group["lr"] = run.rate * min(1, (step + 1) / N_WARM_UP)
        optimizer.step()
    return {name: np.array(values, np.float32) for name, values in kept.items()}


def _gradient_norm(model):
    return math.sqrt(sum(each.grad.square().sum().item() for each in model.parameters()))


@torch.no_grad()
def look(model, read):
    """Return loss and accuracy on the held-out windows, and the spread and entropy of each head's rows."""
    logits, scores = model(read[:, :-1])
    right = (logits.argmax(-1) == read[:, 1:]).float().mean()
    spread, entropy = rows_of(torch.cat(scores, 1))
    return {
        "held_out_loss": loss_of(logits, read).item(),
        "accuracy": right.item(),
        "score_std": spread.numpy(),
        "entropy_nats": entropy.numpy(),
    }


def rows_of(scores):
    """Return for every head the root mean square spread and the mean entropy of its rows, over all windows.

    scores have shape (windows, heads, queries, keys), without the mask. A causal row has keys up to its own position.
    """
    past = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
    n_keys = past.sum(-1, keepdim=True)
    mean = scores.where(past, 0).sum(-1, keepdim=True) / n_keys
    variance = ((scores - mean).where(past, 0) ** 2).sum(-1) / n_keys[:, 0]
    logs = scores.masked_fill(~past, -math.inf).log_softmax(-1).where(past, 0)
    entropy = -(logs.exp() * logs).sum(-1)
    variance, entropy = (each[:, :, FEWEST_KEYS - 1 :].mean((0, 2)) for each in (variance, entropy))
    return variance.sqrt(), entropy


def most_entropy():
    """Return the mean entropy of rows with equal weights."""
    return float(np.log(np.arange(FEWEST_KEYS, CONTEXT + 1)).mean())


def settings():
    """Return the settings of all trainings."""
    return {
        "text": f"{TEXT.name} of PyTorch {torch.__version__.split('+')[0]}",
        "text_sha256": TEXT_SHA256,
        "ways": WAYS,
        "rates": RATES,
        "seeds": SEEDS,
        "d_k": D_K,
        "n_layers": N_LAYERS,
        "n_heads": N_HEADS,
        "d_model": D_MODEL,
        "d_mlp": D_MLP,
        "context": CONTEXT,
        "batch": BATCH,
        "n_steps": N_STEPS,
        "n_warm_up": N_WARM_UP,
        "fewest_keys": FEWEST_KEYS,
        "windows_read": N_READ,
    }


def about():
    """Return the settings, sizes and reference values that the record stores."""
    (tokens, n_tokens), model = read_text(), Decoder("root", read_text()[1])
    sizes = {"n_parameters": sum(each.numel() for each in model.parameters()), "n_characters": len(tokens)}
    levels = {"bigram_loss": bigram_loss(), "most_entropy": most_entropy()}
    return settings() | sizes | {"n_tokens": n_tokens} | levels


def folder():
    """Return the folder for finished runs, which depends on the settings."""
    name = hashlib.sha256(json.dumps([settings(), STEPS]).encode()).hexdigest()[:12]
    return Path(tempfile.gettempdir()) / f"transformer-{name}"


def train_all(into):
    """Train the runs whose files are missing, one seed after another."""
    into.mkdir(parents=True, exist_ok=True)
    for i, run in enumerate(RUNS, start=1):
        if not (into / f"{run.name}.npz").exists():
            unfinished = into / f"{run.name}.part"
            with unfinished.open("wb") as file:
                np.savez(file, **train(run))
            os.replace(unfinished, into / f"{run.name}.npz")
        print(f"{i} of {len(RUNS)}: {run.name}", flush=True)


def gather(trained, seeds=SEEDS):
    """Return the record: arrays by way, rate, seed and step, for heads also by layer and head."""
    runs = [dict(np.load(trained / f"{Run(*each).name}.npz")) for each in product(WAYS, RATES, seeds)]
    shape = len(WAYS), len(RATES), len(seeds), len(STEPS)
    arrays = {name: np.stack([run[name] for run in runs]) for name in runs[0]}
    of_model = {name: arrays[name].reshape(shape) for name in OF_MODEL}
    of_head = {name: arrays[name].reshape(*shape, N_LAYERS, N_HEADS) for name in OF_HEAD}
    return {"about": np.array(json.dumps(about())), "steps": np.array(STEPS), **of_model, **of_head}


def compare(record, kept):
    """Yield sentences on the differences from the stored record beyond the tolerances."""
    if str(record["about"]) != str(kept["about"]):
        yield f"they are made in another way: {record['about']}, but kept is {kept['about']}"
        return
    early = record["steps"] <= EARLY
    for name in (*OF_MODEL, *OF_HEAD):
        new, old = (each[name][:, :, :, early] for each in (record, kept))
        if not np.allclose(new, old, **EARLY_TOLERANCE):
            yield f"{name} differs by up to {abs(new - old).max():.2g} in the first {EARLY} steps"
    new, old = (each["held_out_loss"][..., -1].mean(axis=-1) for each in (record, kept))
    works = np.minimum(new, old) < about()["bigram_loss"]
    if not (abs(new - old)[works] < LATE_TOLERANCE).all():
        yield f"the mean held-out loss differs by up to {abs(new - old)[works].max():.2g} after the last step"


def main(write=False):
    """Train all runs and compare with the stored record; if write, store the new record afterwards."""
    print(f"each run is written to {folder()} as it ends; to go on after a break, start again")
    train_all(folder())
    record = gather(folder())
    if KEPT.exists():
        differences = list(compare(record, dict(np.load(KEPT))))
        print("\n".join(differences) or "as it is kept, within the tolerances")
        if differences and not write:
            raise SystemExit(1)
    if write:
        np.savez_compressed(KEPT, **record)
