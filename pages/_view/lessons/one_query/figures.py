"""Pictures of the one_query lesson: one for each step, from the components of a query and its keys to weights."""

from dataclasses import replace
from math import log2

import numpy as np

from pages._view.figures.base import axis, figure, heatmap, label, line, shade, solid, thin, title
from pages._view.figures.code import code
from pages._view.figures.matrices import cell, equals, operand
from pages._view.marks import Mark
from pages._view.picture import Picture
from pages._view.theme import PROJECTOR, Profile, listed, number, percent, typed
from sattn_core.example import KEY_WORDS, QUERY_WORD
from sattn_core.lessons.one_query import COMPONENTS, EXAMPLE_KEY, N_SENTENCES, OneQueryResult, measure_one_query

ENDS = "ends"  # the dots at the ends of the lines
_ASKING = f"“{QUERY_WORD}”"
_EXAMPLE = f"“{KEY_WORDS[EXAMPLE_KEY]}”"
_ROWS = (f"<b>{_ASKING}</b>", "", *KEY_WORDS)  # rows of the first step's matrix, with a gap below the query
_HEIGHT = 0.95  # height factor: the sentence and the steps above a figure need room too
_LEFT = 6.2  # left margin for the labels of the strip's bars, in em of an axis title
_PERCENT = {"tickvals": [0, 0.5, 1], "ticktext": ["0 %", "50 %", "100 %"]}
_LARGEST = 2.3  # end of the invented components' axes
_LINE = 1.3  # height of a line of text, in em
_WIDE, _NARROW = 0.6, 0.28  # widths of a bar, and of a bar in front of another, as shares of a word's room
_LETTERS = 10  # letters in the longest label at the end of a line, with its sum
_OFF, _OFF_ON_A_PHONE = 1.2, 2.4  # distance of a label from its line's end, in em; on a phone it clears "random"
_SURE = 0.9995  # a share that is called practically all
_MOST = 0.9  # a share that is called nearly all
_PRODUCTS = (1, 4, 16, 64, 256, 1024)  # ticks of the axis of products
_ROOM = 40  # letters per title line
_ROW = 1.6  # height of a row of the strip below a step's own picture, in em of a tick label
_REACH = (118, 145)  # end of the strip's axis below and beside a picture, in percent: room for a number after a bar
_BESIDE = ([0, 0.56], [0.78, 1])  # on a wall: horizontal domains of the step's own picture and of the strip


def one_step(result: OneQueryResult, step: str, profile: Profile) -> Picture:
    """Return the picture of one step; all have the same height, and their axes do not change with d_k."""
    draw, say, work = _STEPS[step]
    sentence = say(result)
    here = f"dₖ = {result.params.d_k:,}"
    return Picture(
        "one_query",
        draw(result, profile),
        sentence,
        _table(result),
        _code(result.params),
        note="The file has every component of the query and of the keys, and every product.",
        bins=_components(result),
        bins_name="the components",
        alt=sentence if here in sentence else f"{sentence} Here {here}.",
        sure=_sure(result, step) if step in _COUNTED else (),
        checks=work(result),
        marks=_marks(step, result),
    )


def _marks(step, result):
    """Return the marks for words in a step's sentence: lines, bars of the example, or bars of the strip."""
    if step == "wander":
        strip = {KEY_WORDS[EXAMPLE_KEY]: (_CAT,)}
        return tuple(Mark(f"“{word}”", (word, *strip.get(word, ()))) for word in KEY_WORDS)
    if step == "grow":
        return (Mark(_EXAMPLE, (_ON_TOP,), (EXAMPLE_KEY,)),)
    raw, scaled = (_share(row.top_weight) for row in (result.raw, result.scaled))
    if step == "softmax":
        mean = _share(result.sentences.raw_top_weight)
        return Mark(raw, ("raw",), result.raw.largest), *([Mark(mean, (_RAW_MEAN,))] if mean != raw else [])
    if step == "divide":
        before = [Mark(raw, ("raw",), result.raw.largest)] if raw != scaled else []
        return Mark(scaled, ("÷ √dₖ",), result.scaled.largest), *before
    return ()


