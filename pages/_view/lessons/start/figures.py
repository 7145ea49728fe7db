"""The picture of the start lesson: what the hero draws at every stop of its slider."""

from typing import Any

import numpy as np

from pages._view.figures.code import code
from pages._view.marks import Mark, found
from pages._view.picture import Picture
from pages._view.theme import DARK, LIGHT, PROJECTOR, Profile, number, percent
from sattn_core.example import key_words
from sattn_core.lessons.start import LargestWeight, StartParams, StartResult, measure_start

FIXED_TICKS = (-100, -50, 0, 50, 100)
FIXED_RANGE = 112  # 3.5 standard deviations at the largest dₖ: fewer than 1 score in 2,000 lies beyond
OWN_TICKS = (-4, -2, 0, 2, 4)
OWN_RANGE = 5
LABELS = {"axis": "Own axis for each", "save": "Save SVG"}
NAMES = {
    "raw": "Raw scores q·k",
    "scaled": "Scaled scores q·k ÷ √dₖ",
    "raw-weights": "Attention weights, raw",
    "scaled-weights": "Attention weights, scaled",
}
_SURE = 0.9995  # a share that a person calls practically all
_SIGMA = ", typical distance from 0"
_CHECKED = ("theory", "measured", "error", "inside")
_HALF = 0.5  # of the weight: more than that is with one key
_FROZEN = 0.9  # a weight that chance has chosen and training can hardly change
_TWO = 2  # keys: one has half of the weight or more, whatever the scores


def hero(result: StartResult, d_k: int, mean: LargestWeight) -> Picture:
    """The words and the data of the hero, which draws `payload`, at this d_k, where the slider last came to rest."""
    i = result.sweep.dims.index(d_k)
    return Picture(
        "start",
        None,
        _sentence(result, i),
        _table(result, i, mean),
        _code(result.sweep, d_k),
        note=f"At dₖ = {d_k:,}, where the slider last came to rest.",
        bins=_bins(result, i),
        sure=_sure(result, i, mean),
        checks=_checks(result, i),
    )


def sentence(result: StartResult, d_k: int) -> str:
    """What the hero says at this d_k."""
    return _sentence(result, result.sweep.dims.index(d_k))


def payload(result: StartResult, profile: Profile) -> dict[str, Any]:
    """What the browser needs: texts as texts, heights in thousandths of the tallest bar of their panel."""
    sweep = result.sweep
    return {
        "mode": profile.name,
        "style": _style(profile),
        "labels": LABELS,
        "names": NAMES,
        "stops": [_stop(result, i, profile) for i in range(len(sweep.dims))],
        "shared": _shared_axis(),
        "own": {"low": -OWN_RANGE, "high": OWN_RANGE, "ticks": OWN_TICKS},
        "weightAxis": {
            "room": 3.2,
            "levels": [[0, "0 %"], [0.5, "50 %"], [1, "100 %"]],
            "label": f"the {sweep.n_keys} keys of one query",
            "names": key_words(sweep.n_keys),
        },
        **_bars(result),
        "raw": _side(result, "raw", profile),
        "scaled": _side(result, "scaled", profile),
    }


def payload_between(result: StartResult | None, profile: Profile) -> dict[str, Any]:
    """The same for the values between the stops of the slider, of which there may be none."""
    return payload(result, profile) if result else {"stops": []}


def _stop(result, i, profile):
    d_k, sentence = result.sweep.dims[i], _sentence(result, i)
    sides = {"raw": profile.raw, "scaled": profile.scaled}
    data = [{"name": side, "type": "scatter", "line": {"color": colour}} for side, colour in sides.items()]
    ground = {"font": {"color": profile.text}, "paper_bgcolor": profile.ground}
    marks = found(sentence, [Mark(side, (side,)) for side in sides], data, ground)
    return {"d_k": d_k, "title": f"dₖ = {d_k:,}", "sentence": sentence, "marks": marks}


def _shared_axis():
    return {
        "low": -FIXED_RANGE,
        "high": FIXED_RANGE,
        "ticks": FIXED_TICKS,
        "labels": [f"{tick}".replace("-", "−") for tick in FIXED_TICKS],
    }


def _side(result, side, profile):
    """One half of the hero at every stop: its scores above, the weights of one query below."""
    said = "" if profile is PROJECTOR else _SIGMA  # a projector has no room for it
    sweep = result.sweep
    theory = getattr(result, f"{side}_std_theory")
    return {
        "alt": f"Histogram of {sweep.n_samples:,} {side} scores with the {_theory_name(result)} as a dashed line",
        "weightAlt": f"Attention weights of one query from {side} scores",
        "unit": theory.tolist(),
        "ruler": theory.tolist(),
        "rulerText": ["±1 σ"] * len(theory),
        "figures": [f"σ = {number(each, 2)}{said}" for each in getattr(result, f"{side}_std_measured")],
        "ownTicks": [[number(tick * each) if tick else "0" for tick in OWN_TICKS] for each in theory],
        "weights": np.round(getattr(result, f"{side}_weights"), 4).tolist(),
        "weightFigures": [
            f"largest {_about(largest)}, as if {_keys(keys)} {'shared it equally' if round(keys) > 1 else 'had it all'}"
            for largest, keys in _largest_and_keys(result, side)
        ],
    }


def _largest_and_keys(result, side):
    return zip(*(getattr(result, f"{side}_{name}") for name in ("max_weight", "effective_keys")), strict=True)


def _thousandths(shares):
    return np.rint(1000 * shares).astype(int).tolist()


