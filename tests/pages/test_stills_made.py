"""Merging a light and a dark drawing into one still, and comparing stills."""

import base64
import io

import pytest
from compared import card_differences, svg_differences
from grounds import merged, pixels
from PIL import Image

HEAD = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 9 9">{}</svg>'
NAMES = ' xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9" role="img"'


def one(light, dark):
    """Return the content of the merged still without line breaks."""
    text = merged(HEAD.format(light), HEAD.format(dark), "here").replace("\n", "")
    assert text.startswith(f"<svg{NAMES}")
    return text.removeprefix(f"<svg{NAMES}>").removesuffix("</svg>").replace(f"<svg{NAMES}/>", "")


def png(colour, size=(2, 2)):
    file = io.BytesIO()
    Image.new("RGB", size, colour).save(file, "PNG")
    return file.getvalue()


def embedded(colour):
    return f'<image xlink:href="data:image/png;base64,{base64.b64encode(png(colour)).decode()}"/>'


@pytest.mark.parametrize(
    ("light", "dark", "still"),
    [
        # different colours are merged
        ('<path d="M0,1.23456" style="fill: #fff"/>', '<path d="M0,1.23456" style="fill: #000"/>',
         '<path d="M0,1.23" style="fill:light-dark(#fff, #000)"/>'),
        ('<path d="M0,1" fill="#fff"/>', '<path d="M0,1" fill="#000"/>',
         '<path d="M0,1" style="fill:light-dark(#fff, #000)"/>'),
        ('<path d="M0,1" style="fill: rgb(1, 2, 3); fill-opacity: 0.5"/>',
         '<path d="M0,1" style="fill: rgb(4, 5, 6); fill-opacity: 1"/>',
         '<path d="M0,1" style="fill:light-dark(rgba(1, 2, 3, 0.5), rgba(4, 5, 6, 1))"/>'),
        # generated ids are renamed, definitions that nothing refers to removed
        ('<clipPath id="a1"><path d="M1,1"/></clipPath><clipPath id="b1"/><path d="M2,2" clip-path="url(#a1)"/>',
         '<clipPath id="a2"><path d="M1,1"/></clipPath><clipPath id="b2"/><path d="M2,2" clip-path="url(#a2)"/>',
         '<clipPath id="here-0"><path d="M1,1"/></clipPath><path clip-path="url(#here-0)" d="M2,2"/>'),
        # things to remove: background, empty groups, invisible elements, attributes for scripts
        ('<rect style="fill: rgb(255, 255, 255)"/>', '<rect style="fill: rgb(18, 22, 28)"/>', ""),
        ('<g class="x"><g/><path d=""/></g>', '<g class="x"><g/><path d=""/></g>', ""),
        ('<g style="opacity: 1"><path class="js" d="M0,1" style="stroke-opacity: 1; opacity: 1"/></g>',) * 2
        + ('<path d="M0,1"/>',),
        ('<path class="grid crisp" d="M0,1"/>',) * 2 + ('<path d="M0,1" shape-rendering="crispEdges"/>',),
        # a child keeps a value that differs from its parent's
        ('<g style="stroke-width: 2px"><path d="M0,1" style="stroke-width: 1px"/></g>',) * 2
        + ('<g style="stroke-width:2px"><path d="M0,1" style="stroke-width:1px"/></g>',),
    ],
)  # fmt: skip
def test_light_and_dark_drawings_merge_into_one_still(light, dark, still):
    assert one(light, dark) == still


def test_still_contains_both_images_if_they_differ():
    assert one(embedded("red"), embedded("red")).count("<image") == 1
    both = one(embedded("red"), embedded("blue"))
    assert both.count("<image") == 2
    assert both.index("on-light") < both.index("on-dark")
    address = both.partition('href="')[2].partition('"')[0]
    assert pixels(address).convert("RGBA").getpixel((0, 0)) == (255, 0, 0, 255)


@pytest.mark.parametrize(
    ("light", "dark"),
    [
        ("<g/>", "<rect/>"),
        ("<g><g/></g>", "<g/>"),
        ("<text>a</text>", "<text>b</text>"),
        ('<rect x="1"/>', '<rect x="2"/>'),
        ('<rect style="fill: none"/>', '<rect style="fill: #fff"/>'),
        ('<rect style="opacity: 1"/>', '<rect style="opacity: 0.5"/>'),
    ],
)
def test_pictures_that_differ_in_more_than_colours_are_refused(light, dark):
    with pytest.raises(AssertionError):
        one(light, dark)


PATH = '<path d="M0,1L5,6L9,9" transform="translate(3,4)" style="fill:light-dark(rgb(1, 2, 3), rgb(4, 5, 6))"/>'


@pytest.mark.parametrize(
    ("before", "after", "is_same"),
    [
        ("translate(3,4)", "translate(4.4,4)", True),
        ("translate(3,4)", "translate(4.6,4)", False),
        ("L5,6", "L5,7", True),
        ("L5,6", "L5,9", False),
        ("L5,6", "L5,6L7,7.5", True),  # an extra point, nearly on the line
        ("L5,6", "L5,6L7,19", False),
        ("rgb(1, 2, 3)", "rgb(1, 2, 4)", False),
        ("rgb(4, 5, 6)", "rgb(4, 5, 7)", False),
        ("<path", '<path id="a"', False),
    ],
)
def test_svg_comparison_tolerates_small_shifts(before, after, is_same):
    kept, drawn = HEAD.format(PATH), HEAD.format(PATH.replace(before, after))
    assert (svg_differences(kept, drawn) == []) is is_same


def test_different_elements_texts_and_images_are_found():
    text = HEAD.format("<text>a</text>")
    assert svg_differences(text, text) == []
    assert svg_differences(text, HEAD.format("<text>b</text>"))
    assert svg_differences(text, HEAD.format("<g/><text>a</text>"))
    red, blue, ruby = (merged(HEAD.format(embedded(each)), HEAD.format(embedded(each)), "") for each in
                       ("red", "blue", "#fe0000"))  # fmt: skip
    assert svg_differences(red, blue)
    assert svg_differences(red, ruby) == []


def test_cards_that_look_different_are_found():
    assert card_differences(png("red"), png("#fe0000")) == []
    assert card_differences(png("red"), png("blue"))
    assert card_differences(png("red"), png("red", (2, 3)))
