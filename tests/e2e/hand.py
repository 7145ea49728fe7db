"""Drag the large slider by mouse and check that the picture follows."""

from dashboard import SLIDER
from harness import query_parameters, wait_until_idle

MAIN = "[data-picture][data-value]"


def shown(page):
    """Return the slider value for which the main picture is drawn."""
    return int(page.locator(MAIN).get_attribute("data-value").split()[0])  # first the slider's value, then the dials'


def drag(page, shares, pause=25):
    """Drag the thumb to these fractions of the track, without releasing it."""
    move(page, [0.5], pause=0)
    page.mouse.down()
    move(page, shares, pause)


def move(page, shares, pause=25):
    """Move the pointer to these fractions of the track."""
    box = page.locator(SLIDER).bounding_box()
    for share in shares:
        page.mouse.move(box["x"] + box["width"] * share, box["y"] + box["height"] / 2)
        page.wait_for_timeout(pause)


def check_following(page, name, *, said=True):
    """Check that the main picture follows a drag of the large slider and ends at the value where it is released.

    name: the slider's parameter in the address. said: True if the sentence must change too.
    """
    page.locator(MAIN).evaluate(
        """picture => { window.seen = []; new MutationObserver(() => window.seen.push(picture.dataset.value))
        .observe(picture, {attributes: true, attributeFilter: ['data-value']}); }"""
    )
    sentence = page.locator("[data-sentence]").first
    before = sentence.inner_text()
    drag(page, [])
    for step in range(20):
        move(page, [0.5 + step * 0.02], pause=40)
        if page.evaluate("() => window.seen.length >= 3"):
            break
    page.wait_for_function("() => window.seen.length >= 3")
    assert query_parameters(page) == {}
    page.mouse.up()
    page.wait_for_function("name => new URL(location).searchParams.has(name)", arg=name)
    wait_until_idle(page)
    value = query_parameters(page)[name]
    assert page.locator(SLIDER).get_attribute("aria-valuetext").split(" = ")[1].replace(",", "") == value
    assert page.locator(MAIN).get_attribute("data-value").split()[0] == value
    assert (sentence.inner_text() != before) or not said
