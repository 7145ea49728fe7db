"""The start page's picture: what the hero draws at every stop of its slider."""

import numpy as np

from pages._view.theme import DARK, LIGHT, PROJECTOR, number, percent

PLAY_STEP = 550  # ms a stop stays on screen while playing
CALM_STEP = 1100  # the same for visitors who asked for less motion
FIXED_TICKS = (-60, -40, -20, 0, 20, 40, 60)
OWN_TICKS = (-4, -2, 0, 2, 4)
OWN_RANGE = 5


def sentence(result, i):
    """The live sentence at stop i: caption, spoken text and picture description in one."""
    d_k = result.sweep.dims[i]
    n_keys = result.sweep.n_keys
    return (
        f"At d_k = {d_k:,} raw scores have standard deviation {_std(result, 'raw', i)}: one key takes "
        f"{_share(result.raw_max_weight[i])} of the weight, as if {number(result.raw_effective_keys[i])} of "
        f"{n_keys} keys were attended to. Divided by √{d_k:,} = {number(result.raw_std_theory[i])} they have "
        f"{_std(result, 'scaled', i)}: the largest weight is {_share(result.scaled_max_weight[i])} and "
        f"it attends to {number(result.scaled_effective_keys[i])} keys."
    )


def _share(weight):
    """A weight in per cent, with the digits that the table gives it."""
    return f"{number(100 * weight)} %"


def table_note(d_k):
    """Which d_k the table and the code are of: they stay while the slider is dragged or plays."""
    return f"At d_k = {d_k:,}, where the slider last came to rest."


def table(result, i):
    """The numbers of stop i as columns, for the table and its CSV file."""
    sides = ("raw", "scaled")
    return {
        "scores": list(sides),
        "standard deviation, measured": [float(getattr(result, f"{s}_std_measured")[i]) for s in sides],
        "predicted": [float(getattr(result, f"{s}_std_theory")[i]) for s in sides],
        "standard error": [float(getattr(result, f"{s}_std_error")[i]) for s in sides],
        "largest weight, this query": [float(getattr(result, f"{s}_max_weight")[i]) for s in sides],
        "largest weight, mean over queries": [float(getattr(result, f"{s}_expected_max_weight")[i]) for s in sides],
        "effective keys, this query": [float(getattr(result, f"{s}_effective_keys")[i]) for s in sides],
    }


def bins(result, i):
    """Every bar of stop i with its law, and every weight, in one long table."""
    columns = {"what": [], "from": [], "to": [], "value": [], "law": []}
    for side in ("raw", "scaled"):
        edges, law = getattr(result.sweep, f"{side}_edges"), getattr(result, f"{side}_law")[i]
        columns["what"] += [f"{side} scores, count in bin"] * len(law)
        columns["from"] += edges[:-1].tolist()
        columns["to"] += edges[1:].tolist()
        columns["value"] += getattr(result.sweep, f"{side}_counts")[i].tolist()
        columns["law"] += law.tolist()
        weights = getattr(result, f"{side}_weights")[i]
        columns["what"] += [f"{side} attention weight of key"] * len(weights)
        columns["from"] += range(len(weights))
        columns["to"] += range(len(weights))
        columns["value"] += weights.tolist()
        columns["law"] += [""] * len(weights)
    return columns


def hero_payload(result, d_k, profile):
    """What the hero needs: texts as texts, heights in thousandths of the tallest bar of their panel."""
    sweep = result.sweep
    stops = range(len(sweep.dims))
    return {
        "d_k": d_k,
        "mode": profile.name,
        "style": _style(profile),
        "playStep": PLAY_STEP,
        "calmStep": CALM_STEP,
        "labels": {"play": "▶ Play", "pause": "⏸ Pause", "axis": "Own axis for each", "save": "Save SVG"},
        "names": {
            "raw": "Raw scores q·k",
            "scaled": "Scaled scores q·k ÷ √d_k",
            "raw-weights": "Attention weights, raw",
            "scaled-weights": "Attention weights, scaled",
        },
        "stops": [
            {"d_k": sweep.dims[i], "title": f"d_k = {sweep.dims[i]:,}", "sentence": sentence(result, i)} for i in stops
        ],
        "shared": {
            "low": float(sweep.raw_edges[0]),
            "high": float(sweep.raw_edges[-1]),
            "ticks": FIXED_TICKS,
            "labels": [f"{t}".replace("-", "−") for t in FIXED_TICKS],
        },
        "own": {"low": -OWN_RANGE, "high": OWN_RANGE, "ticks": OWN_TICKS},
        "weightAxis": {
            "room": 3.2,
            "levels": [[0, "0 %"], [0.5, "50 %"], [1, "100 %"]],
            "label": f"the {sweep.n_keys} keys of one query",
        },
        "raw": _side(result, "raw", sweep.raw_edges, sweep.raw_counts, result.raw_law),
        "scaled": _side(result, "scaled", sweep.scaled_edges, sweep.scaled_counts, result.scaled_law),
    }


