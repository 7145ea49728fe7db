"""A class's phones, wall and desk: narrow screens, keyboard, axe-core, lost connections, and a presenter's clicker."""

import pytest
from harness import check_accessibility, open_page, page_url, wait_until_idle
from sizes import PROJECTED, resize, wait_until_at_rest
from touching import too_small

from pages._view.lessons import LESSONS

pytestmark = [pytest.mark.e2e, pytest.mark.walk]

SECRET = "abcdefghjkmn"
NARROW = 320
WIDE = "() => document.documentElement.scrollWidth > document.documentElement.clientWidth"
FOCUS = (
    "() => (({tagName, name, textContent}) => tagName === 'BODY' ? '' : name || textContent)(document.activeElement)"
)
BEFORE_A_VOTE = "softmax_saturation"
A_CURVE, A_CHOICE, DRAWS, A_VOTE = "score_variance", "scaling_rules", "small_samples", "wrong_choice"


# Return the right edge of the page's column and the left edge of the corner with the join code.
_EDGES = """() => { const at = name => document.querySelector(name).getBoundingClientRect();
  return [at('.stMainBlockContainer > [data-testid="stVerticalBlock"]').right, at('[data-room]').left]; }"""


def opened(rooms, stem):
    return rooms.open_room(SECRET, stem=stem, query="bet=1").code


def shows(page, text):
    page.locator("main").get_by_text(text).first.wait_for()


def check(page):
    """Check a page on the narrowest screen: its width, its touch targets, and axe-core in light and dark."""
    page.set_viewport_size({"width": NARROW, "height": 640})
    assert not page.evaluate(WIDE)
    page.locator("summary").evaluate_all("all => all.forEach(each => each.parentElement.open = true)")
    assert too_small(page)[1] == []
    for ground in ("light", "dark"):
        page.emulate_media(color_scheme=ground)
        check_accessibility(page)
    assert not page.evaluate(WIDE)


def press_until(page, key, what):
    """Press a key until the element with this name or text has the focus."""
    for _ in range(60):
        page.keyboard.press(key)
        if what in page.evaluate(FOCUS):
            return
    raise AssertionError(f"{key} does not lead to {what}")


def test_a_phone_works_by_keyboard_in_every_state(lab, rooms, new_page, problems):
    page, code = new_page(), opened(rooms, A_CURVE)
    page.goto(page_url(lab, "j"))
    check(page)
    press_until(page, "Tab", "code")
    page.keyboard.type(code.lower())
    page.keyboard.press("Enter")
    shows(page, LESSONS[A_CURVE].question)
    check(page)
    for i in range(5):
        press_until(page, "Tab", f"answer_{i}")
        page.keyboard.type(str(10 * i))
    page.keyboard.press("Enter")
    shows(page, "Your answer: 0, 10, 20, 30, 40.")
    check(page)
    rooms.ask(code, A_CURVE, revealed=True)
    shows(page, "in fact.")
    check(page)

    rooms.stand(code, A_CHOICE, "bet=1")
    shows(page, LESSONS[A_CHOICE].question)
    check(page)
    press_until(page, "Tab", "answer")
    page.keyboard.press("ArrowDown")
    press_until(page, "Tab", "Send")
    rooms.ask(code, A_CHOICE, locked=True)
    shows(page, "It is too late to answer.")
    check(page)

    rooms.stand(code, DRAWS, "")
    shows(page, "Each phone draws ten")
    check(page)
    press_until(page, "Tab", "Draw ten products")
    page.keyboard.press("Enter")
    shows(page, "Your other nine:")
    check(page)

    rooms.stand(code, A_VOTE, "")
    shows(page, "Each phone is one of these rows")
    check(page)
    rooms.answer(code, A_VOTE, page.context.cookies()[0]["value"], "10")
    rooms.ask(code, A_VOTE, revealed=True)
    shows(page, "Your row is number 1.")
    check(page)
    rooms.close(code)
    shows(page, "The class is over")
    problems.clear()  # the browser reports the closed class as 404
    check(page)


def test_answer_sent_offline_is_kept_and_sent_on_reconnection(lab, rooms, new_page, problems):
    page, code = new_page(alone=True), opened(rooms, A_CURVE)
    page.goto(page_url(lab, f"j/{code}"))
    typed = [11.5, 16, 23, 28, 32]
    for i, each in enumerate(typed):
        page.locator(f"[name=answer_{i}]").fill(str(each))
    page.context.set_offline(True)
    page.get_by_role("button", name="Send").click()
    away = page.locator("#away", has_text="Your answer is kept here, and sent as soon as it is back.")
    away.wait_for()
    assert [page.locator(f"[name=answer_{i}]").input_value() for i in range(5)] == [str(each) for each in typed]
    check(page)
    assert rooms.answers(code, A_CURVE) == []
    page.context.set_offline(False)
    shows(page, "Your answer: 11.5, 16, 23, 28, 32.")
    page.locator("footer", has_text="You are number 1.").wait_for()
    assert away.is_hidden()
    assert [each.text for each in rooms.answers(code, A_CURVE)] == ["11.5-16-23-28-32"]
    problems.clear()  # the browser reports the lost connection
    rooms.ask(code, A_CURVE, revealed=True)
    shows(page, "in fact.")


