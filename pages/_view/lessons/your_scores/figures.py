"""Pictures of the your_scores lesson: scores against ideal ones, growth with the dimension, tables."""

from collections.abc import Sequence
from math import floor, isfinite, log10

import numpy as np

from pages._view.figures.base import axis, corner, dashed, figure, label, line, over_axis, solid, steps, title
from pages._view.figures.code import Name, code, printed
from pages._view.figures.ends import name_ends
from pages._view.lessons.your_scores.declaration import SAMPLE_NAMES
from pages._view.literal import written
from pages._view.marks import Mark
from pages._view.picture import Part, Picture, Table
from pages._view.theme import PROJECTOR, Profile, number, percent, typed
from sattn_core.files.reading import Reading
from sattn_core.files.score_files import read_queries_and_keys
from sattn_core.files.score_growth import FEWEST_ROWS
from sattn_core.lessons.your_scores import (
    TRAINED,
    YourScoresParams,
    YourScoresResult,
    measure_your_scores,
    sample_scores,
)

_LETTERS = 38  # letters per title line on a phone
_HALF = 0.5  # height of the ideal curve's label, as a share of its peak
_ROOM = 0.87  # share of the axis above which a label does not fit
_NAME = 4.6  # width of the label on a phone, in units of the axis
_LEFT = 3.0  # left margin for tick labels, in em of an axis title
_SCALES = {"1": "no scale", "1/√d_k": "1/√dₖ", "1/d_k": "1/dₖ", "1/std": "the one that fits"}


# --- the scores ------------------------------------------------------------------------------------------


def histogram(
    result: YourScoresResult, params: YourScoresParams, source: str, own: Sequence[str], profile: Profile
) -> Picture:
    """Return the picture of the shown head's scaled scores, minus row means, beside those of ideal q and k.

    source: the origin of the numbers, as text. own: names of the visitor's files; empty for a sample.
    """
    sentence = _histogram_sentence(result)
    return Picture(
        "your_histogram",
        _histogram_figure(result, own, profile),
        sentence,
        _histogram_table(result),
        _histogram_code(result, params, own),
        alt=f"{source}. {sentence}",
        sure=(f"{source}.", *_histogram_sure(result)),
        checks=moment_table(result),
        marks=(
            *(Mark(word, ("measured",)) for word in ("scores spread", "scores of a row", "scores of every row")),
            Mark("ideal", ("ideal distribution",)),
        ),
    )


def source(result: YourScoresResult, params: YourScoresParams, d_k: int, own: Sequence[str]) -> str:
    """Return the origin of the numbers as text; the sample may have a smaller d_k than the slider."""
    report = result.report
    rows = f"{report.n_queries:,} queries, {report.n_keys:,} keys"
    heads = "1 head" if report.n_heads == 1 else f"{report.n_heads} heads"
    if own:
        return "; ".join((f"Your file, {heads}, {rows}, dₖ = {report.d_k:,}", *taken(result)[1:]))
    asked = "" if d_k == params.d_k or params.sample in TRAINED else f"; samples go from 2 to 256, not to dₖ = {d_k:,}"
    return f"Sample “{SAMPLE_NAMES[params.sample]}”, {heads}, {rows}, dₖ = {params.d_k}{asked}"


def _rows(result, own, profile):
    """Return the origin of the numbers as one line of a figure; None on a wall, which has no room and no uploads."""
    report = result.report
    if profile is PROJECTOR:
        return None
    whose = "Your file" if own else "Sample"
    heads = f" {report.n_heads} heads," if own and has_heads(result) else ""
    rows = f"{whose},{heads} {report.n_queries:,} queries, {report.n_keys:,} keys, dₖ = {report.d_k:,}"
    return "; ".join((rows, *taken(result)[1:]))


def taken(result: YourScoresResult) -> tuple[str, ...]:
    """Return notes on how the lines, columns and axes of the visitor's files were read, the shape first."""
    return tuple(map(written, result.taken))


