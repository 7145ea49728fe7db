"""Pictures on a wall in a lit room, modelled by moving each projector colour a quarter of the way to white."""

import numpy as np
import pytest

from pages._view.theme import PROJECTOR
from tests.figures.drawing import contrast, in_the_light, luminance
from tests.figures.pictures import pictures
from tests.figures.test_every_picture import at, figures_of, settings_of

LEAST = 4.5
WITH_NUMBERS = ("one_query", "attention_steps", "backprop", "gradient_flow")


def numbers(figure):
    """Yield (text colour, cell colour) for the numbers in the cells of heatmaps."""
    for trace in figure.data:
        if trace.type == "heatmap" and trace.texttemplate:
            z, said = np.array(trace.z, dtype=float), np.array(trace.text, dtype=object)
            shares = np.clip((z - trace.zmin) / (trace.zmax - trace.zmin), 0, 1)
            for share in {round(each, 6) for each in shares[(said != "") & np.isfinite(z)].tolist()}:
                yield trace.textfont.color, colour_at(trace.colorscale, share)


def colour_at(scale, share):
    """Interpolate a colour scale at a value between 0 and 1."""
    places, colours = zip(*scale, strict=True)
    parts = [[int(colour[i : i + 2], 16) for colour in colours] for i in (1, 3, 5)]
    return "#" + "".join(f"{round(np.interp(share, places, part)):02x}" for part in parts)


@pytest.mark.parametrize("stem", WITH_NUMBERS)
def test_numbers_in_cells_are_black_or_white_and_legible(stem):
    shown = [
        picture
        for name, chosen in settings_of(stem)
        if name.endswith("defaults")
        for picture in pictures(stem, at(stem, **chosen), PROJECTOR)
    ]
    found = [pair for picture in shown for figure in figures_of(picture) for pair in numbers(figure)]
    assert {ink for ink, _ in found} in ({"#000000"}, {"#000000", "#ffffff"})
    assert [each for each in found if contrast(*map(in_the_light, each)) < LEAST] == []


def test_lit_room_moves_colours_a_quarter_of_the_way_to_white():
    assert [in_the_light(each) for each in ("#000000", "#ffffff", "#808080")] == ["#404040", "#ffffff", "#a0a0a0"]
    assert contrast("#404040", "#ffffff") == pytest.approx(1.05 / (luminance("#404040") + 0.05))
    assert colour_at([[0, "#000000"], [0.5, "#ffffff"], [1, "#ff0000"]], 0.75) == "#ff8080"
