"""Place a lesson's bet by keyboard."""

from harness import wait_until_idle

from pages._view.kinds import Choice, Drawing

LINE = "p.line"  # the question first, then the verdict
FORM = ".stApp form.bet"
PLACE = f"{FORM} button"
CURVE = "[data-drawing]"
POINTS = f"{CURVE} [role=slider]"


def place_by_keyboard(page, bet):
    """Move the marker or the curve by a step, or choose the first answer, and press the button."""
    answer = bet.answer
    if isinstance(answer, Drawing):
        page.locator(POINTS).first.press("ArrowUp")
    else:
        chosen = isinstance(answer, Choice)
        marker = page.locator(f"{FORM} input[type={'radio' if chosen else 'range'}]").first
        marker.press("Space" if chosen else "ArrowRight")
    page.locator(f"{PLACE}:not([disabled])").wait_for()
    page.locator(PLACE).press("Enter")
    page.locator(FORM).wait_for(state="detached")
    wait_until_idle(page)
