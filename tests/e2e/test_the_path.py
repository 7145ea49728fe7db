"""The path of lessons as a learner takes it: bets, discoveries by slider, and Next to the following lesson."""

import re

import pytest
from betting import LINE, place_by_keyboard
from dashboard import field, open_list, press, sentences, slider
from harness import open_page, query_parameters, step_said, wait_until_idle

from pages._view.lessons import LESSONS, ORDER
from pages._view.shared import DIMENSIONS

pytestmark = [pytest.mark.e2e, pytest.mark.walk]

PATH = [stem for stem in ORDER if LESSONS[stem].section == LESSONS[ORDER[0]].section]


ON = "[data-way] a.on"


def come_to(page, step):
    """Click Next until a step is open."""
    while (before := step_said(page)) != step:
        page.locator(ON).click()
        page.wait_for_function("before => new URL(location.href).searchParams.get('step') !== before", arg=before)
        wait_until_idle(page)


def go_on(page):
    """Click Next until the next lesson opens."""
    while page.locator(f"{ON}[data-step]").count():
        page.locator(ON).click()
        wait_until_idle(page)
    page.locator(ON).click()


def said(page):
    return sentences(page)[0]


def counts(page):
    """Read from the sentence how many rows raw scores, ÷ √dₖ and ÷ dₖ put right."""
    words = re.findall(r"\b(none|all|\d+)\b(?= right| come| with)", said(page))
    return [{"none": 0, "all": 100}.get(each) if not each.isdigit() else int(each) for each in words]


def move(page, name, stop):
    """Move a slider to a stop by keyboard; repeat if a late answer of the page has undone a key press."""
    thumb = slider(page, name)
    while steps := stop - int(thumb.evaluate("thumb => thumb.valueAsNumber")):
        press(thumb, *["ArrowRight" if steps > 0 else "ArrowLeft"] * abs(steps))


def see_chance(page):
    press(slider(page, "d_k"), "End")
    assert said(page).endswith("Divided by √dₖ, it takes 25 %.")
    press(slider(page, "d_k"), "Home")
    assert "changes nothing" in said(page)
    move(page, "d_k", 22)
    assert query_parameters(page) == {}


def add_products(page):
    for step in ("multiply", "add"):
        come_to(page, step)


def compare_curves(page):
    assert "drawn" in page.locator(LINE).inner_text()
    come_to(page, "straighten")
    assert page.get_by_text("√ axis").count() > 0
    come_to(page, "divide")
    assert page.locator(LINE).inner_text().startswith("Only ÷ √dₖ stays flat.")


def break_an_assumption(page):
    come_to(page, "broken")
    before = said(page)
    open_list(field(page, "broken"))
    page.get_by_role("option").nth(1).click()
    page.wait_for_function("() => location.search.includes('broken=')")
    wait_until_idle(page)
    assert said(page) != before


def find_the_exponent(page):
    assert said(page).startswith("Not divided")
    move(page, "exponent", 25)
    assert said(page).startswith("Found: divided by √dₖ")


def see_it_too_flat(page):
    come_to(page, "too_flat")
    place_by_keyboard(page, LESSONS["softmax_saturation"].step("too_flat").bet)
    assert "In fact: 1.5 %." in page.locator(LINE).inner_text()
    press(slider(page, "d_k"), "End")
    assert said(page) == "At dₖ = 1,024, ÷ dₖ leaves 0.1 % of an output to its token; ÷ √dₖ leaves 53 %."
    move(page, "d_k", DIMENSIONS.index(64))


def see_softmax(page):
    find_the_exponent(page)
    see_it_too_flat(page)


def find_the_rate(page):
    def at(rate, d_k):
        move(page, "learning_rate", rate)
        press(slider(page, "d_k"), d_k)
        return counts(page)

    before = counts(page)
    assert before[1] == 100 > before[0]
    stop = int(slider(page, "learning_rate").evaluate("thumb => thumb.valueAsNumber"))
    assert at(stop, "End")[1:] == [100, 0]  # the same learning rate at d_k = 1,024
    assert min(at(stop + 8, "End")[1:]) >= 95  # a hundred times the learning rate
    assert counts(page)[0] < 20


def race(page):
    ended = "() => document.querySelector('[data-sentence]').textContent.startsWith('After 300 steps at dₖ = 64, ')"
    page.wait_for_function(ended)  # placing the bet has started the race
    wait_until_idle(page)
    assert page.get_by_role("button", name="Train").count() == 0  # the race is trained: ▶ plays it
    page.locator(".st-key-trained_steps_dial .play").click()
    page.wait_for_function("() => document.querySelector('[data-sentence]').textContent.startsWith('Step ')")
    page.wait_for_function(ended)
    wait_until_idle(page)


def answer_all(page):
    def card(name):
        return page.locator(f".st-key-card_{name}")

    for name, text in (("score", "a sum of"), ("breaks", "hardly correct"), ("alike", "numbers start small")):
        card(name).get_by_text(text).click()
        card(name).get_by_role("button", name="Answer").click()
        page.wait_for_function("name => new URL(location.href).searchParams.has(name)", arg=name)
        wait_until_idle(page)
    assert page.locator("[data-picture]").count() == 3  # one picture per answer


DONE_BY_HAND = {
    "start": see_chance,
    "one_query": add_products,
    "score_variance": compare_curves,
    "derivation": break_an_assumption,
    "softmax_saturation": see_softmax,
    "wrong_choice": find_the_rate,
    "training_race": race,
    "recap": answer_all,
}
BEFORE_THE_BET = ("one_query",)  # lessons in which the learner acts before the bet


def test_a_learner_can_take_the_whole_path_and_place_every_bet(page, server):
    assert list(DONE_BY_HAND) == PATH
    open_page(page, server, "")
    for stem, act in DONE_BY_HAND.items():
        page.get_by_role("heading", level=1, name=LESSONS[stem].question).wait_for()
        wait_until_idle(page)
        if stem in BEFORE_THE_BET:
            act(page)
        if stem == "training_race":  # at d_k = 1,024 the race takes far longer
            move(page, "d_k", DIMENSIONS.index(64))
        if LESSONS[stem].bet:
            come_to(page, LESSONS[stem].bet.when[1])
            place_by_keyboard(page, LESSONS[stem].bet)
        if stem not in BEFORE_THE_BET:
            act(page)
        if stem != PATH[-1]:
            go_on(page)
    placed = sum(len(LESSONS[stem].bets) for stem in PATH)
    assert query_parameters(page)["tally"].split("-")[1] == str(placed)
