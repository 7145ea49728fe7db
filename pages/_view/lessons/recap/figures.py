"""Pictures of the recap lesson: small ones on fixed axes, each of which answers one question."""

from math import sqrt

import numpy as np

from pages._view.figures.base import axis, dashed, figure, line, points, solid, title
from pages._view.figures.code import code
from pages._view.marks import Mark
from pages._view.picture import Figure, Part, Picture
from pages._view.theme import Profile, number, percent, so_many
from sattn_core.lessons import recap as core
from sattn_core.lessons.wrong_choice import N_ROWS, N_STEPS

_HEIGHT = {"screen": 0.34, "projector": 0.62}  # height factors: a screen has five figures, a wall one
_LETTERS = 26  # letters in a line above a narrow figure
_LARGEST_SPREAD = 40
_BEYOND = 0.95  # place of a number that is beyond the axis, as a share of the axis
_DIMS = (0, 256, 512, 1024)  # ticks of dₖ
_CURVE = tuple(range(1, 1025, 31))
_MARKS = {"raw": "●", "÷ √dₖ": "■", "÷ dₖ": "▲", "yours": "○"}
_SYMBOLS = {"raw": "circle", "÷ √dₖ": "square", "÷ dₖ": "triangle-up", "yours": "circle-open"}
_NAMES = ("raw", "÷ √dₖ", "÷ dₖ")
_PLACES = [f"dₖ = {core.SMALL}", "small start", f"dₖ = {core.LARGE}"]


def _small(profile, traces, text, key=None, **layout) -> Figure:
    """Return a small figure with its title and the legend of its marks."""
    head = title(text, profile, size=profile.base_size, key=key, letters=_LETTERS)
    drawn = figure(profile, traces, height=_HEIGHT[profile.name], left=2.2, bottom=1.6, title=head, **layout)
    above = round(1.4 * profile.base_size + 2.2 * profile.tick_size)  # one line for the title, one for the legend
    drawn.layout["height"] -= drawn.layout["margin"]["t"] - above
    drawn.layout["margin"]["t"] = above
    return drawn


def _colour(profile, name):
    return {"raw": profile.raw, "÷ √dₖ": profile.scaled, "÷ dₖ": profile.third}.get(name, profile.text)


def _key(profile, names, marks=_MARKS):
    """Return the legend: the name of each mark, in its colour."""
    return tuple(f'<span style="color:{_colour(profile, each)}">{marks[each]}</span> {each}' for each in names)


# --- a score is a growing sum ---------------------------------------------------------------------------


def growing_sum(result: core.SumResult, seed: int, profile: Profile) -> Picture:
    """Return the picture of each product as a bar, and of the running sum that it is added to."""
    return Picture(
        "growing_sum",
        _sum(result, profile),
        f"A score is a sum of dₖ products: these {core.N_PRODUCTS} add up to {number(result.sums[-1], 1)}.",
        {each: getattr(result, each).tolist() for each in ("added", "products", "sums")},
        code(core.measure_sum, seed, show=("result.products", "result.sums")),
        claim="A score is a sum of products",
        marks=(Mark(f"these {core.N_PRODUCTS}", ("product",)),),
        sure=("Nothing is estimated here: these are the products of one query and one key, and their sum.",),
    )


def _sum(result, profile):
    added = result.added
    bars: Part = {"type": "bar", "x": added, "y": result.products, "name": "product", "marker": {"color": profile.band}}
    bars |= {"width": 0.7, "offset": -0.85}  # each bar is under the step that it adds to the sum
    sums = line([0, *added], [0, *result.sums], solid(profile, profile.raw) | {"shape": "vh"}, "raw score so far")
    key = tuple(
        f'<span style="color:{colour}">{mark}</span> {name}'
        for colour, mark, name in ((profile.band, "■", "product"), (profile.raw, "▬", "raw score"))
    )
    return _small(
        profile,
        [bars, sums],
        f"{core.N_PRODUCTS} products, added one by one",
        key,
        xaxis=axis(profile, range=[0, core.N_PRODUCTS + 0.1], tickvals=[0, *added]),
        yaxis=axis(profile, grid=True, range=[-core.N_PRODUCTS - 0.5, core.N_PRODUCTS + 0.5], tickvals=[-8, 0, 8]),
    )


# --- the spread of scores --------------------------------------------------------------------------------


