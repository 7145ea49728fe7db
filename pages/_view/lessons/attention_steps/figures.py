"""Pictures of the attention_steps lesson: the architecture, the matrices of each step, one cell written out."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from pages._view.figures.code import Name, code
from pages._view.figures.matrices import cell, equals, operand
from pages._view.figures.panels import MOST_COLUMNS, Panel, named, side_by_side
from pages._view.marks import Mark
from pages._view.picture import Picture
from pages._view.theme import Profile, number, percent, typed
from sattn_core.files.typed import MAX_COLUMNS
from sattn_core.lessons import attention_steps as core

Cell = tuple[int, int, int]  # query, key and column, counted from 0

STEPS = {
    "scores": ("MatMul", "Q Kᵀ", r"S = Q K^\top, \quad S_{ij} = q_i \cdot k_j = \sum_{l=1}^{d_k} Q_{il} K_{jl}"),
    "scale": ("Scale", "÷ √dₖ", r"\text{scaled scores} = Q K^\top / \sqrt{d_k}"),
    "mask": (
        "Mask (optional)",
        "−∞ where forbidden",
        r"M_{ij} = S_{ij} / \sqrt{d_k} \text{ if allowed, else } -\infty",
    ),
    "softmax": ("Softmax", "of each row", r"P_{ij} = e^{M_{ij}} / \sum_j e^{M_{ij}}"),
    "output": ("MatMul", "P V", r"O = P V = \operatorname{softmax}(Q K^\top / \sqrt{d_k})\, V"),
}
DRAWN_LIMIT = 3.0  # colour limit of random components: three standard deviations
_CONTROLS = {  # matrix -> controls that a click sets from its row and its column
    "Q": ("query", None),
    "K": ("key", None),
    "V": ("key", "column"),
    "output": ("query", "column"),
}
_SCORES = ("query", "key")
_MOST_TERMS = 8  # longer sums are shortened


def diagram(step: str, profile: Profile) -> str:
    """Return the architecture as an HTML list whose current step is highlighted; it wraps on a phone."""
    items = []
    for place, (name, (title, what, _)) in enumerate(STEPS.items()):
        lit = name == step
        ground, text = (profile.text, profile.ground) if lit else (profile.ground, profile.text)
        style = f"background:{ground};color:{text};border:2px solid {profile.band};border-radius:0.5rem;"
        style += "padding:0.3rem 0.7rem;text-align:center;line-height:1.25"
        current = ' aria-current="step"' if lit else ""
        enters = {0: "Q, K", 4: "V"}.get(place)
        before = f'<span style="color:{profile.text}">{enters} → </span>' if enters else ""
        arrow = f'<span aria-hidden="true" style="color:{profile.text}">{"" if enters == "Q, K" else "→"}</span>'
        box = f'<span class="step"{current} style="{style}"><b style="color:{text}">{title}</b> {what}</span>'
        row = "display:flex;align-items:center;gap:0.4rem"
        items.append(f'<li style="{row}">{arrow}{before}{box}</li>')
    layout = "display:flex;flex-wrap:wrap;gap:0.4rem;list-style:none;padding:0;margin:0"
    return f'<ol aria-label="Architecture" style="{layout}">{"".join(items)}</ol>'


def formula(step: str) -> str:
    """Return the step's formula, as Markdown."""
    return f"${STEPS[step][2]}$"


def main(
    result: core.AttentionStepsResult, step: str, at: Cell, profile: Profile, *, scaled: bool, code: str = ""
) -> Picture:
    """Return the picture of one step's matrices, with the chosen cell framed. scaled: with the division by √d_k.

    If code is given, the picture also has a table of all entries, and the sentences under "How sure?".
    """
    sentence = _sentence(result, step, at, scaled)
    return Picture(
        "matrix_steps",
        side_by_side(_PANELS[step](result, at, profile, scaled), profile),
        sentence,
        _table(result) if code else {},
        code,
        note=_MANY if result.d_k > MAX_COLUMNS else "",
        alt=_alt(result, step, sentence),
        sure=_sure(result, step, at) if code else (),
        marks=[Mark(word, (panel,)) for word, panel in _NAMED[step].items()],
    )


