"""The picture of the start lesson: the hero at every stop of its slider."""

from typing import Any

import numpy as np

from pages._view.figures.code import code
from pages._view.marks import Mark, found, readable
from pages._view.picture import Picture
from pages._view.theme import DARK, LIGHT, PROJECTOR, Profile, number, percent
from sattn_core.example import key_words
from sattn_core.lessons.start import LargestWeight, StartParams, StartResult, measure_start

TICKS = (-100, -50, 0, 50, 100)
_MEANS = ("largest, on average: ", "on average: ", "")  # words before a mean, shorter if there is less room
RANGE = 112  # 3.5 standard deviations at the largest dₖ: fewer than 1 score in 2,000 is beyond
NAMES = {"raw": "raw", "scaled": "÷ √dₖ"}
_SURE = 0.9995  # from this share on the sentence says "over 99.9 %"
_CHECKED = ("theory", "measured", "error", "inside")
_NAME = 20  # smallest size of labels and of the sentence, in pixels
_PANEL = 11  # height of a row, in em of a tick label
_HALF = 0.5  # share of the weight: with more, one key outweighs all others


def hero(result: StartResult, d_k: int, mean: LargestWeight) -> Picture:
    """Return the hero's words and tables at the slider's d_k; the browser draws the hero from `payload`."""
    i = result.sweep.dims.index(d_k)
    return Picture(
        "start",
        None,
        _sentence(result, i, mean),
        _table(result, i, mean),
        _code(result.sweep, d_k),
        note=f"At dₖ = {d_k:,}, where the slider last came to rest.",
        bins=_bins(result, i),
        sure=_sure(result, i, mean),
        checks=_checks(result, i),
    )


def sentence(result: StartResult, d_k: int, mean: LargestWeight) -> str:
    """Return the hero's sentence at this d_k."""
    return _sentence(result, result.sweep.dims.index(d_k), mean)


def payload(result: StartResult, mean: LargestWeight, profile: Profile) -> dict[str, Any]:
    """Return the data that the browser draws: texts, and heights in thousandths of their panel's tallest bar."""
    sweep = result.sweep
    return {
        "mode": profile.name,
        "style": _style(profile),
        "headings": _headings(sweep.n_keys),
        "stops": [_stop(result, i, mean, profile) for i in range(len(sweep.dims))],
        "scoreAxis": _score_axis(),
        "weightAxis": {"levels": [[0.5, "50 %"], [1, "100 %"]], "names": key_words(sweep.n_keys)},
        **_bars(result),
        "raw": _side(result, "raw", mean),
        "scaled": _side(result, "scaled", mean),
    }


def _headings(n_keys):
    """Return the headings of the two columns: in full, and for a narrow window."""
    weights = f"Weights of one query’s {n_keys} keys"
    return {"scores": ["Scores of random keys", "Scores"], "weights": [weights, "Weights"]}


def _stop(result, i, mean, profile):
    d_k, sentence = result.sweep.dims[i], _sentence(result, i, mean)
    sides = {"raw": profile.raw, "scaled": profile.scaled}
    data = [{"name": side, "type": "scatter", "line": {"color": colour}} for side, colour in sides.items()]
    ground = {"font": {"color": profile.text}, "paper_bgcolor": profile.ground}
    words = {"raw": "raw", "scaled": "Divided by √dₖ"}
    marks = found(sentence, [Mark(words[side], (side,)) for side in sides], data, ground)
    return {"d_k": d_k, "title": f"dₖ = {d_k:,}", "sentence": sentence, "marks": marks}


def _score_axis():
    labels = [f"{tick}".replace("-", "−") for tick in TICKS]
    return {"low": -RANGE, "high": RANGE, "ticks": TICKS, "labels": labels}