def sums_spread(result: core.SpreadResult, said: float | str, profile: Profile) -> Picture:
    """Return the picture of the sums' spread beside √d_k, with the learner's answer."""
    here = result.here
    std, root = (number(each[here]) for each in (result.std, result.std_theory))
    return Picture(
        "sums_spread",
        _spread(result, said, profile),
        _spread_sentence(result.params.d_k, std, root),
        {
            "dₖ": result.dims.tolist(),
            "standard deviation": result.std.tolist(),
            "standard error": result.standard_error.tolist(),
            "predicted": result.std_theory.tolist(),
        },
        code(core.measure_spread, result.params, show="result.std, result.std_theory"),
        claim="Sums of random products spread as √dₖ",
        marks=(Mark("√dₖ", ("theory",)), Mark("spread", ("raw",)), Mark("spreads", ("raw",))),
        sure=(
            f"Measured on {core.N_PAIRS:,} pairs: {std} ± {number(result.standard_error[here], 2)}; predicted {root}.",
            "The bars are 1.96 standard errors.",
        ),
    )


def _spread_sentence(d_k, std, root):
    if d_k == 1:
        return f"At dₖ = 1 there is one product and nothing to cancel: it spreads by {std}, and √dₖ is {root}."
    return f"At dₖ = {d_k:,} random products partly cancel: their sums spread by {std}, and √dₖ is {root}."


def _spread(result, said, profile):
    error, yours = 1.96 * result.standard_error, _said(said, result.params.d_k, profile)
    return _small(
        profile,
        [
            line(_CURVE, [sqrt(d_k) for d_k in _CURVE], dashed(profile), "theory"),
            points(profile, profile.raw, "circle", result.dims, result.std, error, error, "raw"),
            *yours,
        ],
        "Standard deviation, by dₖ",
        (*_key(profile, ["raw"]), "- - √dₖ", *["▲ yours"][: len(yours)]),
        xaxis=axis(profile, range=[-20, 1060], tickvals=_DIMS),
        yaxis=axis(profile, grid=True, range=[0, _LARGEST_SPREAD], tickvals=[0, 16, 32]),
    )


def _said(said, d_k, profile):
    """Return a mark at the learner's answer, or near the axis's end if the answer is beyond it."""
    if said == "":
        return []
    marker = {"color": profile.text, "symbol": "triangle-up", "size": 1.5 * profile.marker_size}
    place: Part = {"x": [d_k], "y": [min(float(said), _BEYOND * _LARGEST_SPREAD)], "cliponaxis": False}
    return [{"type": "scatter", "mode": "markers", "name": "yours", "marker": marker} | place]


# --- wrong rows are not put right -------------------------------------------------------------------------


def put_right_or_not(result: core.CorrectionResult, profile: Profile) -> Picture:
    """Return the picture of wrong winners put right, step by step, without the scale and with it."""
    raw, scaled = result.put_right[:, -1]
    counts = dict(zip(_NAMES, result.put_right, strict=False))
    return Picture(
        "put_right_or_not",
        _corrected(result.steps, counts, profile),
        f"Of a hundred wrong winners at dₖ = {core.LARGE}, training corrects {raw} without the scale, "
        f"{scaled} with it.",
        {"step": result.steps.tolist()} | {name: each.tolist() for name, each in counts.items()},
        code(core.measure_correction, result.params, show="result.put_right"),
        claim="What is nearly certain can hardly be corrected",
        marks=(Mark("without the scale", ("raw",)), Mark("with it", ("÷ √dₖ",))),
        sure=_correction_sure(result),
    )


def _corrected(steps, counts, profile):
    return _small(
        profile,
        [
            line(steps, each, solid(profile, _colour(profile, name), 1 + (name != "raw")), name)
            for name, each in counts.items()
        ],
        f"Put right of {N_ROWS}, by step",
        _key(profile, counts, dict.fromkeys(counts, "▬")),
        xaxis=axis(profile, range=[0, N_STEPS + 8], tickvals=[0, 100, 200]),
        yaxis=axis(profile, grid=True, range=[-4, 104], tickvals=[0, 50, 100]),
    )


def _correction_sure(result):
    """Return a sentence for each scale: its learning rate, its count and the count's confidence interval."""
    each = zip(_NAMES, result.rate, result.put_right[:, -1], result.low, result.high, strict=False)
    return [
        f"{name.capitalize()}, at its best learning rate of 19, {rate:g}: {count} of {N_ROWS}. "
        f"The share is {percent(low / N_ROWS, 0)} to {percent(high / N_ROWS, 0)} with 95 % confidence."
        for name, rate, count, low, high in each
    ]


# --- the right divisor ------------------------------------------------------------------------------------