_MANY = "Q and K have too many columns for this table; the code makes them."


def _matmul(result, at, profile, scaled):
    query, key, _ = at
    return [[_component(result, "Q", query), _component(result, "K", key)], [_raw(result, at)]]


def _component(result, name, row):
    """Return the panel of Q or K; axis and colours of random ones do not change with d_k."""
    params = result.params
    values = getattr(params, name)
    limit = DRAWN_LIMIT if params.drawn else max(np.abs(params.Q).max(), np.abs(params.K).max())
    title = f"{name}, first {MOST_COLUMNS}" if result.d_k > MOST_COLUMNS else name
    columns = MOST_COLUMNS if params.drawn else None
    return Panel(name, title, values, limit, (name.lower(), ""), (row, None), columns=columns)


def _raw(result, at):
    return _scores(result, "raw", "Raw scores", result.scaled.raw_scores, at)


def _scale(result, at, profile, scaled):
    title = "Scaled scores" if scaled else "Not divided"
    return [[_raw(result, at)], [_scores(result, "scaled", title, _chosen(result, scaled).scaled_scores, at)]]


def _mask(result, at, profile, scaled):
    steps = _chosen(result, scaled)
    before = _scores(result, "scaled", "Scaled scores" if scaled else "Raw scores", steps.scaled_scores, at)
    return [[before], [_scores(result, "masked", "Masked scores", steps.masked_scores, at)]]


def _softmax(result, at, profile, scaled):
    masked = _scores(result, "masked", "Masked scores", _chosen(result, scaled).masked_scores, at, row=True)
    return [[masked], [_weights(result, at, profile, scaled)]]


def _output(result, at, profile, scaled):
    query, _, column = at
    values = _chosen(result, scaled).output
    V = Panel("V", "V", result.params.V, result.value_limit, ("k", ""), (None, column))
    output = Panel("output", "Output", values, result.value_limit, ("q", ""), (query, column))
    return [[_weights(result, at, profile, scaled, row=True), V], [output]]


_PANELS = {"scores": _matmul, "scale": _scale, "mask": _mask, "softmax": _softmax, "output": _output}


def _chosen(result, scaled):
    """Return the results of all steps, with the scale or without it."""
    return result.scaled if scaled else result.unscaled


def _scores(result, name, title, values, at, *, row=False):
    query, key, _ = at
    return Panel(name, title, values, result.score_limit, ("q", "k"), (query, None if row else key))


def _weights(result, at, profile, scaled, *, row=False):
    query, key, _ = at
    weights, colour = _chosen(result, scaled).attention_weights, profile.scaled if scaled else profile.raw
    texts = [[_short_share(p) for p in each] for each in weights]
    return Panel(
        "weights", "Weights", weights, 1.0, ("q", "k"), (query, None if row else key), 0.0, texts, colour
    )  # fmt: skip


def _short_share(p):
    """Return a weight as text for a cell: two digits, and 0 or 1 only if it is exact."""
    if p in (0, 1):
        return typed(p)
    return "≈ 0" if p < 0.005 else "≈ 1" if p > 0.995 else f"{p:.2f}"


def clicked(params: core.AttentionStepsParams, click: Mapping[str, Any]) -> dict[str, int]:
    """Return the control values that a click on a matrix sets; rows and columns count from 1."""
    sizes = {"query": len(params.Q), "key": len(params.K), "column": len(params.V[0])}
    controls = _CONTROLS.get(click["chart"], _SCORES)
    places = zip(controls, (click["line"], click["place"]), strict=True)
    return {control: min(max(place, 0), sizes[control] - 1) + 1 for control, place in places if control}


