"""Pictures of the backprop lesson: one gradient at a time, two error curves, and three products."""

import numpy as np

from pages._view.figures.base import (
    LETTERS,
    axis,
    dashed,
    dotted,
    figure,
    label,
    line,
    on_a_wall,
    over_axis,
    solid,
    title,
    upright,
)
from pages._view.figures.code import code
from pages._view.figures.ends import name_ends
from pages._view.figures.matrices import cell, equals, matrix
from pages._view.figures.panels import Panel, side_by_side
from pages._view.literal import drawn, plain
from pages._view.marks import Mark, readable
from pages._view.picture import Picture
from pages._view.theme import Profile, number, typed
from sattn_core.lessons import backprop as core

_FORMULAS = {
    "V": "dV = Pᵀ dO",
    "P": "dP = dO Vᵀ",
    "S": "dS = P ∘ (dP − D 1ᵀ), D = P ⊖ dP = O ⊖ dO",
    "Q": "dQ = c dS K",
    "K": "dK = c dSᵀ Q",
    "scale": "dc = ⟨dS, Q Kᵀ⟩",
    "W_Q": "dW_Q = Xᵀ dQ",
    "W_K": "dW_K = Xᵀ dK",
    "W_V": "dW_V = Xᵀ dV",
    "X": "dX = dQ W_Qᵀ + dK W_Kᵀ + dV W_Vᵀ",
}
_WRITTEN = {name: formula.split(" = ")[0] for name, formula in _FORMULAS.items()}
GRADIENTS = tuple(_FORMULAS)
_IN_WORDS = {name: f"d{name}" for name in ("V", "P", "S", "Q", "K")} | {
    "scale": "dc",
    "W_Q": "the gradient of Q’s weights",
    "W_K": "the gradient of K’s weights",
    "W_V": "the gradient of V’s weights",
    "X": "the gradient of the input X",
}
_WITH_D_K = ("Q", "K", "W_Q", "W_K")  # gradients with dₖ columns
_D_TICKS = (1, 4, 16, 64, 256, 1024)
_LEAST = 1e-8  # a smaller gradient is called practically zero
_SAME = 0.05  # two lengths that differ by a smaller share are called the same
_HIGH_ON_A_WALL = 0.75  # height factor: controls are above the figure
LENGTH = "Length of the gradient at the raw scores"
_LEFT = 2.7  # left margin for tick labels, in em of an axis title
_ONE_LINE = 45  # letters per title line on a phone
_TERMS = 14  # characters that fit into a cell


# --- three products ------------------------------------------------------------------------------------


def products(result: core.ProductsResult, profile: Profile, *, readable: bool = True) -> Picture:
    """Return the picture of a Hadamard product, its row sums and their total.

    readable: False if the typed text cannot be read, and an example is shown instead.
    """
    return Picture(
        "products",
        _products_figure(result, profile),
        _products_sentence(result, readable=readable),
        _products_table(result),
        _products_code(result.params),
        sure=(_products_sure(result), "Each identity in the table is worked out on A and B, both sides by themselves."),
        checks=_identities(result),
    )


def _products_figure(result, profile):
    A, B = result.params.A, result.params.B
    both, rows, whole = result.hadamard, result.row_wise_dot[:, None], [[result.frobenius]]
    factors = zip(A, B, both, strict=True)
    written = [[f"{_signed(a)} × {_signed(b)}<br>{equals(x)}" for a, b, x in zip(*row, strict=True)] for row in factors]
    sums = [[_sum(products, total)] for products, total in zip(both, result.row_wise_dot, strict=True)]
    total = [[_sum(result.row_wise_dot, result.frobenius)]]
    share = {
        "limit": max(np.abs(each).max() for each in (both, rows, whole)),
        "places": ("", ""),
        "chosen": (None, None),
    }
    panels = (
        Panel("A ∘ B", "A ∘ B", both, texts=written, **share),
        Panel("A ⊖ B", "A ⊖ B", rows, texts=sums, **share),
        Panel("⟨A, B⟩", "⟨A, B⟩", whole, texts=total, **share),
    )
    return side_by_side([[each] for each in panels], profile)


def _sum(terms, total):
    """Return a sum as text, with its terms above it if they fit into a cell."""
    written = " + ".join(_signed(term) for term in terms)
    return f"{written}<br>{equals(total)}" if written and len(written) <= _TERMS else cell(total)