def _side(result, side, edges, counts, law):
    sweep = result.sweep
    stops = range(len(sweep.dims))
    theory = getattr(result, f"{side}_std_theory")
    weights = getattr(result, f"{side}_weights")
    outside = _beyond_the_axis(sweep, side)
    typical = getattr(result, f"{side}_expected_max_weight")
    largest = getattr(result, f"{side}_max_weight")
    keys = getattr(result, f"{side}_effective_keys")
    return {
        **_bars(edges, counts, law),
        "alt": f"Histogram of {sweep.n_samples:,} {side} scores with the {_law_name(result)} as a dashed line",
        "weightAlt": f"Attention weights of one query from {side} scores",
        "unit": theory.tolist(),
        "ruler": theory.tolist(),
        "rulerText": [f"±1 σ = ±{number(theory[i])}" for i in stops],
        "figures": [f"σ {_std(result, side, i)}" for i in stops],
        "beyond": [f"{percent(share, 1)} beyond the axis" if share >= 0.0005 else "" for share in outside],
        "ownTicks": [[number(t * theory[i]) if t else "0" for t in OWN_TICKS] for i in stops],
        "weights": np.round(weights, 4).tolist(),
        "weightFigures": [
            f"largest {_share(largest[i])} (mean over queries {_about(result)}{_share(typical[i])}) · "
            f"effective keys {number(keys[i])}"
            for i in stops
        ],
    }


def _beyond_the_axis(sweep, side):
    """Share of the scores beyond the axis that both sides have.

    The bins of the scaled scores end long before it. Of scores of variance 1 fewer than 1 in 64² lie beyond it, which
    no text says; at d_k = 1 they are the raw scores.
    """
    raw = (sweep.raw_below + sweep.raw_above) / sweep.n_samples
    return raw if side == "raw" else np.where(np.array(sweep.dims) == 1, raw, 0.0)


def _thousandths(shares):
    return np.rint(1000 * shares).astype(int).tolist()


def _bars(edges, counts, law):
    """Bars and law in thousandths of the tallest bar; a law taller than its bars is cut at the panel's top."""
    tallest = counts.max(axis=1, keepdims=True)
    per_density = counts.sum(axis=1, keepdims=True) * (edges[1] - edges[0])
    return {
        "bins": {"first": float(edges[0]), "width": float(edges[1] - edges[0])},
        "heights": _thousandths(counts / tallest),
        "law": _thousandths(np.minimum(law * per_density / tallest, 1.05)),
    }


def _std(result, side, i):
    measured = getattr(result, f"{side}_std_measured")[i]
    theory = getattr(result, f"{side}_std_theory")[i]
    error = getattr(result, f"{side}_std_error")[i]
    verdict = "" if getattr(result, f"{side}_std_inside")[i] else ", outside its 95 % band"
    return f"{number(measured)} (predicted {number(theory)} ± {number(error, 2)}{verdict})"


def _about(result):
    return "" if result.law_is_exact else "about "


def _law_name(result):
    return "exact law" if result.law_is_exact else "normal approximation"


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


def code(params, d_k):
    """The Python that computes this page's numbers again."""
    return (
        "from sattn_core import dimension_sweep, effective_keys, softmax\n\n"
        f"sweep = dimension_sweep(({d_k},), n_samples={params.n_samples}, n_keys={params.n_keys}, "
        f'law="{params.law}", seed={params.seed})\n'
        "print(sweep.raw_variance, sweep.scaled_variance)\n"
        f"row = sweep.row_scores[0]\n"
        f"print(softmax(row).max(), effective_keys(row))\n"
        f"print(softmax(row / {d_k}**0.5).max(), effective_keys(row / {d_k}**0.5))\n"
    )
