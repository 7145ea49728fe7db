"""Pictures of the backprop lesson: three products, one gradient at a time, and two error curves."""

import numpy as np

from pages._view.figures.base import axis, dashed, dotted, figure, label, line, solid, title
from pages._view.figures.matrices import cell, equals, matrix
from pages._view.literal import drawn
from pages._view.picture import Picture, Table
from pages._view.theme import Profile, number, typed
from sattn_core.lessons.backprop import (
    BackpropParams,
    BackpropResult,
    DifferenceError,
    FirstOrderChange,
    ProductsResult,
)

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
_SHORT = 5  # terms that have room in a cell
_TERMS = 24  # characters that have room in a cell


# --- three products ------------------------------------------------------------------------------------


def products(result: ProductsResult, profile: Profile) -> Picture:
    """Matrix, vector, number: the Hadamard product, its row sums, and their sum."""
    figures = _products_figures(result, profile)
    return Picture(
        "products", figures, _products_sentence(result), _products_table(result), _products_code(result.params)
    )


def _products_figures(result, profile):
    A, B = result.params.A, result.params.B
    both, rows, whole = result.hadamard, result.row_wise_dot[:, None], [[result.frobenius]]
    limit = max(np.abs(both).max(), np.abs(rows).max(), abs(result.frobenius))
    written = [[_sum((), product) for product in row] for row in both]
    if len(A[0]) <= _SHORT:
        factors = zip(A, B, both, strict=True)
        written = [
            [f"{_signed(a)} × {_signed(b)}<br>{equals(x)}" for a, b, x in zip(*row, strict=True)] for row in factors
        ]
    sums = [[_sum(products, total)] for products, total in zip(both, result.row_wise_dot, strict=True)]
    total = [[_sum(result.row_wise_dot, result.frobenius)]]
    share = {"limit": limit}
    return {
        "product_hadamard": matrix(both, profile, "1: Hadamard A ∘ B, a matrix", texts=written, **share),
        "product_rows": matrix(rows, profile, "2: row-wise A ⊖ B, a vector", texts=sums, columns="row sum", **share),
        "product_frobenius": matrix(
            whole, profile, "3: Frobenius ⟨A, B⟩, a number", texts=total, rows="", columns="sum of all", **share
        ),
    }


def _sum(terms, total):
    """A sum with its terms above it while they fit into a cell."""
    written = " + ".join(_signed(term) for term in terms)
    return f"{written}<br>{equals(total)}" if written and len(written) <= _TERMS else cell(total)


def _signed(value):
    return f"({cell(value)})" if value < 0 else cell(value)


def _products_sentence(result):
    n_rows, n_columns = result.hadamard.shape
    rows = ", ".join(cell(x) for x in result.row_wise_dot)
    return (
        f"Multiply entry by entry (A ∘ B, {n_rows} × {n_columns}), add up each row (A ⊖ B = [{rows}]), add up "
        f"everything (⟨A, B⟩ = {cell(result.frobenius)}): a matrix becomes a vector, then a number."
    )


def identities(result: ProductsResult) -> list[tuple[str, str]]:
    """Each identity with the numbers of its two sides."""
    return [
        (f"${each.formula}$", f"{_long(each.left)} = {_long(each.right)}, relative error {_error(each.error)}")
        for each in result.identities
    ]


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
    return (
        "from sattn_core import frobenius, hadamard, row_wise_dot\n\n"
        f"A = {params.A!r}\nB = {params.B!r}\n"
        "print(hadamard(A, B), row_wise_dot(A, B), frobenius(A, B), sep='\\n')\n"
    )


# --- the gradients -------------------------------------------------------------------------------------


def formula(result: BackpropResult, name: str) -> tuple[str, str]:
    """The formula of one gradient, and the layer and its loss."""
    shape = f"{result.params.n_tokens} tokens, model width {result.params.d_model}, dᵥ = {result.params.d_v}"
    return _chosen(result, name).formula, f"Here {shape}, loss ½‖O − T‖² = {number(result.loss)}."