def _signed(value):
    return f"({cell(value)})" if value < 0 else cell(value)


def _products_sentence(result, *, readable):
    if not readable:
        return f"A and B cannot be read as typed, so these are examples: ⟨A, B⟩ = {cell(result.frobenius)}."
    return (
        f"A ∘ B multiplies entry by entry, A ⊖ B adds up each row, and ⟨A, B⟩ = {cell(result.frobenius)} adds up "
        f"everything."
    )


def _products_sure(result):
    n_rows, n_columns = result.hadamard.shape
    rows = ", ".join(cell(x) for x in result.row_wise_dot)
    return (
        f"Multiply entry by entry (A ∘ B, {n_rows} × {n_columns}), add up each row (A ⊖ B = [{rows}]), add up "
        f"everything (⟨A, B⟩ = {cell(result.frobenius)}): a matrix becomes a vector, then a number."
    )


def _identities(result):
    """Return a table of the identities, with the numbers on both sides."""
    return {
        "identity": [f"${each.formula}$" for each in result.identities],
        "left": [_long(each.left) for each in result.identities],
        "right": [_long(each.right) for each in result.identities],
        "relative error": [_error(each.error) for each in result.identities],
    }


def _long(value):
    return min(number(value, 6), typed(value), key=len)


def _products_table(result):
    A, B = np.array(result.params.A), np.array(result.params.B)
    places = list(np.ndindex(A.shape))
    return {
        "row": [row + 1 for row, _ in places],
        "column": [column + 1 for _, column in places],
        "A": A.ravel().tolist(),
        "B": B.ravel().tolist(),
        "A ∘ B": result.hadamard.ravel().tolist(),
        "A ⊖ B of the row": [float(result.row_wise_dot[row]) for row, _ in places],
        "⟨A, B⟩": [result.frobenius] * len(places),
    }


def _products_code(params):
    return code(core.measure_products, params, show=("result.hadamard", "result.row_wise_dot", "result.frobenius"))


# --- the gradients -------------------------------------------------------------------------------------


def gradient(
    sweep: core.GradientSweep, name: str, d_k: int, profile: Profile, result: core.BackpropResult | None = None
) -> Picture:
    """Return the picture of one gradient as a matrix. result: numerical checks of all gradients, if d_k is small."""
    i = sweep.dims.index(d_k)
    sentence = _gradient_sentence(sweep, name, i)
    place = f"Gradient {GRADIENTS.index(name) + 1} of {len(GRADIENTS)}, {_IN_WORDS[name]}"
    return Picture(
        "gradient_matrix",
        _gradient_figure(sweep, name, i, profile),
        sentence,
        _gradient_table(sweep, name, i),
        _gradient_code(sweep, d_k),
        note=f"Of more than {core.SHOWN} columns the first {core.SHOWN}.",
        alt=f"{place}. {sentence}",
        sure=() if result is None else _gradient_sure(result, name, d_k),
        checks=None if result is None else _gradient_checks(result),
    )


def _gradient_figure(sweep, name, i, profile):
    """Return the matrix; colours and axis ranges do not change with d_k."""
    values, d_k = np.atleast_2d(sweep.gradients[i][name]), sweep.dims[i]
    limit = max(np.abs(each[name]).max() for each in sweep.gradients)
    several = name in _WITH_D_K and d_k > core.SHOWN
    words = f"column, the first {core.SHOWN} of {d_k:,}" if several else "column"
    place = f"{GRADIENTS.index(name) + 1} of {len(GRADIENTS)}"
    text = drawn(f"{place}: {_FORMULAS[name]}")
    fig = matrix(values, profile, text, limit=limit, columns=words, letters=LETTERS)
    if name in _WITH_D_K:
        fig.layout["xaxis"]["range"] = [-0.53, core.SHOWN - 0.47]
    fig.layout["height"] = max(fig.layout["height"], profile.height)
    return fig


