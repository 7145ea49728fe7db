"""Words of a sentence that light their part of the picture when hovered, tapped or focused, without a Streamlit run."""

import pytest
from dashboard import SENTENCES
from hand import MAIN, drag, shown
from harness import check_accessibility, open_page, runs_asked, wait_until_idle
from sampling import sampled

from pages._view.marks import contrast

pytestmark = [pytest.mark.e2e, pytest.mark.walk]

FADED = """picture => picture.querySelector('.js-plotly-plot').data
  .map((trace, i) => trace.opacity < 0.5 ? null : i).filter(i => i !== null)"""
OF_THE_DRAWS = [0, 6]  # indices of the traces of "the draws"


def lit(page):
    """Return the indices of the main picture's traces that are not faded."""
    return page.locator(MAIN).evaluate(FADED)


def wait_for_lit(page, places):
    page.wait_for_function(f"wanted => JSON.stringify(({FADED})(document.querySelector('{MAIN}'))) === wanted",
                           arg=str(places).replace(" ", ""))  # fmt: skip


def words(page):
    """Return the marked words of the main picture's sentence."""
    return page.locator("[data-sentence]").first.locator(".mark")


def test_a_hovered_or_clicked_word_lights_its_part_also_in_a_drag(page, server):
    open_page(page, server, "small_samples")
    every, asked = lit(page), runs_asked(page)
    word = words(page).filter(has_text="the draws")
    word.hover()
    wait_for_lit(page, OF_THE_DRAWS)
    page.mouse.move(5, 5)
    wait_for_lit(page, every)
    word.click()
    page.mouse.move(5, 5)
    wait_for_lit(page, OF_THE_DRAWS)
    assert word.get_attribute("aria-pressed") == "true"
    drag(page, [0.6, 0.7, 0.8])
    page.wait_for_function(f"() => parseInt(document.querySelector('{MAIN}').dataset.value) > 64")
    assert shown(page) > 64
    assert lit(page) == OF_THE_DRAWS
    assert runs_asked(page) == asked
    page.mouse.up()
    page.wait_for_function("() => location.search.includes('d_k=')")
    wait_until_idle(page)
    assert lit(page) == OF_THE_DRAWS
    word.click()
    page.mouse.move(5, 5)
    wait_for_lit(page, every)


def test_marked_words_are_one_tab_stop_and_arrow_keys_go_between_them(page, server):
    open_page(page, server, "attention_steps", mode="projector")  # on a wall, where arrow keys change the step
    count = words(page).count()
    assert page.locator(".mark[tabindex='0']").count() == page.locator("[data-sentence]:has(.mark)").count()
    step = page.evaluate("() => location.search")
    words(page).first.focus()
    wait_for_lit(page, [2])
    page.keyboard.press("Enter")
    assert words(page).first.get_attribute("aria-pressed") == "true"
    page.keyboard.press("ArrowRight")
    assert page.evaluate("() => document.activeElement.className") == "mark"
    assert words(page).nth(1 % count).evaluate("word => word === document.activeElement")
    wait_until_idle(page)
    assert page.evaluate("() => location.search") == step
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.className") != "mark"


def test_a_tap_on_a_word_lights_its_part_until_the_next_tap(new_page, server):
    page = new_page(390, 844, has_touch=True)
    open_page(page, server, "small_samples")
    every, word = lit(page), words(page).filter(has_text="the draws")
    word.tap()
    wait_for_lit(page, OF_THE_DRAWS)
    word.tap()
    wait_for_lit(page, every)


@pytest.mark.parametrize(("scheme", "mode"), sampled([("light", ""), ("dark", ""), ("light", "projector")], 2))
def test_words_are_legible_and_break_no_axe_rule(new_page, server, scheme, mode):
    page = new_page(1440, 900, color_scheme=scheme)
    open_page(page, server, "small_samples", **({"mode": mode} if mode else {}))
    for word in words(page).all():
        ink, ground = (hexadecimal(each) for each in word.evaluate(
            "word => [getComputedStyle(word).color, getComputedStyle(document.querySelector('.stApp')).backgroundColor]"
        ))  # fmt: skip
        assert contrast(ink, ground) >= 4.5
    check_accessibility(page, include="[data-sentence]")


def hexadecimal(colour):
    """Return a colour `rgb(r, g, b)` as `#rrggbb`."""
    return "#" + "".join(f"{int(each):02x}" for each in colour.removeprefix("rgb(").removesuffix(")").split(","))


def test_sentence_has_no_hidden_text_and_description_begins_with_it(page, server):
    open_page(page, server, "small_samples")
    read = page.locator(SENTENCES).first
    assert read.text_content() == read.inner_text()
    assert read.text_content().endswith("dₖ.")
    assert page.locator(MAIN).get_attribute("aria-label").startswith(read.text_content().replace("dₖ", "d_k"))