# step -> words of its sentence -> the panel that they light up
_NAMED = {
    "scores": {"each score": "raw"},
    "scale": {"all scores": "raw", "the scores": "raw", "the division": "scaled"},
    "mask": {"no score": "masked", "into −∞": "masked", "every key": "masked"},
    "softmax": {"framed query": "masked", "favourite key": "weights", "all its weights": "weights"},
    "output": {"output row": "output", "rows of V": "V", "framed cell": "output", "its output": "output"},
}


# --- the sentence ----------------------------------------------------------------------------------------


def _sentence(result, step, at, scaled):
    """Return the step's sentence, with its current numbers."""
    return _POINTS[step](result, at, scaled)


def _point_of_matmul(result, at, scaled):
    scores = result.scaled.raw_scores
    low, high = _value(scores.min()), _value(scores.max())
    ends = f"all of them are {low}" if low == high else f"they run from {low} to {high}"
    sums = "a single product" if result.d_k == 1 else "a sum of dₖ products"
    return f"At dₖ = {result.d_k:,} each score is {sums}; {ends}."


def _point_of_scale(result, at, scaled):
    d_k, raw, less = result.d_k, number(result.raw_std), number(result.scaled_std)
    if result.raw_std < 1e-12 * result.score_limit or not result.score_limit:
        return f"At dₖ = {d_k:,} all scores are equal, with the scale as without it."
    if not scaled:
        return f"Without the scale this step is left out: at dₖ = {d_k:,} the scores keep their spread of {raw}."
    if d_k == 1:
        return "At dₖ = 1 the division changes nothing, for √1 is 1."
    return f"At dₖ = {d_k:,} the division by √dₖ shrinks the spread of the scores from {raw} to {less}."


def _point_of_mask(result, at, scaled):
    mask = result.params.mask
    forbidden, cells = 0 if mask is None else _forbidden(mask), result.scaled.raw_scores.size
    if not forbidden:
        return "Nothing is masked: every query may attend to every key, and no score changes."
    if forbidden == cells:
        return "The mask forbids every key to every query, so no weight is left to share out."
    return f"The mask turns {forbidden} of {cells} scores into −∞, so that softmax gives these keys no weight."


def _forbidden(mask):
    """Return the number of scores that a mask forbids."""
    return sum(not allowed for row in mask for allowed in row)


def _point_of_softmax(result, at, scaled):
    query = at[0]
    if query in result.fully_masked_rows:
        return "The mask forbids every key to the framed query, so all its weights are zero."
    left = left_keys(result, query)
    with_scale, without = (
        favourite(rows.max_weight[query], left) for rows in (result.scaled_rows, result.unscaled_rows)
    )
    start = f"At dₖ = {result.d_k:,} the framed query gives its favourite key"
    return _both(start, with_scale, without, scaled, " of its weight")


def left_keys(result: core.AttentionStepsResult, query: int) -> int:
    """Return the number of keys that a query may attend to."""
    return int(np.isfinite(result.unscaled.masked_scores[query]).sum())


def favourite(p: float, left: int) -> str:
    """Return the largest weight as text: "all" if only one key is left, "practically all" if it rounds to 1."""
    if left == 1:
        return "all"
    return "practically all" if p > 0.9995 else percent(p, 1 if p > 0.985 else 0)


def _point_of_output(result, at, scaled):
    query, _, column = at
    if query in result.fully_masked_rows:
        return "The mask forbids every key to the framed query, so its output is zero."
    with_scale, without = (_value(steps.output[query, column]) for steps in (result.scaled, result.unscaled))
    start = f"Each output row averages the rows of V: at dₖ = {result.d_k:,} the framed cell is"
    return _both(start, with_scale, without, scaled)


def _value(x):
    """Return a number for a sentence, without powers of ten."""
    if abs(x) >= 1e7:
        return "beyond ±10,000,000"
    return "practically zero" if 0 < abs(x) < 1e-4 else cell(x)


def _both(start, with_scale, without, scaled, of=""):
    """Return a sentence with a number with the scale and one without it, the displayed one first."""
    if with_scale == without:
        return f"{start} {without}{of}, with the scale as without it."
    if scaled:
        return f"{start} {with_scale}{of}; without the scale, {without}."
    return f"{start} {without}{of}; with the scale, {with_scale}."