def gradient(result: BackpropResult, name: str, d_k: int, profile: Profile) -> Picture:
    """One gradient as a matrix, and what two other methods find for it; d_k is the slider's."""
    values = _chosen(result, name).gradient
    fig = matrix(values, profile, drawn(f"{_WRITTEN[name]}, {_shape(values)}"), limit=np.abs(values).max())
    sentence, table = _gradient_sentence(result, name, d_k), _gradient_table(result, name)
    return Picture("gradient_matrix", fig, sentence, table, _gradient_code(result.params))


def _chosen(result, name):
    """The check of one gradient."""
    return next(check for check in result.gradients if check.name == name)


def _gradient_sentence(result, name, d_k):
    check, place = _chosen(result, name), GRADIENTS.index(name) + 1
    agree = "Both agree" if check.central_agrees and check.complex_agrees else "They do not agree"
    largest = result.params.d_k
    beyond = f" The slider says dₖ = {d_k:,}, but matrices stop at {largest} columns here, so dₖ = {largest} is used."
    return (
        f"Gradient {place} of {len(GRADIENTS)}, {_WRITTEN[name]}, has norm {number(np.linalg.norm(check.gradient))} at "
        f"dₖ = {largest}. The central difference is {_error(check.central_error)} away (relative; allowed "
        f"{number(check.central_tolerance, 1)}), the complex step {_error(check.complex_error)} (allowed "
        f"{number(check.complex_tolerance, 1)}). {agree}.{beyond if d_k > largest else ''}"
    )


def gradient_checks(result: BackpropResult) -> Table:
    """All gradients in the order in which they come back, each with its two checks."""
    checks = result.gradients
    return {
        "formula": [_FORMULAS[check.name] for check in checks],
        "norm": [number(np.linalg.norm(check.gradient)) for check in checks],
        "central difference: error (allowed)": [
            f"{_error(check.central_error)} ({number(check.central_tolerance, 1)})" for check in checks
        ],
        "complex step: error (allowed)": [
            f"{_error(check.complex_error)} ({number(check.complex_tolerance, 1)})" for check in checks
        ],
        "verdict": ["agree" if c.central_agrees and c.complex_agrees else "DISAGREE" for c in checks],
    }


def _gradient_table(result, name):
    """Every entry of one gradient by the formula and by both numerical methods."""
    check = _chosen(result, name)
    places = list(np.ndindex(np.atleast_2d(check.gradient).shape))
    return {
        "row": [row + 1 for row, _ in places],
        "column": [column + 1 for _, column in places],
        "value": check.value.ravel().tolist(),
        "gradient": check.gradient.ravel().tolist(),
        "central difference": check.central.ravel().tolist(),
        "complex step": check.complex_step.ravel().tolist(),
    }


def scale_lines(result: BackpropResult) -> list[tuple[str, str]]:
    """What the scale does to the gradient, and D computed in two ways."""
    d_Q, without = np.linalg.norm(_chosen(result, "Q").gradient), np.linalg.norm(result.d_Q_without_scale)
    D = (", ".join(number(x) for x in way) for way in (result.row_mean_by_weights, result.row_mean_by_output))
    scale = number(result.scale)
    return [
        (
            "**The scale multiplies the gradient too**, $dQ = c\\, dS\\, K$",
            f"with c = {scale}, ‖dS K‖ = {number(without)} becomes ‖dQ‖ = {number(d_Q)}; at the raw scores "
            f"‖dS‖ = {number(result.scaled_score_gradient)} becomes c‖dS‖ = {number(result.raw_score_gradient)}",
        ),
        ("$D = P \\ominus dP$", f"[{next(D)}]"),
        ("$D = O \\ominus dO$", f"[{next(D)}]; largest difference {_error(result.row_mean_difference)}"),
        (
            "**Each row of** $dS$ **sums to 0**",
            f"largest sum {_error(np.abs(result.score_gradient_row_sums).max())}: adding one number to a whole "
            f"row of scores changes nothing",
        ),
    ]


def _gradient_code(params):
    return (
        "from sattn_core.lessons.backprop import BackpropParams, measure_backprop\n\n"
        f"result = measure_backprop({params!r})\n"
        "for check in result.gradients:\n"
        "    print(check.name, check.gradient, check.central_error, check.complex_error, sep='\\n')\n"
    )


def _shape(array):
    shape = np.shape(array)
    return " × ".join(map(str, shape)) if shape else "a number"


def _error(value):
    return number(value, 2)


