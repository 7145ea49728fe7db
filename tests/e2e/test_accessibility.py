"""Every page as it is read and used without seeing it or without a mouse, closed and with everything opened.

axe-core scans it in every look. Where a look only changes the colours of another, only the rules about colours are
asked again.
"""

import pytest
from dashboard import CHARTS, DRAWN, LESSONS, SETTINGS, open_everything
from harness import COLOURS, check_accessibility, open_page, wait_until_still
from reading import check_lit_step, descriptions, names_of_code, visible_texts
from tabbing import reached_by_tab

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


def looks_of(path):
    """Every look where a page has elements of its own: the hero, matrices to click, a progress bar, boxes for files.

    Elsewhere the other looks change sizes, and colours whose contrast is tested without a browser.
    """
    if path in ("", "attention_steps"):
        return LOOKS
    return ("light", "dark", "projector, dark browser") if path in OWN_BOXES else ("light",)


# Where a description first says what is drawn, and then the sentence.
SAID_LATER = ("softmax_saturation", "training_race", "attention_steps", "backprop", "your_scores")
# Where a sentence stands below what is no chart: the hero, a table of lines.
BESIDE = ("", "derivation")


def check_descriptions(page, path):
    """Every picture is described by a sentence, every sentence describes a picture, and none can be sent elsewhere."""
    pictures, said = descriptions(page)
    assert said
    for role, alt in pictures:  # after its sentence a main picture may say more of what is drawn
        assert role == "figure", alt
        assert any(sentence in alt if path in SAID_LATER else alt.startswith(sentence) for sentence in said), alt
    alone = [sentence for sentence in said if not any(sentence in alt for _, alt in pictures)]
    assert len(alone) == (path in BESIDE), alone
    hero = page.locator("[data-hero] svg").evaluate_all(
        "all => all.map(svg => [svg.getAttribute('role'), svg.ariaLabel])"
    )
    assert len(hero) == (0 if path else 4)
    assert all(role == "img" and len(alt) > 40 for role, alt in hero)
    buttons = page.locator(".modebar-btn").evaluate_all("all => all.map(each => each.dataset.title)")
    assert set(buttons) <= {"Download plot"}


def check_keyboard(page):
    """Tab reaches every control, those of the open Settings too."""
    page.locator(SETTINGS).click()
    wait_until_still(page)
    wanted, reached = reached_by_tab(page)
    assert wanted - reached == set(), "Tab does not reach these"
    assert len(wanted) > 10


@pytest.mark.parametrize(("path", "look"), [(path, look) for path in LESSONS for look in looks_of(path)])
def test_no_rule_is_broken(new_page, server, path, look):
    mode, scheme, ground = LOOKS[look]
    page = new_page(color_scheme=scheme)
    open_page(page, server, path, mode=mode, d_k="abc")
    assert page.locator(".stApp").evaluate(GROUND) == ground
    for surface in page.locator(f"{CHARTS} .main-svg:first-child, [data-hero]").all():
        assert surface.evaluate(GROUND) == ground
    if path == "attention_steps" and mode == "screen":  # on a projector the rest of the page has the steps
        check_lit_step(page)
    tag = COLOURS if scheme == "dark" else None
    if look != "light":
        check_accessibility(page, tag=tag)
    if look == "projector, dark browser" or (path in OWN_BOXES and look != "light"):
        return
    if look == "light":
        if path in DRAWN:
            check_descriptions(page, path)
        check_keyboard(page)
    open_everything(page, apart=[f"{name}_data" for name in LONG])
    assert page.locator(".st-key-settings details[open]").count() == 1
    codes = page.get_by_test_id("stCode").count()
    assert codes >= 1 if mode == "screen" and path in DRAWN else codes == 0
    check_accessibility(page, tag=tag)
    if look == "light":
        open_everything(page)
        found = names_of_code(visible_texts(page))
        assert not found, "\n".join(found)


def test_names_of_the_code_are_seen():
    said = ["d_k = 64", "m^½", "q_i·k_i", "dₖ = 64", "√m and 2 × 2", "_", "10⁻⁹"]
    assert names_of_code(said) == said[:3]
