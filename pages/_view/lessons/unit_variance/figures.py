"""Pictures of the unit_variance lesson: the pipeline stage by stage, all initialisations, shared inputs."""

import math
import re
from collections.abc import Sequence

import numpy as np

from pages._view.figures import base
from pages._view.figures.code import code
from pages._view.lessons.unit_variance.declaration import SCHEME_NAMES
from pages._view.literal import drawn, plain
from pages._view.marks import Mark
from pages._view.picture import Picture, Table
from pages._view.theme import Profile, listed, number
from sattn_core.lessons import unit_variance as core

_NOTHING = 1e-3  # a smaller standard deviation is called practically 0
_SHARED = 0.95  # the spread within a row is mentioned if it is below this share of σ
UPRIGHT = "<b>Spread σ</b>"  # y axis title of the stages
_UNIT = 0.01  # a standard deviation closer to 1 than this is called 1
_SHORT = {
    "x": "x",
    "layer_norm": "Layer<br>Norm",
    "q": "q",
    "k": "k",
    "raw_scores": "raw<br>scores",
    "scaled_scores": "÷ √dₖ",
}
_NAMES_BESIDE = 12  # left margin for a stage's label with its σ, in em of an axis title
_HALF_WIDTH = 3  # half the axis, in units of √d_k, the standard deviation that raw scores should have
_STAGES = {
    "x": "x",
    "layer_norm": "LayerNorm(x)",
    "q": "q = x W_Q",
    "k": "k = x W_K",
    "raw_scores": "raw scores q·k",
    "scaled_scores": "scaled q·k/√dₖ",
}
_SHARING = {
    "independent": "W_Q, W_K apart",
    "tied_weights": "W_Q = W_K",
    "same_vectors": "Q = K = X",
}


# --- expectations, stage by stage --------------------------------------------------------------------------


def expected(
    sweep: core.StageSweep,
    scheme: str,
    d_k: int,
    asked_heads: int,
    profile: Profile,
    result: core.UnitVarianceResult | None = None,
) -> Picture:
    """Return the picture of every stage's σ at this d_k, and of the σ that the rule assumes. result: measurements."""
    i, at = sweep.dims.index(d_k), sweep.schemes.index(scheme)
    found, within = sweep.std[at], sweep.row_std[at, i]
    sentence = _expected_sentence(found[i, -1], within, scheme, d_k)
    sure = (*_stages_sure(result, within), *_bias(result)) if result else ()
    return Picture(
        "unit_variance",
        _expected_figure(sweep, found, i, result, profile),
        sentence,
        {"scheme": [SCHEME_NAMES[name] for name in sweep.schemes]}
        | {stage: sweep.std[:, i, j].tolist() for j, stage in enumerate(sweep.stages)},
        _expected_code(sweep, i, scheme),
        alt=_expected_alt(sweep, found[i], i, sentence, asked_heads),
        sure=(*sure, *_heads(sweep.n_heads[i], asked_heads)),
        checks=stage_table(result) if result else None,
        marks=_expected_marks(sweep, scheme),
    )


def _expected_figure(sweep, found, i, result, profile):
    """Return a square for each stage of the chosen initialisation; the others are grey lines."""
    places = list(range(len(sweep.stages)))
    traces = [
        _other_schemes(sweep, i, profile),
        base.line(places, _assumed(sweep, i), base.dashed(profile), "assumed"),
        base.line(places, found[i], base.solid(profile, profile.text), "chosen"),
        _stage_marks("expected", places, found[i], "square", _stage_colours(sweep, profile), profile),
    ]
    measured = [stage.std for stage in result.stages] if result else []
    if result:
        traces.append(_rings(places, measured, profile))
    ticks = {"tickvals": places, "ticktext": _stage_ticks(sweep, found[i], profile), "tickangle": 0}
    fig = base.figure(
        profile,
        traces,
        left=3.2,
        title=base.title(UPRIGHT, profile, size=profile.axis_size),
        xaxis=base.axis(profile, range=[-0.5, len(places) - 0.5], **ticks),
        yaxis=base.axis(profile, grid=True, type="log", **_decades([*np.ravel(sweep.std), *measured], 0.15, profile)),
        annotations=[_others_name(sweep, found[i], i, profile)],
    )
    lines = 4 if base.on_a_wall(profile) else 6  # bottom margin in lines of text, of which ticks take two or three
    fig.layout["margin"] |= {"t": round(1.6 * profile.axis_size), "b": round(lines * profile.tick_size)}
    return fig