def _histogram_figure(result, own, profile):
    report, shown = result.report, result.shown
    edges = report.scaled_edges
    centres = (edges[1:] + edges[:-1]) / 2
    top = 1.15 * max(result.measured_density.max(), report.ideal_density[np.isfinite(report.ideal_density)].max())
    words = [_ideal_name(result, centres, top, profile)]
    outside = shown.scaled_below + shown.scaled_above
    if outside:
        share = outside / (outside + shown.scaled_counts.sum())
        said = percent(share, 1) if share >= 0.0005 else "under 0.1 %"
        words.append(corner(f"{said} beyond ±6", profile, side="left"))
    return figure(
        profile,
        [
            steps(edges, result.measured_density, profile.scaled, "measured"),
            line(centres, report.ideal_density, dashed(profile), "ideal distribution"),
        ],
        left=_LEFT,
        height=0.9,
        title=_bold(f"{_whose(result)} {number(shown.scaled_std, 4)}", _rows(result, own, profile), profile),
        xaxis=axis(profile, "scaled score, less its row's mean", range=[edges[0], edges[-1]]),
        yaxis=axis(profile, grid=True, range=[0, top]),
        annotations=words,
    )


def _bold(text, key, profile):
    """Return a one-line title with the source of the numbers below it."""
    return title(f"<b>{text}</b>", profile, size=profile.axis_size, key=key, letters=_LETTERS)


def _ideal_name(result, centres, top, profile):
    """Return the label of the dashed curve, at its right flank and above all bars there."""
    ideal = np.nan_to_num(result.report.ideal_density, posinf=0.0)
    start = float(centres[ideal >= _HALF * ideal.max()].max())
    under = (centres >= start) & (centres <= start + _NAME)
    highest = max(ideal[under].max(), result.measured_density[under].max())
    place: Part = {"x": start, "xanchor": "left", "xshift": profile.tick_size / 2}
    at = {"y": float(highest), "yanchor": "bottom"} if highest < _ROOM * top else {"y": top, "yanchor": "top"}
    return label("ideal q and k", profile, bgcolor=None, **place, **at)


def _whose(result):
    """Return the start of the histogram's title, short enough for a figure beside the files on a small screen."""
    return f"Head {result.head + 1}: density, spread" if has_heads(result) else "Density of scaled scores, spread"


def _histogram_sentence(result):
    """Return the sentence under the histogram: the verdict in plain words."""
    report, told = result.report, result.report.heads[result.report.told]
    spread = _about(told.scaled_std)
    if not has_heads(result):
        return _ONE_HEAD[told.code](told, spread)
    if report.code == "right":
        return f"√dₖ is right for all {report.n_heads} heads; in the one farthest off, scores spread by {spread}."
    count = f"{report.right} of the {report.n_heads}" if report.right else "none of the"
    if told.code == "aligned":
        return f"√dₖ is right for {count} heads; in the one farthest off, {_lifted(told)}."
    return f"√dₖ is right for {count} heads; in the one farthest off, the scores of a row spread by {spread}."


def _about(value):
    """Return a size as words for a sentence."""
    if value < 1e-4:
        return "practically nothing"
    return f"about {number(value, 2)}" if value < 1e7 else "more than ten million"


def _say_right(told, spread):
    return f"Here √dₖ is right: divided by it, the scores of a row spread by {spread}, {_beside_ideal(told)}."


def _beside_ideal(told):
    """Return a phrase that compares the spread with the ideal band; outside it, a spread may still be near enough."""
    low, high = told.scaled_band
    return "as ideal ones do" if low <= told.scaled_std <= high else "near enough to ideal"


def _say_aligned(told, spread):
    return f"The scores of a row spread by {spread}, {_beside_ideal(told)}; yet {_lifted(told)}."


def _lifted(told):
    way, lift = "higher" if told.paired_lift > 0 else "lower", _about(abs(told.paired_lift))
    return f"query i scores {lift} spreads {way} with key i"


def _say_too_weak(told, spread):
    return f"Here √dₖ divides too little: the scores of a row still spread by {spread}.{_instead(told)}"


def _say_too_strong(told, spread):
    return f"Here √dₖ divides too much: the scores of a row spread by {spread}.{_instead(told)}"


def _instead(told):
    divisor = 1 / told.unit_scale
    return f" Dividing by about {number(divisor, 2)} would suit." if 1e-4 <= divisor < 1e7 else ""


def _say_unclear(told, spread):
    return f"There are too few rows to tell: the scores of a row spread by {spread}, but so may ideal ones."


def _say_no_variation(told, spread):
    return "The scores of every row are all equal, so no scale changes what softmax does with them."


_ONE_HEAD = {
    "right": _say_right,
    "aligned": _say_aligned,
    "too_weak": _say_too_weak,
    "too_strong": _say_too_strong,
    "unclear": _say_unclear,
    "no_variation": _say_no_variation,
}


