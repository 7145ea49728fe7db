"""Sessions open only when needed: not for sliders, steps, tries and bets, but for settings, folds and choices."""

import pytest
from hand import MAIN
from harness import begin, check_accessibility, query_parameters, step_said, wait_until_idle
from sampling import MATRIX, sampled
from sizes import PHONE, PROJECTED, SCREEN

from pages._view.address import Address
from pages._view.lessons import LESSONS

pytestmark = pytest.mark.e2e

FIRST = "#lab-first"
PAINTED = f"{FIRST} [data-picture][data-value]"
THUMB = f"{FIRST} .controls > [data-slider] input"
TRIES = f"{FIRST} [data-try]"
BOX = "element => { const {x, y, width, height} = element.getBoundingClientRect(); return [x, y, width, height]; }"
LESSON = LESSONS["score_variance"]
SIZES = [SCREEN["1440"], SCREEN[PHONE]]
# Button of the stage -> element that its press shows once Streamlit has come.
REACHED = {
    "Share": ".st-key-share_code img",
    "Settings": ".st-key-settings details[open]",
    "Data, picture and code": ".st-key-folds details[open] .stTable",
    "Background": ".st-key-background details[open]",
    "Main menu": "[data-testid=stMainMenuList]",
}


@pytest.fixture
def visit(new_page, server):
    """Return a function that opens an address and records the page's requests to Streamlit in its list `asked`."""

    def opened(address, size=SCREEN["1440"], waits=PAINTED, **options):
        page = new_page(*size, alone=True, **options)
        page.asked = []
        page.on("websocket", lambda socket: page.asked.append(socket.url))
        page.on("request", lambda request: "/static/js/" in request.url and page.asked.append(request.url))
        page.goto(f"{server.url}/{address}", wait_until="load")
        page.locator(waits).first.wait_for()
        return page

    return opened


def comes(page):
    """Wait until Streamlit has replaced the stage; check that it opened one session."""
    page.locator(FIRST).wait_for(state="detached")
    assert len([each for each in page.asked if each.startswith("ws")]) == 1


# --- without a session ----------------------------------------------------------------------------------


def test_sliders_steps_tries_and_play_open_no_session(visit):
    page = visit("score_variance?d_k=16")
    page.locator(THUMB).press("ArrowRight")
    page.locator(f"{PAINTED}[data-value='18']").wait_for()
    page.wait_for_function("() => location.search.includes('d_k=18')")
    play = page.locator(f"{FIRST} .play")
    play.click()
    page.locator(f"{PAINTED}:not([data-value='18'])").wait_for()
    play.click()
    page.locator(TRIES).first.click()
    page.wait_for_function("() => location.search.includes('d_k=1024')")
    page.locator(f"{PAINTED}[data-value='1024']").wait_for()
    page.locator(f"{FIRST} [data-way] a[rel=next]").click()
    page.wait_for_function("step => location.search.includes(`step=${step}`)", arg=LESSON.steps[1].name)
    page.locator(f"{PAINTED}[data-value='1024']").wait_for()
    page.locator(f"{FIRST} .menu a", has_text=LESSONS["start"].question).click()
    page.locator("[data-hero][data-value]").wait_for()
    page.wait_for_load_state("networkidle")
    assert page.asked == []


@pytest.mark.walk
def test_a_bet_opens_no_session_and_shows_its_result(visit):
    lesson = LESSONS["derivation"]
    asks = lesson.bet.when[1]
    page = visit(f"derivation?bet=1&step={asks}")
    form = page.locator(f"{FIRST} form.bet")
    form.locator("label").first.click()
    form.get_by_role("button").click()
    page.wait_for_function("() => location.search.includes('guess=')")
    page.locator(f"{FIRST} p.line.told").wait_for()
    page.wait_for_load_state("networkidle")
    assert page.asked == []


@pytest.mark.walk
def test_a_try_is_marked_current_only_at_its_value(visit):
    page = visit("score_variance?d_k=1024")
    assert page.locator(TRIES).first.get_attribute("aria-current") == "true"
    page.locator(THUMB).press("Home")
    page.locator(f"{TRIES}[aria-current]").wait_for(state="detached")
    assert page.asked == []


