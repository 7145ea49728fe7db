"""Read the texts of a page, as seen and as a screen reader gives them."""

import re

from dashboard import CHARTS, sentences

# Return all visible texts below an element, with figures and open shadow roots, without code and formulas.
_VISIBLE = """(root) => {
  const icons = '[data-testid=stIconMaterial], [translate=no]';
  const apart = icons + ', code, pre, script, style, .katex, .katex-mathml, annotation, math, textarea, title, desc';
  const found = [];
  (function walk(root) {
    for (const node of root.childNodes) {
      if (node.nodeType === 3 && node.data.trim()) found.push(node.data);
      if (node.nodeType !== 1 || node.matches(apart)) continue;
      if (!node.checkVisibility() && getComputedStyle(node).display !== 'contents') continue;
      if (node.shadowRoot) walk(node.shadowRoot);
      walk(node);
    }
  })(document.querySelector(root));
  return found;
}"""
_NAMED = re.compile(r"[^\W\d_]_[^\W\d_]|\^")


def visible_texts(page):
    """Return every visible text of the page."""
    return page.evaluate(_VISIBLE, "body")


def words_of_screen(page):
    """Return the visible words of a page without its menu; closed folds are left out."""
    return re.findall(r"[A-Za-z]{2,}|\ba\b", " ".join(page.evaluate(_VISIBLE, ".stMainBlockContainer")))


def names_of_code(texts):
    """Return the texts written like code: d_k instead of dₖ, m^½ instead of √m."""
    return [text.strip() for text in texts if _NAMED.search(text)]


def descriptions(page):
    """Return each picture's role and description, and the page's sentences as a screen reader gets them."""
    pictures = page.locator(CHARTS).evaluate_all("all => all.map(each => [each.role, each.ariaLabel ?? ''])")
    return pictures, [sentence.replace("dₖ", "d_k") for sentence in sentences(page)]


LIT = ".st-key-own [aria-current=step]"  # the current step in the fold's diagram, not in the dots


def check_lit_step(page):
    """Check that the highlighted step's text and background differ in colour: axe-core does not check this."""
    ground = page.locator(LIT).evaluate("step => getComputedStyle(step).backgroundColor")
    for text in page.locator(f"{LIT}, {LIT} *").all():
        assert text.evaluate("text => getComputedStyle(text).color") != ground