def test_back_shows_the_filled_form_without_scripts(lab, rooms, new_page, problems):
    page, code = new_page(alone=True, java_script_enabled=False), opened(rooms, "gradient_flow")
    page.goto(page_url(lab, f"j/{code}"))
    page.goto(page_url(lab, f"j/{code}"))  # so that Back leads to the form
    page.locator("[name=answer]").fill("86.5")
    page.context.set_offline(True)
    page.get_by_role("button", name="Send").click()
    page.wait_for_url("chrome-error://**")
    page.go_back()
    assert page.locator("[name=answer]").input_value() == "86.5"
    page.context.set_offline(False)
    page.get_by_role("button", name="Send").click()
    shows(page, "Your answer: 86.5.")
    problems.clear()


def test_arriving_answers_do_not_move_the_focus_at_the_desk(lab, rooms, new_page):
    page, code = new_page(alone=True), opened(rooms, A_CHOICE)
    page.goto(page_url(lab, f"room/{code}"))
    check(page)
    press_until(page, "Tab", "secret")
    page.keyboard.type(SECRET)
    page.keyboard.press("Enter")
    page.get_by_role("heading", name=LESSONS[A_CHOICE].question).wait_for()
    check(page)
    page.reload()
    press_until(page, "Tab", "All lessons")
    page.keyboard.press("Enter")
    press_until(page, "Shift+Tab", "No more answers")
    rooms.join(code, "a phone")
    rooms.answer(code, A_CHOICE, "a phone", "1")
    shows(page, "1 of 1 have answered.")
    assert page.evaluate(FOCUS) == "No more answers"
    assert page.get_by_role("button", name=LESSONS[A_CURVE].question).is_visible()
    page.keyboard.press("Enter")
    shows(page, "No more answers.")
    check(page)


def test_wall_follows_its_class_and_its_join_code_covers_no_content(lab, rooms, new_page):
    page, code = new_page(*PROJECTED["950p"]), opened(rooms, A_CHOICE)
    open_page(page, lab, A_CHOICE, mode="projector", room=code)
    for stem in ("recap", A_CURVE):  # recap is the widest page
        rooms.stand(code, stem, "bet=1")
        title = page.get_by_role("heading", level=1, name=LESSONS[stem].question)
        title.and_(page.locator(":focus")).wait_for()
        wait_until_idle(page)
        assert title.evaluate("each => getComputedStyle(each).outlineStyle") == "none"  # focused by script
        for size in PROJECTED.values():
            resize(page, size)
            wait_until_at_rest(page)
            column, corner = page.evaluate(_EDGES)
            assert column <= corner


def test_clicker_reveals_without_answers_only_at_the_second_press(lab, rooms, new_page):
    page, code = new_page(*PROJECTED["1024p"], alone=True), opened(rooms, A_CHOICE)
    page.context.add_cookies([{"name": "lab_room", "value": code + SECRET, "url": lab.url}])
    for phone in "ab":
        rooms.join(code, phone)
    open_page(page, lab, A_CHOICE, mode="projector", bet="1", room=code)
    count = page.locator(".room-count")

    def press(key):
        wait_until_idle(page)
        with page.expect_response("**/state"):  # the wall has the current count
            pass
        page.keyboard.press(key)

    press("PageDown")
    count.get_by_text("No answers yet: press again to show.").wait_for()
    press("a")
    assert count.inner_text() == "No answers yet: press again to show."
    assert not rooms.asked(code, A_CHOICE).revealed
    press("PageDown")
    page.wait_for_url("**reveal=1*")
    press("PageUp")
    page.wait_for_url(lambda url: "reveal=1" not in url)
    wait_until_idle(page)
    assert (rooms.asked(code, A_CHOICE).revealed, rooms.room(code).stem) == (False, A_CHOICE)
    rooms.ask(code, A_CHOICE, locked=False)
    rooms.answer(code, A_CHOICE, "a", "1")
    count.get_by_text("1 of 2 have answered.").wait_for()
    press("PageDown")
    page.wait_for_url("**reveal=1*")
    for key in ("PageUp", "PageUp"):
        press(key)
    page.get_by_role("heading", level=1, name=LESSONS[A_CHOICE].question).wait_for(state="detached")
    wait_until_idle(page)
    assert page.evaluate("() => lab.keys.turning") == ""


def test_clicker_reaches_the_lesson_that_takes_its_seed_from_the_class(lab, rooms, new_page):
    page, code, before = new_page(*PROJECTED["1024p"], alone=True), opened(rooms, BEFORE_A_VOTE), LESSONS[BEFORE_A_VOTE]
    page.context.add_cookies([{"name": "lab_room", "value": code + SECRET, "url": lab.url}])
    open_page(page, lab, before.stem, mode="projector", bet="1", room=code)
    page.keyboard.press("PageDown")
    page.wait_for_url("**reveal=1*")
    wait_until_idle(page)
    page.keyboard.press("PageDown")
    page.wait_for_url("**step=too_flat*")
    wait_until_idle(page)
    page.keyboard.press("PageDown")
    page.get_by_role("heading", level=1, name=LESSONS[A_VOTE].question).wait_for()
    page.wait_for_url(f"**seed={rooms.room(code).seed}*")
    assert rooms.room(code).stem == A_VOTE
