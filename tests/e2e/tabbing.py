"""Which of a page's controls the Tab key reaches."""

# Names of what can take the focus, through open shadow roots; of a group of radio buttons only one is a stop.
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
# Within a shadow root the focus moves unseen from outside.
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
_AT_ONCE = 10  # keys between two looks at what they have reached
_NAME_OF = r"""() => {
  window.nameOf = element => {
    const name = element.getAttribute('aria-label') || element.innerText || element.placeholder || '';
    const key = element.closest('[class*="st-key-"]')?.className.match(/st-key-([\w-]+)/)?.[1] ?? '';
    return `${element.tagName} ${key} ${name.replace(/\s+/g, ' ').trim()}`;
  };
}"""


def reached_by_tab(page):
    """The names of the controls in sight, and of those that Tab has reached."""
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