def _gradient_sentence(sweep, name, i):
    """Return the sentence on the gradient's length, and on the effect of the scale."""
    norm, scale, start = sweep.norms[name][i], sweep.scales[i], f"At dₖ = {sweep.dims[i]:,} {_IN_WORDS[name]}"
    if norm == 0:
        return f"{start} is 0: nothing comes back here."
    long = f"{start} has length {number(norm, 2)}"
    if name in ("V", "P", "W_V"):
        return f"{long}; the scale acts on it only through the weights P."
    if name == "scale":
        return f"{start} is {number(norm, 2)} in size: the slope of the loss in the scale itself."
    if scale == 1:
        return f"{long}; the scale is 1 here."
    if name == "S":
        return f"{long}; times the scale, it has length {number(sweep.raw_score_norms[i], 2)} at the raw scores."
    if name == "X":
        return f"{long}; the scale multiplies what comes through Q and K."
    return f"{long}; the scale, {number(scale)}, is one of its factors."


def _chosen(result, name):
    """Return the check of one gradient."""
    return next(check for check in result.gradients if check.name == name)


def _gradient_sure(result, name, d_k):
    """Return sentences on the two numerical methods, and on the effect of the scale in the checked layer."""
    return (_agreement(result, name, d_k), *_layer_lines(result))


def _agreement(result, name, d_k):
    check, at = _chosen(result, name), result.params.d_k
    agree = "Both agree" if check.central_agrees and check.complex_agrees else "They do not agree"
    beyond = f" The slider says dₖ = {d_k:,}; the checks move every entry, so they are made at dₖ = {at}."
    return (
        f"{_WRITTEN[name]} has norm {number(np.linalg.norm(check.gradient))} at dₖ = {at}. The central difference is "
        f"{_error(check.central_error)} away (relative; allowed {number(check.central_tolerance, 1)}), the complex "
        f"step {_error(check.complex_error)} (allowed {number(check.complex_tolerance, 1)}). {agree}."
        f"{beyond if d_k > at else ''}"
    )


def _gradient_checks(result):
    """Return a table of all gradients in the order of backpropagation, each with its two checks."""
    checks = result.gradients
    return {
        "formula": [plain(_FORMULAS[check.name]) for check in checks],
        "norm": [number(np.linalg.norm(check.gradient)) for check in checks],
        "central difference: error (allowed)": [
            f"{_error(check.central_error)} ({number(check.central_tolerance, 1)})" for check in checks
        ],
        "complex step: error (allowed)": [
            f"{_error(check.complex_error)} ({number(check.complex_tolerance, 1)})" for check in checks
        ],
        "verdict": ["agree" if c.central_agrees and c.complex_agrees else "DISAGREE" for c in checks],
    }


def _gradient_table(sweep, name, i):
    """Return a table of the entries that are shown."""
    values = np.atleast_2d(sweep.gradients[i][name])
    places = list(np.ndindex(values.shape))
    return {
        "row": [row + 1 for row, _ in places],
        "column": [column + 1 for _, column in places],
        "gradient": values.ravel().tolist(),
    }


def _layer_lines(result):
    """Return sentences on the layer, the scale's effect on its gradients, D computed in two ways, and dS row by row."""
    d_Q, without = np.linalg.norm(_chosen(result, "Q").gradient), np.linalg.norm(result.d_Q_without_scale)
    by_weights, by_output = (
        ", ".join(number(x) for x in way) for way in (result.row_mean_by_weights, result.row_mean_by_output)
    )
    params, scale = result.params, number(result.scale)
    return (
        f"The layer has {params.n_tokens} tokens, model width {params.d_model}, dₖ = {params.d_k} and "
        f"dᵥ = {params.d_v}; its loss ½‖O − T‖² is {number(result.loss)}.",
        f"The scale multiplies the gradient too: with c = {scale}, ‖dS K‖ = {number(without)} becomes "
        f"‖dQ‖ = {number(d_Q)}; at the raw scores ‖dS‖ = {number(result.scaled_score_gradient)} becomes "
        f"c‖dS‖ = {number(result.raw_score_gradient)}.",
        f"D = P ⊖ dP is [{by_weights}] and D = O ⊖ dO is [{by_output}]; their largest difference is "
        f"{_error(result.row_mean_difference)}.",
        f"Each row of dS sums to 0, since adding one number to a whole row of scores changes nothing: the largest sum "
        f"is {_error(np.abs(result.score_gradient_row_sums).max())}.",
    )


def _gradient_code(sweep, d_k):
    shown = "name, gradient, result.norms[name][0], sep='\\n' for name, gradient in result.gradients[0].items()"
    return code(core.gradient_sweep, sweep.params, (d_k,), show=shown)


# --- at the raw scores ---------------------------------------------------------------------------------