def _side(result, side, mean):
    """Return the data of one row of the hero at every stop: its scores, and the weights of one query."""
    theory, means = getattr(result, f"{side}_std_theory"), getattr(mean, side)
    return {
        "name": NAMES[side],
        "alt": f"Histogram of {result.sweep.n_samples:,} {side} scores, the {_theory_name(result)} as a dashed line",
        "weightAlt": f"Attention weights of one query from {side} scores, on average over all queries the",
        "unit": theory.tolist(),
        "spread": [f"± {each:.1f}" for each in getattr(result, f"{side}_std_measured")],
        "weights": np.round(getattr(result, f"{side}_weights"), 4).tolist(),
        "top": getattr(result, f"{side}_weights").argmax(axis=1).tolist(),
        "mean": np.round(means, 4).tolist(),
        "largest": [[before + _about(each) for before in _MEANS] for each in means],
    }


def _thousandths(shares):
    return np.rint(1000 * shares).astype(int).tolist()


def _bars(result):
    """Return bars and predicted densities in thousandths of the tallest bar, in bins of σ.

    Raw and scaled scores have the same bars, since they differ only in σ. Densities are cut at the panel's top.
    """
    edges, counts = result.sweep.scaled_edges, result.sweep.scaled_counts
    tallest = counts.max(axis=1, keepdims=True)
    per_density = counts.sum(axis=1, keepdims=True) * (edges[1] - edges[0])
    return {
        "bins": {"first": float(edges[0]), "width": float(edges[1] - edges[0])},
        "heights": _thousandths(counts / tallest),
        "law": _thousandths(np.minimum(result.scaled_law * per_density / tallest, 1.05)),
    }


def _theory_name(result):
    return "exact distribution" if result.law_is_exact else "normal approximation"


def _style(profile):
    colours = {
        f"{name}-{ground}": getattr(PROJECTOR if profile is PROJECTOR else theme, name)
        for name in ("raw", "scaled", "text", "grid", "ground")
        for ground, theme in (("light", LIGHT), ("dark", DARK))
    }
    for name, ground in ((name, ground) for name in NAMES for ground in ("light", "dark")):
        colour, behind, text = (colours[f"{each}-{ground}"] for each in (name, "ground", "text"))
        colours[f"{name}-ink-{ground}"] = readable(colour, behind, text)
    return {
        **colours,
        "axis": f"{profile.axis_size}px",
        "name": f"{max(profile.axis_size, _NAME)}px",
        "said": f"{max(profile.axis_size, _NAME)}px",
        "at": f"{max(profile.base_size, profile.tick_size)}px",
        "tick": f"{profile.tick_size}px",
        "line": f"{profile.line_width}px",
        "panel": f"{_PANEL * profile.tick_size}px",
    }


def _sentence(result, i, mean):
    """Return the live sentence at stop i: the largest weight on average over all queries, raw and divided."""
    here = f"At dₖ = {result.sweep.dims[i]:,}"
    raw, scaled = mean.raw[i], mean.scaled[i]
    if _about(raw) == _about(scaled):
        changes = "nothing" if result.sweep.dims[i] == 1 else "little"
        return f"{here} dividing by √dₖ changes {changes}: the largest weight is {_about(raw)} on average."
    if raw <= _HALF:
        return f"{here}, raw, the largest weight is {_about(raw)} on average. Divided by √dₖ, it is {_about(scaled)}."
    return (
        f"{here}, raw, one key takes {_about(raw)} of the weight on average. Divided by √dₖ, it takes {_about(scaled)}."
    )


def _about(weight):
    """Return a weight as text for a sentence."""
    if weight >= _SURE:
        return "over 99.9 %"
    if weight >= 0.99:
        return percent(weight, 1)
    return percent(weight, 0) if weight >= 0.095 else f"{number(100 * weight, 1)} %"


