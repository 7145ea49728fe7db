"""The four charts: two histograms of scores and two of softmax, each titled with d_k. Nothing is cached."""

import numpy as np
import plotly.graph_objects as go

FIRST, LAST, START = 1, 512, 64
SCORES = 50_000
EDGES = np.linspace(-80, 80, 81)
LISTS = ([4, 5], [1, 10])
_NORMALS = np.random.default_rng(0).standard_normal(SCORES)


def figures(d_k):
    """Return four figures at this d_k; the amount of work does not depend on it."""
    # Given |q|, q·k is normal, so it has the distribution of a normal number times √χ²(d_k).
    raw = np.sqrt(np.random.default_rng(d_k).chisquare(d_k, SCORES)) * _NORMALS
    sides = {"raw": raw, "scaled": raw / np.sqrt(d_k)}
    return [_histogram(name, scores, d_k) for name, scores in sides.items()] + [_weights(each, d_k) for each in LISTS]


def _histogram(name, scores, d_k):
    bars = go.Bar(x=(EDGES[:-1] + EDGES[1:]) / 2, y=np.histogram(scores, EDGES)[0], marker_line_width=0)
    return _titled(go.Figure(bars, {"bargap": 0, "xaxis": {"range": [-80, 80]}}), f"{name} scores", d_k)


def _weights(scores, d_k):
    bars = [go.Bar(x=["first", "second"], y=_softmax(np.array(scores) / by)) for by in (1, np.sqrt(d_k))]
    return _titled(go.Figure(bars, {"yaxis": {"range": [0, 1]}}), f"softmax of {scores}", d_k)


def _softmax(scores):
    weights = np.exp(scores - scores.max())
    return weights / weights.sum()


def _titled(figure, name, d_k):
    return figure.update_layout(title=f"{name}, d_k = {d_k}", height=270, showlegend=False)