_POINTS = {
    "scores": _point_of_matmul,
    "scale": _point_of_scale,
    "mask": _point_of_mask,
    "softmax": _point_of_softmax,
    "output": _point_of_output,
}


def _alt(result, step, sentence):
    """Return the picture's text alternative, for people who cannot see it."""
    rows, columns = result.scaled.raw_scores.shape
    return (
        f"Step {list(STEPS).index(step) + 1} of 5, {STEPS[step][0]}. {sentence} Matrices of {rows} queries and "
        f"{columns} keys, dₖ = {result.d_k}."
    )


# --- how sure --------------------------------------------------------------------------------------------


def _sure(result, step, at):
    """Return the sentences under "How sure?": on the framed cell, on the whole matrix, and without the scale."""
    said = [f"{_SENTENCES[step](result, at)}{_BESIDE[step](result, at)}"]
    if step == "scores" and result.params.drawn:
        said.append(f"The numbers of Q and K are darkest from ±{DRAWN_LIMIT:g} on, at every dₖ.")
    if step in ("scores", "mask", "softmax"):
        said.append(_colours(result))
    if result.d_k > MOST_COLUMNS and step == "scores":
        said.append(f"The picture has the first {MOST_COLUMNS} of {result.d_k:,} components; the scores add up all.")
    return [text[0].upper() + text[1:] for text in said]


def _say_matmul(result, at):
    query, key, _ = at
    raw = result.scaled.raw_scores
    terms = "1 product" if result.d_k == 1 else f"{result.d_k:,} products"
    return (
        f"every score adds up dₖ = {terms}. Query {query + 1} with key {key + 1} scores "
        f"{cell(raw[query, key])}; the raw scores run from {cell(raw.min())} to {cell(raw.max())}, with standard "
        f"deviation {number(result.raw_std)}."
    )


def _say_scale(result, at):
    query, key, _ = at
    raw, scaled = result.scaled.raw_scores[query, key], result.scaled.scaled_scores[query, key]
    if result.d_k == 1:
        return f"every score is divided by √dₖ = √1 = 1, so {cell(raw)} stays {cell(scaled)} and nothing changes."
    return (
        f"every score is divided by √dₖ = √{result.d_k:,}. {cell(raw)} becomes {cell(scaled)}; the standard deviation "
        f"falls from {number(result.raw_std)} to {number(result.scaled_std)}. {_colours(result)}"
    )


def _colours(result):
    """Return a sentence on the score at which colours are darkest."""
    limit = cell(result.score_limit)
    if result.params.drawn:
        return f"Raw and scaled scores share their colours, darkest from ±{limit} on, at every dₖ."
    return f"Raw and scaled scores share their colours, darkest at ±{limit}, the largest raw score here."


def _say_mask(result, at):
    mask = result.params.mask
    if mask is None:
        return "no mask here, so every query may attend to every key and nothing changes."
    query, key, _ = at
    here = "may" if mask[query][key] else "may not"
    return (
        f"{_forbidden(mask)} of {len(mask) * len(mask[0])} scores become −∞, so that their weights will be exactly 0. "
        f"Query {query + 1} {here} attend to key {key + 1}."
    )


def _say_softmax(result, at):
    query, key, _ = at
    if query in result.fully_masked_rows:
        return f"query {query + 1} may attend to no key: all its weights are 0 instead of summing to 1."
    weights, rows = result.scaled.attention_weights[query], result.scaled_rows
    return (
        f"every row becomes weights that sum to 1. Query {query + 1} gives key {key + 1} "
        f"{percent(weights[key], 1)} and its favourite {percent(rows.max_weight[query], 1)}, as if it attended to "
        f"{number(rows.effective_keys[query])} of {len(weights)} keys."
    )


def _say_output(result, at):
    query, _, column = at
    return (
        f"every output row is a weighted average of the rows of V. Query {query + 1} gets "
        f"{cell(result.scaled.output[query, column])} in column {column + 1}. An average varies less than V: the "
        f"scale gives the scores variance 1, not the output."
    )