# --- 1: what a query asks ----------------------------------------------------------------------------


def _asked(result, profile):
    """Return the components of the query above those of the keys, the query and the next step's key highlighted."""
    rows = [result.query, None, *result.keys]  # a gap below the query
    values = [[None if row is None else float(i in _SET_OFF)] * len(result.query) for i, row in enumerate(rows)]
    texts = [[""] * len(result.query) if row is None else [_signed_number(x) for x in row] for row in rows]
    cells = heatmap(profile, values, 1, text=texts, name="components")
    pale = shade(profile, profile.band, _PALE)
    cells |= {"zmin": 0, "colorscale": [[0, pale], [1, profile.grid]], "xgap": 3, "ygap": 3}
    return figure(
        profile,
        [cells | {"textfont": {"size": profile.axis_size, "color": profile.text}}],
        height=_HEIGHT,
        bottom=_room(profile, 1),
        left=5.0,
        title=_claim(f"{_ASKING} asks for {_wanted(result)}", "each word as invented numbers", profile),
        xaxis=_ticks_axis(COMPONENTS[: result.n_invented], profile),
        yaxis=_ticks_axis(_ROWS, profile) | {"range": [len(_ROWS) - 0.5, -0.5]},
    )


_SET_OFF = (0, 2 + EXAMPLE_KEY)  # highlighted rows of the first step's matrix
_PALE = 0.12  # strength of the other rows' colour


def _wanted(result):
    """Return the query's largest components, in words."""
    parts = [name for name, x in zip(COMPONENTS, result.query, strict=False) if x == result.query.max()]
    return "a living thing" if parts == ["living", "thing"] else f"what is {listed(parts)}"


def _signed_number(value):
    return f"+{typed(value)}" if value > 0 else typed(value)


def _say_asked(result):
    n = result.n_invented
    return f"Each of the five words is a list of dₖ = {n} invented number{'s' if n > 1 else ''}."


def _ask_by_hand(result):
    vectors = [(QUERY_WORD, result.query), *zip(KEY_WORDS, result.keys, strict=True)]
    n = result.n_invented
    return _columns(("word", *COMPONENTS[:n]), [(word, *map(typed, row[:n])) for word, row in vectors])


# --- 2: two vectors multiply -------------------------------------------------------------------------


def _multiplied(result, profile):
    """Return a bar for each product of one key, with its multiplication under it."""
    products = result.products[EXAMPLE_KEY, : result.n_invented]
    worked = _multiplications(result)
    ticks = [_stacked(name, [said, f"= {typed(product)}"], profile) for name, said, product in worked]
    return figure(
        profile,
        [_bars(products, profile.text, "products")],
        height=_HEIGHT,
        bottom=_room(profile, _lines(2, profile)),
        title=_claim("Equal signs help, opposite ones hurt", f"product of {_ASKING} and {_EXAMPLE}", profile),
        xaxis=_ticks_axis(ticks, profile),
        yaxis=_signed_axis(profile),
    )


def _multiplications(result):
    """Return each named component of the example key: its name, q_i × k_i, and the product."""
    n = result.n_invented
    rows = zip(COMPONENTS, result.query, result.keys[EXAMPLE_KEY], result.products[EXAMPLE_KEY], strict=False)
    return [(name, f"{_signed(q)} × {_signed(k)}", product) for name, q, k, product in list(rows)[:n]]


def _signed(value):
    return f"({typed(value)})" if value < 0 else typed(value)


def _say_multiplied(result):
    name, said, product = _multiplications(result)[0]
    return (
        f"Multiply {_ASKING} by {_EXAMPLE}, number by number: {said} = {typed(product)} for “{name}”. "
        "Opposite signs count against the key."
    )


def _multiply_by_hand(result):
    return _columns(("component", "query × key", "product"), [(a, b, typed(c)) for a, b, c in _multiplications(result)])