def raw_scores(sweep: core.GradientSweep, d_k: int, profile: Profile) -> Picture:
    """Return the picture of the gradient's length at the raw scores against d_k, with the scale and without it."""
    i = sweep.dims.index(d_k)
    return Picture(
        "raw_score_gradient",
        _raw_score_figure(sweep, i, profile),
        _raw_score_sentence(sweep, i),
        {
            "d_k": list(sweep.dims),
            "without the scale": sweep.without_scale.tolist(),
            "with it": sweep.raw_score_norms.tolist(),
        },
        _raw_score_code(sweep),
        sure=(
            "Both lines are of one layer and one draw, so another seed gives other lines. A larger dₖ adds columns to "
            "the weights of Q and K and leaves all else as it is.",
            "Two things happen without the scale: no small factor multiplies the gradient any more, and a softmax "
            "with larger scores usually passes on less. Which wins depends on dₖ and on the draw.",
        ),
        marks=[Mark(word, (word,)) for word in ("without the scale", "with it")],
    )


def _raw_score_figure(sweep, i, profile):
    scaled, raw = (_above_floor(each) for each in (sweep.raw_score_norms, sweep.without_scale))
    fig = figure(
        profile,
        [
            line(sweep.dims, raw, solid(profile, profile.raw, 1.5), "without the scale"),
            line(sweep.dims, scaled, solid(profile, profile.scaled, 1.5) | {"dash": "dash"}, "with it"),
        ],
        left=_LEFT,
        height=_HIGH_ON_A_WALL if on_a_wall(profile) else 1.0,
        title=_claimed(_raw_score_claim(sweep, i), profile),
        xaxis=axis(profile, "dₖ", type="log", tickvals=_D_TICKS, tickangle=0, range=[-0.12, 3.13]),
        yaxis=_log_axis(profile, (_LEAST, 100)),
        shapes=[upright(sweep.dims[i], dotted(profile))],
    )
    ends = [("no scale", float(np.log10(raw[-1]))), ("scaled", float(np.log10(scaled[-1])))]
    return _with_ends(fig, ends, (profile.raw, profile.scaled), LENGTH, profile)


def _claimed(text, profile):
    """Return a one-line title that states what the picture shows."""
    return title(f"<b>{text}</b>", profile, size=profile.axis_size, letters=_ONE_LINE)


def _with_ends(fig, ends, colours, text, profile):
    """Return the figure with its y axis title, and with labels at the ends of its lines."""
    low, high = fig.layout["yaxis"]["range"]
    fig = name_ends(fig, ends, profile, low=low, high=high, colours=colours)
    return _with_upright(fig, text, profile)


def _with_upright(fig, text, profile):
    fig.layout["margin"]["t"] = round(profile.axis_size * 1.6 + profile.tick_size * 2.3)
    upright = over_axis(text, profile, _LEFT, up=0.4, bgcolor=None)
    fig.layout["annotations"] = [*fig.layout.get("annotations", ()), upright]
    return fig


def _above_floor(values):
    """Return values with a minimum of _LEAST, since a log axis has no 0."""
    return np.maximum(values, _LEAST)


def _raw_score_claim(sweep, i):
    """Return the title: at this d_k, the gradient without the scale is the same, larger or smaller."""
    scaled, raw = sweep.raw_score_norms[i], sweep.without_scale[i]
    if abs(raw - scaled) <= _SAME * scaled:
        return "Here the same without the scale"
    return f"Here {'larger' if raw > scaled else 'smaller'} without the scale"


def _raw_score_sentence(sweep, i):
    raw, scaled = (amount(each[i]) for each in (sweep.without_scale, sweep.raw_score_norms))
    return (
        f"At dₖ = {sweep.dims[i]:,} the gradient at the raw scores has length {raw} without the scale and "
        f"{scaled} with it."
    )


def amount(value: float) -> str:
    """Return a length with two digits, or as "practically nothing"."""
    return "practically nothing" if value < _LEAST else number(value, 2)


def _raw_score_code(sweep):
    return code(core.gradient_sweep, sweep.params, sweep.dims, show="result.without_scale, result.raw_score_norms")


def _error(value):
    return number(value, 2)


# --- first-order change --------------------------------------------------------------------------------


