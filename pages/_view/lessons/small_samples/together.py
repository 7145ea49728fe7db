"""The picture of small_samples in a class: its phones' draws, and their mean beside the exact one."""

import math

import numpy as np

from pages._view.figures import base
from pages._view.figures.code import code
from pages._view.lessons.small_samples import figures
from pages._view.marks import Mark
from pages._view.picture import Part, Picture
from pages._view.theme import Profile, number
from sattn_core.lessons import small_samples as core

_LEFT, _RIGHT = [0, 0.52], [0.6, 1]  # horizontal domains of the panels
_HIGHEST = 3.2  # upper end of the mean's axis
_PHONES = (10, 25, 50, 100)  # ends of the phones' axis: the first one with room is used
_END = 3.9  # right margin for the exact mean's label, in em of a tick label
_NOBODY = "Nobody has drawn yet: what the class draws stands here."


def drawn(together: core.ClassDraws, profile: Profile) -> Picture:
    """Return the picture of a class's draws, and of their mean after each phone; empty before the first draw."""
    sentence = _sentence(together)
    return Picture(
        "small_samples",
        _figure(together, profile),
        sentence,
        _table(together),
        code(
            core.class_draws,
            together.n_phones,
            ddof=together.ddof,
            seed=together.seed,
            show="result.mean_measured, result.standard_error",
        ),
        bins=_means(together),
        bins_name="the mean after each phone",
        alt=_alt(together, sentence),
        sure=_sure(together) if together.n_phones else (),
        marks=(Mark(_mean(together), ("mean of the class",)), Mark("dashed line", ("exact mean",))),
    )


def _figure(together, profile):
    """Return two panels: the draws as a histogram, and the mean after each phone."""
    top = figures.TOP * max(together.counts.max(), together.expected.max(), 1)
    lines, names = figures.marked(_marks(together, profile), top, "", profile)
    heights = base.axis(profile, showticklabels=False, ticks="", range=[0, top], anchor="x")
    fig = base.figure(
        profile,
        [base.steps(together.edges, together.counts, profile.raw, "draws"), *_outline(together, profile), *lines,
         *[each | {"xaxis": "x2", "yaxis": "y2"} for each in _mean_lines(together, profile)]],
        left=0.6,
        xaxis=base.axis(profile, "variance", domain=_LEFT, range=[0, together.edges[-1]], nticks=5, anchor="y"),
        yaxis=heights,
        xaxis2=base.axis(profile, "phones", domain=_RIGHT, range=[0, _room(together)], nticks=5, anchor="y2"),
        yaxis2=base.axis(profile, grid=True, range=[0, _HIGHEST], dtick=1, anchor="x2"),
        annotations=[*names, *_words(together, top, profile)],
    )  # fmt: skip
    fig.layout["margin"] |= {"t": round(1.7 * profile.axis_size), "r": round(_END * profile.tick_size)}
    return fig


def _marks(together, profile):
    """Return the marks of the histogram, without the exact mean until somebody has drawn."""
    found = figures.asked_marks(together, profile)
    return found if together.n_phones else found[1:]


def _outline(together, profile):
    style = base.dashed(profile) | {"shape": "hv"}
    expected = [*together.expected, 0] if together.n_phones else [math.nan] * together.edges.size
    return [base.line(together.edges, expected, style, "expected")]


def _room(together):
    return next(each for each in _PHONES if together.n_phones <= each)


def _mean_lines(together, profile):
    """Return the exact mean, and the mean after each phone with its standard error: a band, and a bar at the end."""
    x, means, errors = np.arange(1, together.n_phones + 1), together.means, together.errors
    none, band = {"width": 0, "color": profile.raw}, {"fill": "tonexty", "fillcolor": f"{profile.raw}40"}
    bar = {
        "array": errors[-1:],
        "color": profile.raw,
        "thickness": profile.line_width,
        "width": profile.marker_size / 2,
    }
    last: Part = {"mode": "markers", "marker": {"color": profile.raw, "size": profile.marker_size}, "error_y": bar}
    exact = [together.mean_theory] * 2 if together.n_phones else [math.nan] * 2
    return [
        base.line(x, means - errors, none, "mean less its error"),
        base.line(x, means + errors, none, "mean and its error") | band,
        base.line(x, means, base.solid(profile, profile.raw), "mean of the class"),
        base.line([0, _room(together)], exact, base.dashed(profile), "exact mean"),
        base.line(x[-1:], means[-1:], {}, "the mean now") | last,
    ]


def _words(together, top, profile):
    """Return the headings of both panels, and the labels of the outline and of the exact mean."""
    mean = f"Their mean {base.in_colour(_said(together), profile.raw, profile)}"
    named = [
        base.heading(f"The class: {figures.draws_of(together.variances.size)}", profile),
        base.heading(mean if together.n_phones else "Their mean", profile, axes="2"),
    ]
    if not together.n_phones:
        return named
    place: Part = {"xref": "x2 domain", "yref": "y2", "x": 1, "y": together.mean_theory, "xanchor": "left"}
    exact = base.label(f"exact<br>{_exact(together)}", profile, align="left", xshift=2, **place)
    return [*named, figures.outline_name(together, top, profile), exact]


def _exact(together):
    return number(together.mean_theory)


def _said(together):
    return f"{number(together.mean_measured)} ± {number(together.standard_error, 2)}"


def _mean(together):
    return f"average {_said(together)}"


def _sentence(together):
    """Return the sentence: the mean of a class and its standard error."""
    if not together.n_phones:
        return _NOBODY
    return f"The variances of the class {_mean(together)}; the dashed line is the exact mean, {_exact(together)}."


def _alt(together, sentence):
    if not together.n_phones:
        return f"{sentence} Two empty panels: a histogram of the variances with lines at 1.6 and at 2, and their mean."
    return (
        f"{sentence} Left, a histogram of {figures.draws_of(together.variances.size)}: the variance of the four "
        f"entries of a product of two 2 × 2 matrices, with lines at the exact mean, at {together.value} and at 2. "
        "Right, the mean after each phone with a band of one standard error, and a dashed line at the exact mean."
    )


def _sure(together):
    """Return sentences on the draws of the phones, and on the distance of their mean from the exact one."""
    phones = "One phone has" if together.n_phones == 1 else f"{together.n_phones} phones have"
    return (
        f"{phones} drawn {together.per_phone} products each, all multiplied: normal 2 × 2 matrices, ddof = "
        f"{together.ddof}. Their mean is {number(together.z, 2)} standard errors off {_exact(together)}.",
        "A phone’s draws depend on its number and the seed alone, so the link shows the same draws again.",
    )


def _table(together):
    """Return a table of the bins, the draws in them, and the expected counts."""
    return {
        "variance from": together.edges[:-1].tolist(),
        "to": together.edges[1:].tolist(),
        "draws": together.counts.tolist(),
        "expected": together.expected.tolist(),
    }


def _means(together):
    means, errors = together.means.tolist(), together.errors.tolist()
    return {"phones": list(range(1, together.n_phones + 1)), "mean": means, "standard error": errors}
