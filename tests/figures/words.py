"""List the words of a lesson: sentences, titles, ticks, names and looks of traces, headings of tables."""

import re
from collections.abc import Iterator
from importlib import import_module

import numpy as np

from pages._view import compute
from pages._view.lessons import VIEWS
from pages._view.picture import Figure, Picture
from pages._view.theme import Profile
from sattn_core.lessons.attention_steps import expand_cell, expand_output, measure_attention_steps

MEANINGS = ("raw", "scaled", "third", "band", "text", "grid", "ground")
MOST = 16  # texts of a trace or column: a matrix has more and is left out
# Pictures that measure rounding errors, which differ between processors, and the kinds of words with such numbers.
ROUNDING, MEASURED = ("difference_error", "gradient_matrix", "race_equivalence"), ("sure", "check", "words")
Word = tuple[str, str]


def words_of(picture: Picture, profile: Profile) -> list[Word]:
    """Return every text of a picture, with its kind."""
    found = [("sentence", picture.sentence), ("claim", picture.claim)]
    found += [("alt", picture.alt.replace(picture.sentence, "[sentence]")), ("note", picture.note)]
    found += [("marks", " | ".join(f"{each.word}: {', '.join(each.traces)}" for each in picture.marks))]
    for name, figure in figures_of(picture).items():
        found += [(f"{name} {what}".strip(), text) for what, text in words_in(figure, profile)]
    for name, table in (("table", picture.table), (picture.bins_name, picture.bins)):
        found += [(name, " | ".join(table))] if table else []
        found += [(name, f"{head}: {seen}") for head, column in (table or {}).items() if (seen := texts_in(column))]
    found += [("sure", each) for each in picture.sure] + [("check", row) for row in rows_of(picture.checks or {})]
    found = cleaned(found)
    if picture.key in ROUNDING:
        found = [(what, without_numbers(text) if what in MEASURED else text) for what, text in found]
    return found


def words_beside(stem: str, values, profile: Profile) -> list[Word]:
    """Return the texts of a lesson that are not in its pictures."""
    if VIEWS[stem].hero:
        return cleaned(hero_words(VIEWS[stem].hero(values, (), profile)[0], values["d_k"]))
    if stem not in BESIDE:
        return []
    room = f"pages._view.lessons.{stem}"
    return cleaned(BESIDE[stem](values, *map(import_module, (f"{room}.figures", f"{room}.work"))))


def cleaned(found) -> list[Word]:
    """Return the texts that are not empty, each on one line."""
    return [(what, plain(text)) for what, text in found if text]


def figures_of(picture: Picture) -> dict[str, Figure | str]:
    """Return the figures of a picture by name. A single figure, or Markdown in its place, has the name ""."""
    drawn = picture.figure
    return dict(drawn) if isinstance(drawn, dict) else {} if drawn is None else {"": drawn}


def rows_of(table) -> list[str]:
    """Return the rows of a table as texts, its head first."""
    rows = [tuple(table), *zip(*table.values(), strict=True)] if table else []
    return [" | ".join(map(str, row)) for row in rows]


def words_in(figure: Figure | str, profile: Profile) -> Iterator[Word]:
    """Yield the texts of a figure, and for each look the names of the traces that have it."""
    if isinstance(figure, str):
        yield from (("row", each) for each in figure.replace("\u00a0", " ").split("\n"))
        return
    title = figure.layout.get("title", {})
    yield from (("title", title.get("text") or ""), ("key", title.get("subtitle", {}).get("text") or ""))
    yield from ((name, axis_words(axis)) for name, axis in figure.layout.items() if re.match("[xy]axis", name))
    yield "words", " | ".join(each["text"] for each in figure.layout.get("annotations", ()))
    yield "lines", " | ".join(filter(None, map(shape_words, figure.layout.get("shapes", ()))))
    looks = [(look(each, profile), each) for each in figure.data]
    for one in dict.fromkeys(each for each, _ in looks):
        yield one, " | ".join(dict.fromkeys(name_of(trace) for each, trace in looks if each == one))


def axis_words(axis) -> str:
    """Return title, type and tick labels of an axis."""
    ticks = next((each for each in (axis.get("ticktext"), axis.get("tickvals")) if each is not None), ())
    shown = [] if axis.get("showticklabels") is False else [str(each) for each in ticks]
    return " ".join([axis["title"]["text"] or "", axis.get("type", ""), *(["‖", *shown] if shown else [])]).strip()


