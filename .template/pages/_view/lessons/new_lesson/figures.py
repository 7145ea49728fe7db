"""Pictures of the new_lesson lesson: the variance of raw and of scaled scores."""

from pages._view.figures.base import axis, figure, points, title
from pages._view.figures.code import code
from pages._view.picture import Picture
from pages._view.theme import Profile, number
from sattn_core.lessons.new_lesson import NewLessonResult, measure_new_lesson


def variances(result: NewLessonResult, profile: Profile) -> Picture:
    """Both variances with their standard errors, on one logarithmic axis."""
    return Picture(
        "new_lesson_variances",
        _figure(result, profile),
        _sentence(result),
        _table(result),
        code(measure_new_lesson, result.params, show="result.variance, result.variance_theory"),
        sure=_sure(result),
    )


def _figure(result, profile):
    traces = []
    for i, (name, colour) in enumerate((("raw", profile.raw), ("÷ √dₖ", profile.scaled))):
        error = result.standard_error[i]
        traces.append(points(profile, colour, "circle", [name], [result.variance[i]], [error], [error], name))
    return figure(
        profile,
        traces,
        title=title("Variance of the scores", profile),
        xaxis=axis(profile, type="category"),
        yaxis=axis(profile, "variance", grid=True, type="log", range=[-1, 3.5], tickvals=[1, 10, 100, 1000]),
    )


def _sentence(result):
    raw, scaled = (number(each) for each in result.variance)
    return f"At dₖ = {result.params.d_k:,} the raw scores have variance {raw}, the scaled ones {scaled}."


def _sure(result):
    """Each measured variance with its standard error, beside the predicted one."""
    rows = zip(("raw", "scaled"), result.variance, result.standard_error, result.variance_theory, strict=True)
    return tuple(
        f"Of the {name} scores, {number(measured)} ± {number(error, 2)} was measured and {number(predicted)} predicted."
        for name, measured, error, predicted in rows
    )


def _table(result):
    return {
        "scores": ["raw", "scaled"],
        "variance": result.variance.tolist(),
        "standard error": result.standard_error.tolist(),
        "predicted": result.variance_theory.tolist(),
    }
