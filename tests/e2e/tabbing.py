"""Find the controls of a page that the Tab key reaches."""

# Return the names of all focusable elements, also in open shadow roots. A group of radio buttons is one Tab stop.
_FOCUSABLE = """() => {
  const found = new Set();
  const visit = root => root.querySelectorAll('*').forEach(element => {
    if (element.shadowRoot) visit(element.shadowRoot);
    if (!element.matches('a[href], button, input, textarea, summary, [tabindex="0"]:not(main)')) return;
    if (element.matches(':disabled, [tabindex="-1"]:not(input:not([type=file]), textarea)')) return;
    if (!element.checkVisibility({visibilityProperty: true})) return;
    const group = element.getAttribute('role') === 'radio' && element.closest('[role=radiogroup]');
    found.add(window.nameOf(group || element));
  });
  visit(document);
  return [...found];
}"""
# Record the names of focused elements. Listen in every shadow root: focus events inside one are not seen outside.
_NOTE_FOCUS = """() => {
  window.reached = new Set();
  const note = event => {
    const [element] = event.composedPath();
    const group = element.getAttribute('role') === 'radio' && element.closest('[role=radiogroup]');
    window.reached.add(window.nameOf(group || element));
  };
  const visit = root => {
    root.addEventListener('focusin', note);
    root.querySelectorAll('*').forEach(element => element.shadowRoot && visit(element.shadowRoot));
  };
  visit(document);
  document.activeElement.blur();
}"""
_AT_ONCE = 10  # key presses between two checks of the focus
_NAME_OF = r"""() => {
  window.nameOf = element => {
    const name = element.getAttribute('aria-label') || element.innerText || element.placeholder || '';
    const key = element.closest('[class*="st-key-"]')?.className.match(/st-key-([\w-]+)/)?.[1] ?? '';
    return `${element.tagName} ${key} ${name.replace(/\s+/g, ' ').trim()}`;
  };
}"""


def reached_by_tab(page):
    """Return the names of all visible controls, and the names of those that Tab reaches."""
    page.evaluate(_NAME_OF)
    wanted, reached = set(page.evaluate(_FOCUSABLE)), set()
    page.evaluate(_NOTE_FOCUS)
    for _ in range(0, 3 * len(wanted), _AT_ONCE):
        for _ in range(_AT_ONCE):
            page.keyboard.press("Tab")
        reached = set(page.evaluate("() => [...window.reached]"))
        if wanted <= reached:
            break
    return wanted, reached


# Return the focused element's name, its position on the page, and its look.
_HERE = """() => {
  let at = document.activeElement;
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
  if (!at || at === document.body) return null;
  window.stop = at;
  const {top, height, left} = at.getBoundingClientRect();
  const scroller = document.querySelector('[data-testid=stMain]');
  const inMain = scroller.contains(at.getRootNode().host ?? at) && !at.closest('.st-key-share');
  return {name: window.nameOf(at), top: top + scroller.scrollTop, height, left, inMain, look: window.lookOf(at)};
}"""
_LOOK_OF = """() => {
  window.lookOf = element => {
    const drawn = [];
    for (let each = element, i = 0; each?.nodeType === 1 && i < 4; each = each.parentElement, i += 1) {
      const style = getComputedStyle(each);
      const outline = style.outlineStyle === 'none' ? '' : style.outline;
      const ring = style.getPropertyValue('--ring'); // of a slider, drawn in its thumb: see test_slider.py
      drawn.push(outline + ring + style.boxShadow + style.borderColor + style.backgroundColor);
    }
    return drawn.join();
  };
}"""
_LEFT = "() => { window.stop.blur(); return window.lookOf(window.stop); }"


def stops_by_tab(page):
    """Return the Tab stops below the lesson's title: name, position, and `seen`, True if the focus is visible."""
    page.evaluate(_NAME_OF)
    page.evaluate(_LOOK_OF)
    page.locator("h1").evaluate("title => { title.tabIndex = -1; title.focus(); }")
    found = []
    while True:
        page.keyboard.press("Tab")
        here = page.evaluate(_HERE)
        if not here or not here["inMain"]:
            return found
        left = page.evaluate(_LEFT)
        page.evaluate("() => window.stop.focus({focusVisible: true, preventScroll: true})")
        found.append({**here, "seen": here["look"] != left})
