"""Matrices as heatmaps: a number in every cell, wide matrices in blocks, text readable on every shade."""

import numpy as np
import pytest

from pages._view.figures.base import shade
from pages._view.figures.matrices import FOLD, cell, colours, equals, matrix, operand
from pages._view.figures.panels import short
from pages._view.theme import LIGHT
from tests.figures.drawing import PROFILES, contrast, plotted

SMALL = np.array([[1.0, -2.5], [0.0, 40.0], [3.0, -np.inf]])


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("name", ["band", "third", "raw", "scaled"])
def test_numbers_are_readable_on_the_strongest_shade(profile, name):
    assert contrast(profile.text, shade(profile, getattr(profile, name))) >= 4.5


@pytest.mark.parametrize("profile", PROFILES)
def test_a_small_matrix_is_drawn_with_a_number_in_every_cell(profile):
    fig = plotted(matrix(SMALL, profile, "M", limit=50, rows="query", columns="key"))
    (trace,) = fig.data
    np.testing.assert_array_equal(np.array(trace.z, dtype=float), SMALL)
    assert [list(row) for row in trace.text] == [["1", "−2.5"], ["0", "40"], ["3", "−∞"]]
    assert (trace.zmin, trace.zmax, trace.texttemplate) == (-50, 50, "%{text}")
    assert (trace.textfont.color, trace.textfont.size) == (profile.text, profile.tick_size)
    assert [colour for _, colour in trace.colorscale][1] == profile.ground  # zero
    layout = fig.layout
    assert (layout.title.text, layout.xaxis.title.text, layout.yaxis.title.text) == ("M", "key", "query")
    assert (list(layout.yaxis.ticktext), list(layout.xaxis.ticktext)) == (["1", "2", "3"], ["1", "2"])
    assert layout.yaxis.range[0] > layout.yaxis.range[1]  # the first row is on top


@pytest.mark.parametrize(
    ("text", "n_columns", "size"),
    [("−1.23", 3, 1), ("−0.747 ÷ 3.46<br>= −0.216", 3, 1), ("−0.747 ÷ 3.46<br>= −0.216", 4, 0.85), ("1", 7, 0.8)],
)
def test_numbers_shrink_to_fit_narrow_cells(text, n_columns, size):
    (trace,) = plotted(matrix(np.ones((2, n_columns)), LIGHT, "M", limit=1, texts=[[text] * n_columns] * 2)).data
    assert trace.textfont.size == pytest.approx(size * LIGHT.tick_size)


def test_a_one_sided_colour_scale_begins_at_the_background():
    shades = colours(LIGHT, LIGHT.scaled, two_sided=False)
    assert [colour for _, colour in shades] == [LIGHT.ground, shade(LIGHT, LIGHT.scaled)]


def test_a_matrix_of_zeros_has_a_colour_range():
    (trace,) = plotted(matrix([[0.0]], LIGHT, "M", limit=0.0)).data
    assert trace.zmin < trace.zmax


@pytest.mark.parametrize("n_columns", [FOLD + 1, 2 * FOLD, 64])
def test_a_wide_matrix_is_drawn_in_blocks_below_each_other(n_columns):
    values = np.arange(2.0 * n_columns).reshape(2, n_columns)
    fig = plotted(matrix(values, LIGHT, "M", limit=values.max(), columns="component"))
    (trace,) = fig.data
    written = [text for row in trace.text for text in row if text]
    assert sorted(written, key=float) == [cell(x) for x in values.ravel()]
    for at, row in enumerate(trace.z):
        assert [cell(x) if x is not None else "" for x in row] == list(trace.text[at])
    blocks = -(-n_columns // FOLD)
    assert len(trace.z) == 3 * blocks
    names = [note.text for note in fig.layout.annotations]
    assert names[0] == f"components 1 to {FOLD}"
    assert names[-1].endswith(f" to {n_columns}")
    assert len(names) == blocks
    assert trace.z[4][0] == values[0, FOLD]
    rows_of = zip(fig.layout.yaxis.tickvals, fig.layout.yaxis.ticktext, strict=True)
    assert all(trace.z[line][0] in values[int(row) - 1] for line, row in rows_of)


def test_numbers_lose_digits_to_fit_a_length():
    texts = [cell(x, 6) for x in (-0.0316, 0.000273, 0.0796, -0.00194, -12.345)]
    assert texts == ["−0.032", "0.0003", "0.0796", "−0.002", "−12.3"]


def test_numbers_that_cannot_fit_are_written_as_about_0_or_dots():
    texts = [short(x, 3) for x in (0.5, -0.05, 0.00051, -1e-9, 0.0, 1e9, -1e9)]
    assert texts == ["0.5", "≈ 0", "≈ 0", "≈ 0", "0", "…", "…"]


def test_a_rounded_result_has_an_approximate_sign():
    assert [equals(x) for x in (8.0, 2**0.5, 0.1 + 0.2, 1e12)] == ["= 8", "≈ 1.41", "= 0.3", "= 1.00 × 10¹²"]
    assert [operand(x) for x in (2**0.5, -0.25, 1e12)] == ["1.41421", "−0.25", "1.00000 × 10¹²"]


def test_numbers_in_cells_are_as_short_as_possible():
    assert [cell(x) for x in (8.0, 0.5, 1 / 3, -1234567.0, -np.inf)] == ["8", "0.5", "0.333", "−1234567", "−∞"]
