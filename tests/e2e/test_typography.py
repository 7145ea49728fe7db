"""What a person reads has no name of the code in it: dₖ and not d_k, √m and not m^½."""

import re

import pytest
from dashboard import LESSONS, open_everything
from harness import open_page

pytestmark = pytest.mark.e2e

# All visible text: of the page, its figures and open shadow roots; code and the hidden half of a formula apart.
VISIBLE = """() => {
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
  })(document.body);
  return found;
}"""
NAMED = re.compile(r"[^\W\d_]_[^\W\d_]|\^")


def names_of_code(texts):
    """The pieces of text that have a name of the code or a power with a hat."""
    return [text.strip() for text in texts if NAMED.search(text)]


@pytest.mark.parametrize("stem", LESSONS)
def test_what_is_read_has_no_name_of_the_code(page, server, stem):
    page.set_viewport_size({"width": 1440, "height": 900})
    open_page(page, server, stem)
    open_everything(page)
    found = names_of_code(page.evaluate(VISIBLE))
    assert not found, "\n".join(found)


def test_names_of_the_code_are_seen():
    said = ["d_k = 64", "m^½", "q_i·k_i", "dₖ = 64", "√m and 2 × 2", "_", "10⁻⁹"]
    assert names_of_code(said) == said[:3]
