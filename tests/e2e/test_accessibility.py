"""axe-core on every page in every look, closed and with everything opened.

Where a look only changes the colours of another, only the rules about colours are asked again.
"""

import pytest
from dashboard import CHARTS, DRAWN, EXPANDERS, LESSONS
from harness import COLOURS, check_accessibility, open_page, wait_until_still

pytestmark = pytest.mark.e2e

# Display mode, what the visitor's browser prefers, and the ground that must come of it.
LOOKS = {
    "light": ("screen", "light", "rgb(255, 255, 255)"),
    "dark": ("screen", "dark", "rgb(18, 22, 28)"),
    "projector": ("projector", "light", "rgb(255, 255, 255)"),
    "projector, dark browser": ("projector", "dark", "rgb(255, 255, 255)"),
}
GROUND = "element => getComputedStyle(element).backgroundColor"
# Tables of many cells, which cost axe-core seconds and hold no element that others do not.
LONG = ("race_learning", "race_state", "stage_histograms", "exponents", "rules", "rule_curves")


OWN_BOXES = ("training_race", "your_scores")


def open_everything(page):
    """Every expander but the long ones."""
    long = ", ".join(f".st-key-{name}_data" for name in LONG)
    for summary in page.locator(EXPANDERS).all():
        if summary.is_visible() and not summary.evaluate(f"element => element.closest('{long}') !== null"):
            summary.click()
    wait_until_still(page)


def looks_of(path):
    """Every look where a page has elements of its own: the hero, matrices to click, a progress bar, boxes for files.

    Elsewhere the other looks change sizes, and colours whose contrast is tested without a browser.
    """
    if path in ("", "attention_steps"):
        return LOOKS
    return ("light", "dark", "projector, dark browser") if path in OWN_BOXES else ("light",)


@pytest.mark.parametrize(("path", "look"), [(path, look) for path in LESSONS for look in looks_of(path)])
def test_no_rule_is_broken(new_page, server, path, look):
    mode, scheme, ground = LOOKS[look]
    page = new_page(color_scheme=scheme)
    open_page(page, server, path, mode=mode, d_k="abc")
    assert page.locator(".stApp").evaluate(GROUND) == ground
    for surface in page.locator(f"{CHARTS} .main-svg:first-child, [data-hero]").all():
        assert surface.evaluate(GROUND) == ground
    tag = COLOURS if scheme == "dark" else None
    if look != "light":
        check_accessibility(page, tag=tag)
    if look == "projector, dark browser" or (path in OWN_BOXES and look != "light"):
        return
    open_everything(page)
    assert page.locator(".st-key-settings details[open]").count() == 1
    codes = page.get_by_test_id("stCode").count()
    assert codes >= 1 if mode == "screen" and path in DRAWN else codes == 0
    check_accessibility(page, tag=tag)
