"""The Share button in a browser: it covers nothing, copies the link, and shows its QR code."""

import pytest
from dashboard import LESSONS, go_to
from harness import check_accessibility, open_page, query_parameters, wait_until_idle, wait_until_still
from sampling import MATRIX
from sizes import PROJECTED, SCREEN

pytestmark = pytest.mark.e2e

BUTTON, LINK, CODE = ".st-key-share button", ".st-key-share_link code", ".st-key-share_code img"
OWN = {"bet": "1", "guess": "", "tally": "1-2"}
SETTINGS = {"d_k": "256", "step": "draw", "axis": "own"}
SIZES = [(SCREEN["1440"], {}), (SCREEN["390"], {}), *((size, {"mode": "projector"}) for size in PROJECTED.values())]
# Return the visible elements that overlap the button.
COVERED = """button => {
  const mine = button.getBoundingClientRect();
  const others = [...document.querySelectorAll('button, a, h1, [data-testid=stHeader] svg')];
  return others.filter(each => {
    const {left, top, right, bottom, width} = each.getBoundingClientRect();
    const apart = left >= mine.right || right <= mine.left || top >= mine.bottom || bottom <= mine.top;
    return width && !apart && !button.contains(each) && each.checkVisibility();
  }).map(each => each.outerHTML.slice(0, 80));
}"""


@pytest.mark.parametrize(
    ("size", "look"),
    [pytest.param(*each, marks=[MATRIX] if i != 2 else []) for i, each in enumerate(SIZES)],
)
def test_share_copies_the_link_and_shows_link_and_qr_code(new_page, server, size, look):
    page = new_page(alone=True, permissions=["clipboard-read", "clipboard-write"])
    page.set_viewport_size({"width": size[0], "height": size[1]})
    open_page(page, server, "score_variance", **SETTINGS, **OWN, **look)
    assert page.locator(BUTTON).evaluate(COVERED) == []
    before = query_parameters(page)
    page.locator(BUTTON).click()
    page.locator(CODE).wait_for()
    wait_until_still(page)
    link = f"{server.url}/score_variance?d_k=256&step=draw&axis=own"
    assert page.locator(LINK).inner_text() == link
    assert page.evaluate("() => navigator.clipboard.readText()") == link
    assert (
        page.locator(".st-key-share_link p").evaluate("p => getComputedStyle(p, '::before').content").startswith('"✓')
    )
    box = page.locator(CODE).bounding_box()
    assert box["width"] == pytest.approx(box["height"], abs=1)
    assert box["y"] + box["height"] <= size[1]
    assert box["height"] >= (0.5 if look else 0.33) * size[1]
    assert query_parameters(page) == before
    check_accessibility(page)
    page.keyboard.press("Escape")
    page.locator(CODE).wait_for(state="detached")


@pytest.mark.walk
def test_shared_link_has_a_move_made_after_the_page_was_drawn(new_page, server):
    page = new_page(alone=True, permissions=["clipboard-read", "clipboard-write"])
    open_page(page, server, "score_variance", step="straighten")
    page.locator(".st-key-dimension input").focus()
    page.keyboard.press("End")
    page.wait_for_function("() => location.search.includes('d_k=1024')")
    page.locator(BUTTON).focus()
    page.keyboard.press("Enter")
    page.locator(CODE).wait_for()
    assert page.locator(LINK).inner_text() == f"{server.url}/score_variance?d_k=1024&step=straighten"
    page.wait_for_function(
        "() => navigator.clipboard.readText().then(text => text.endsWith('?d_k=1024&step=straighten'))"
    )


@pytest.mark.walk
def test_a_failed_copy_is_not_reported_as_copied(page, server):
    open_page(page, server, "score_variance")
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('not allowed')); }")
    page.locator(BUTTON).click()
    page.locator(CODE).wait_for()
    assert page.locator(".st-key-share_link p").evaluate("p => getComputedStyle(p, '::before').content") == "none"


@pytest.mark.walk
def test_link_with_seed_mine_gives_each_visitor_a_lasting_seed(new_page, server):
    first, second = (new_page(alone=True, permissions=["clipboard-read", "clipboard-write"]) for _ in range(2))
    open_page(first, server, "small_samples", seed="mine", size=4)
    seed = query_parameters(first)["seed"]
    for _ in range(3):  # three equal seeds by chance: about 1 in 10¹²
        second.goto(f"{server.url}/small_samples?seed=mine", wait_until="commit")
        if query_parameters(second)["seed"] != seed:
            break
    other = query_parameters(second)["seed"]  # the address has it before anything is drawn
    assert other != seed
    assert 1 <= int(other) <= 9999
    sentence = first.locator("[data-sentence]").first.inner_text()
    first.reload(wait_until="domcontentloaded")
    wait_until_idle(first)
    assert query_parameters(first) == {"seed": seed, "size": "4"}
    assert first.locator("[data-sentence]").first.inner_text() == sentence
    first.locator(BUTTON).click()
    first.locator(CODE).wait_for()
    assert first.locator(LINK).inner_text() == f"{server.url}/small_samples?seed={seed}&step=draw&size=4"
    first.locator("label", has_text="each of you sees another").click()
    first.locator(".st-key-share_each_link code").wait_for()
    wait_until_still(first)
    assert (
        first.locator(".st-key-share_each_link code").inner_text()
        == f"{server.url}/small_samples?seed=mine&step=draw&size=4"
    )
    assert query_parameters(first) == {"seed": seed, "size": "4"}
    check_accessibility(first)
    first.keyboard.press("Escape")
    go_to(first, LESSONS[""])
    assert query_parameters(first)["seed"] == seed