@pytest.mark.walk
def test_a_dial_works_before_streamlit_and_keeps_its_place(visit):
    page = visit("one_query?step=grow")
    dial = page.locator(f"{FIRST} .dial input")
    where = dial.evaluate(BOX)
    before = page.locator(PAINTED).get_attribute("data-value")
    dial.press("ArrowRight")
    page.locator(f"{PAINTED}:not([data-value='{before}'])").wait_for()
    page.wait_for_function("() => location.search.includes('emphasis=')")
    said, shown = query_parameters(page), page.locator(PAINTED).get_attribute("data-value")
    assert page.asked == []
    begin(page)
    comes(page)
    wait_until_idle(page)
    assert query_parameters(page) == said
    assert page.locator(MAIN).get_attribute("data-value") == shown
    assert page.locator(".st-key-emphasis_dial input").evaluate(BOX) == pytest.approx(where, abs=1)
    assert page.evaluate("() => document.activeElement.matches('.st-key-emphasis_dial input')")


@pytest.mark.walk
def test_menu_on_a_phone_opens_without_a_session(visit):
    page = visit("score_variance", SCREEN[PHONE])
    link = page.locator(f"{FIRST} .menu").get_by_role("link", name=LESSONS["derivation"].question)
    assert not link.is_visible()
    page.get_by_role("button", name="Lessons").click()
    link.click()
    page.locator(f"{FIRST} h1", has_text=LESSONS["derivation"].question).wait_for()
    assert page.asked == []


# --- reaching -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "name"),
    [
        pytest.param(size, name, marks=[] if name == "Settings" else pytest.mark.walk if name == "Share" else MATRIX)
        for size in SIZES
        for name in REACHED
    ],
)
def test_a_button_pressed_before_streamlit_takes_effect_afterwards(visit, size, name):
    page = visit("score_variance?d_k=16", size)
    page.locator(THUMB).press("ArrowRight")
    page.wait_for_function("() => location.search.includes('d_k=18')")
    parts = ("h1", "p.line", "[data-slider] input", "[data-picture]")
    where = [page.locator(part).first.evaluate(BOX) for part in parts]
    assert page.asked == []
    page.get_by_role("button", name=name, exact=True).dispatch_event("click")  # click() would scroll
    comes(page)
    assert [page.locator(part).first.evaluate(BOX) for part in parts] == [pytest.approx(box, abs=1) for box in where]
    page.locator(REACHED[name]).first.wait_for()
    wait_until_idle(page)
    assert query_parameters(page) == {"d_k": "18"}
    assert page.locator(MAIN).first.get_attribute("data-value") == "18"


@pytest.mark.walk
@pytest.mark.parametrize("act", ["hover", "focus"])
def test_hovering_or_focusing_a_fold_loads_streamlit_and_opens_nothing(visit, act):
    page = visit("score_variance")
    fold = page.get_by_role("button", name="Background")
    getattr(fold, act)()
    comes(page)
    wait_until_idle(page)
    assert page.locator(".st-key-folds details[open]").count() == 0
    if act == "focus":
        assert page.evaluate("() => document.activeElement.matches('.st-key-background summary')")


@pytest.mark.walk
def test_scrolling_to_the_folds_loads_streamlit_and_keeps_the_position(visit):
    page = visit("score_variance", SCREEN[PHONE])
    page.mouse.move(200, 400)
    page.mouse.wheel(0, 150)
    comes(page)
    wait_until_idle(page)
    assert page.locator("[data-testid=stMain]").evaluate("main => main.scrollTop") == pytest.approx(150, abs=1)


@pytest.mark.walk
def test_a_bet_chosen_before_streamlit_stays_chosen(visit):
    lesson = LESSONS["derivation"]
    page = visit(f"derivation?bet=1&step={lesson.bet.when[1]}")
    page.locator(f"{FIRST} form.bet label").nth(1).click()
    page.get_by_role("button", name="Settings").click()
    comes(page)
    wait_until_idle(page)
    assert page.locator(".stApp form.bet input[type=radio]").nth(1).is_checked()
    assert page.locator(".stApp form.bet button").is_enabled()


# Pages that only Streamlit can draw: walls, the recap, races, and addresses with mistakes, which need a note.
NEEDING = [
    "score_variance?mode=projector",
    "softmax_saturation?step=lists&list_1=4,x",
    "recap",
    "score_variance?d_k=2000",
    "training_race",
]