# --- 3: they add up ----------------------------------------------------------------------------------


def _added(result, profile):
    """Return a bar for each key's score, with its addition under it."""
    scores, named = result.invented_scores.scores, _named_products(result)
    ticks = [
        _stacked(word, [*_in_pairs(_terms(products)), f"= {typed(score)}"], profile)
        for (word, products), score in zip(named, scores, strict=True)
    ]
    return figure(
        profile,
        [_bars(scores, [_ink(key, profile) for key in range(len(KEY_WORDS))], "scores")],
        height=_HEIGHT,
        bottom=_room(profile, _lines(1 + len(COMPONENTS) / 2, profile)),
        title=_claim(_highest(result.invented_scores), "score, the sum", profile),
        xaxis=_ticks_axis(ticks, profile),
        yaxis=_signed_axis(profile),
    )


def _highest(row):
    return f"{_named(row.largest)} {'have' if len(row.largest) > 1 else 'has'} the highest score"


def _ink(key, profile):
    """Return a key's colour, the same in all steps before the division."""
    return profile.text if key == EXAMPLE_KEY else profile.band


def _named_products(result):
    return list(zip(KEY_WORDS, result.products[:, : result.n_invented], strict=True))


def _terms(products):
    """Return the terms of a sum as text, each but the first with its sign."""
    first, *others = products
    return [typed(first), *(f"{'+' if x >= 0 else '−'} {typed(abs(x))}" for x in others)]


def _in_pairs(terms):
    """Return the terms, two on a line."""
    return [" ".join(terms[first : first + 2]) for first in range(0, len(terms), 2)]


def _say_added(result):
    row = result.invented_scores
    highest, lowest = _named(row.largest), _named(row.smallest)
    high, low = typed(row.scores.max()), typed(row.scores.min())
    return (
        f"A key’s products add up to its score: after {result.n_invented} of them {highest} {_are(row)} highest with "
        f"{high}, {lowest} lowest with {low}."
    )


def _are(row):
    return "are" if len(row.largest) > 1 else "is"


def _add_by_hand(result):
    rows = zip(_named_products(result), result.invented_scores.scores, strict=True)
    said = [(word, " ".join(_terms(products)), typed(score)) for (word, products), score in rows]
    return _columns(("key", "products", "sum"), said)


# --- 4: the sum wanders ------------------------------------------------------------------------------


def _wandered(result, profile):
    """Return the four running sums on a log axis of products; a thin line marks the last invented product."""
    walk = result.walk
    ticks = {"tickvals": [log2(n) for n in _PRODUCTS], "ticktext": [f"{n:,}" for n in _PRODUCTS]}
    drawn = _with_strip(
        profile,
        _walks(walk.sums, profile),
        "wander",
        result,
        lines=1 if profile is PROJECTOR else 2.6,
        title=_claim("Chance outvotes meaning" if _outvoted(result) else "The sums wander", "sum so far", profile),
        xaxis=axis(
            profile,
            None if profile is PROJECTOR else "products added",
            near=True,
            range=[0, log2(walk.horizon)],
            **ticks,
        ),
        yaxis=axis(profile, None, grid=True, range=[-walk.limit, walk.limit]),
        annotations=[_chance_begins(profile), *_at_the_ends(walk.sums, walk.limit, profile)],
        shapes=[_END_OF_INVENTED | {"type": "line", "y0": 0, "y1": 1, "line": thin(profile)}],
    )
    return drawn if profile is PROJECTOR else _with_room_at_the_right(drawn, profile)


def _walks(sums, profile):
    """Return the sums as lines, and a dot at the end of each."""
    places = np.log2(np.arange(1, sums.shape[1] + 1))
    lines = [line(places, sums[key], _stroke(key, profile), word) for key, word in enumerate(KEY_WORDS)]
    return [*lines, _end_points(sums, profile)]


