"""Pictures of the attention_steps lesson: the architecture, the matrices of each step, one cell written out."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from pages._view.figures.matrices import cell, cell_at, equals, matrix, operand
from pages._view.picture import Picture
from pages._view.theme import Profile, number, percent, typed
from sattn_core.lessons.attention_steps import (
    AttentionStepsParams,
    AttentionStepsResult,
    CellExpansion,
    OutputExpansion,
)
from sattn_core.typed import MAX_COLUMNS

Cell = tuple[int, int, int]  # query, key and column, counted from 0

STEPS = {
    "matmul": ("MatMul", "Q Kᵀ", r"S = Q K^\top, \quad S_{ij} = q_i \cdot k_j = \sum_{l=1}^{d_k} Q_{il} K_{jl}"),
    "scale": ("Scale", "÷ √dₖ", r"\text{scaled scores} = Q K^\top / \sqrt{d_k}"),
    "mask": (
        "Mask (optional)",
        "−∞ where forbidden",
        r"M_{ij} = S_{ij} / \sqrt{d_k} \text{ if allowed, else } -\infty",
    ),
    "softmax": ("Softmax", "of each row", r"P_{ij} = e^{M_{ij}} / \sum_j e^{M_{ij}}"),
    "output": ("MatMul", "P V", r"O = P V = \operatorname{softmax}(Q K^\top / \sqrt{d_k})\, V"),
}
_CONTROLS = {  # what the rows and the columns of each matrix choose
    "Q": ("query", None),
    "K": ("key", None),
    "V": ("key", "column"),
    **dict.fromkeys(("output", "output_raw"), ("query", "column")),
}
_SCORES = ("query", "key")
_SHORT = 5  # columns that have room for a division in the cell


def diagram(step: str, profile: Profile) -> str:
    """The architecture as an HTML list whose current step is lit; it wraps on a phone."""
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
    """The step's formula, as Markdown, and how to have a cell written out."""
    return f"${STEPS[step][2]}$ \u2003 Click or tap a cell to see it written out below."


def panels(
    result: AttentionStepsResult, step: str, at: Cell, d_k: int, profile: Profile, *, without_scale: bool
) -> Picture:
    """The matrices of one step, with the chosen cell framed; d_k is the slider's."""
    figures = _matrices(result, step, at, profile, without_scale)
    sentence = _sentence(result, step, at, d_k, without_scale)
    return Picture("attention_steps", figures, sentence, _table(result), _code(result.params))


def _matrices(result, step, at, profile, without_scale):
    drawn = _PANELS[step](result, at, profile)
    if without_scale:
        drawn |= _WITHOUT[step](result, at, profile) if step in _WITHOUT else {}
    return {f"matrix_{name}": fig for name, fig in drawn.items()}


def _matmul(result, at, profile):
    query, key, _ = at
    Q, K = result.params.Q, result.params.K
    limit = max(np.abs(Q).max(), np.abs(K).max())
    return {
        "Q": matrix(Q, profile, "Q", limit=limit, rows="query", columns="component", chosen=[(query, None)]),
        "K": matrix(K, profile, "K", limit=limit, rows="key", columns="component", chosen=[(key, None)]),
        "raw": _scores(result, result.scaled.raw_scores, "Raw scores Q Kᵀ", at, profile),
    }


def _scale(result, at, profile):
    raw, scaled = result.scaled.raw_scores, result.scaled.scaled_scores
    return {
        "raw": _scores(result, raw, "Raw scores Q Kᵀ", at, profile, tall=True),
        "scaled": _scores(result, scaled, "Scaled scores ÷ √dₖ", at, profile, texts=_divisions(result)),
    }


def _mask(result, at, profile):
    return {
        "scaled": _scores(result, result.scaled.scaled_scores, "Scaled scores", at, profile),
        "masked": _scores(result, result.scaled.masked_scores, "Masked scores", at, profile),
    }


def _softmax(result, at, profile):
    return {
        "masked": _scores(result, result.scaled.masked_scores, "Masked scores", at, profile, row=True),
        "weights": _weights(result.scaled, "Weights P", at, profile, profile.scaled),
    }


def _output(result, at, profile):
    column = at[2]
    V = result.params.V
    limit = result.value_limit
    return {
        "weights": _weights(result.scaled, "Weights P", at, profile, profile.scaled, row=True),
        "V": matrix(V, profile, "V", limit=limit, rows="key", columns="column", chosen=[(None, column)]),
        "output": _values(result.scaled, "Output P V", at, profile, limit),
    }