def _histogram_sure(result):
    """Return the verdict with its numbers and its reason, and the shown head's spread beside that of ideal q and k."""
    report, shown = result.report, result.shown
    head = f"Head {result.head + 1} has {number(shown.scaled_std, 4)}. " if has_heads(result) else ""
    return (report.verdict, report.reason, f"{head}{shown.chance}", _AT_THE_START)


_AT_THE_START = (
    "All this is about the start of training. A trained model has adapted to its scale, whatever its spread has become."
)


def _histogram_table(result):
    """Return bins, counts, density and the density of ideal q and k."""
    edges = result.report.scaled_edges
    return {
        "from": edges[:-1].tolist(),
        "to": edges[1:].tolist(),
        "count": result.shown.scaled_counts.tolist(),
        "density": result.measured_density.tolist(),
        "ideal density": result.report.ideal_density.tolist(),
    }


def _histogram_code(result, params, own):
    """Return Python code that repeats the measurement, on the visitor's files if there are any."""
    shown = (
        "report.verdict, report.reason",
        "shown.scaled_std, shown.scaled_band, shown.tail_band, shown.chance",
        "shown.scaled_counts, result.measured_density, report.ideal_density",
    )
    return _measured(result, params, own) + "report, shown = result.report, result.shown\n" + printed(shown)


def refused(key: str, problem: str, own: Sequence[str], profile: Profile) -> Picture:
    """Return the picture of a step while the visitor's files are refused: only the reason."""
    said = written(problem)
    hidden = axis(profile, showticklabels=False, ticks="", showline=False, range=[0, 1])
    word = {"xref": "paper", "yref": "paper", "x": 0.5, "y": 0.5}
    drawn = figure(
        profile,
        [line([None], [None], dashed(profile), "nothing")],
        left=3.8,
        height=0.9,
        title=title("Not measured", profile),
        xaxis=hidden,
        yaxis=hidden,
        annotations=[label("Your file is not read", profile, **word)],
    )
    table = {"file": [*own], "problem": [said] * len(own)}
    return Picture(key, drawn, said, table, _reading_code(own, None), alt=f"Your file is not read. {said}")


# --- growth ----------------------------------------------------------------------------------------------


def growth(
    result: YourScoresResult, params: YourScoresParams, source: str, own: Sequence[str], profile: Profile
) -> Picture:
    """Return the picture of the scores' size against the number m of components, log–log, beside a line ∝ √m.

    source, own: as in `histogram`.
    """
    sentence = _growth_sentence(result)
    return Picture(
        "your_growth",
        _growth_figure(result, own, profile),
        sentence,
        {
            "components": list(result.shown.row_exponent.dims),
            "inside a row": result.shown.row_exponent.sizes.tolist(),
            "fitted": result.exponent_line.tolist(),
            "√m": result.ideal_line.tolist(),
            "query i with key i": result.shown.paired_exponent.sizes.tolist(),
        },
        _growth_code(result, params, own),
        alt=f"{source}. {sentence}",
        sure=(f"{source}.", *_growth_sure(result)),
        marks=_growth_marks(result),
    )


def _growth_figure(result, own, profile):
    traces, dims = _growth_traces(result, profile), result.shown.row_exponent.dims
    low, high = _size_range(traces)
    sizes = {"grid": True, "type": "log", "range": [low, high], **_size_ticks(low, high)}
    drawn = figure(
        profile,
        traces,
        left=_LEFT,
        height=0.9,
        title=_bold(_growth_title(result), _rows(result, own, profile), profile),
        xaxis=axis(profile, "components m", type="log", tickvals=_every(dims), range=_wide(dims)),
        yaxis=axis(profile, **sizes),
        annotations=[],
    )
    drawn.layout["margin"]["t"] += round(1.4 * profile.tick_size)  # for the y axis title
    names, colours = _names(result, profile)
    if names:
        drawn = name_ends(drawn, names, profile, low=low, high=high, colours=colours)
    upright = over_axis("Root mean square score", profile, _LEFT, up=0.3, bgcolor=None, borderpad=0)
    drawn.layout["annotations"] = [*drawn.layout["annotations"], upright]
    return drawn