def _with_room_at_the_right(drawn, profile):
    """Return a figure with room for labels at the ends of its lines; on a phone labels are further from the lines."""
    drawn.layout["margin"]["r"] = round((0.6 * _LETTERS + _OFF) * profile.tick_size)
    names = [
        each | {"ax": _OFF_ON_A_PHONE * profile.tick_size} if each["showarrow"] else each
        for each in drawn.layout["annotations"]
    ]
    return replace(drawn, narrow={"annotations": names})


def _stroke(key, profile):
    return thin(profile) | {"color": profile.band} if key != EXAMPLE_KEY else solid(profile, profile.text)


_END_OF_INVENTED = {"xref": "x", "yref": "y domain", "x0": log2(len(COMPONENTS)), "x1": log2(len(COMPONENTS))}


def _chance_begins(profile):
    """Return the words beside the line where the random products begin."""
    place = {"xref": "x", "yref": "y domain", "x": log2(len(COMPONENTS)), "y": 1, "yanchor": "top"}
    return label("random →", profile, xanchor="left", xshift=6, **place)


def _end_points(sums, profile):
    """Return a dot at the end of each line; at d_k = 1 the dot is all there is of the line."""
    look = {"color": [_ink(key, profile) for key in range(len(KEY_WORDS))], "size": 0.8 * profile.marker_size}
    x = [log2(sums.shape[1])] * len(sums)
    return {"type": "scatter", "mode": "markers", "x": x, "y": sums[:, -1], "name": ENDS, "marker": look}


def _at_the_ends(sums, limit, profile):
    """Return each word with its sum beside the end of its line, moved apart as far as the letters need.

    A thin line connects each end with its label.
    """
    ends = sums[:, -1]
    room = _LINE * profile.tick_size * 2 * limit / (profile.height * _HEIGHT / 2)  # label distance in the lowest plot
    order = np.argsort(ends, kind="stable")
    thread = {"showarrow": True, "arrowhead": 0, "arrowwidth": 1, "arrowcolor": profile.band, "standoff": 4}
    beside = {"x": log2(sums.shape[1]), "xanchor": "left", "ax": _OFF * profile.tick_size, "ayref": "y"}
    return [
        label(_bold(f"{KEY_WORDS[key]} {typed(ends[key])}", key), profile, y=ends[key], ay=place, **beside, **thread)
        for key, place in zip(order, _apart(ends[order], room), strict=True)
    ]


def _bold(text, key):
    return f"<b>{text}</b>" if key == EXAMPLE_KEY else text


def _apart(values, room):
    """Return places at least this far apart, as close as possible (least squares) to these ascending values."""
    shifts = room * np.arange(len(values))
    bare = values - shifts
    ends = range(len(values))
    flat = [max(min(bare[low : high + 1].mean() for high in ends[i:]) for low in ends[: i + 1]) for i in ends]
    return (np.array(flat) + shifts).tolist()


def _outvoted(result):
    return EXAMPLE_KEY not in result.raw.largest


def _say_wandered(result):
    n_drawn = result.params.d_k - result.n_invented
    if not n_drawn:
        return f"So far all products are invented, and {_named(result.raw.largest)} {_are(result.raw)} on top."
    often = f"{_often(result)} of {_counted(result)}"
    drawn = f"{n_drawn:,} random product{'s' if n_drawn > 1 else ''}"
    if _outvoted(result):
        return f"{drawn} put {_named(result.raw.largest)} on top; {_EXAMPLE} is on top in {often}."
    return f"After {drawn} {_EXAMPLE} is on top, as in {often}."


def _often(result):
    return percent(result.sentences.on_top[EXAMPLE_KEY], 0)


def _wander_by_hand(result):
    counts = zip(KEY_WORDS, result.invented_scores.scores, result.n_up, result.n_down, result.raw.scores, strict=True)
    rows = [(word, typed(first), f"{up:,} × 1", f"{down:,} × 1", typed(end)) for word, first, up, down, end in counts]
    return _columns(("key", f"the first {result.n_invented}", "+", "−", "= score"), rows)


# --- 5 and 6: softmax, without the division and with it ------------------------------------------------