def _bars(result):
    """Bars and law in thousandths of the tallest bar, in bins of σ: one set for both sides, which differ in σ alone.

    A law taller than its bars is cut at the panel's top.
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
    projector = profile is PROJECTOR
    return {
        **colours,
        "title": f"{profile.title_size}px",
        "axis": f"{profile.axis_size}px",
        "tick": f"{profile.tick_size}px",
        "line": f"{profile.line_width}px",
        "panel": "230px" if projector else "150px",
    }


def _sentence(result, i):
    """The live sentence at stop i, caption and spoken text in one: who has the weight, after and before.

    What hurts is said last, and only where nearly all is with one key of several that would share it: chance chose it.
    """
    here = f"At dₖ = {result.sweep.dims[i]:,}"
    raw, scaled = (getattr(result, f"{side}_max_weight")[i] for side in ("raw", "scaled"))
    if _about(raw) == _about(scaled):
        changes = "nothing" if result.sweep.dims[i] == 1 else "little"
        return f"{here} dividing by √dₖ changes {changes}: the largest weight is {_about(raw)} on both sides."
    if raw <= _HALF:
        return f"{here} the largest weight is {_about(raw)} raw, and {_about(scaled)} scaled."
    taken = "practically all" if raw >= _SURE else _about(raw)
    hurt = ", and chance chose it" if raw >= _FROZEN > scaled and result.sweep.n_keys > _TWO else ""
    if scaled > _HALF:
        return f"{here} {_taker(result, i)} has {_about(scaled)} of the weight, scaled; raw, it takes {taken}{hurt}."
    shared = f"{here} about {_keys(result.scaled_effective_keys[i])} share the weight, scaled"
    return f"{shared}; raw, {_taker(result, i)} takes {taken}{hurt}."


def _taker(result, i):
    """The key with the largest weight, which is the same on both sides: by its word if it has one."""
    words = key_words(result.sweep.n_keys)
    return f"“{words[result.raw_weights[i].argmax()]}”" if words else "one key"


def _keys(effective):
    """How many equal keys the weights amount to."""
    return f"{round(effective)} key{'s' if round(effective) > 1 else ''}"


def _about(weight):
    """A weight as a person says it."""
    if weight >= _SURE:
        return "over 99.9 %"
    if weight >= 0.99:
        return percent(weight, 1)
    return percent(weight, 0) if weight >= 0.095 else f"{number(100 * weight, 1)} %"


def _sure(result, i, mean):
    """The row in more digits, what it is a sample of, and what the dashed lines are."""
    return (
        f"The weights are those of one query and one draw of its {result.sweep.n_keys} keys.",
        f"Raw, {_said(result, i, mean, 'raw')}. Divided, {_said(result, i, mean, 'scaled')}.",
        "Effective keys are e to the power of the entropy of the weights.",
        f"The dashed line is the {_theory_name(result)}; the bar above it is the predicted σ to each side of 0.",
    )


def _said(result, i, mean, side):
    """The largest weight of this row, and what rows have on average: simulated with its standard error, or exact."""
    (largest, keys), all_rows = (
        (getattr(result, f"{side}_{name}")[i] for name in ("max_weight", "effective_keys")),
        (getattr(mean, side), getattr(mean, f"{side}_error")),
    )
    average = _share(all_rows[0]) if result.law_is_exact else f"{number(100 * all_rows[0])} ± {_share(all_rows[1], 1)}"
    return (
        f"the largest is {_share(largest)}, its mean over all queries is {average}, and {number(keys)} keys are in "
        f"effective use"
    )


def _checks(result, i):
    """The standard deviations against theory."""
    rows = [(side, *(getattr(result, f"{side}_std_{name}")[i] for name in _CHECKED)) for side in ("raw", "scaled")]
    return {
        "scores": [f"{side}, {result.sweep.n_samples:,}" for side, *_ in rows],
        "σ predicted": [number(row[1]) for row in rows],
        "σ measured": [f"{number(row[2])} ± {number(row[3], 2)}" for row in rows],
        "z": [number(result.std_z[i], 2)] * len(rows),
        "95 % band": ["inside" if row[4] else "outside" for row in rows],
    }


def _share(weight, digits=3):
    """A weight in per cent, with the digits that the table gives it."""
    return f"{number(100 * weight, digits)} %"


def _table(result, i, mean):
    """The numbers of stop i as columns, for the table and its CSV file."""

    def of_both(field):
        return [float(getattr(result, f"{side}_{field}")[i]) for side in ("raw", "scaled")]

    return {
        "scores": ["raw", "scaled"],
        "standard deviation, measured": of_both("std_measured"),
        "predicted": of_both("std_theory"),
        "standard error": of_both("std_error"),
        "largest weight, this query": of_both("max_weight"),
        "largest weight, mean over queries": [mean.raw, mean.scaled],
        "its standard error": [mean.raw_error, mean.scaled_error],
        "effective keys, this query": of_both("effective_keys"),
    }


def _bins(result, i):
    """Every bar of stop i with its density in theory, and every weight, in one long table."""
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
    """The Python that computes these numbers again."""
    params = StartParams((d_k,), sweep.n_samples, sweep.n_keys, law=sweep.law, seed=sweep.seed)
    weights = (f"result.{side}_max_weight[0], result.{side}_effective_keys[0]" for side in ("raw", "scaled"))
    return code(measure_start, params, show=("result.sweep.raw_variance, result.sweep.scaled_variance", *weights))