def _beside_scores(result, at):
    return " Without the scale this step is left out: the raw scores go on as they are."


def _beside_weights(result, at):
    query = at[0]
    if query in result.fully_masked_rows:
        return " Without the scale it is the same."
    rows = result.unscaled_rows
    return (
        f" Without the scale its favourite gets {percent(rows.max_weight[query], 1)}, as if it attended to "
        f"{number(rows.effective_keys[query])} keys."
    )


def _beside_output(result, at):
    query, _, column = at
    return (
        f" Without the scale it gets {cell(result.unscaled.output[query, column])}; the two output rows are "
        f"{number(result.output_change[query])} apart."
    )


_SENTENCES = {
    "scores": _say_matmul,
    "scale": _say_scale,
    "mask": _say_mask,
    "softmax": _say_softmax,
    "output": _say_output,
}
_BESIDE = {
    "scores": lambda result, at: " Without the scale this step is the same.",
    "scale": _beside_scores,
    "mask": lambda result, at: " Without the scale the same cells are forbidden.",
    "softmax": _beside_weights,
    "output": _beside_output,
}


def remarks(result: core.AttentionStepsResult, values: Mapping[str, Any], at: Cell) -> list[str]:
    """Return remarks on these matrices: differences from the controls' settings, and unusual properties."""
    return [*shown_instead(result, values, at), *_traps(result)]


def shown_instead(result: core.AttentionStepsResult, values: Mapping[str, Any], at: Cell) -> list[str]:
    """Return remarks on how the shown matrices differ from the controls' settings."""
    shape = len(result.params.Q), len(result.params.K), len(result.params.V[0])
    places = zip(("query", "key", "column"), shape, at, strict=True)
    said = [_beyond(name, size, values[name], i) for name, size, i in places if values[name] != i + 1]
    if values["d_k"] != result.d_k:
        said.append(f"These matrices have dₖ = {result.d_k} of their own; the slider moves the random ones.")
    return said


def _traps(result):
    """Return remarks on unusual properties of these matrices: fully masked rows, and Q = K."""
    said = []
    if result.fully_masked_rows:
        names = ", ".join(str(query + 1) for query in result.fully_masked_rows)
        several = len(result.fully_masked_rows) > 1
        said.append(
            f"The mask forbids every key to quer{'ies' if several else 'y'} {names}: softmax has nothing to share out, "
            f"so the weights and the output of {'these rows' if several else 'this row'} are 0."
        )
    if result.same_input:
        diagonal = ", ".join(cell(score) for score in result.self_scores[:4])
        said.append(
            f"Q = K: the scaled score of a query with itself is its length² ÷ √dₖ (here {diagonal}; with rows of "
            f"length √dₖ it is √dₖ {equals(result.divisor)}). That still grows with dₖ, because q and k are not "
            f"independent: Q = K = X cannot show the 1/√dₖ rule."
        )
    return said


def _beyond(name, size, asked, shown):
    plural = {"query": "queries"}.get(name, f"{name}s") if size > 1 else name
    return f"There is no {name} {asked}: these matrices have {size} {plural}, and {name} {shown + 1} is shown."


def calculation(terms: core.CellExpansion, *, scaled: bool) -> list[tuple[str, str]]:
    """Return the calculation of one cell's weight, with or without the scale: (name, numbers) for each line."""
    i, j = terms.query + 1, terms.key + 1
    division = f"{operand(terms.raw_score)} ÷ {typed(terms.divisor)} {equals(terms.scaled_score, operand)}"
    lines = [(f"$q_{{{i}}} \\cdot k_{{{j}}}$", _dot(terms))]
    if scaled:
        lines.append(("$\\div \\sqrt{d_k}$", division))
    weights = _softmax_lines(terms.allowed, terms.scaled if scaled else terms.unscaled)
    return [*lines, *((f"**{name}**", text) for name, text in weights)]


