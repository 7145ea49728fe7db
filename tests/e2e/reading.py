"""What a page gives to read, to the eye and to a screen reader."""

import re

from dashboard import CHARTS, sentences

# All visible text: of the page, its figures and open shadow roots; code and the hidden half of a formula apart.
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
    """Every piece of text that a person reads."""
    return page.evaluate(_VISIBLE, "body")


def words_of_screen(page):
    """The words of a lesson's page beside its menu, as long as its folds are closed."""
    return re.findall(r"[A-Za-z]{2,}|\ba\b", " ".join(page.evaluate(_VISIBLE, ".stMainBlockContainer")))


def names_of_code(texts):
    """The pieces of text that have a name of the code or a power with a hat: d_k where dₖ is meant, m^½ for √m."""
    return [text.strip() for text in texts if _NAMED.search(text)]


def descriptions(page):
    """Role and description of every picture, and the sentences of the page as a screen reader says them."""
    pictures = page.locator(CHARTS).evaluate_all("all => all.map(each => [each.role, each.ariaLabel ?? ''])")
    return pictures, [sentence.replace("dₖ", "d_k") for sentence in sentences(page)]


LIT = ".st-key-own [aria-current=step]"  # of the diagram in a fold; the dots have one too


def check_lit_step(page):
    """The lit step has not the colour of its ground; an accessibility scan passes over such text."""
    ground = page.locator(LIT).evaluate("step => getComputedStyle(step).backgroundColor")
    for text in page.locator(f"{LIT}, {LIT} *").all():
        assert text.evaluate("text => getComputedStyle(text).color") != ground