def _shared_out(result, profile):
    """Return a bar for each weight of the raw scores, with its word and its score under it."""
    row = result.raw
    cells = zip(KEY_WORDS, row.scores, row.weights, strict=True)
    ticks = [_weighed(word, f"score {typed(score)}", weight, profile) for word, score, weight in cells]
    claim = f"{_named(row.largest)} takes nearly all" if row.top_weight >= _MOST else "Softmax gives weights"
    return _weights_figure(result, "softmax", [_bars(row.weights, profile.raw, "raw")], ticks, claim, profile)


def _divided(result, profile):
    """Return both weights of every word, on the axes of the previous step, with the division under them."""
    raw, scaled = result.raw, result.scaled
    cells = zip(KEY_WORDS, raw.scores, scaled.weights, strict=True)
    divisor = f"÷ {cell(result.divisor)}"
    ticks = [_weighed(word, f"{typed(score)} {divisor}", weight, profile) for word, score, weight in cells]
    drawn = [
        _bars(raw.weights, profile.raw, "raw"),
        _bars(scaled.weights, profile.scaled, "÷ √dₖ", width=_NARROW),
    ]
    claim = "The choice stays open" if _stays_open(result) else "The order stays"
    return _weights_figure(result, "divide", drawn, ticks, claim, profile)


def _weighed(word, score, weight, profile):
    """Return the words below a bar of weight; on a wall the weight is beside the word."""
    if profile is PROJECTOR:
        return f"<b>{word}</b> {_about(weight)}<br>{score}"
    return _stacked(word, [score, _about(weight)], profile)


def _weights_figure(result, step, traces, ticks, claim, profile):
    """Return a figure of step 5 or 6, with the strip of many sentences; both steps have the same axes."""
    return _with_strip(
        profile,
        traces,
        step,
        result,
        lines=_lines(2, profile),
        title=_claim(claim, "weight" if len(traces) == 1 else "weight: raw, and ÷ √dₖ in front", profile),
        barmode="overlay",
        xaxis=_ticks_axis(ticks, profile),
        yaxis=axis(profile, None, grid=True, range=[0, 1.05], **_PERCENT),
    )


def _stays_open(result):
    return result.raw.top_weight >= _MOST > result.scaled.top_weight


def _say_shared_out(result):
    row = result.raw
    each, s = (" each", "") if len(row.largest) > 1 else ("", "s")
    gets = f"{_named(row.largest)} get{s} {_share(row.top_weight)}{each}"
    if result.params.d_k == result.n_invented:
        return f"Softmax turns the four scores into weights that add up to 100 %: {gets}."
    mean = _share(result.sentences.raw_top_weight)
    return f"Softmax turns scores into weights: {gets}; the top word, whichever it is, gets {mean} on average."


def _say_divided(result):
    before, after = _share(result.raw.top_weight), _share(result.scaled.top_weight)
    several = len(result.raw.largest) > 1
    who, each, s = _named(result.raw.largest), " each" if several else "", "" if several else "s"
    divided = f"Divided by √dₖ = {cell(result.divisor)}"
    if result.divisor == 1:
        return f"{divided}, the scores stay as they are: {who} keep{s} {after}{each}."
    if before == after:
        return f"{divided}, the scores give practically the same weights: {who} keep{s} {after}{each}."
    if _stays_open(result):
        return (
            f"{divided}, {who} get{s} {after}{each}, not {before}: no better choice, but one that training can change."
        )
    return f"{divided}, the scores spread the weight more evenly: {who} get{s} {after}{each} instead of {before}."


def _softmax_by_hand(row, score, key):
    """Return the softmax of one row, step by step; the largest score is subtracted first, which changes no weight."""
    total = f"÷ {operand(row.total)} = weight"
    cells = zip(KEY_WORDS, *(map(operand, each) for each in (row.below, row.exponentials, row.weights)), strict=True)
    rows = [(word, said, *others) for (word, *others), said in zip(cells, score, strict=True)]
    return _columns(("key", key, "− the largest", "e to that power", total), rows)


