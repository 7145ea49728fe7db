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
_FOCUSED = """() => {
  let element = document.activeElement;
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  const group = element.getAttribute('role') === 'radio' && element.closest('[role=radiogroup]');
  return window.nameOf(group || element);
}"""
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
    page.evaluate("() => { document.activeElement.blur(); }")
    for _ in range(3 * len(wanted)):
        if wanted <= reached:
            break
        page.keyboard.press("Tab")
        reached.add(page.evaluate(_FOCUSED))
    return wanted, reached