@pytest.mark.walk
@pytest.mark.parametrize("address", NEEDING)
def test_an_address_that_needs_streamlit_loads_it_at_once(visit, address):
    page = visit(address, PROJECTED["1024p"], waits="h1")
    comes(page)
    assert step_said(page) == "" or page.locator("h1").first.is_visible()


@pytest.mark.walk
def test_a_cell_clicked_before_streamlit_is_chosen_afterwards(visit):
    page = visit("wrong_choice?step=rows")
    box = page.locator(f"{FIRST} [data-picture] .nsewdrag").first.bounding_box()
    page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 0.3 * box["height"])
    page.wait_for_timeout(300)
    assert page.asked == []  # hovering alone loads nothing
    page.mouse.down()
    page.mouse.up()
    comes(page)
    page.wait_for_function("before => location.search !== before", arg="?step=rows")
    wait_until_idle(page)
    assert query_parameters(page) != {}


@pytest.mark.walk
def test_a_theme_chosen_in_the_menu_loads_streamlit_on_reload(visit):
    page = visit("score_variance")
    page.get_by_role("button", name="Main menu").click()
    page.get_by_test_id("stMainMenuItem-theme-Dark").click()
    page.wait_for_function("() => getComputedStyle(document.querySelector('.stApp')).colorScheme === 'dark'")
    page.asked.clear()
    page.reload()
    comes(page)
    assert page.locator(".stApp").evaluate("app => getComputedStyle(app).colorScheme") == "dark"


# --- choices beside a slider ----------------------------------------------------------------------------

# An address, a choice beside its slider, and True if the choice shows all its options as a bar.
CHOSEN = [
    ("few_bits", "format", True),
    ("attention_steps", "scaling", True),
    ("derivation?step=broken", "broken", False),
]
NAMES = ".name", "[data-testid=stWidgetLabel] p"
OPTIONS = "button", "[role=radio], [role=group]:has(> [role=combobox])"
CORNER = "element => { const {x, y} = element.getBoundingClientRect(); return [x, y]; }"


def field_of(page, name):
    """Return a control of the stage before Streamlit."""
    return page.locator(f"{FIRST} .field.{name}")


def drawn_of(page, name):
    """Return a control of the stage as drawn by Streamlit."""
    return page.locator(f".st-key-stage .st-key-{name}")


def fetched_by(page, act):
    """Call `act`, which loads Streamlit, and wait until it has drawn the page."""
    act()
    comes(page)
    wait_until_idle(page)


def test_a_choice_opens_a_session_only_when_an_option_is_clicked(visit):
    page = visit("few_bits?step=formats")
    page.locator(THUMB).press("ArrowRight")
    page.wait_for_function("() => location.search.includes('d_k=')")
    page.locator(f"{FIRST} [data-way] a[rel=next]").click()
    page.wait_for_function("() => !location.search.includes('step=formats')")
    page.go_back()
    page.locator(PAINTED).wait_for()
    page.wait_for_load_state("networkidle")
    assert page.asked == []
    option = field_of(page, "format").get_by_role("radio", name="float16", exact=True)
    assert option.get_attribute("aria-checked") == "false"
    fetched_by(page, option.click)
    chosen = drawn_of(page, "format").get_by_role("radio", name="float16", exact=True)
    chosen.and_(page.locator("[aria-checked=true]")).wait_for()
    page.wait_for_function("() => location.search.includes('format=float16')")
    assert page.evaluate("() => document.activeElement.textContent") == "float16"


@pytest.mark.walk
@pytest.mark.parametrize(
    ("size", "address", "name", "is_bar"), sampled([(size, *each) for size in SIZES for each in CHOSEN])
)
def test_a_choice_has_the_same_position_and_texts_in_streamlit(visit, size, address, name, is_bar):
    page = visit(address, size)
    parts = ("h1", "p.line", ".dimension input", "[data-picture]")
    where = [page.locator(part).first.evaluate(BOX) for part in parts]
    field = field_of(page, name)
    label, options = field.locator(NAMES[0]), field.locator(OPTIONS[0])
    words, corner = label.inner_text(), label.evaluate(CORNER)
    boxes, texts = [each.evaluate(BOX) for each in options.all()], options.all_inner_texts()
    assert page.asked == []
    fetched_by(page, lambda: begin(page))
    assert [page.locator(part).first.evaluate(BOX) for part in parts] == [pytest.approx(box, abs=1) for box in where]
    drawn = drawn_of(page, name)
    assert drawn.locator(NAMES[1]).inner_text() == words
    assert drawn.locator(NAMES[1]).evaluate(CORNER) == pytest.approx(corner, abs=1)
    there = drawn.locator(OPTIONS[1]).all()
    assert [each.evaluate(BOX) for each in there] == [pytest.approx(box, abs=1) for box in boxes]
    said = [each.inner_text() for each in there] if is_bar else [drawn.get_by_role("combobox").input_value()]
    assert said == texts