def _rings(places, measured, profile):
    """Return the measured values as rings, with a label at the first."""
    named = {"mode": "markers+text", "text": ["measured", *[""] * (len(places) - 1)], "textposition": "top right"}
    font = {"textfont": {"size": profile.tick_size, "color": profile.text}}
    return _stage_marks("measured", places, measured, "circle-open", profile.text, profile) | named | font


def _others_name(sweep, chosen, i, profile):
    """Return the grey lines' label, between the stages q and k, on the line farthest from the chosen one."""
    at = sweep.stages.index("q")
    heights, here = np.log10(sweep.std[:, i, at]), math.log10(chosen[at])
    far = float(heights[np.argmax(abs(heights - here))])
    side = {"yanchor": "bottom"} if far > here else {"yanchor": "top"}
    return base.label("other weights", profile, x=at + 0.5, y=far, bgcolor=None, **side)


def _assumed(sweep, i):
    """Return the standard deviations that the rule assumes: 1 everywhere but at the raw scores."""
    return [math.sqrt(sweep.dims[i]) if stage == "raw_scores" else 1.0 for stage in sweep.stages]


def _other_schemes(sweep, i, profile):
    """Return all initialisations as one line with gaps."""
    n = len(sweep.stages)
    gapped = np.column_stack([sweep.std[:, i], np.full(len(sweep.schemes), np.nan)])
    return base.line(
        [*range(n), None] * len(sweep.schemes), gapped.ravel(), base.solid(profile, profile.grid, 0.75), "others"
    )


def _stage_marks(name, places, values, symbol, colour, profile):
    size = (2.6 if symbol == "circle-open" else 1.6) * profile.marker_size
    marker = {"symbol": symbol, "size": size, "color": colour, "line": {"width": profile.line_width}}
    return base.line(places, values, {}, name) | {"mode": "markers", "marker": marker}


def _stage_colours(sweep, profile):
    return [_colour(stage, profile) for stage in sweep.stages]


def _stage_ticks(sweep, values, profile):
    """Return ticks with each stage's σ above its name, which takes two lines where the panel is narrow."""
    names = [_SHORT[stage] for stage in sweep.stages]
    if base.on_a_wall(profile):
        names = [name.replace("Layer<br>", "Layer").replace("<br>", " ") for name in names]
    return [f"{number(value)}<br>{name}" for value, name in zip(values, names, strict=True)]


def _expected_marks(sweep, scheme):
    return (
        Mark(_in_sentence(scheme), ("chosen",)),
        Mark("scaled scores", ("expected",), (len(sweep.stages) - 1,)),
        Mark("the rule assumes", ("assumed",)),
    )


def _in_sentence(scheme):
    return SCHEME_NAMES[scheme].replace("normal with σ", "normal weights of σ")  # avoid "with … with"


def _expected_sentence(scaled, within, scheme, d_k):
    """Return the sentence: the scaled scores' initial spread (within a row if that is less), compared with 1."""
    name = _in_sentence(scheme)
    if within < _SHARED * scaled:
        return (
            f"With {name}, scaled scores have σ = {number(scaled)}, but only {number(within)} within a row, which is "
            "all that softmax sees."
        )
    if abs(scaled - 1) < _UNIT:
        return f"With {name} at dₖ = {d_k:,}, the scaled scores start with σ = 1, just as the rule assumes."
    if scaled < _NOTHING:
        return f"With {name} at dₖ = {d_k:,}, the scaled scores are practically nothing, where the rule assumes σ = 1."
    return (
        f"With {name} at dₖ = {d_k:,}, the scaled scores start with σ = {number(scaled)}, where the rule assumes one."
    )


def _expected_alt(sweep, values, i, sentence, asked):
    stages = ", ".join(f"{_STAGES[stage]} {number(value)}" for stage, value in zip(sweep.stages, values, strict=True))
    n, root = sweep.n_heads[i], number(math.sqrt(sweep.dims[i]))
    more = " ".join(_heads(n, asked))
    return (
        f"{sentence} Standard deviations to expect, stage by stage, at dₖ = {sweep.dims[i]:,} with {_plural(n)}, so "
        f"model width {sweep.dims[i] * n:,}: {stages}. The rule assumes 1 everywhere but {root} "
        f"at the raw scores. {more}"
    ).strip()


