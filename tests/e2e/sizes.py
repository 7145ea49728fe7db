"""Window sizes that the app supports, and a generator that shows a lesson at each of them."""

from harness import open_page

SCREEN = {
    "1440": (1440, 900),
    "1920": (1920, 950),
    "1024": (1024, 768),
    "820": (820, 1180),
    "390": (390, 844),
}
PHONE = "390"
# The projector's page is drawn at one width and scaled to the window; 1920 by 1080 lies between these two shapes.
PROJECTED = {"950p": (1920, 950), "1024p": (1024, 768)}
WITHOUT_MENU = ("820", PHONE)
FIGURES = "[data-picture] .js-plotly-plot, [data-hero]"
SETTLE_MS = 150

# Return true once every figure is as wide as its container and nothing in it has moved for `settle` ms.
_AT_REST = """([figures, settle]) => {
  const seen = [...document.querySelectorAll(figures)].filter(figure => figure.checkVisibility());
  const fits = seen.every(figure => {
    const drawing = figure.querySelector('.main-svg');
    const wide = (element) => element.getBoundingClientRect().width; // as it is seen: a projector's figures are scaled
    return !drawing || Math.abs(wide(drawing) - wide(figure.parentElement)) <= 1;
  });
  const state = seen.map(figure => {
    const {x, width, height} = figure.getBoundingClientRect();
    const marks = [...figure.querySelectorAll('svg text, svg path')];
    const places = marks.map(mark => mark.getAttribute('transform') ?? mark.getAttribute('d')?.slice(0, 40));
    return [x, width, height, ...places];
  }).join();
  const now = performance.now();
  if (!fits || state !== window.__figures) {
    window.__figures = state;
    window.__figuresSince = now;
    window.__looks = 0;
    return false;
  }
  window.__looks += 1; // a busy machine may draw nothing for a while: it must have had several turns as well
  return window.__looks >= 4 && now - window.__figuresSince >= settle;
}"""


def resize(page, size):
    page.set_viewport_size({"width": size[0], "height": size[1]})


def wait_until_at_rest(page):
    """Wait until the figures have their final layout for the window's size."""
    page.evaluate("() => { window.__figures = undefined; }")
    page.wait_for_function(_AT_REST, arg=[FIGURES, SETTLE_MS], polling=50)


def views(page, server, lesson, wanted, **query):
    """Open a lesson at each wanted size and yield the size's name: screen sizes first, then the projector's."""
    for sizes, mode in ((SCREEN, {}), (PROJECTED, {"mode": "projector"})):
        if not {*wanted} & {*sizes}:
            continue
        resize(page, next(iter(sizes.values())))
        open_page(page, server, lesson, **mode, **query)
        for name, size in ((name, size) for name, size in sizes.items() if name in wanted):
            if name in WITHOUT_MENU:
                _close_menu(page)  # explicitly, else Streamlit reopens it in a wider window
            resize(page, size)
            wait_until_at_rest(page)
            yield name


def open_menu(page):
    page.get_by_test_id("stExpandSidebarButton").click()
    page.wait_for_function("() => document.querySelector('[data-testid=stSidebar]').getBoundingClientRect().left >= 0")


def _close_menu(page):
    menu = page.get_by_test_id("stSidebar")
    if menu.get_attribute("data-collapsed") != "true":
        menu.hover()
        page.get_by_test_id("stSidebarCollapseButton").get_by_role("button").click()
    page.wait_for_function("() => document.querySelector('[data-testid=stSidebar]').getBoundingClientRect().right <= 1")