@pytest.mark.walk
def test_a_list_clicked_before_streamlit_is_opened_afterwards(visit):
    page = visit("derivation?step=broken")
    button = page.get_by_role("button", name="Assumptions: all hold")
    fetched_by(page, button.click)
    page.get_by_role("option", name="means not 0").click()
    page.wait_for_function("() => location.search.includes('broken=')")


@pytest.mark.walk
@pytest.mark.parametrize(("address", "name", "is_bar"), CHOSEN)
def test_a_choice_focused_by_tab_still_has_the_focus_in_streamlit(visit, address, name, is_bar):
    page = visit(address)
    page.locator(f"{FIRST} .controls > :nth-last-child(1 of :is(.dimension, .dial)) .play").first.focus()
    page.keyboard.press("Tab")
    assert page.evaluate("name => document.activeElement.dataset.control === name", name)
    comes(page)
    wait_until_idle(page)
    assert page.evaluate("name => Boolean(document.activeElement.closest(`.st-key-${name}`))", name)
    assert page.get_by_role("option").count() == 0  # the list stays closed


@pytest.mark.walk
@pytest.mark.parametrize(
    ("scheme", "address", "name", "is_bar"), sampled([(each, *one) for each in ("light", "dark") for one in CHOSEN])
)
def test_a_choice_before_streamlit_breaks_no_axe_rule(visit, scheme, address, name, is_bar):
    page = visit(address, color_scheme=scheme)
    check_accessibility(page, include=f"{FIRST} .controls")
    assert field_of(page, name).is_visible()
    assert page.asked == []


# --- fields beside a slider -----------------------------------------------------------------------------

# Addresses, and the names of the fields beside their sliders.
FIELDS = [
    ("your_scores?head=5", ["head"]),
    ("small_samples?step=by_hand", ["q_2d", "k_2d", "q_3d", "k_3d"]),
    ("softmax_saturation?step=lists", ["list_1", "list_2"]),
    ("trained_heads?step=one_head", ["word"]),
]


@pytest.mark.parametrize(
    ("size", "address", "names"),
    [
        pytest.param(size, *each, marks=pytest.mark.walk if size is SIZES[i % 2] else MATRIX)
        for size in SIZES
        for i, each in enumerate(FIELDS)
    ],
)
def test_a_text_field_has_the_same_position_and_text_in_streamlit(visit, size, address, names):
    page = visit(address, size)
    page.wait_for_load_state("networkidle")
    assert page.asked == []
    picture = page.locator("[data-picture]").evaluate(BOX)
    before = [field_of(page, name) for name in names]
    places = [(each.locator(NAMES[0]).evaluate(CORNER), each.locator("input").evaluate(BOX)) for each in before]
    said = [(each.locator(NAMES[0]).inner_text(), each.locator("input").input_value()) for each in before]
    check_accessibility(page, include=f"{FIRST} .controls")
    fetched_by(page, before[0].locator("input").focus)
    there = [drawn_of(page, name) for name in names]
    for each, (label, box) in zip(there, places, strict=True):
        assert each.locator(NAMES[1]).evaluate(CORNER) == pytest.approx(label, abs=1)
        assert each.locator("input").evaluate(BOX) == pytest.approx(box, abs=1)
    assert [(each.locator(NAMES[1]).inner_text(), each.locator("input").input_value()) for each in there] == said
    assert page.locator(MAIN).first.evaluate(BOX) == pytest.approx(picture, abs=1)
    assert there[0].locator("input").evaluate("input => input === document.activeElement")