def _dot(terms):
    products = _sum([f"{_signed(q)} × {_signed(k)}" for q, k in zip(terms.q, terms.k, strict=True)])
    values = _sum([_signed(product) for product in terms.products])
    between = f" = {values}" if len(terms.products) > 1 else ""
    letters = f"{_in_letters(len(terms.products))} = " if len(terms.products) > _MOST_TERMS else ""
    return f"{letters}{products}{between} {equals(terms.raw_score, operand)}"


def _sum(terms):
    """Return a sum as text; of many terms only the first two and the last."""
    shown = [*terms[:2], "…", terms[-1]] if len(terms) > _MOST_TERMS else terms
    return " + ".join(shown)


def _in_letters(count):
    """Return a dot product of many components in letters: q₁k₁ + q₂k₂ + … + q₆₄k₆₄."""
    return _sum([f"q{named(i, sub=True)}k{named(i, sub=True)}" for i in range(1, count + 1)])


def _softmax_lines(allowed, terms):
    if np.isneginf(terms.largest):
        return [("weight", "every key is forbidden, so the row sum is 0 and the weight is 0")]
    exponents = _sum([_signed(each) for each in terms.exponentials])
    total = operand(terms.row_sum)
    if not allowed:
        return [("weight", f"the mask makes the score −∞ and e to that power is 0: weight 0 ÷ {total} = 0")]
    difference = f"{operand(terms.score)} − {_signed(terms.largest)} {equals(terms.below, operand)}"
    power = equals(terms.exponential, operand)
    return [
        ("exponential", f"the score less the largest of its row is {difference}, and e to that power {power}"),
        ("row sum", f"{exponents} {equals(terms.row_sum, operand)}"),
        ("weight", f"{operand(terms.exponential)} ÷ {total} {equals(terms.weight, operand)}"),
    ]


def output_calculation(terms: core.OutputExpansion, *, scaled: bool) -> list[tuple[str, str]]:
    """Return the calculation of one cell of the output, with or without the scale: (name, numbers)."""
    weights, output = (
        (terms.scaled_weights, terms.scaled_output) if scaled else (terms.unscaled_weights, terms.unscaled_output)
    )
    return [(f"$O_{{{terms.query + 1},{terms.column + 1}}}$", _average(weights, terms.values, output))]


def _average(weights, values, output):
    terms = _sum([f"{_signed(p)} × {_signed(v)}" for p, v in zip(weights, values, strict=True)])
    return f"{terms} {equals(output, operand)}"


def _signed(value):
    text = operand(value)
    return f"({text})" if value < 0 or "×" in text else text


def _table(result):
    """Return every entry of every matrix, in full precision."""
    scaled, unscaled = result.scaled, result.unscaled
    given = ("Q", "K", "V") if result.d_k <= MAX_COLUMNS else ("V",)
    matrices = {name: getattr(result.params, name) for name in given} | {
        "raw scores": scaled.raw_scores,
        "scaled scores": scaled.scaled_scores,
        "masked scores": scaled.masked_scores,
        "weights": scaled.attention_weights,
        "output": scaled.output,
        "weights without the scale": unscaled.attention_weights,
        "output without the scale": unscaled.output,
    }
    entries = [
        (name, row + 1, column + 1, float(value))
        for name, values in matrices.items()
        for (row, column), value in np.ndenumerate(np.asarray(values))
    ]
    return dict(zip(("matrix", "row", "column", "value"), map(list, zip(*entries, strict=True)), strict=True))


def matrices_code(values: Mapping[str, Any]) -> str:
    """Return Python code that builds the matrices from the controls and computes the steps."""
    given = {name: values[name] for name in ("Q", "K", "V", "mask") if values[name].strip()}
    params = code(core.typed_params, values["preset"], **given, d_k=values["d_k"], seed=values["seed"], name="params")
    sides = ("scaled", "unscaled")
    steps = ("scaled_scores", "attention_weights", "output")
    return params + code(
        core.measure_attention_steps, Name("params"), show=[f"result.{side}.{step}" for side in sides for step in steps]
    )
