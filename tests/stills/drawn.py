"""What a lesson shows as it opens at its default settings: where things stand, its main picture, its card.

Import it as ``from drawn import draw`` (the test settings put this folder on the path).
"""

import base64
from dataclasses import dataclass
from typing import Any

from cards import card_of
from grounds import merged
from room import LOADS, NARROW, WIDE, open_still, places_of

from pages._view.lessons import VIEWS

WINDOWS = {"wide": WIDE, "narrow": NARROW}
PICTURE = "[data-picture]"
HERO = "[data-hero] .panels"

_SVG = """async ([picture]) => {
  const plot = document.querySelector(picture).firstElementChild;
  const {width, height} = plot._fullLayout;
  const address = await Plotly.toImage(plot, {format: 'svg', width, height});
  return decodeURIComponent(address.slice(address.indexOf(',') + 1));
}"""


@dataclass(frozen=True)
class Drawn:
    """The stills of one lesson: svgs by the size of the window; card is the PNG file's content."""

    places: dict[str, Any]
    svgs: dict[str, str]
    card: bytes


def has_still(stem):
    return VIEWS[stem].main is not None


def draw(page, server, stem, loads=LOADS):
    light, seen = {}, {}

    def look(mode, size):
        name = next((each for each, window in WINDOWS.items() if mode == "screen" and window == size), None)
        if name and has_still(stem):
            light[name] = page.evaluate(_SVG, [PICTURE])
        elif name == "wide":
            seen["picture"] = _seen(page)

    page.emulate_media(color_scheme="light")
    places = places_of(page, server, stem, look, loads)
    svgs = _on_both_grounds(page, server, stem, light)
    page.emulate_media(color_scheme="light")
    return Drawn(places, svgs, card_of(page, stem, svgs.get("wide") or seen.get("picture", "")))


def _seen(page):
    """The picture that Plotly does not draw, or draws where the lesson has no main picture, as an element; or \"\"."""
    for each in (HERO, PICTURE):
        if page.locator(each).count():
            image = page.locator(each).first.screenshot(animations="disabled")
            return f'<img src="data:image/png;base64,{base64.b64encode(image).decode()}">'
    return ""


def _on_both_grounds(page, server, stem, light):
    page.emulate_media(color_scheme="dark")
    svgs = {}
    for name in light:
        open_still(page, server, stem, WINDOWS[name])
        svgs[name] = merged(light[name], page.evaluate(_SVG, [PICTURE]), f"{stem}-{name}")
    return svgs
