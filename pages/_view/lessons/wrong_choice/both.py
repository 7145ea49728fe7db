"""The picture that weighs the three: how many wrong choices can be put right, and how much is a token's own."""

from pages._view.figures import base
from pages._view.figures.code import Name, code, printed
from pages._view.lessons.wrong_choice.figures import COLOURS, DIVIDED, NAMES, so_many
from pages._view.marks import Mark
from pages._view.picture import Part, Picture
from pages._view.theme import Profile, listed, number, small_percent
from sattn_core.lessons import wrong_choice as core
from sattn_core.lessons.softmax_saturation import DividedOutputs, OutputsParams, TokenOutputs, measure_outputs

_DOMAINS = ([0.0, 0.46], [0.54, 1.0])  # of the width
_NUMBERS = ("", "2")  # of the axes
_TOP = 117  # per cent: room for a number over a full bar
_WIDE = 0.62  # of the place of a bar
_LARGE = 1.25  # of the letters of a text: a number over a bar
_LINE = 1.3  # of its letters' size: the height of a line above a panel
_MOST = 90  # of a hundred rows: so many, and training puts nearly all right
_ABOUT = 5  # rows: about as many as another
_LEAST = 0.1  # own share up to which tokens' outputs are nearly the same


def both(curves: core.RateCurves, outputs: TokenOutputs, drawn: OutputsParams, profile: Profile) -> Picture:
    """Return bars of what each of the three puts right at its best rate, and of what it leaves to a token."""
    best = curves.best().tolist()
    panels = [outputs.divided(each) for each in core.EXPONENTS]
    low, high = core.interval(best)
    sentence = _sentence(curves.params.d_k, best, panels)
    return Picture(
        "both_needs",
        _figure(best, panels, profile),
        sentence,
        {"divided": list(NAMES), "put right": best, "low": low.tolist(), "high": high.tolist()}
        | {"a token’s own": [each.own_share for each in panels]}
        | {"standard error": [each.standard_error for each in panels]},
        _code(curves.params, drawn),
        alt=f"Two panels of three bars at dₖ = {curves.params.d_k:,}: {_alt(best, panels)} {sentence}",
        sure=_sure(low, high, panels, outputs),
        marks=[Mark(name, (name, _own(name))) for name in NAMES],
    )


def _own(name):
    """Return the name of a bar of the second panel."""
    return f"{name}, a token’s own"


def _code(params, drawn):
    measured = code(core.measure_learning_rates, params, name="curves", show="curves.best()")
    measured += code(core.interval, Name("curves.best()"), name="low_and_high", show="low_and_high")
    outputs = code(measure_outputs, drawn, name="outputs")
    panels = f"panels = [outputs.divided(exponent) for exponent in {core.EXPONENTS}]\n"
    return measured + outputs + panels + printed("each.own_share, each.standard_error for each in panels")


def _figure(best, panels, profile):
    """Two panels on one axis of percentages, each with a bar for raw scores, ÷ √d_k and ÷ d_k."""
    shares = [[float(each) for each in best], [100 * each.own_share for each in panels]]
    texts = [[str(each) for each in best], [share(each) for each in panels]]
    traces, notes = [], []
    axes: Part = {}
    for at, domain, heights, said, names in zip(_NUMBERS, _DOMAINS, shares, texts, _TITLES, strict=True):
        traces += [_bar(i, height, at, profile) for i, height in enumerate(heights)]
        notes += [_number(i, heights[i], text, at, profile) for i, text in enumerate(said)]
        notes += _heads(*names, at, profile)
        axes |= _axes(at, domain, profile)
    height = 0.7 if base.on_a_wall(profile) else 1.0
    fig = base.figure(profile, traces, height=height, left=2.6, bottom=1.8, annotations=notes, **axes)
    fig.layout["margin"]["t"] = round(0.4 * profile.tick_size + _LINE * (profile.axis_size + profile.tick_size))
    return fig


_TITLES = (("Put right", f"of {core.N_ROWS} wrong choices"), ("Its token’s own", "of an output, at first"))


