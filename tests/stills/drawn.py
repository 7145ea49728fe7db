"""Draw the stills and the card of a step at its default settings.

Import it as ``from drawn import draw`` (the test settings put this folder on the path).
"""

import base64
from dataclasses import dataclass

from cards import card_of
from grounds import merged
from harness import open_page, wait_until_still
from sizes import wait_until_at_rest

from pages._view.address import Address
from pages._view.compute import needs_button
from pages._view.lesson import STEP
from pages._view.lessons import LESSONS, ORDER, PAGES, VIEWS

WINDOWS = {"wide": (1440, 900), "narrow": (390, 844)}
PICTURE = "[data-picture]"
HERO = "[data-hero] .panels"
# Every step of every lesson as (stem, step name); the name is "" in a lesson without steps.
SCREENS = [(stem, step.name) for stem in PAGES for step in LESSONS[stem].steps or (LESSONS[stem].step(""),)]

_SVG = """async ([picture]) => {
  const plot = document.querySelector(picture).firstElementChild;
  const {width, height} = plot._fullLayout;
  const address = await Plotly.toImage(plot, {format: 'svg', width, height});
  return decodeURIComponent(address.slice(address.indexOf(',') + 1));
}"""


@dataclass(frozen=True)
class Drawn:
    """The stills of one step: svgs maps "wide" and "narrow" to an SVG; card is a PNG file."""

    svgs: dict[str, str]
    card: bytes


def has_still(stem, step):
    """Return True if the step has a picture that is computed without a button press."""
    main, values = VIEWS[stem].of(LESSONS[stem].step(step)), Address(LESSONS[stem], {STEP: step}).values
    return main is not None and not (main.params and needs_button(main.params(values), main.limit))


def draw(page, server, stem, step):
    svgs = {name: _on_both_grounds(page, server, stem, step, name) for name in WINDOWS if has_still(stem, step)}
    seen = "" if svgs else _seen(page, server, stem, step)
    page.emulate_media(color_scheme="light")
    return Drawn(svgs, card_of(page, stem, svgs.get("wide") or seen))


def _on_both_grounds(page, server, stem, step, name):
    drawn = []
    for ground in ("light", "dark"):
        _open(page, server, stem, step, WINDOWS[name], ground)
        drawn.append(page.evaluate(_SVG, [PICTURE]))
    return merged(*drawn, "-".join(each for each in (stem, step, name) if each))


def _seen(page, server, stem, step):
    """Return a screenshot of the hero or picture as an HTML image; "" if the page has neither."""
    _open(page, server, stem, step, WINDOWS["wide"], "light")
    for each in (HERO, PICTURE):
        if page.locator(each).count():
            image = page.locator(each).first.screenshot(animations="disabled")
            return f'<img src="data:image/png;base64,{base64.b64encode(image).decode()}">'
    return ""


def _open(page, server, stem, step, size, ground):
    """Open a step in a window of this size and wait until nothing moves."""
    page.emulate_media(color_scheme=ground)
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.mouse.move(0, 0)
    open_page(page, server, "" if stem == ORDER[0] else stem, **({STEP: step} if step else {}))
    wait_until_still(page)
    wait_until_at_rest(page)