def _raw_by_hand(result):
    return _softmax_by_hand(result.raw, map(typed, result.raw.scores), "score")


def _divide_by_hand(result):
    pairs = zip(result.raw.scores, result.scaled.scores, strict=True)
    divisor = operand(result.divisor)
    said = [f"{typed(raw)} ÷ {divisor} {equals(scaled, operand)}" for raw, scaled in pairs]
    return _softmax_by_hand(result.scaled, said, f"score ÷ √{result.params.d_k:,}")


# --- 7: how often each word is on top, with larger invented numbers ------------------------------------


def _grown(result, profile):
    """Return a bar for each word: the share of sentences in which it is on top; the division changes none."""
    shares = result.sentences.on_top
    ticks = [_stacked(word, [percent(share, 0)], profile) for word, share in zip(KEY_WORDS, shares, strict=True)]
    colours = [_ink(key, profile) for key in range(len(KEY_WORDS))]
    return figure(
        profile,
        [_bars(shares, colours, _ON_TOP)],
        height=_HEIGHT,
        left=_LEFT,
        bottom=_room(profile, _lines(1, profile)),
        title=_claim(_who_wins(result), "share in which each word is on top, also tied", profile),
        xaxis=_ticks_axis(ticks, profile),
        yaxis=axis(profile, None, grid=True, range=[0, 1.05], **_PERCENT),
    )


def _who_wins(result):
    """Return the title: meaning or chance wins most sentences, or all end in a tie, as at d_k = 3."""
    many = result.sentences
    meaning, other = many.on_top[EXAMPLE_KEY], np.delete(many.on_top, EXAMPLE_KEY).max()
    if meaning == other == 1:
        return f"A tie in all {many.n_sentences:,} sentences"
    who, part = "Meaning" if meaning >= 1 / 2 else "Chance", "half" if meaning == 1 / 2 else "most"
    return f"{who} wins {part} of {many.n_sentences:,} sentences"


def _counted(result):
    return f"{result.sentences.n_sentences:,} such sentences"


def _say_grown(result):
    times = result.params.emphasis
    size = {1: "as they are", 2: "twice as large"}.get(times, f"{times} times as large")
    return f"Invented numbers {size}: {_EXAMPLE} is on top in {_often(result)} of {_counted(result)}."


def _grow_by_hand(result):
    many = result.sentences
    shares = zip(KEY_WORDS, many.on_top, many.on_top_error, many.on_top_exact, strict=True)
    rows = [
        (word, f"{number(100 * share)} ± {number(100 * error, 2)} %", f"{number(100 * exact)} %")
        for word, share, error, exact in shares
    ]
    return _columns(("key", "on top in", "predicted"), rows)


# --- many such sentences -----------------------------------------------------------------------------

_COUNTED = ("wander", "softmax", "divide", "grow")  # steps that count many sentences, all but "grow" in the strip
_ON_TOP = "on top"
_CAT, _RAW_MEAN, _SCALED_MEAN = f"{_EXAMPLE} on top", "mean, raw", "mean, ÷ √dₖ"
_STRIP = {
    "wander": ((_CAT, "text"),),
    "softmax": ((_RAW_MEAN, "raw"),),
    "divide": ((_RAW_MEAN, "raw"), (_SCALED_MEAN, "scaled")),
}  # the strip's bars at each step: shares of sentences or means, never both
_SHARED = "The sentences share the invented numbers; the others are drawn for each."
_SHOWN = " The one shown is the first of them."
_ON_TOP_MEANS = "A word is on top if no other has a larger score, also where they tie. The prediction is exact."


def _rows(step, result):
    """Return the label, the share and the colour's name of each bar in the strip of many sentences."""
    many = result.sentences
    shares = {_CAT: many.on_top[EXAMPLE_KEY], _RAW_MEAN: many.raw_top_weight, _SCALED_MEAN: many.scaled_top_weight}
    return [(name, shares[name], colour) for name, colour in _STRIP[step]]


