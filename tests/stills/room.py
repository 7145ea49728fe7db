"""Where slider and main picture stand as a lesson opens, for a page that is not drawn yet and holds the room.

Import it as ``from room import places_of`` (the test settings put this folder on the path).
"""

from harness import open_page, wait_until_still
from sizes import wait_until_at_rest

from pages._view.lessons import ORDER

SCREEN = ((390, 844), (768, 1024), (1024, 768), (1440, 900), (1920, 950))
PROJECTOR = ((1024, 768), (1440, 900), (1920, 950))
WIDE, NARROW = (1440, 900), (390, 844)
# The menu is open or closed as the page was loaded, so that a window is one of these or is loaded anew.
LOADS = (
    ("screen", [size for size in SCREEN if size[0] <= 768]),
    ("screen", [size for size in SCREEN if size[0] > 768]),
    ("projector", list(PROJECTOR)),
)

# The two windows of which there are stills.
STILLS = (("screen", [NARROW]), ("screen", [WIDE]))

# What stands above is the answer, or where none is shown the question.
_PLACES = """() => {
  const round = (number) => Math.round(number * 100) / 100;
  const find = (selector) => document.querySelector(selector);
  const inRoots = [...document.querySelectorAll('*')].map((each) => each.shadowRoot?.querySelector('[data-hero]'));
  const main = find('[data-testid=stMainBlockContainer]');
  const {paddingLeft, paddingRight} = getComputedStyle(main);
  const outer = main.getBoundingClientRect();
  const block = {left: outer.left + parseFloat(paddingLeft), right: outer.right - parseFloat(paddingRight)};
  const place = (element, above) => {
    const {left, top, right, height} = element.getBoundingClientRect();
    const numbers = {above: top - above, left: left - block.left, right: block.right - right, height};
    return Object.fromEntries(Object.entries(numbers).map(([name, number]) => [name, round(number) || 0]));
  };
  const question = find('h1');
  const next = question.closest('[data-testid=stElementContainer]').nextElementSibling;
  const answer = next.matches(':has(.st-key-stage)') ? null : next.querySelector('[data-testid=stMarkdown]');
  const bottom = (element) => element.getBoundingClientRect().bottom;
  const slider = find('.st-key-dimension [data-slider]');
  const picture = inRoots.find((each) => each) ?? find('[data-picture]');
  const above = bottom(answer ?? question);
  return {
    slider: slider && place(slider, above),
    picture: picture && place(picture, slider ? bottom(slider) : above),
  };
}"""


def address_of(stem):
    """The first lesson's is the bare one."""
    return "" if stem == ORDER[0] else stem


def resize(page, size):
    page.set_viewport_size({"width": size[0], "height": size[1]})


def open_still(page, server, stem, size, **params):
    """Open a lesson in a window of this size and wait until nothing moves."""
    resize(page, size)
    page.mouse.move(0, 0)
    open_page(page, server, address_of(stem), **params)
    come_to_rest(page)


def come_to_rest(page):
    wait_until_still(page)
    wait_until_at_rest(page)


def places_of(page, server, stem, at=lambda mode, size: None, loads=LOADS):
    """By mode and width of the window where slider and picture stand; at is called where the lesson stands at each."""
    found = {"projector": {}, "screen": {}}
    for mode, sizes in loads:
        open_still(page, server, stem, sizes[0], **({"mode": mode} if mode == "projector" else {}))
        for size in sizes:
            resize(page, size)
            come_to_rest(page)
            found[mode][str(size[0])] = page.evaluate(_PLACES)
            at(mode, size)
    return found