def _mask_without(result, at, profile):
    return {"masked_raw": _scores(result, result.unscaled.masked_scores, "Masked, without scale", at, profile)}


def _softmax_without(result, at, profile):
    return {"weights_raw": _weights(result.unscaled, "P without the scale", at, profile, profile.raw)}


def _output_without(result, at, profile):
    return {
        "weights_raw": _weights(result.unscaled, "P without the scale", at, profile, profile.raw, row=True),
        "output_raw": _values(result.unscaled, "P V without the scale", at, profile, result.value_limit),
    }


_PANELS = {"matmul": _matmul, "scale": _scale, "mask": _mask, "softmax": _softmax, "output": _output}
_WITHOUT = {"mask": _mask_without, "softmax": _softmax_without, "output": _output_without}


def clicked(params: AttentionStepsParams, click: Mapping[str, Any]) -> dict[str, int]:
    """The controls that a click on a matrix sets, counted from 1; none between two blocks."""
    name = click["chart"].removeprefix("matrix_")
    sizes = {"query": len(params.Q), "key": len(params.K), "column": len(params.V[0]), None: len(params.K[0])}
    controls = _CONTROLS.get(name, _SCORES)
    at = cell_at(click["line"], click["place"], [sizes[control] for control in controls])
    return {control: place + 1 for control, place in zip(controls, at or (), strict=False) if control}


def _scores(result, values, name, at, profile, *, texts=None, row=False, tall=False):
    query, key, _ = at
    chosen = [(query, None if row else key)]
    places = {"rows": "query", "columns": "key", "chosen": chosen}
    return matrix(values, profile, name, limit=result.score_limit, texts=texts, tall=tall, **places)


def _weights(steps, name, at, profile, colour, *, row=False):
    query, key, _ = at
    texts = [[percent(p, 1) for p in each] for each in steps.attention_weights]
    places = {"rows": "query", "columns": "key", "chosen": [(query, None if row else key)]}
    return matrix(steps.attention_weights, profile, name, limit=1, low=0, texts=texts, colour=colour, **places)


def _values(steps, name, at, profile, limit):
    query, _, column = at
    return matrix(steps.output, profile, name, limit=limit, rows="query", columns="column", chosen=[(query, column)])


def _divisions(result):
    """Each scaled score with its division."""
    raw, scaled = result.scaled.raw_scores, result.scaled.scaled_scores
    return [
        [f"{cell(r)} ÷ √{result.d_k}<br>{equals(s)}" if raw.shape[1] <= _SHORT else f"÷ √{result.d_k}<br>{cell(s)}"
         for r, s in zip(*rows, strict=True)]
        for rows in zip(raw, scaled, strict=True)
    ]  # fmt: skip


def _sentence(result, step, at, d_k, without_scale):
    """What the step does to the numbers of the moment."""
    said = _SENTENCES[step](result, at)
    beside = _BESIDE[step](result, at) if without_scale else ""
    return f"Step {list(STEPS).index(step) + 1} of 5, {STEPS[step][0]}: {said}{beside} {_size(result, d_k)}"


def _say_matmul(result, at):
    query, key, _ = at
    raw = result.scaled.raw_scores
    terms = "1 product" if result.d_k == 1 else f"{result.d_k} products"
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
        f"every score is divided by √dₖ = √{result.d_k}. {cell(raw)} becomes {cell(scaled)}; the standard deviation "
        f"falls from {number(result.raw_std)} to {number(result.scaled_std)}. {_colours(result)}"
    )


def _colours(result):
    """What the darkest shade of the scores stands for."""
    limit = cell(result.score_limit)
    if result.params.drawn:
        return f"Both have the same colours, darkest from ±{limit} on, at every dₖ."
    return f"Both have the same colours, darkest at ±{limit}, the largest raw score here."


def _say_mask(result, at):
    mask = result.params.mask
    if mask is None:
        return "no mask here, so every query may attend to every key and nothing changes."
    forbidden = sum(not allowed for row in mask for allowed in row)
    query, key, _ = at
    here = "may" if mask[query][key] else "may not"
    return (
        f"{forbidden} of {len(mask) * len(mask[0])} scores become −∞, so that their weights will be exactly 0. "
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
    "matmul": _say_matmul,
    "scale": _say_scale,
    "mask": _say_mask,
    "softmax": _say_softmax,
    "output": _say_output,
}
_BESIDE = {
    "matmul": lambda result, at: " Without the scale this step is the same.",
    "scale": _beside_scores,
    "mask": lambda result, at: " Without the scale the same cells are forbidden.",
    "softmax": _beside_weights,
    "output": _beside_output,
}