def _with_strip(profile, traces, step, result, lines, **layout):
    """Return a step's own picture with the strip below it or, on a wall, beside it.

    lines: the number of text lines under the step's own axis.
    """
    rows, beside = _rows(step, result), profile is PROJECTOR
    places = 1 if step == "wander" else 2  # pictures of weights share one frame, so that each can turn into the next
    plot = profile.height * _HEIGHT - 1.6 * profile.title_size
    strip = (_ROW * places + 1) * profile.tick_size / plot
    above = strip + (_LINE * (lines + 1.5) * profile.tick_size) / plot
    own, other = _BESIDE if beside else ([0, 1], [0, 1])
    layout["xaxis"] |= {"domain": own, "anchor": "y"}
    layout["yaxis"] |= {"domain": [0 if beside else above, 1], "anchor": "x"}
    layout["annotations"] = [*layout.get("annotations", ()), _strip_heading(step, profile)]
    return figure(
        profile,
        [*traces, *(_strip_bar(i, row, profile) for i, row in enumerate(rows))],
        height=_HEIGHT,
        left=_LEFT,
        bottom=_room(profile, lines) if beside else 0.5,
        xaxis2=_shares_axis(other, _REACH[beside], profile),
        yaxis2=_strip_axis(rows, places, 2 * strip if beside else 0.75 * strip, profile),
        **layout,
    )


def _shares_axis(domain, reach, profile):
    """Return the strip's axis of shares, without ticks: each bar has its number at its end."""
    bare = {"showticklabels": False, "ticks": "", "showline": False}
    return axis(profile, domain=domain, anchor="y2", range=[0, reach], **bare)


def _strip_axis(rows, places, top, profile):
    """Return the strip's axis with the labels of its bars, from top to bottom."""
    names = {"tickvals": list(range(len(rows))), "ticktext": [name for name, _, _ in rows], "ticks": ""}
    return axis(profile, domain=[0, top], anchor="x2", range=[places - 0.5, -0.5], **names)


def _strip_bar(place, row, profile):
    name, share, colour = row
    bar = {"type": "bar", "orientation": "h", "xaxis": "x2", "yaxis": "y2", "x": [100 * share], "y": [place]}
    text = {"text": [percent(share, 0)], "textposition": "outside", "cliponaxis": False, "constraintext": "none"}
    return (
        bar | text | {"name": name, "width": 0.7, "marker": {"color": getattr(profile, colour), "line": {"width": 0}}}
    )


def _strip_heading(step, profile):
    counted = f"{N_SENTENCES:,} such sentences"
    said = f"share of {counted}" if step == "wander" else f"largest weight in {counted}"
    if profile is PROJECTOR:
        said = said.replace(" such", "<br>such")
    place = {"xref": "x2 domain", "x": 0, "yref": "y2 domain", "y": 1, "xanchor": "left", "yanchor": "bottom"}
    return label(said, profile, align="left", **place)


def _sure(result, step):
    """Return notes on a step's counts and their meaning, and on the example sentence unless the step shows none."""
    return *_counts(result, step), _SHARED + _SHOWN * (step != "grow"), _ON_TOP_MEANS


def _counts(result, step):
    """Return a note for each bar of the strip, with its standard error; the first also has its exact probability."""
    many = result.sentences
    errors = (many.on_top_error[EXAMPLE_KEY], many.raw_top_weight_error, many.scaled_top_weight_error)
    shares = (many.on_top[EXAMPLE_KEY], many.raw_top_weight, many.scaled_top_weight)
    told = [f"{number(100 * share)} ± {number(100 * error, 2)} %" for share, error in zip(shares, errors, strict=True)]
    exact = f"{number(100 * many.on_top_exact[EXAMPLE_KEY])} %"
    said = (
        f"{_EXAMPLE} is on top in {told[0]} of {many.n_sentences:,} sentences; {exact} are predicted.",
        f"The top word gets {told[1]} of the weight on average without the division.",
        f"Divided by √dₖ, it gets {told[2]}.",
    )
    return {"wander": said[:1], "softmax": said[1:2], "divide": said[1:], "grow": said[:1]}[step]