def shape_words(shape) -> str:
    """Return type, dash and position of a shape; "" if it is invisible."""
    if shape.get("visible") is False:
        return ""
    places = (f"{name} {shape[name]:.4g}" for name in ("x0", "x1", "y0", "y1") if name in shape)
    return f"{shape['type']} {shape.get('line', {}).get('dash', '')} {' '.join(places)}"


def look(trace, profile: Profile) -> str:
    """Return the mode, dash, symbol and fill of a trace, and its colours by their meaning."""
    line, marker, shades = trace.get("line", {}), trace.get("marker", {}), trace.get("colorscale", ())
    used = [line.get("color"), marker.get("color"), trace.get("fillcolor"), *(each for _, each in shades[-1:])]
    colours = [str(each) for one in used if one is not None for each in np.ravel(one)]
    named = dict.fromkeys(next((m for m in MEANINGS if getattr(profile, m) == each), each) for each in colours)
    looks = [line.get("dash"), *np.unique(marker.get("symbol", [])), trace.get("fill") and "filled"]
    return " ".join(str(each) for each in (trace.get("mode") or trace["type"], *looks, *named) if each)


def name_of(trace) -> str:
    """Return the name of a trace, and the texts at its points."""
    seen = texts_in(np.ravel(np.array(trace.get("text", ""), dtype=object)))
    return f"{trace.get('name')}" + f" ({seen})" * bool(seen)


def texts_in(values) -> str:
    """Return the texts among values, or "" if there are more than MOST."""
    found = list(dict.fromkeys(each for each in values if isinstance(each, str) and each))
    return ", ".join(found) if len(found) <= MOST else ""


def without_numbers(text: str) -> str:
    """Return text with an ellipsis for each number."""
    return re.sub(r"≈ 0(?!\.?\d)|−?\d([\d.,]*\d)?( × 10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?", "…", text)


def plain(text: str) -> str:
    """Return text on one line without <span> and <b>; a number below 10⁻⁹, which is rounding, becomes ≈ 0."""
    text = re.sub("</?(span|b)[^>]*>", "", re.sub("<br>|\n", " / ", text))
    return re.sub("−?[0-9.]+ × 10⁻[¹²³⁴⁵⁶⁷⁸⁹][⁰¹²³⁴⁵⁶⁷⁸⁹]+", "≈ 0", text)


# --- beside the pictures ---------------------------------------------------------------------------------


def hero_words(told, d_k) -> Iterator[Word]:
    """Yield the texts of the hero at d_k."""
    at = [stop["d_k"] for stop in told["stops"]].index(d_k)
    yield "title", told["stops"][at]["title"]
    yield "axis", " ".join([*told["scoreAxis"]["labels"], "‖", *told["weightAxis"]["names"]])
    yield from ((f"heading {name}", " ‖ ".join(texts)) for name, texts in told["headings"].items())
    for side in ("raw", "scaled"):
        yield from ((f"{side} {what}", told[side][what]) for what in ("name", "alt", "weightAlt"))
        yield f"{side} spread", told[side]["spread"][at]
        yield f"{side} largest", " ‖ ".join(told[side]["largest"][at])


def _attention_steps(values, figures, work):
    params, scaled = work.attention_matrices(values)[0], values["scaling"] == "on"
    query, key, column = at = work.cell_of(params, values)
    lines = figures.calculation(expand_cell(params, query, key), scaled=scaled)
    lines += figures.output_calculation(expand_output(params, query, column), scaled=scaled)
    yield from ((name, without_numbers(text)) for name, text in lines)  # rounding of ties differs between machines
    yield from (("remark", each) for each in figures.remarks(measure_attention_steps(params), values, at))


def _small_samples(values, figures, work):
    yield from (("formula", f"{formula} {said}") for formula, said in figures.first_draw(work.asked(values)))


def _your_scores(values, figures, work):
    result = compute.result(work.measure_sample, work.params_of(values), values["head"])
    for name, table in (("scales", figures.saturation_table(result)), ("heads", figures.head_table(result))):
        yield from ((name, row) for row in rows_of(table)[:5])


BESIDE = {
    "attention_steps": _attention_steps,
    "small_samples": _small_samples,
    "your_scores": _your_scores,
}