def remarks(result: AttentionStepsResult, asked: Cell, at: Cell) -> list[str]:
    """What a visitor must know of these matrices; asked is the cell that the controls name, counted from 1."""
    shape = len(result.params.Q), len(result.params.K), len(result.params.V[0])
    places = zip(("query", "key", "column"), shape, asked, at, strict=True)
    said = [_beyond(*place) for place in places if place[2] != place[3] + 1]
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


def _size(result, d_k):
    """Which d_k these matrices have, and why it may not be the slider's."""
    d = result.d_k
    if d_k == d:
        return f"Here dₖ = {d_k:,}."
    if d_k > MAX_COLUMNS == d:
        return f"The slider says dₖ = {d_k:,}, but matrices stop at {MAX_COLUMNS} columns here: these have dₖ = {d}."
    return f"These matrices have dₖ = {d} of their own; the slider's dₖ = {d_k:,} counts for the random presets."


def calculation(terms: CellExpansion, *, without_scale: bool) -> list[tuple[str, str]]:
    """One cell from q and k to its weight: (name, numbers) line by line."""
    i, j = terms.query + 1, terms.key + 1
    division = f"{operand(terms.raw_score)} ÷ {typed(terms.divisor)} {equals(terms.scaled_score, operand)}"
    lines = [(f"$q_{{{i}}} \\cdot k_{{{j}}}$", _dot(terms)), ("$\\div \\sqrt{d_k}$", division)]
    lines += [(f"**{name}**", text) for name, text in _softmax_lines(terms.allowed, terms.scaled)]
    if without_scale:
        unscaled = _softmax_lines(terms.allowed, terms.unscaled)
        lines += [(f"**without the scale, {name}**", text) for name, text in unscaled]
    return lines


def _dot(terms):
    products = " + ".join(f"{_signed(q)} × {_signed(k)}" for q, k in zip(terms.q, terms.k, strict=True))
    values = " + ".join(_signed(product) for product in terms.products)
    between = f" = {values}" if len(terms.products) > 1 else ""
    return f"{products}{between} {equals(terms.raw_score, operand)}"


def _softmax_lines(allowed, terms):
    if np.isneginf(terms.largest):
        return [("weight", "every key is forbidden, so the row sum is 0 and the weight is 0")]
    exponents = " + ".join(_signed(each) for each in terms.exponentials)
    total = operand(terms.row_sum)
    if not allowed:
        return [("weight", f"the mask makes the score −∞ and e to that power is 0: weight 0 ÷ {total} = 0")]
    difference = f"{operand(terms.score)} − {_signed(terms.largest)} {equals(terms.below, operand)}"
    power = equals(terms.exponential, operand)
    return [
        ("exponential", f"score − largest of the row: {difference}, and e to that power {power}"),
        ("row sum", f"{exponents} {equals(terms.row_sum, operand)}"),
        ("weight", f"{operand(terms.exponential)} ÷ {total} {equals(terms.weight, operand)}"),
    ]


def output_calculation(terms: OutputExpansion, *, without_scale: bool) -> list[tuple[str, str]]:
    """One cell of the output: (name, numbers) line by line."""
    i, column = terms.query + 1, terms.column + 1
    lines = [(f"$O_{{{i},{column}}}$", _average(terms.scaled_weights, terms.values, terms.scaled_output))]
    if without_scale:
        said = _average(terms.unscaled_weights, terms.values, terms.unscaled_output)
        lines.append((f"**without the scale,** $O_{{{i},{column}}}$", said))
    return lines


def _average(weights, values, output):
    terms = " + ".join(f"{_signed(p)} × {_signed(v)}" for p, v in zip(weights, values, strict=True))
    return f"{terms} {equals(output, operand)}"


def _signed(value):
    text = operand(value)
    return f"({text})" if value < 0 or "×" in text else text


def _table(result):
    """Every entry of every matrix, in full precision."""
    scaled, unscaled = result.scaled, result.unscaled
    matrices = {
        "Q": result.params.Q,
        "K": result.params.K,
        "V": result.params.V,
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


def _code(params):
    names = ("Q", "K", "V", "mask")
    matrices = "".join(f"{name} = {getattr(params, name)!r}\n" for name in names)
    return (
        f"from sattn_core import attention\n\n{matrices}"
        "for scale in (None, 1.0):  # None is 1/sqrt(d_k); 1.0 leaves the scale out\n"
        "    steps = attention(Q, K, V, scale=scale, mask=mask)\n"
        "    print(steps.scaled_scores, steps.attention_weights, steps.output, sep='\\n')\n"
    )