# --- shared by the steps ----------------------------------------------------------------------------

_STEPS = {
    "ask": (_asked, _say_asked, _ask_by_hand),
    "multiply": (_multiplied, _say_multiplied, _multiply_by_hand),
    "add": (_added, _say_added, _add_by_hand),
    "wander": (_wandered, _say_wandered, _wander_by_hand),
    "softmax": (_shared_out, _say_shared_out, _raw_by_hand),
    "divide": (_divided, _say_divided, _divide_by_hand),
    "grow": (_grown, _say_grown, _grow_by_hand),
}


def _claim(text, key, profile):
    """Return the title, which says what the picture shows; a legend explains its numbers, except on a wall."""
    key = None if profile is PROJECTOR else key
    return title(f"<b>{text}</b>", profile, size=profile.axis_size, key=key, letters=_ROOM)


def _stacked(name, lines, profile):
    """Return the words below a bar: its name, and further lines, joined into one on a wall."""
    return f"<b>{name}</b><br>{(' ' if profile is PROJECTOR else '<br>').join(lines)}"


def _lines(count, profile):
    """Return the number of text lines below each bar."""
    return 2 if profile is PROJECTOR else 1 + count


def _bars(heights, colour, name, *, width=_WIDE):
    places, marker = list(range(len(heights))), {"color": colour, "line": {"width": 0}}
    return {"type": "bar", "x": places, "y": heights, "width": width, "name": name, "marker": marker}


def _ticks_axis(texts, profile):
    """Return an axis with these texts as ticks."""
    ends = {"range": [-0.5, len(texts) - 0.5], "showline": False, "ticks": ""}
    return axis(profile, tickvals=list(range(len(texts))), ticktext=list(texts), tickangle=0, **ends)


def _signed_axis(profile):
    zero = {"zeroline": True, "zerolinecolor": profile.text, "zerolinewidth": profile.line_width / 2}
    return axis(profile, None, grid=True, range=[-_LARGEST, _LARGEST], dtick=1, **zero)


def _room(profile, lines):
    """Return the height of this number of lines of tick labels, in em of an axis title."""
    return (lines * _LINE + 0.8) * profile.tick_size / profile.axis_size


def _named(keys):
    return listed([f"“{KEY_WORDS[key]}”" for key in keys])


def _share(weight):
    """Return a share in words for a sentence."""
    return "practically all" if weight >= _SURE else percent(weight, 1 if weight >= 0.99 else 0)


def _about(weight):
    """Return a share as text that fits a tick."""
    if weight >= _SURE:
        return "≈ 100 %"
    return "≈ 0 %" if weight < 1 - _SURE else f"{number(100 * weight, 3 if weight >= 0.99 else 2)} %"


def _columns(names, rows):
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def _table(result):
    """Return a table with a row for each key, from its score to its weight."""
    return {
        "key": list(KEY_WORDS),
        "on top, share of the sentences": result.sentences.on_top.tolist(),
        "predicted": result.sentences.on_top_exact.tolist(),
        "sum of the invented products": result.invented_scores.scores.tolist(),
        "drawn products +1": result.n_up.tolist(),
        "drawn products −1": result.n_down.tolist(),
        "raw score": result.raw.scores.tolist(),
        "weight": result.raw.weights.tolist(),
        "scaled score": result.scaled.scores.tolist(),
        "weight of the scaled score": result.scaled.weights.tolist(),
    }


def _components(result):
    """Return a table of all components of the query and the keys, and of all products."""
    columns = {"component": list(range(1, result.params.d_k + 1)), "query": result.query.tolist()}
    for word, key, products in zip(KEY_WORDS, result.keys, result.products, strict=True):
        columns |= {f"key of {word}": key.tolist(), f"product with {word}": products.tolist()}
    return columns


def _code(params):
    shown = [f"result.{side}.scores, result.{side}.weights" for side in ("raw", "scaled")]
    return code(measure_one_query, params, show=(*shown, "result.sentences"))
