"""Measure the touch target of each control of a page by hit tests around its middle."""

LEAST = 44  # CSS px, width and height

# Return the number of controls, and the name and size of each that is too small. The size is the width and height
# around its middle in which a tap hits it. For words in a text and for step dots, taps that hit a neighbour count too:
# lines of text are no further apart, and ← and Next lead to the neighbouring dots.
_TOUCHED = """async ([inside, apart, least]) => {
  const CONTROLS = 'a[href], button, summary, input, textarea, [role=button], [role=slider], [role=checkbox], ' +
    '[role=combobox], [role=radio], [role=tab], [role=switch], [role=spinbutton]';
  const INLINE = '.term summary, .mark, [data-way] li a';
  const found = new Map();
  const visit = root => root.querySelectorAll('*').forEach(element => {
    if (element.shadowRoot) visit(element.shadowRoot);
    if (!element.matches(CONTROLS) || element.matches(':disabled, [aria-hidden=true] *')) return;
    if (!element.checkVisibility({visibilityProperty: true, opacityProperty: true})) return;
    if (apart && element.closest(apart)) return;
    // What a finger meets: the words of a choice too, and the box around a field.
    const target = !element.matches('input') ? element
      : (element.closest('label, [data-testid=stSlider] [data-rac]:has(> * > input)') ?? element);
    const {width, height, right} = target.getBoundingClientRect();
    if (width > 1 && height > 1 && right > 0) found.set(target, element); // not what is put away, or only read out
  });
  document.querySelectorAll(inside).forEach(visit);
  const under = (x, y) => {
    let at = document.elementFromPoint(x, y);
    while (at?.shadowRoot?.elementFromPoint(x, y) && at.shadowRoot.elementFromPoint(x, y) !== at)
      at = at.shadowRoot.elementFromPoint(x, y);
    return at;
  };
  const holds = (target, at) => at && (target.contains(at) || (at.closest?.('label')?.control ?? null) === target);
  const other = (target, at) => target.matches(INLINE) && at?.closest?.(INLINE) && !target.contains(at);
  const nameOf = element => {
    const keyed = (element?.getRootNode().host ?? element)?.closest('[class*="st-key-"]');
    const key = keyed?.className.match(/st-key-([\\w-]+)/)?.[1];
    const name = element?.getAttribute('aria-label') || element?.textContent.trim().slice(0, 30);
    return `${element?.tagName} ${key ?? ''} “${name}”`;
  };
  const small = [];
  for (const [target, element] of found) {
    target.scrollIntoView({block: 'center', inline: 'nearest', behavior: 'instant'});
    for (let still = 0, before; still < 3; still = target.getBoundingClientRect().top === before ? still + 1 : 0) {
      before = target.getBoundingClientRect().top;
      await new Promise(requestAnimationFrame);
    }
    const box = [...target.getClientRects()].reduce((a, b) => (b.width > a.width ? b : a)); // words may wrap
    const x = box.left + box.width / 2, y = box.top + box.height / 2;
    const own = (dx, dy) => {
      const at = under(x + dx, y + dy);
      return holds(target, at) || other(target, at);
    };
    const ends = new Set();
    const reach = (dx, dy) => {
      let n = 0;
      while (n < least && own((n + 1) * dx, (n + 1) * dy)) n += 1;
      if (n < least / 2) ends.add(`${dx} ${dy}: ${nameOf(under(x + (n + 1) * dx, y + (n + 1) * dy))}`);
      return n;
    };
    if (!own(0, 0)) { small.push([target, element, 0, 0, `under ${nameOf(under(x, y))}`]); continue; }
    const size = [reach(-1, 0) + 1 + reach(1, 0), reach(0, -1) + 1 + reach(0, 1)];
    if (Math.min(...size) < least) small.push([target, element, ...size, [...ends].join(', ')]);
  }
  const told = small.map(([, element, wide, high, ends]) => `${nameOf(element)}: ${wide} × ${high}, ends at ${ends}`);
  return [found.size, told];
}"""


def too_small(page, inside="body", apart=""):
    """Return the number of visible controls, and a text for each that is too small for a finger."""
    return page.evaluate(_TOUCHED, [inside, apart, LEAST])