def first_order(change: core.FirstOrderChange, params: core.BackpropParams, profile: Profile) -> Picture:
    """Return the picture of the loss's change, its first-order part and the remainder, on log–log axes."""
    return Picture(
        "first_order",
        _first_order_figure(change, profile),
        _first_order_sentence(change),
        {name: getattr(change, name).tolist() for name in ("epsilon", "change", "predicted", "remainder", "in_fit")},
        _curve_code(params, change.weight),
        sure=(_first_order_sure(change), _layer_of(params)),
        marks=(Mark("remainder", ("remainder",)),),
    )


def _first_order_figure(change, profile):
    epsilon, bold = change.epsilon, solid(profile, profile.band, 3)
    traces = [
        line(epsilon, change.change, bold, "change of the loss"),
        line(epsilon, change.predicted, dashed(profile), "first-order part"),
        _marked(epsilon, change.remainder, profile, "remainder"),
        line(epsilon, [change.rounding_floor] * len(epsilon), dotted(profile), "rounding floor"),
    ]
    claim = "Rounding hides the remainder" if np.isnan(change.slope) else "The remainder falls like ε²"
    fig = figure(
        profile,
        traces,
        left=_LEFT,
        height=_HIGH_ON_A_WALL if on_a_wall(profile) else 1.0,
        title=_claimed(claim, profile),
        xaxis=_log_axis(profile, epsilon, "ε"),
        yaxis=_log_axis(profile, (1e-18, 10)),
        annotations=[each for each in _first_order_names(change, profile) if each],
    )
    return _with_upright(fig, "Change of the loss", profile)


def _first_order_names(change, profile):
    """Yield the lines' labels: above the upper ones, below the remainder, above the right end of the rounding floor."""
    epsilon, between = change.epsilon, ", " if on_a_wall(profile) else "<br>"
    ink = readable(profile.band, profile.ground, profile.text)
    both = f'<span style="color: {ink}">change</span>{between}first order'
    slope = "" if np.isnan(change.slope) else f"{between}slope {number(change.slope)}"
    yield _word(both, profile, 1e-4, _at(epsilon, change.change, 1e-4), "left")
    yield _word(f"remainder{slope}", profile, 1e-3, _at(epsilon, change.remainder, 1e-3), "under")
    yield _word("rounding", profile, epsilon[-1], change.rounding_floor, "end")


def _first_order_sentence(change):
    if np.isnan(change.slope):
        return "The remainder is smaller than the rounding of the two losses, so no slope can be seen."
    return f"Half the step leaves a quarter of the remainder: its slope is {number(change.slope)}, and 2 is predicted."


def _layer_of(params):
    return f"The layer has dₖ = {params.d_k}. Every entry is moved, so dₖ stops at {core.MAX_SIZE}."


def _first_order_sure(change):
    """Return a sentence on the slope of the remainder."""
    name = _plain(change.weight)
    if np.isnan(change.slope):
        return (
            f"For {name}, ⟨∂L/∂W, dW⟩ = {number(change.inner_product)}; what remains beyond ε times that is hidden by "
            f"the rounding of the two losses, about {number(change.rounding_floor, 1)}, so no slope can be fitted."
        )
    return (
        f"For {name}, moving by ε along a random direction changes the loss by ε × ⟨∂L/∂W, dW⟩ = ε × "
        f"{number(change.inner_product)} and a remainder of slope {number(change.slope)} (predicted 2), until the "
        f"rounding of the two losses, about {number(change.rounding_floor, 1)}, hides it."
    )


def difference(error: core.DifferenceError, params: core.BackpropParams, profile: Profile) -> Picture:
    """Return the picture of the central difference's error: rounding at small steps h, truncation at large ones."""
    return Picture(
        "difference_error",
        _difference_figure(error, profile),
        _difference_sentence(error),
        {"h": error.h.tolist(), "relative error, median": error.error.tolist()},
        _curve_code(params, error.weight),
        sure=(_difference_sure(error), _layer_of(params)),
        marks=(Mark("central difference", ("central difference",)),),
    )


def _difference_figure(error, profile):
    traces = [
        _marked(error.h, error.error, profile, "central difference"),
        line(error.h, [error.complex_error] * len(error.h), dotted(profile), "complex step"),
    ]
    fig = figure(
        profile,
        traces,
        left=_LEFT,
        height=_HIGH_ON_A_WALL if on_a_wall(profile) else 1.0,
        title=_claimed(_difference_claim(error), profile),
        xaxis=_log_axis(profile, error.h, "h"),
        yaxis=_log_axis(profile, (1e-18, 1)),
        annotations=[each for each in _difference_names(error, profile) if each],
    )
    return _with_upright(fig, "Relative error", profile)


