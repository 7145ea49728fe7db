"""The texts of a page, for the eye and for a screen reader."""

import re

from dashboard import CHARTS, sentences

# All visible text of the page, its figures and open shadow roots, without code and the hidden half of a formula.
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
    """Return every visible text."""
    return page.evaluate(_VISIBLE, "body")


def words_of_screen(page):
    """Return the words of a lesson's page beside its menu, as long as its folds are closed."""
    return re.findall(r"[A-Za-z]{2,}|\ba\b", " ".join(page.evaluate(_VISIBLE, ".stMainBlockContainer")))


def names_of_code(texts):
    """Return texts with a name of the code or a power with a hat: d_k in place of dₖ, m^½ in place of √m."""
    return [text.strip() for text in texts if _NAMED.search(text)]


def descriptions(page):
    """Return role and description of every picture, and the sentences of the page as a screen reader reads them."""
    pictures = page.locator(CHARTS).evaluate_all("all => all.map(each => [each.role, each.ariaLabel ?? ''])")
    return pictures, [sentence.replace("dₖ", "d_k") for sentence in sentences(page)]


LIT = ".st-key-own [aria-current=step]"  # of the diagram in a fold; the dots have one too


def check_lit_step(page):
    """Check that the highlighted step differs from its ground; an accessibility scan passes over such text."""
    ground = page.locator(LIT).evaluate("step => getComputedStyle(step).backgroundColor")
    for text in page.locator(f"{LIT}, {LIT} *").all():
        assert text.evaluate("text => getComputedStyle(text).color") != ground