# --- first-order change --------------------------------------------------------------------------------


def first_order(change: FirstOrderChange, params: BackpropParams, profile: Profile) -> Picture:
    """Change of the loss, its first-order part and what remains, on log–log axes."""
    fig, sentence = _first_order_figure(change, profile), _first_order_sentence(change)
    return Picture("first_order", fig, sentence, _first_order_table(change), _curve_code(params, change.weight))


def _first_order_figure(change, profile):
    epsilon = change.epsilon
    traces = [
        line(epsilon, change.change, solid(profile, profile.third, 2), "change of the loss"),
        line(epsilon, change.predicted, dashed(profile), "first-order part"),
        _marked(epsilon, change.remainder, profile, "remainder"),
        line(epsilon, [change.rounding_floor] * len(epsilon), dotted(profile), "rounding floor"),
    ]
    word = _word(f"slope {number(change.slope)}", profile, 1, _at(epsilon, change.remainder, 1e-5), "end")
    key = ("green: change", "dashed: first order", "points: remainder", "dotted: rounding floor")
    return figure(
        profile,
        traces,
        left=4.4,
        title=title("First order, then ε²", profile, key=key),
        xaxis=_log_axis(profile, "ε", epsilon),
        yaxis=_log_axis(profile, "size", (1e-18, 10)),
        annotations=[word] if word else [],
    )


def _first_order_sentence(change):
    """How the remainder falls."""
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


def _first_order_table(change):
    names = ("epsilon", "change", "predicted", "remainder", "in_fit")
    return {name: getattr(change, name).tolist() for name in names}


def difference(error: DifferenceError, params: BackpropParams, profile: Profile) -> Picture:
    """Error of the central difference against its step, with its two branches."""
    fig, sentence = _difference_figure(error, profile), _difference_sentence(error)
    return Picture("difference_error", fig, sentence, _difference_table(error), _curve_code(params, error.weight))


def _difference_figure(error, profile):
    traces = [
        _marked(error.h, error.error, profile, "central difference"),
        line(error.h, [error.complex_error] * len(error.h), dotted(profile), "complex step"),
    ]
    rounding, truncation = number(error.rounding_slope), number(error.truncation_slope)
    words = [_word(f"slope {rounding}", profile, 1e-6, _at(error.h, error.error, 1e-6), "below")]
    key = ("points: central difference", *(["dotted: complex step"] if error.complex_error > 0 else []))
    if np.isfinite(error.truncation_slope):
        place = _at(error.h, error.error, 1e-2)
        words.append(_word(f"slope {truncation}", profile, 1e-2, place, "left"))
    return figure(
        profile,
        traces,
        left=4.4,
        title=title("No h is small enough", profile, key=key),
        xaxis=_log_axis(profile, "h", error.h),
        yaxis=_log_axis(profile, "relative error", (1e-18, 1)),
        annotations=[word for word in words if word],
    )


def _difference_sentence(error):
    """Where the central difference is best, and why no step does better."""
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


def _difference_table(error):
    return {"h": error.h.tolist(), "relative error, median": error.error.tolist()}


def _curve_code(params, weight):
    """The Python of both curves, the same under each figure."""
    return (
        "from sattn_core.lessons.backprop import BackpropParams, central_difference_error, first_order_change\n\n"
        f"params = {params!r}\n"
        f"print(first_order_change(params, {weight!r}))\n"
        f"print(central_difference_error(params, {weight!r}))\n"
    )


def _marked(x, y, profile, name):
    marker = {"color": profile.band, "size": profile.marker_size * 0.75}
    return line(x, y, solid(profile, profile.band), name) | {"mode": "lines+markers", "marker": marker}


def _log_axis(profile, name, values):
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
    "end": {"xanchor": "right", "yanchor": "bottom"},
    "below": {"xanchor": "right", "yanchor": "top", "xshift": -8},
    "left": {"xanchor": "right", "yanchor": "bottom", "xshift": -8},
}


def _word(text, profile, x, y, side):
    """A word beside a curve on log–log axes; none where the curve is 0."""
    if not y > 0:
        return None
    return label(text, profile, x=np.log10(x), y=np.log10(y), **_SIDES[side])


def _plain(weight):
    return "the input X" if weight == "X" else weight


_UP = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