def _difference_names(error, profile):
    """Yield the slopes beside the curve, and the labels above the left ends of both lines."""
    first, rounding, truncation = error.h[0], number(error.rounding_slope), number(error.truncation_slope)
    yield _word(f"slope {rounding}", profile, 1e-6, _at(error.h, error.error, 1e-6), "below")
    if np.isfinite(error.truncation_slope):
        yield _word(f"slope {truncation}", profile, 1e-2, _at(error.h, error.error, 1e-2), "left")
    yield _word("central difference", profile, first, error.error[:3].max(), "start")
    yield _word("complex step", profile, first, error.complex_error, "start")


def _difference_claim(error):
    if np.isfinite(error.truncation_slope):
        return "No step gives the exact value"
    return "Here only rounding is left"


def _difference_sentence(error):
    best = f"at best the central difference errs by {number(error.best_error, 1)}"
    if np.isfinite(error.truncation_slope):
        return f"Rounding spoils small steps and curvature large ones; {best}."
    return f"Only rounding is left here; {best}."


def _difference_sure(error):
    """Return a sentence on the best step of the central difference, and on the errors that limit it."""
    name = _plain(error.weight)
    best = f"its smallest error is {number(error.best_error, 2)} at h = {number(error.best_h, 2)}"
    rounding = f"at small h rounding grows as eps/h (slope {number(error.rounding_slope)}, predicted −1)"
    without = number(error.complex_error, 2)
    complex_step = f"The complex step has no difference to round: its error is {without} at any small step."
    if np.isfinite(error.truncation_slope):
        return (
            f"For {name} the central difference errs by h² at large h (slope {number(error.truncation_slope)}, "
            f"predicted 2); {rounding}; {best}, near the cube root of eps, {number(error.recommended_h, 1)}. "
            f"{complex_step}"
        )
    why = (
        "the loss is quadratic in W_V, and for a quadratic the central difference is exact"
        if error.weight == "W_V"
        else "rounding hides it here"
    )
    return f"For {name} there is no h² branch: {why}; {rounding}; {best}. {complex_step}"


def _curve_code(params, weight):
    """Return Python code for both error curves; both figures show the same code."""
    return "".join(
        code(each, params, weight, show="result") for each in (core.first_order_change, core.central_difference_error)
    )


def _marked(x, y, profile, name):
    marker = {"color": profile.text, "size": profile.marker_size * 0.75}
    return line(x, y, solid(profile, profile.text, 0.75), name) | {"mode": "lines+markers", "marker": marker}


def _log_axis(profile, values, name=None):
    low, high = (round(np.log10(values[end]), 9) for end in (0, -1))
    ticks = [10.0**power for power in range(int(np.ceil(low)), int(high) + 1) if power % 4 == 0]
    written = {"tickvals": ticks, "ticktext": [_power(tick) for tick in ticks]}
    return axis(profile, name, type="log", range=[low - 0.15, high + 0.15], **written)


def _power(value):
    power = round(np.log10(value))
    return "1" if power == 0 else f"10{str(power).translate(_UP)}"


def _at(x, y, where):
    return y[int(np.argmin(np.abs(np.log(x / where))))]


_SIDES = {
    "start": {"xanchor": "left", "yanchor": "bottom", "yshift": 4, "bgcolor": None},
    "under": {"xanchor": "left", "yanchor": "top", "xshift": 8, "bgcolor": None, "align": "left"},
    "end": {"xanchor": "right", "yanchor": "bottom", "bgcolor": None},
    "below": {"xanchor": "right", "yanchor": "top", "xshift": -8},
    "left": {"xanchor": "right", "yanchor": "bottom", "xshift": -8, "yshift": 4, "bgcolor": None},
}


def _word(text, profile, x, y, side):
    """Return a word beside a curve on log–log axes; None if the curve is 0 there."""
    if not y > 0:
        return None
    return label(text, profile, x=np.log10(x), y=np.log10(y), **_SIDES[side])


def _plain(weight):
    return "the input X" if weight == "X" else weight


_UP = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