def _axes(at, domain, profile):
    """Return the axes of a panel; the first has the numbers of both."""
    ticks = [base.in_colour(NAMES[i], getattr(profile, each), profile) for i, each in enumerate(COLOURS)]
    across: Part = {"tickvals": list(range(len(NAMES))), "ticktext": ticks, "ticks": "", "domain": domain}
    across |= {"range": [-0.5, len(NAMES) - 0.5], "anchor": f"y{at}"}
    up: Part = {"range": [0, _TOP], "tickvals": [0, 50, 100], "ticktext": ["0", "50 %", "100 %"], "ticks": ""}
    up |= {"anchor": f"x{at}", "showticklabels": not at, "showline": False}
    return {f"xaxis{at}": base.axis(profile, **across), f"yaxis{at}": base.axis(profile, grid=True, **up)}


def _bar(i, height, at, profile):
    name = NAMES[i] if not at else _own(NAMES[i])
    place: Part = {"x": [i], "y": [height], "width": _WIDE, "xaxis": f"x{at}", "yaxis": f"y{at}"}
    look: Part = {"marker": {"color": getattr(profile, COLOURS[i])}, "hoverinfo": "skip"}
    return {"type": "bar", "name": name} | place | look


def _number(i, height, text, at, profile):
    """Write a number over its bar."""
    place: Part = {"xref": f"x{at}", "yref": f"y{at}", "x": i, "y": height, "yanchor": "bottom", "bgcolor": None}
    colour = getattr(profile, COLOURS[i])
    return base.label(f"<b>{text}</b>", profile, size=_number_size(profile), colour=colour, borderpad=0, **place)


def _number_size(profile):
    return round(_LARGE * profile.base_size)


def _heads(name, unit, at, profile):
    """Write what a panel shows, and of what, in two lines above it."""
    close, up = {"borderpad": 0}, round(_LINE * profile.tick_size)
    small = base.heading(unit, profile, axes=at) | close
    small["font"]["size"] = profile.tick_size
    return small, base.heading(f"<b>{name}</b>", profile, axes=at) | close | {"yshift": up}


def share(found: DividedOutputs) -> str:
    """Return a token's own share of its output, as a person reads it."""
    return small_percent(found.own_share)


def _alt(best, panels):
    rules = [f"{name} {right} and {share(own)}" for name, right, own in zip(NAMES, best, panels, strict=True)]
    return f"wrong choices put right, of a hundred, and a token’s own share of its output. {listed(rules)}."


def _sentence(d_k, best, panels):
    """Say what raw scores cannot put right and what ÷ d_k does not leave, and whether ÷ √d_k does both."""
    raw, root, _ = (so_many(each) for each in best)
    flat, is_own = share(panels[2]), panels[2].own_share > _LEAST
    if d_k == 1:
        return f"At dₖ = 1 nothing is divided: all three put {raw} right, and {flat} of an output is its token’s own."
    if best[0] >= best[1] - _ABOUT and is_own:
        return f"At dₖ = {d_k:,} it hardly matters which divides: {root} come right with ÷ √dₖ, {raw} with raw scores."
    start = f"At dₖ = {d_k:,}, raw: {raw} can be put right"
    if best[1] >= _MOST and panels[1].own_share > _LEAST:
        return f"{start}. ÷ dₖ: {flat} is a token’s own. ÷ √dₖ keeps both."
    return f"{start}, ÷ √dₖ: {root}." + ("" if is_own else " ÷ dₖ leaves hardly anything to a token.")


def _sure(low, high, panels, outputs):
    """Return how far other rows and other draws would differ, and what neither bar says."""
    n_draws, n_tokens, n_keys = outputs.scores.shape
    ranges = [f"{low[i]:.0f} to {high[i]:.0f} {by}" for i, by in enumerate(DIVIDED)]
    errors = [f"{number(100 * panels[i].standard_error, 1)} {by}" for i, by in enumerate(DIVIDED)]
    return (
        f"Put right at the best of {len(core.LEARNING_RATES)} rates of gradient descent, each of the three at its own. "
        f"The 95 % intervals of a hundred rows are {listed(ranges)} (Clopper and Pearson).",
        f"A token’s own is measured before any training, on {n_draws} draws of {n_tokens} tokens with {n_keys} keys; "
        f"standard errors, in per cent: {listed(errors)}. What raw scores leave to a token is mostly one value, which "
        "chance chose.",
        "Training can change both: with rates of its own ÷ dₖ learns too, and its weights need not stay even. The bars "
        "say where each begins.",
    )