def one_rate(result: core.DivisorResult, profile: Profile) -> Picture:
    """Return the picture of rows put right at one learning rate against d_k, for each divisor and the learner's."""
    counts = dict(zip((*_NAMES, "yours"), result.put_right, strict=False))
    least, worst = counts["÷ √dₖ"].min(), int(np.flatnonzero(counts["÷ dₖ"] == counts["÷ dₖ"].min())[-1])
    fewest, d_k = so_many(counts["÷ dₖ"][worst], N_ROWS), result.dims[worst]
    at_least = f"all {N_ROWS}" if least == N_ROWS else f"at least {least} of {N_ROWS}"
    return Picture(
        "one_rate",
        _raced(counts, profile),
        f"At one learning rate ÷ √dₖ puts {at_least} right at each of these sizes; ÷ dₖ puts {fewest} right at "
        f"dₖ = {d_k:,}.",
        {"dₖ": result.dims.tolist()} | {name: each.tolist() for name, each in counts.items()},
        code(core.compare_divisors, result.params, show="result.put_right"),
        claim="With ÷ √dₖ one rate of plain gradient descent serves these sizes",
        marks=(Mark("÷ √dₖ", ("÷ √dₖ",)), Mark("÷ dₖ", ("÷ dₖ",))),
        sure=(
            f"All rows are trained for {N_STEPS} steps at the learning rate {core.ONE_RATE}. Another rate moves the "
            "curve of ÷ dₖ; at a large enough rate it works too. With Adam ÷ dₖ is the one that keeps its rate.",
        ),
    )


def _raced(counts, profile):
    return _small(
        profile,
        [_points(profile, name, each) for name, each in counts.items()],
        f"Put right at rate {core.ONE_RATE}, by dₖ",
        _key(profile, counts),
        xaxis=axis(profile, type="log", range=[1.1, 3.1], tickvals=list(core.RACED)),
        yaxis=axis(profile, grid=True, range=[-6, 106], tickvals=[0, 50, 100]),
    )


def _points(profile, name, counts):
    colour = _colour(profile, name)
    style = solid(profile, colour) | ({"dash": "dot"} if name == "yours" else {})
    size = profile.marker_size * (1.6 if name == "yours" else 1)
    marker = {"color": colour, "symbol": _SYMBOLS[name], "size": size}
    return line(list(core.RACED), counts, style, name) | {
        "mode": "lines+markers",
        "marker": marker,
        "cliponaxis": False,
    }


# --- d_k that is too small to matter ----------------------------------------------------------------------


def no_difference(results: tuple[core.CorrectionResult, ...], profile: Profile) -> Picture:
    """Return the picture of rows put right with and without the scale: for small d_k, small numbers, and neither."""
    counts = {name: [int(each.put_right[i, -1]) for each in results] for i, name in enumerate(_NAMES[:2])}
    gap = max(abs(raw - scaled) for raw, scaled in list(zip(*counts.values(), strict=True))[:2])
    alike = "as many" if gap == 0 else "nearly as many"
    return Picture(
        "no_difference",
        _bars(counts, profile),
        f"At dₖ = {core.SMALL}, or with numbers that start small, {alike} come right without the scale as with it.",
        {"rows": _PLACES} | counts,
        _code(results),
        claim="Small dₖ or small numbers: the scale hardly matters",
        marks=(Mark("without the scale", ("raw",)), Mark("with it", ("÷ √dₖ",))),
        sure=(
            f"The small start is at dₖ = {core.LARGE}, with all numbers of q and k a tenth as large.",
            f"The two counts differ by at most {gap} there. Each is the best of 19 learning rates.",
        ),
    )


def _bars(counts, profile):
    return _small(
        profile,
        [
            {"type": "bar", "x": _PLACES, "y": each, "name": name, "marker": {"color": _colour(profile, name)}}
            for name, each in counts.items()
        ],
        f"Put right of {N_ROWS}",
        _key(profile, counts, dict.fromkeys(counts, "■")),
        barmode="group",
        bargap=0.3,
        xaxis=axis(profile, type="category", ticks=""),
        yaxis=axis(profile, grid=True, range=[0, 104], tickvals=[0, 50, 100]),
    )


def _code(results):
    """Return Python code for the three measurements, each in a variable of its own."""
    names = ("few", "start", "large")
    parts = [
        code(core.measure_correction, each.params, show=f"{name}.put_right[:, -1]", name=name)
        for name, each in zip(names, results, strict=True)
    ]
    return "\n".join(parts)
