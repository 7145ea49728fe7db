"""Colours with a meaning differ for people with protanopia, deuteranopia and tritanopia.

The simulation is that of Machado, Oliveira and Fernandes, "A Physiologically-based Model for Simulation of Color Vision
Deficiency", IEEE Transactions on Visualization and Computer Graphics 15 (6), 2009, table 1 at severity 1.0, on linear
RGB. Differences are CIE 1976 ΔE in Lab at D65, where 2.3 is just visible; colours with different meanings need 25.
"""

from itertools import combinations

import numpy as np
import pytest

from pages._view.figures.base import heatmap
from pages._view.lessons import ORDER
from pages._view.theme import PROJECTOR
from tests.figures.drawing import PROFILES
from tests.figures.pictures import pictures
from tests.figures.test_every_picture import at, figures_of

VISIONS = {
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
# From sRGB to XYZ (IEC 61966-2-1).
_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
MEANT = ("raw", "scaled", "third", "text", "ground")
APART = 25
# Blue and green look alike with tritanopia; a test below checks that their lines or markers differ too.
ALIKE = {("scaled", "third", "tritanopia")}


def lab(colour, vision):
    """Return the CIE Lab values of #rrggbb for a kind of colour vision; None is normal vision."""
    shares = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(shares <= 0.04045, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)
    seen = np.clip(np.array(VISIONS[vision]) @ linear, 0, 1) if vision else linear
    shares = (_XYZ @ seen) / _XYZ.sum(axis=1)
    x, y, z = np.where(shares > (6 / 29) ** 3, np.cbrt(shares), shares / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def difference(one, other, vision):
    return float(np.linalg.norm(lab(one, vision) - lab(other, vision)))


def test_simulation_keeps_greys_and_merges_red_and_green():
    for vision, matrix in VISIONS.items():
        np.testing.assert_allclose(np.sum(matrix, axis=1), 1, atol=2e-6)
        assert difference("#808080", "#c0c0c0", vision) == pytest.approx(
            difference("#808080", "#c0c0c0", None), abs=0.1
        )
    assert difference("#ffffff", "#000000", None) == pytest.approx(100, abs=1e-9)
    assert difference("#ff0000", "#000000", None) == pytest.approx(np.hypot(53.24, np.hypot(80.09, 67.20)), abs=0.05)
    reds = {vision: difference("#b05000", "#508000", vision) for vision in (None, "protanopia", "tritanopia")}
    assert reds["protanopia"] < 0.5 * reds[None] < reds["tritanopia"]


@pytest.mark.parametrize("vision", [None, *VISIONS])
@pytest.mark.parametrize("theme", PROFILES)
def test_colours_with_different_meanings_look_different(theme, vision):
    alike = {
        (one, other, vision)
        for one, other in combinations(MEANT, 2)
        if difference(getattr(theme, one), getattr(theme, other), vision) < APART
    }
    assert alike == {each for each in ALIKE if each[-1] == vision}


@pytest.mark.parametrize("vision", [None, *VISIONS])
@pytest.mark.parametrize("theme", PROFILES)
def test_heatmap_colours_of_negative_and_positive_values_differ(theme, vision):
    (_, negative), (_, none), (_, positive) = heatmap(theme, [[0]], 1.0)["colorscale"]
    assert difference(negative, positive, vision) >= APART
    assert min(difference(none, each, vision) for each in (negative, positive)) >= 1.5 * APART


def look(trace):
    """Return the style of a trace's line and markers without the colours."""
    return trace.mode, trace.line.dash, trace.line.width, trace.marker.symbol, trace.line.shape


def in_colour(figure, colour):
    """Return the lines and markers of a colour, without thin lines that only join markers or bound a band."""
    drawn = [trace for trace in figure.data if trace.type == "scatter"]
    lines = [each for each in drawn if each.mode == "lines" and each.line.width >= PROJECTOR.line_width]
    markers = [each for each in drawn if each.mode != "lines" and isinstance(each.marker.color, str)]
    return [e for e in lines if e.line.color == colour] + [e for e in markers if e.marker.color == colour]


def test_blue_and_green_traces_of_one_plot_differ_in_style():
    met, same = 0, []
    for stem in ORDER:
        for picture in pictures(stem, at(stem), PROJECTOR):
            for figure in figures_of(picture):
                blue, green = (in_colour(figure, colour) for colour in (PROJECTOR.scaled, PROJECTOR.third))
                pairs = [(b, g) for b in blue for g in green if (b.xaxis, b.yaxis) == (g.xaxis, g.yaxis)]
                met += len(pairs)
                same += [(stem, picture.key, b.name, g.name) for b, g in pairs if look(b) == look(g)]
    assert met > 0
    assert same == []