def _growth_traces(result, profile):
    fitted, paired = result.shown.row_exponent, result.shown.paired_exponent
    traces = [_sizes(fitted, profile.scaled, "square", "inside a row", profile)]
    if isfinite(fitted.value):
        root = line(fitted.dims, result.ideal_line, dashed(profile), "√m")
        traces = [root, line(fitted.dims, result.exponent_line, solid(profile, profile.scaled), "fitted"), *traces]
    if isfinite(paired.value):
        traces.append(_sizes(paired, profile.third, "diamond", "query i with key i", profile))
    return traces


def _names(result, profile):
    """Return the labels of the marks with the heights of their last points, and their colours."""
    fitted, paired = result.shown.row_exponent, result.shown.paired_exponent
    ends = []
    if isfinite(fitted.value):
        ends = [
            ("all pairs", result.exponent_line[-1], profile.scaled),
            ("√m", result.ideal_line[-1], profile.text),
        ]
    if isfinite(paired.value):
        ends.append(("i with i", paired.sizes[-1], profile.third))
    return [(name, float(np.log10(size))) for name, size, _ in ends], [colour for *_, colour in ends]


def _sizes(fitted, colour, symbol, name, profile):
    marker = {"color": colour, "symbol": symbol, "size": profile.marker_size}
    return {"type": "scatter", "mode": "markers", "x": fitted.dims, "y": fitted.sizes, "name": name, "marker": marker}