@pytest.mark.walk
def test_text_typed_before_streamlit_is_kept_and_read(visit):
    page = visit("softmax_saturation?step=lists")
    lists = [field_of(page, name).locator("input") for name in ("list_1", "list_2")]
    lists[0].fill("1, 2, 3")
    lists[1].press("End")
    page.keyboard.type(", 20")
    comes(page)
    page.wait_for_function("() => new URLSearchParams(location.search).get('list_1') === '1, 2, 3'")
    page.keyboard.type("0")
    assert query_parameters(page).get("list_2") is None  # an unfinished text is not read
    page.keyboard.press("Enter")
    page.wait_for_function("() => new URLSearchParams(location.search).get('list_2') === '1, 10, 200'")


@pytest.mark.walk
def test_enter_and_increment_before_streamlit_set_the_number(visit):
    page = visit("trained_heads?step=one_head")
    word = field_of(page, "word").locator("input")
    word.fill("7")
    word.press("Enter")
    comes(page)
    page.wait_for_function("() => location.search.includes('word=7')")
    page = visit("your_scores?head=5&sample=layer_norm_mha")
    field_of(page, "head").get_by_role("button", name="Increment").click()
    comes(page)
    page.wait_for_function("() => location.search.includes('head=6')")


@pytest.mark.walk
def test_page_printed_before_streamlit_shows_only_the_chosen_option(visit):
    page = visit("few_bits")
    page.emulate_media(media="print")
    bar = field_of(page, "format")
    assert [each.inner_text() for each in bar.get_by_role("radio").all() if each.is_visible()] == ["bfloat16"]
    assert bar.locator(NAMES[0]).is_visible()


# --- on paper -------------------------------------------------------------------------------------------

CODE = f"{FIRST} [data-address] img"
ON_PAPER = """() => [...document.querySelectorAll('#lab-first :is(button, input, a, form, .play, .menu)')]
  .filter(each => each.checkVisibility()).map(each => each.outerHTML.slice(0, 80))"""


@pytest.mark.walk
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_page_printed_before_streamlit_is_complete_without_a_session(visit, server, scheme):
    page = visit("score_variance?d_k=16&tally=1-2", color_scheme=scheme)
    page.locator(f"{CODE}[src]").wait_for(state="attached")
    page.wait_for_function("code => document.querySelector(code).naturalWidth > 0", arg=CODE)
    assert not page.locator(CODE).is_visible()  # hidden on the screen
    page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print", color_scheme=scheme)
    page.wait_for_function(
        "() => document.querySelector('#lab-first .main-svg').getAttribute('viewBox').startsWith('0 0 816')"
    )
    lesson = Address(LESSON, {"d_k": "16"})
    assert page.locator("h1").inner_text() == LESSON.question
    assert page.locator(PAINTED).bounding_box()["height"] > 200
    assert page.locator(f"{FIRST} [data-sentence]").inner_text().startswith("At dₖ = 16,")
    link = f"{server.url}/score_variance?d_k=16"
    assert page.locator(f"{FIRST} [data-address] p").inner_text() == link
    assert page.locator(CODE).is_visible()
    assert page.locator(CODE).evaluate("code => new URL(code.src).searchParams.get('at')") == link
    assert lesson.values["d_k"] == 16
    assert page.evaluate(ON_PAPER) == []
    grounds = page.locator(f"{FIRST}, {FIRST} .main-svg >> nth=0").evaluate_all(
        "all => all.map(each => getComputedStyle(each).backgroundColor)"
    )
    assert set(grounds) == {"rgb(255, 255, 255)"}
    page.emulate_media(media="screen", color_scheme=scheme)
    page.evaluate("() => dispatchEvent(new Event('afterprint'))")
    page.wait_for_function(
        "() => !document.querySelector('#lab-first .main-svg').getAttribute('viewBox').startsWith('0 0 816')"
    )
    assert page.asked == []


@pytest.mark.walk
def test_qr_code_before_streamlit_follows_the_slider(visit):
    page = visit("score_variance?d_k=16")
    page.locator(f"{CODE}[src*='d_k%3D16']").wait_for(state="attached")
    page.locator(THUMB).press("ArrowRight")
    page.wait_for_function("() => location.search.includes('d_k=18')")
    page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    assert page.locator(f"{FIRST} [data-address] p").text_content() == page.url
    page.evaluate("() => dispatchEvent(new Event('afterprint'))")
    page.locator(f"{CODE}[src*='d_k%3D18']").wait_for(state="attached")
    assert page.asked == []