def _sure(result, i, mean):
    """Return sentences with the row's numbers in more digits, and on its sample and the dashed lines."""
    return (
        f"The weights are those of one query and one draw of its {result.sweep.n_keys} keys.",
        f"Raw, {_said(result, i, mean, 'raw')}. Divided, {_said(result, i, mean, 'scaled')}.",
        "Effective keys are e to the power of the entropy of the weights.",
        f"The dashed line is the {_theory_name(result)}. The bracket is the predicted σ, its number the measured one.",
    )


def _said(result, i, mean, side):
    """Return a phrase with this row's largest weight, the mean over all queries, and the effective keys."""
    (largest, keys), all_rows = (
        (getattr(result, f"{side}_{name}")[i] for name in ("max_weight", "effective_keys")),
        (getattr(mean, side)[i], getattr(mean, f"{side}_error")[i]),
    )
    average = _share(all_rows[0]) if result.law_is_exact else f"{number(100 * all_rows[0])} ± {_share(all_rows[1], 1)}"
    return (
        f"the largest is {_share(largest)}, its mean over all queries is {average}, and {number(keys)} keys are in "
        f"effective use"
    )


def _checks(result, i):
    """Return a table of predicted and measured standard deviations."""
    rows = [(side, *(getattr(result, f"{side}_std_{name}")[i] for name in _CHECKED)) for side in ("raw", "scaled")]
    return {
        "scores": [f"{side}, {result.sweep.n_samples:,}" for side, *_ in rows],
        "σ predicted": [number(row[1]) for row in rows],
        "σ measured": [f"{number(row[2])} ± {number(row[3], 2)}" for row in rows],
        "z": [number(result.std_z[i], 2)] * len(rows),
        "95 % band": ["inside" if row[4] else "outside" for row in rows],
    }


def _share(weight, digits=3):
    """Return a weight in percent, with so many digits."""
    return f"{number(100 * weight, digits)} %"


def _table(result, i, mean):
    """Return the numbers of stop i as columns, for the table and its CSV file."""

    def of_both(field):
        return [float(getattr(result, f"{side}_{field}")[i]) for side in ("raw", "scaled")]

    return {
        "scores": ["raw", "scaled"],
        "standard deviation, measured": of_both("std_measured"),
        "predicted": of_both("std_theory"),
        "standard error": of_both("std_error"),
        "largest weight, this query": of_both("max_weight"),
        "largest weight, mean over queries": [float(mean.raw[i]), float(mean.scaled[i])],
        "its standard error": [float(mean.raw_error[i]), float(mean.scaled_error[i])],
        "effective keys, this query": of_both("effective_keys"),
    }


def _bins(result, i):
    """Return one long table of stop i: every bar with its predicted density, and every weight."""
    columns = {"what": [], "from": [], "to": [], "value": [], "predicted density": []}
    counts, law = result.sweep.scaled_counts[i].tolist(), result.scaled_law[i]
    for side in ("raw", "scaled"):
        sigma = getattr(result, f"{side}_std_theory")[i]
        edges = sigma * result.sweep.scaled_edges
        columns["what"] += [f"{side} scores, count in bin"] * len(law)
        columns["from"] += edges[:-1].tolist()
        columns["to"] += edges[1:].tolist()
        columns["value"] += counts
        columns["predicted density"] += (law / sigma).tolist()
        weights = getattr(result, f"{side}_weights")[i]
        columns["what"] += [f"{side} attention weight of key"] * len(weights)
        columns["from"] += range(len(weights))
        columns["to"] += range(len(weights))
        columns["value"] += weights.tolist()
        columns["predicted density"] += [""] * len(weights)
    return columns


def _code(sweep, d_k):
    """Return Python code that computes these numbers."""
    params = StartParams((d_k,), sweep.n_samples, sweep.n_keys, law=sweep.law, seed=sweep.seed)
    weights = (f"result.{side}_max_weight[0], result.{side}_effective_keys[0]" for side in ("raw", "scaled"))
    return code(measure_start, params, show=("result.sweep.raw_variance, result.sweep.scaled_variance", *weights))