def _stages_sure(result, within):
    """Return sentences on the spreads of q and of the scores. within: the expected spread within a row."""
    return (
        *_spreads_sure(result, within),
        "Squares are what is expected over all draws of x and of the weights. Rings are measured on one draw of both, "
        f"{result.params.n_tokens} tokens. The predictions in the table are for the x that was drawn.",
    )


def _spreads_sure(result, within):
    """Return the spreads of q and of the scores, measured and predicted. within: the predicted one within a row."""
    params, stage = result.params, {stage.name: stage for stage in result.stages}
    norm = "LayerNorm" if params.normalise else "no LayerNorm"
    return (
        f"At dₖ = {params.d_k:,} with {_plural(params.n_heads)} (model width {params.d_model:,}), {norm} and "
        f"{_scheme(params)}, the standard deviation σ, measured (and predicted), of q is {_beside(stage['q'])}, of raw "
        f"scores {_beside(stage['raw_scores'])}, of scaled scores {_beside(stage['scaled_scores'])}.",
        f"Within a row, which is all that softmax sees, the scaled scores have σ = {number(result.row_std)} (predicted "
        f"{number(result.predicted_row_std)}): {_verdict(within)}",
    )


def _expected_code(sweep, i, scheme):
    names = ("x_mean", "x_std", "normalise", "bias")
    options = {"n_heads": sweep.n_heads[i]} | {name: getattr(sweep, name) for name in names}
    shown = f"sweep.stages, sweep.std[sweep.schemes.index({scheme!r}), 0]"
    return code(core.expected_stages, (sweep.dims[i],), **options, name="sweep", show=shown)


# --- one draw, stage by stage --------------------------------------------------------------------------------


def pipeline(result: core.UnitVarianceResult, profile: Profile) -> Picture:
    """Return the picture of every stage's histogram on one axis, from x at the top to the scaled scores."""
    return Picture(
        "stage_histograms",
        _pipeline(result, profile),
        _pipeline_sentence(result),
        _pipeline_table(result),
        _pipeline_code(result.params),
        sure=_spreads_sure(result, result.predicted_row_std),
        checks=stage_table(result),
        marks=(_stage_mark("raw scores", "raw_scores"), _stage_mark("divided by √dₖ", "scaled_scores")),
    )


def _pipeline(result, profile):
    n, wall = len(result.stages), base.on_a_wall(profile)
    half = _HALF_WIDTH * max(math.sqrt(result.params.d_k), 3)
    layout, traces, words = {}, [], []
    for i, stage in enumerate(result.stages):
        axes, top = "" if i == 0 else str(i + 1), 1 - i / n
        heights = {"range": [0, 1], "showticklabels": False, "ticks": "", "anchor": "x", "showline": False}
        layout[f"yaxis{axes}"] = base.axis(profile, domain=[top - (0.85 if wall else 0.55) / n, top], **heights)
        traces += [trace | {"yaxis": f"y{axes}"} for trace in _stage(stage, profile)]
        words.append(_stage_name(stage, axes, profile))
    values = {"range": [-half, half], "anchor": f"y{n}", "grid": True}
    xaxis = base.axis(profile, "value, one axis for all stages", **values)
    left = _NAMES_BESIDE if wall else 0.8
    return base.figure(profile, traces, left=left, xaxis=xaxis, annotations=words, **layout)


def _stage_name(stage, axes, profile):
    """Return a label with a stage's name and σ: above its bars or, on a wall, which is wide and low, to their left."""
    name = base.in_colour(drawn(_STAGES[stage.name]), _colour(stage.name, profile), profile)
    text = f"{name}: σ {number(stage.std)}"
    beside = {"x": 0, "y": 0, "xanchor": "right", "xshift": -profile.tick_size} if base.on_a_wall(profile) else {}
    place = {"font": _small(profile), "xref": "x domain", "bgcolor": None}  # a background would cover the stage above
    return base.heading(text, profile, axes=axes) | place | beside


