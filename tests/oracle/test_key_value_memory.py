import math

import numpy as np
import pytest

from sattn_core.attention import attention, attention_backward
from sattn_core.key_value_memory import KeyValueMemoryParams, _draw_data, _start, train_key_value_memory

STEPS = 20
CASES = {
    "gradient descent": {},
    "adam": {"optimizer": "adam", "learning_rates": 0.01},
    "loss on the weights": {"loss": "weights", "learning_rates": 0.1},
    "trainable values": {"train_values": True},
    "trainable values, adam": {"train_values": True, "optimizer": "adam", "learning_rates": 0.01},
    "fresh data": {"fresh_data": True},
    "smaller start": {"init_exponents": (0.25, 0.0)},
}


@pytest.fixture
def torch():
    return pytest.importorskip("torch", reason="PyTorch is not installed; CI compares with it")


def torch_losses(torch, params, run, seed):
    """The same training by autograd and torch.optim, one run and one seed."""
    memory = _start(params)
    n = params.n_keys
    names = ("W_Q", "W_K", "V") if params.train_values else ("W_Q", "W_K")
    leaves = {name: torch.tensor(memory.weights[name][run, seed], requires_grad=True) for name in names}
    optimizer = {"sgd": torch.optim.SGD, "adam": torch.optim.Adam}[params.optimizer]
    step = optimizer(leaves.values(), lr=params.learning_rates[run])
    losses, norms = [], []
    for _ in range(STEPS + 1):
        _draw_data(memory)
        X_q, X_k = torch.tensor(memory.X_q[seed]), torch.tensor(memory.X_k[seed])
        wanted = torch.eye(n, dtype=torch.float64)[memory.targets[seed]]
        scores = params.scales[run] * (X_q @ leaves["W_Q"]) @ (X_k @ leaves["W_K"]).T
        if params.loss == "output":
            output = torch.softmax(scores, -1) @ leaves.get("V", torch.eye(n, dtype=torch.float64))
            loss = 0.5 * ((output - wanted) ** 2).sum(-1).mean()
        else:
            loss = -(torch.log_softmax(scores, -1) * wanted).sum(-1).mean()
        step.zero_grad()
        loss.backward()
        losses.append(loss.item())
        norms.append(sum(float((leaf.grad**2).sum()) for leaf in leaves.values() if leaf.grad is not None) ** 0.5)
        step.step()
    return losses, norms


@pytest.mark.parametrize("case", CASES)
def test_twenty_steps_agree_with_autograd(case, torch):
    options = {"d_k": 16, "n_keys": 8, "d_model": 12, "exponents": (0.0, 0.5), "learning_rates": 0.5} | CASES[case]
    params = KeyValueMemoryParams(**options, n_steps=STEPS, checkpoint_every=1, n_seeds=2, seed=5)
    checkpoints = list(train_key_value_memory(params))
    for run, seed in ((0, 0), (1, 1)):
        losses, norms = torch_losses(torch, params, run, seed)
        # Rounding of 1e-16 a step, multiplied by the training: at these rates below 1e-9 after 20 steps.
        assert np.allclose([each.loss[run, seed] for each in checkpoints], losses, rtol=1e-9, atol=1e-13)
        assert np.allclose([each.gradient_norm[run, seed] for each in checkpoints], norms, rtol=1e-9, atol=1e-13)


def textbook_losses(params):
    """The same training with every number of Adam on its own: algorithm 1 of Kingma and Ba, line by line."""
    memory, rate = _start(params), params.learning_rates[0]
    _draw_data(memory)
    (X_q,), (X_k,), (wanted,) = memory.X_q, memory.X_k, memory.wanted
    names, shape = ("W_Q", "W_K"), (params.d_model, params.d_k)
    theta = [float(x) for name in names for x in memory.weights[name].ravel()]
    m, v = [0.0] * len(theta), [0.0] * len(theta)
    losses = []
    for t in range(1, STEPS + 2):
        W_Q, W_K = np.array(theta).reshape(2, *shape)
        Q, K, V = X_q @ W_Q, X_k @ W_K, np.eye(params.n_keys)
        missing = attention(Q, K, V, scale=params.scales[0]).output - wanted
        losses.append(0.5 * (missing**2).sum(axis=-1).mean())
        found = attention_backward(Q, K, V, missing / params.n_keys, scale=params.scales[0])
        for i, g in enumerate(np.concatenate([X_q.T @ found.d_Q, X_k.T @ found.d_K]).ravel().tolist()):
            m[i] = 0.9 * m[i] + (1 - 0.9) * g
            v[i] = 0.999 * v[i] + (1 - 0.999) * g**2
            m_hat, v_hat = m[i] / (1 - 0.9**t), v[i] / (1 - 0.999**t)
            theta[i] -= rate * m_hat / (math.sqrt(v_hat) + 1e-8)
    return losses


@pytest.mark.parametrize("exponent", [0.0, 0.5])
def test_twenty_steps_of_adam_agree_with_the_textbook(exponent):
    params = KeyValueMemoryParams(
        d_k=5, n_keys=4, d_model=6, exponents=(exponent,), learning_rates=0.01, optimizer="adam",
        n_steps=STEPS, checkpoint_every=1, n_seeds=1, seed=3,
    )  # fmt: skip
    losses = [each.loss[0, 0] for each in train_key_value_memory(params)]
    # Rounding of 1e-16 a step, multiplied by the training as in the comparison with autograd; a bias correction that
    # is one power off moves the first step by a tenth and more.
    assert np.allclose(losses, textbook_losses(params), rtol=1e-9, atol=0)


def test_the_default_race_agrees_with_autograd(torch):
    params = KeyValueMemoryParams(n_steps=STEPS, checkpoint_every=1, n_seeds=1, learning_rates=0.01)
    checkpoints = list(train_key_value_memory(params))
    for run in range(3):
        losses, _ = torch_losses(torch, params, run, 0)
        assert np.allclose([each.loss[run, 0] for each in checkpoints], losses, rtol=1e-9, atol=0)


def test_the_known_training_without_and_with_the_scale():
    # Mean loss of eight other seeds of an independent implementation after 100 steps at rate 1.
    params = KeyValueMemoryParams(n_steps=100, checkpoint_every=100, n_seeds=8, seed=1)
    last = list(train_key_value_memory(params))[-1]
    loss, accuracy = last.loss.mean(axis=1), last.accuracy.mean(axis=1)
    error = np.sqrt(2) * last.loss.std(axis=1, ddof=1) / np.sqrt(8)
    assert (np.abs(loss - [0.875, 0.017, 0.477]) < 4 * error + 5e-4).all()
    assert accuracy[0] < 0.3
    assert accuracy[1] > 0.9
    assert (last.median_row_gradient[0] < 1e-6).all()
    assert (last.median_row_gradient[1] > 1e-4).all()