def _every(dims):
    """Return at most six of the dimensions, as ticks."""
    return dims[:: max(1, -(-len(dims) // 6))]


def _size_range(traces):
    """Return the range of the vertical axis, in log10."""
    sizes = np.concatenate([np.asarray(trace["y"]) for trace in traces])
    sizes = sizes[sizes > 0]
    low, high = (np.log10(sizes.min()), np.log10(sizes.max())) if len(sizes) else (-1.0, 1.0)
    return low - 0.2, high + 0.3


def _size_ticks(low, high):
    """Return ticks at 1, 2 and 5 of every decade, or at as many powers of ten as fit, each written in full."""
    decades = range(floor(low), floor(high) + 1)
    every = -(-len(decades) // 6)
    steps = (1, 2, 5) if len(decades) <= 3 else (1,)
    ticks = [float(f"{step}e{decade}") for decade in decades[::every] for step in steps]
    ticks = [tick for tick in ticks if tick > 0 and low <= log10(tick) <= high]
    return {"tickvals": ticks, "ticktext": [number(tick, 1) for tick in ticks]}


def _wide(dims):
    return [-0.1, np.log10(dims[-1]) + 0.1]


def _growth_title(result):
    """Return a title that says if the scores of a row grow as √dₖ assumes."""
    fitted = result.shown.row_exponent
    if not isfinite(fitted.value):
        return "No growth to fit"
    if not isfinite(fitted.low):
        return "Too few rows to tell"
    if fitted.low <= 0.5 <= fitted.high:
        return "Growth as √dₖ assumes"
    return f"Growth {'faster' if fitted.low > 0.5 else 'slower'} than √dₖ"


def _growth_sentence(result):
    """Return the sentence under the growth: the fitted exponent beside that of √dₖ."""
    fitted = result.shown.row_exponent
    if not isfinite(fitted.value):
        return "There is no growth to fit: it takes at least two components and scores that differ."
    return (
        f"With m components, the scores of a row grow like m to the power {number(fitted.value, 2)}; "
        f"√dₖ assumes a half."
    )


def _growth_marks(result):
    if not isfinite(result.shown.row_exponent.value):
        return ()
    return Mark("the scores of a row", ("fitted", "inside a row")), Mark("√dₖ", ("√m",))


def _growth_sure(result):
    """Return the fitted exponents and their intervals, of all pairs and of query i with key i."""
    fitted, paired = result.shown.row_exponent, result.shown.paired_exponent
    if not isfinite(fitted.value):
        return ()
    alone = (
        f" Scores of query i with key i grow like m to the power {number(paired.value, 4)}"
        if isfinite(paired.value)
        else ""
    )
    start = f"Added component by component, the scores of a row grow like m to the power {number(fitted.value, 4)}"
    if not isfinite(fitted.low):
        few = f"An interval takes at least {FEWEST_ROWS} queries and {FEWEST_ROWS} keys."
        return (f"{start}.{alone and alone + '.'} {few}",)
    inside = "holds ½" if fitted.low <= 0.5 <= fitted.high else "does not hold ½"
    return (
        f"{start}; the 95 % interval, {_between(fitted)}, {inside}, which √dₖ assumes."
        f"{alone and f'{alone} ({_between(paired)}).'}",
    )


def _between(fitted):
    return f"{number(fitted.low, 4)} to {number(fitted.high, 4)}"


def _growth_code(result, params, own):
    """Return Python code that fits the growth."""
    shown = (
        "fitted.value, fitted.low, fitted.high, paired.value, paired.low, paired.high",
        "fitted.dims, fitted.sizes, paired.sizes",
        "result.exponent_line, result.ideal_line",
    )
    fits = "fitted, paired = result.shown.row_exponent, result.shown.paired_exponent\n"
    return _measured(result, params, own) + fits + printed(shown)


# --- code of both pictures ---------------------------------------------------------------------------------


def _measured(result, params, own):
    """Return Python code that measures the visitor's files, or the sample."""
    rows = _reading_code(own, result.reading) if own else code(sample_scores, params, name="Q, K")
    return rows + code(measure_your_scores, Name("Q"), Name("K"), head=result.head)


def _reading_code(own, reading):
    """Return Python code that reads the visitor's files, with the reading options that were chosen."""
    files = [Name(f"({each!r}, Path({each!r}).read_bytes())") for each in own]
    said = {} if reading in (None, Reading()) else {"reading": reading}
    return "from pathlib import Path\n\n" + code(read_queries_and_keys, *files, name="Q, K", **said)


# --- tables ----------------------------------------------------------------------------------------------


def saturation_table(result: YourScoresResult) -> Table:
    """Return a table of softmax under four scales, averaged over queries."""
    rows = result.shown.saturation
    return {
        "scale": [_SCALES[row.name] for row in rows],
        "multiplier": [_exact(row.scale) if row.name != "1/std" else number(row.scale, 4) for row in rows],
        "spread": [number(row.score_std, 4) for row in rows],
        f"entropy (at most {number(result.uniform_entropy)} nats)": [number(row.entropy_nats) for row in rows],
        f"effective keys (of {result.report.n_keys:,})": [number(row.effective_keys) for row in rows],
        "largest weight": [number(row.max_weight) for row in rows],
    }


def moment_table(result: YourScoresResult) -> Table:
    """Return a table of the components' moments, the correlation of pairs, and the scale that fits."""
    query, key, shown = result.shown.query, result.shown.key, result.shown
    rows = [
        ("mean of q", query.mean, 0),
        ("variance of q", query.variance, 1),
        ("kurtosis of q", query.kurtosis, 3),
        ("effective dimension of q", query.effective_dimension, result.ideal_effective_dimension[0]),
        ("mean of k", key.mean, 0),
        ("variance of k", key.variance, 1),
        ("kurtosis of k", key.kurtosis, 3),
        ("effective dimension of k", key.effective_dimension, result.ideal_effective_dimension[1]),
        ("correlation of qᵢ with kᵢ", shown.paired_correlation, 0),
        ("lift of query i at key i, in spreads", shown.paired_lift, 0),
        ("divisor that fits", 1 / shown.unit_scale, result.divisor),
        ("scale that fits", shown.unit_scale, 1 / result.divisor),
    ]
    return {
        "quantity": [name for name, _, _ in rows],
        "measured": [number(value, 4) for _, value, _ in rows],
        "ideal": [_exact(ideal) for _, _, ideal in rows],
    }


def _exact(value):
    """Return an exact number as text, with at most four digits and no trailing zeros."""
    return f"{value:.4g}"


def has_heads(result: YourScoresResult) -> bool:
    """Return True if there is more than one head to compare."""
    return result.report.n_heads > 1


def head_table(result: YourScoresResult) -> Table:
    """Return a table with one row per head."""
    names = {
        "q variance": "q_variance",
        "k variance": "k_variance",
        "spread ÷ √dₖ": "scaled_std",
        "exponent": "exponent",
        "corr(qᵢ, kᵢ)": "paired_correlation",
        "effective dimension": "effective_dimension",
        "entropy": "entropy_nats",
        "effective keys": "effective_keys",
        "largest weight": "max_weight",
        "divisor that fits": "divisor",
    }
    # As many digits as the other tables use for the same quantity.
    digits = {name: 3 if name in ("entropy", "effective keys", "largest weight") else 4 for name in names}
    columns = {
        name: [number(getattr(row, field), digits[name]) for row in result.rows] for name, field in names.items()
    }
    verdicts = [row.code.replace("_", " ") for row in result.rows]
    return {"head": [typed(row.head + 1) for row in result.rows]} | columns | {"√dₖ is": verdicts}