def _stage(stage, profile):
    """Return the bars of one stage, and lines one predicted standard deviation to either side of the predicted mean."""
    bars = stage.counts / max(stage.counts.max(), 1)
    ends = [stage.predicted_mean - stage.predicted_std, stage.predicted_mean + stage.predicted_std]
    return [
        base.steps(stage.edges, bars, _colour(stage.name, profile), stage.name),
        *(base.line([x, x], [0, 1], base.dashed(profile), f"{stage.name}, predicted ± 1 σ") for x in ends),
    ]


def _colour(name, profile):
    return {"raw_scores": profile.raw, "scaled_scores": profile.scaled}.get(name, profile.band)


def _small(profile):
    return {"size": profile.tick_size, "color": profile.text}


def _stage_mark(word, stage):
    return Mark(word, (stage, f"{stage}, predicted ± 1 σ"))


def _pipeline_sentence(result):
    """Return the sentence: the spread of one draw of the scores before and after the division."""
    params, (raw, scaled) = result.params, result.stages[-2:]
    return (
        f"In this draw of {params.n_tokens} tokens the raw scores have σ = {number(raw.std)}, and divided by √dₖ they "
        f"have {number(scaled.std)}."
    )


def _scheme(params):
    """Return the name of the initialisation, with the condition under which PyTorch packs its weights."""
    packed = " (keys and values as wide as the model)" if params.scheme == "torch_multihead_attention" else ""
    return f"{SCHEME_NAMES[params.scheme]}{packed}"


def _bias(result):
    """Return a sentence on the effect of the default bias, if it is switched on."""
    params = result.params
    if not params.bias:
        return ()
    alone, added = result.scaled_std_without_bias, result.scaled_std_with_bias
    if alone == added:
        return (f"The default bias of {SCHEME_NAMES[params.scheme]} is 0 and changes nothing.",)
    digits = 3
    while number(alone, digits) == number(added, digits):
        digits += 1
    return (
        f"The default bias adds one component to the {params.d_model:,} of x: the scaled scores are predicted at "
        f"{number(added, digits)}, without it at {number(alone, digits)}.",
    )


def _heads(n_heads, asked):
    """Return a sentence if the requested number of heads does not fit the allowed model widths."""
    if n_heads == asked:
        return ()
    return (
        f"With {_plural(asked)} the model width would not be from {core.NARROWEST} to {core.WIDEST:,}. "
        f"{_plural(n_heads).capitalize()} {'is' if n_heads == 1 else 'are'} used.",
    )


def _plural(n):
    return "1 head" if n == 1 else f"{n} heads"


def _beside(stage):
    return f"{number(stage.std)} ({number(stage.predicted_std)}, {_where(stage)} its band)"


def _where(stage):
    return "inside" if stage.low <= stage.std <= stage.high else "outside"


def _verdict(wanted):
    if abs(wanted - 1) < _UNIT:
        return "unit variance, as the rule assumes."
    if wanted > 1:
        return f"{number(wanted)} times what the rule assumes."
    return f"only {number(wanted)} times what the rule assumes."


def _pipeline_table(result):
    """Return a table of bins and counts of every stage."""
    columns = {}
    for stage in result.stages:
        columns[f"{stage.name} from"] = stage.edges[:-1].tolist()
        columns[f"{stage.name} to"] = stage.edges[1:].tolist()
        columns[f"{stage.name} count"] = stage.counts.tolist()
    return columns


def _pipeline_code(params):
    """Return Python code that measures the pipeline."""
    shown = "stage.name, stage.std, stage.predicted_std, stage.z for stage in result.stages"
    return code(core.measure_unit_variance, params, show=shown)


def stage_table(result: core.UnitVarianceResult) -> Table:
    """Return a table of the stages: assumed, predicted and measured standard deviation, band and z."""
    stages = result.stages
    return {
        "stage": [plain(_STAGES[stage.name]) for stage in stages],
        "shape": [" × ".join(f"{size:,}" for size in stage.shape) for stage in stages],
        "σ assumed": [number(stage.ideal_std) for stage in stages],
        "σ predicted": [number(stage.predicted_std) for stage in stages],
        "σ measured": [number(stage.std) for stage in stages],
        "95 % band": [f"{number(stage.low)} to {number(stage.high)}, {_where(stage)}" for stage in stages],
        "z": ["none" if np.isnan(stage.z) else number(stage.z) for stage in stages],
    }


def schemes(result: core.UnitVarianceResult, profile: Profile) -> Picture:
    """Return the picture of the scaled scores' σ under every initialisation; the chosen one is measured too."""
    return Picture(
        "schemes",
        _schemes(result, profile),
        _schemes_sentence(result),
        _schemes_data(result),
        _schemes_code(result.params),
        sure=_schemes_sure(result),
        checks=schemes_table(result),
        marks=_schemes_marks(result.schemes),
    )


def _schemes(result, profile):
    """Return a row for each initialisation, the largest on top; on a wall, which is wide and low, in two columns."""
    rows, wall = result.schemes, base.on_a_wall(profile)
    half = -(-len(rows) // 2)
    columns = [rows[:half], rows[half:]] if wall else [rows]
    traces, axes = [], {}
    for i, (column, domain) in enumerate(zip(columns, _HALVES if wall else [[0, 1]], strict=True), start=1):
        on = {"xaxis": f"x{i}", "yaxis": f"y{i}"}
        traces += [each | on for each in _scheme_marks(column, profile)]
        values = {"type": "log", "domain": domain, "anchor": f"y{i}", **_decades(_shown(rows), 0.3, profile)}
        axes[f"xaxis{i}"] = base.axis(profile, "σ, scaled scores", grid=True, **values)
        axes[f"yaxis{i}"] = _scheme_names(column, profile) | {"anchor": f"x{i}"}
    return base.figure(profile, traces, left=10.6, **axes)  # room for the longest label


_HALVES = ([0, 0.33], [0.67, 1])  # horizontal domains of two columns on a wall


def _scheme_names(rows, profile):
    names = _names(rows)
    order = {"type": "category", "dtick": 1, "categoryorder": "array", "categoryarray": names}
    return base.axis(profile, ticks="", showline=False, range=[len(rows) - 0.4, -0.6], **order)


def _names(rows):
    return [SCHEME_NAMES[row.name] for row in rows]


def _scheme_marks(rows, profile):
    """Return a bar from 1 to every prediction with a square at its end, and a ring for the measured value."""
    bar, size = base.solid(profile, profile.grid, 1.5), 1.4 * profile.marker_size
    square = {
        "mode": "lines+markers",
        "marker": {"symbol": "square", "size": [size, 0], "color": profile.scaled, "opacity": 1},
    }
    names = _names(rows)
    return [
        base.line([1, 1], [names[0], names[-1]], base.dashed(profile), "assumed"),
        *(base.line([row.scaled_std, 1], [SCHEME_NAMES[row.name]] * 2, bar, row.name) | square for row in rows),
        *(_measured(row, profile) for row in rows if row.chosen),
    ]


def _measured(row, profile):
    ring = {"symbol": "circle-open", "size": profile.marker_size * 2.2, "color": profile.text, "line": {"width": 3}}
    font = {"size": profile.tick_size, "color": profile.text}
    place = "top left" if 0.1 < row.measured_scaled_std < 0.9 else "top center"  # away from the line at 1
    named = {"mode": "markers+text", "text": ["measured"], "textposition": place, "textfont": font}
    return (
        base.line([row.measured_scaled_std], _names([row]), {}, "measured")
        | named
        | {"marker": ring, "cliponaxis": False}
    )


def _shown(rows):
    return [1, *(row.scaled_std for row in rows), *(row.measured_scaled_std for row in rows if row.chosen)]


def _decades(values, room, profile):
    """Return a log axis that holds every value, with some room."""
    wall = base.on_a_wall(profile)
    low, high = min(-2.1, math.log10(np.min(values)) - room), max(0.9, math.log10(np.max(values)) + room)
    ticks = [10.0**power for power in range(-6, 7, 1 if high - low < 5.5 and not wall else 2)]
    return {"range": [low, high], "tickvals": ticks, "ticktext": [f"{tick:,g}" for tick in ticks]}


def _unit(rows):
    """Return the initialisations that give unit variance."""
    return _names([row for row in rows if abs(row.scaled_std - 1) < 1e-3])


def _schemes_sentence(result):
    """Return the sentence: the chosen initialisation, beside those with the largest and the smallest spread."""
    rows = result.schemes
    (chosen,) = [row for row in rows if row.chosen]
    name = _in_sentence(chosen.name)
    # A name may contain a number, and a sentence has at most three.
    ends = [row for row in (rows[0], rows[-1]) if not row.chosen and "σ" not in SCHEME_NAMES[row.name]]
    others = (f", at {number(row.scaled_std)} with {SCHEME_NAMES[row.name]}" for row in ends[: 1 if "σ" in name else 2])
    scores = "Scaled scores" if result.params.normalise else "For normalised x, scaled scores"
    return f"{scores} start at σ = {number(chosen.scaled_std)} with {name}{''.join(others)}."


def _schemes_marks(rows):
    """Return marks for the squares of the largest, the smallest and the chosen initialisation."""
    named = [row for i, row in enumerate(rows) if row.chosen or i in (0, len(rows) - 1)]
    return [Mark(_said_of(row), (row.name,), (0,)) for row in named]


def _said_of(row):
    return _in_sentence(row.name) if row.chosen else SCHEME_NAMES[row.name]


def _schemes_sure(result):
    """Return sentences on the initialisations that give 1, and on the chosen one."""
    rows, params = result.schemes, result.params
    (chosen,) = [row for row in rows if row.chosen]
    first, last, here = _names((rows[0], rows[-1], chosen))
    unit = _unit(rows)
    named = f"only {listed(unit)} {'gives' if len(unit) == 1 else 'give'} 1" if unit else "none gives 1"
    return (
        f"At dₖ = {params.d_k:,} and model width {params.d_model:,} the scaled scores start with a standard deviation "
        f"from {number(rows[0].scaled_std)} ({first}) to {number(rows[-1].scaled_std)} ({last}); "
        f"{named}. The chosen {here} is predicted at {number(chosen.scaled_std)} for normalised x, "
        f"measured at {number(chosen.measured_scaled_std)} here.",
    )


def _schemes_data(result):
    """Return a table of all initialisations in full precision."""
    fields = ("name", "formula", "component_variance", "raw_std", "scaled_std")
    sources = {"source": [_in_words(row.source) for row in result.schemes]}
    return {field: [getattr(row, field) for row in result.schemes] for field in fields} | sources


def _schemes_code(params):
    """Return Python code that compares the initialisations."""
    shown = "row.name, row.component_variance, row.raw_std, row.scaled_std, row.measured_scaled_std"
    return code(core.measure_unit_variance, params, show=f"{shown} for row in result.schemes")


def schemes_table(result: core.UnitVarianceResult) -> Table:
    """Return a table of all initialisations, largest scaled standard deviation first; the chosen one is measured."""
    rows = result.schemes
    return {
        "scheme": _names(rows),
        "variance of a weight": [_of_the_width(row.formula) for row in rows],
        "Var(qᵢ)": [number(row.component_variance) for row in rows],
        "σ raw": [number(row.raw_std) for row in rows],
        "σ scaled": [number(row.scaled_std) for row in rows],
        "measured: Var(qᵢ)": [_if_chosen(row.measured_component_variance) for row in rows],
        "σ raw, measured": [_if_chosen(row.measured_raw_std) for row in rows],
        "σ scaled, measured": [_if_chosen(row.measured_scaled_std) for row in rows],
        "where from": [_of_the_width(row.source) for row in rows],
    }


def _of_the_width(text):
    """Return a formula of the core as people write it, with × in products of words such as d_model."""
    spaced = re.sub(r"(?<=\d) (?=d_model)|(?<=d_model) (?=\()", " × ", text)
    return plain(_in_words(spaced))


def _in_words(source):
    return source.replace("kdim = vdim = embed_dim", "keys and values as wide as the model")


def _if_chosen(value):
    return "" if np.isnan(value) else number(value)


def shared(rows: Sequence[core.SharedInputRow], params: core.UnitVarianceParams, profile: Profile) -> Picture:
    """Return the picture of one head's scaled scores by token: separate weights, tied weights, and Q = K = X."""
    return Picture(
        "shared_input",
        _shared(rows, params.d_k, profile),
        _shared_sentence(rows),
        _shared_data(rows),
        _shared_code(params),
        sure=_shared_sure(rows, params.d_k),
        checks=shared_table(rows),
        marks=(Mark("same vectors", ("same_vectors",)), Mark("separate random weights", ("independent",))),
    )


def _shared(rows, d_k, profile):
    limit = math.sqrt(d_k)
    traces, layout, words = [], {}, []
    for i, row in enumerate(rows):
        axes, left = "" if i == 0 else str(i + 1), i / 3
        cells = base.heatmap(profile, row.scores, limit, name=row.name) | {"xaxis": f"x{axes}", "yaxis": f"y{axes}"}
        traces.append(cells)
        plain = {"showticklabels": False, "ticks": "", "showline": False}
        layout[f"xaxis{axes}"] = base.axis(profile, domain=[left, left + 0.31], anchor=f"y{axes}", **plain)
        layout[f"yaxis{axes}"] = base.axis(profile, anchor=f"x{axes}", autorange="reversed", **plain)
        words.append(_shared_name(row, axes, profile))
    fig = base.figure(profile, traces, left=0.8, plot_bgcolor=profile.grid, annotations=words, **layout)
    fig.layout["margin"] |= {"t": round(3.2 * profile.tick_size), "b": profile.tick_size}
    return fig


def _shared_name(row, axes, profile):
    """Return a panel's heading: its name, and the mean of its diagonal, on which a token scores itself."""
    diagonal = f"diagonal: {number(row.diagonal_mean, 2)}"
    name = base.heading(f"<b>{drawn(_SHARING[row.name])}</b><br>{diagonal}", profile, axes=axes)
    return name | {"font": _small(profile), "align": "left"}


def _shared_sentence(rows):
    """Return the sentence: the weight that a token puts on itself, always with the correct scale."""
    apart, _, same = rows
    return (
        f"When the same vectors serve as queries and keys, a token puts {_percent(same.self_weight)} of its weight on "
        f"itself; with separate random weights, {_percent(apart.self_weight)}."
    )


def _percent(share):
    if share >= 0.9995:
        return "practically all"
    return f"{100 * share:.0f} %" if 0.005 <= share < 0.995 else f"{100 * share:.1f} %"


def _shared_sure(rows, d_k):
    """Return sentences on a token's score with itself, in the three cases."""
    apart, tied, same = rows
    n = len(apart.scores)
    return (
        f"At dₖ = {d_k:,}, all divided by √dₖ: with separate W_Q and W_K a token scores itself "
        f"{number(apart.diagonal_mean)} on average, like any other (predicted 0); with W_Q = W_K "
        f"{number(tied.diagonal_mean)} (predicted {number(tied.predicted_diagonal_mean)}); with Q = K = X "
        f"{number(same.diagonal_mean)} (predicted {number(same.predicted_diagonal_mean)}), and it puts "
        f"{100 * same.self_weight:.1f} % of its weight on itself, where {100 / n:.1f} % would be neutral.",
        f"Green scores are above 0, violet ones below. The darkest are from ±√dₖ = ±{number(math.sqrt(d_k))} on.",
    )


def _shared_data(rows):
    """Return a table of the scores shown: a column for each panel, a row for each query and key."""
    n = len(rows[0].scores)
    places = {"query": np.repeat(np.arange(1, n + 1), n).tolist(), "key": np.tile(np.arange(1, n + 1), n).tolist()}
    return places | {row.name: row.scores.ravel().tolist() for row in rows}


def _shared_code(params):
    """Return Python code that measures the shared inputs."""
    shown = "row.name, row.diagonal_mean, row.predicted_diagonal_mean, row.self_weight for row in rows"
    return code(core.measure_shared_input, params, name="rows", show=shown)


def shared_table(rows: Sequence[core.SharedInputRow]) -> Table:
    """Return a table of diagonal and off-diagonal scaled scores, measured and predicted."""
    return {
        "scores from": [plain(_SHARING[row.name]) for row in rows],
        "diagonal: mean": [number(row.diagonal_mean) for row in rows],
        "predicted": [number(row.predicted_diagonal_mean) for row in rows],
        "off-diagonal: σ": [number(row.off_diagonal_std) for row in rows],
        "predicted σ": [number(row.predicted_off_diagonal_std) for row in rows],
        "weight on itself": [f"{100 * row.self_weight:.1f} %" for row in rows],
    }
