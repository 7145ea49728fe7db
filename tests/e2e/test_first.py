"""The page before Streamlit: question, step links, line, slider and picture work and do not move when it comes."""

import pytest
from dashboard import SETTINGS, SLIDER, STEPS, asking_for, go_to, press, slider
from hand import shown
from harness import begin, open_page, query_parameters, step_said, wait_until_idle
from sampling import sampled
from sizes import PHONE, PROJECTED, SCREEN

from pages._view.address import Address
from pages._view.lessons import LESSONS
from pages._view.server.first import in_letters

pytestmark = pytest.mark.e2e

FIRST = "#lab-first"
TOLD = 'id="lab-told"'  # the element with the scripts' data at the end of the page
LINE = f"{FIRST} p.line"
THUMB = f"{FIRST} .controls > [data-slider] input"
SENTENCE = f"{FIRST} [data-sentence]"
PAINTED = f"{FIRST} [data-picture][data-value]"
SIZES = [(SCREEN["1024"], {}), (SCREEN[PHONE], {}), (PROJECTED["1024p"], {"mode": "projector"})]
BOX = "element => { const {x, y, width, height} = element.getBoundingClientRect(); return [x, y, width, height]; }"
# Add up Chromium's layout-shift scores, except for shifts after the visitor's input.
# `patience`: let the page wait for all of the lesson, however slow the machine.
SHIFTS = """window.shift = 0;
(window.lab ??= {}).patience = Infinity;
new PerformanceObserver(list => {
  for (const each of list.getEntries()) if (!each.hadRecentInput) window.shift += each.value;
}).observe({type: 'layout-shift', buffered: true});"""
MOST = 0.05
# Drop the page's limit of 1.5 s: it waits for its scripts however late they come.
PATIENT = "const later = window.setTimeout; window.setTimeout = (then, ms) => (ms === 1500 ? 0 : later(then, ms));"
WITH_BET = next(stem for stem, lesson in LESSONS.items() if lesson.bet)


@pytest.fixture
def held(new_page):
    """Return a page on which Streamlit's script is held back, and a function that lets it start."""
    page = new_page(alone=True)
    waiting = []
    page.route("**/static/js/index.*.js", lambda route: waiting.append(route))

    def let_go():
        begin(page)
        while waiting:
            waiting.pop().continue_()
        page.unroute("**/static/js/index.*.js")

    return page, let_go


@pytest.mark.walk
@pytest.mark.parametrize(("size", "look"), SIZES)
def test_question_links_line_and_slider_stay_when_streamlit_comes(held, server, size, look):
    page, let_go = held
    lesson = LESSONS["gradient_flow"]
    step = lesson.step(lesson.opens)
    page.set_viewport_size({"width": size[0], "height": size[1]})
    query = "&".join(f"{name}={value}" for name, value in look.items())
    page.goto(f"{server.url}/{lesson.stem}?{query}", wait_until="commit")
    page.locator(f"{FIRST} h1").wait_for()
    page.evaluate("() => document.fonts.ready.then(() => true)")
    assert page.locator(f"{FIRST} h1").inner_text() == lesson.question
    assert page.locator(f"{LINE}:visible").all_inner_texts() == [step.line]
    assert page.locator(f"{FIRST} [data-way] li").count() == len(lesson.steps)
    parts = ("h1", "p.line", "[data-way]", "[data-way] li >> nth=0", "[data-way] a[rel=next]", "[data-slider] input")
    before = [page.locator(f"{FIRST} {part}").evaluate(BOX) for part in parts]
    let_go()
    wait_until_idle(page)
    assert page.locator(FIRST).count() == 0
    for part, where in zip(parts, before, strict=True):
        assert page.locator(part).first.evaluate(BOX) == pytest.approx(where, abs=1), part


# Return the boxes of each link and of its text.
MENU = """links => links.map(link => {
  const words = document.createRange();
  words.selectNodeContents(link);
  const boxes = [link, words].map(each => each.getBoundingClientRect());
  return boxes.flatMap(({x, y, width, height}) => [x, y, width, height]);
})"""


@pytest.mark.walk
@pytest.mark.parametrize(
    "stem", ["softmax_saturation", "wrong_choice"]
)  # their questions are the longest, and bold in the menu of their own page
def test_questions_of_the_path_take_one_line_each_in_the_menu(held, server, stem):
    page, let_go = held
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"{server.url}/{stem}", wait_until="commit")
    page.locator(f"{FIRST} .menu a").first.wait_for()
    page.evaluate("() => document.fonts.ready.then(() => true)")
    path = [lesson for lesson in LESSONS.values() if lesson.section == "The path"]
    before = page.locator(f"{FIRST} .menu li a:visible").evaluate_all(MENU)
    assert len(before) == len(path)
    assert max(box[-1] for box in before) < 1.5 * min(box[-1] for box in before) < 30
    let_go()
    wait_until_idle(page)
    after = page.locator("[data-testid=stSidebar] a[data-testid=stPageLink-NavLink]").evaluate_all(MENU)[: len(path)]
    for was, now in zip(before, after, strict=True):
        assert now == pytest.approx(was, abs=0.5)


def test_nothing_is_visible_before_the_picture_has_its_size(page, server):
    waiting = []

    def hold_scripts(route):
        text = route.fetch().text()
        before, found, after = text.partition(TOLD)
        assert found
        end = after.index("</script>") + len("</script>")
        late = '<script src="/late.js"></script>'
        route.fulfill(body=f"{before}{found}{after[:end]}{late}{after[end:]}", content_type="text/html")

    page.add_init_script(PATIENT)
    page.route("**/late.js", lambda route: waiting.append(route))
    page.route("**/gradient_flow", hold_scripts)
    with page.expect_request("**/late.js"):
        page.goto(f"{server.url}/gradient_flow", wait_until="commit")
    page.evaluate("() => document.fonts.load('1rem \"Source Sans\"').then(() => true)")
    assert page.locator(f"{FIRST} h1").is_hidden()
    waiting.pop().fulfill(body="", content_type="text/javascript")
    page.locator(f"{FIRST} h1").wait_for()
    assert page.locator(f"{FIRST} [data-picture]").evaluate(BOX)[3] > 0


@pytest.mark.walk
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_colour_stays_the_same_when_streamlit_comes(held, server, scheme):
    page, let_go = held
    page.emulate_media(color_scheme=scheme)
    page.goto(f"{server.url}/gradient_flow", wait_until="commit")
    colours = "element => { const style = getComputedStyle(element); return style.color; }"
    page.locator(f"{FIRST} h1").wait_for()
    before = page.locator(f"{FIRST} h1").evaluate(colours)
    let_go()
    wait_until_idle(page)
    assert page.locator("h1").evaluate(colours) == before


def test_first_page_does_not_give_away_the_answer_of_an_open_bet(held, server):
    page, let_go = held
    lesson = LESSONS[WITH_BET]
    asks = lesson.bet.when[1]
    page.goto(f"{server.url}/{WITH_BET}?bet=1&step={asks}", wait_until="commit")
    page.locator(f"{FIRST} h1").wait_for()
    here = Address(lesson, {"bet": "1", "step": asks})
    assert page.locator(LINE).inner_text() == f"Your bet: {here.question}"
    assert page.locator(f"{FIRST} form.bet").count() == 1
    withheld = len(lesson.steps) - [step.name for step in lesson.steps].index(asks) - 1
    assert page.locator(f"{FIRST} [data-way] li a[aria-disabled]").count() == withheld > 0
    assert page.locator(f"{FIRST} [data-still]").count() == 0
    for told in (lesson.answer, lesson.step(asks).line):
        assert in_letters(told) not in page.locator(FIRST).inner_text()
    let_go()
    wait_until_idle(page)
    assert page.locator("p.line").inner_text() == f"Your bet: {here.question}"


@pytest.mark.walk
def test_styles_of_the_first_page_do_not_hide_settings_of_the_next_page(page, server):
    assert "seed" not in LESSONS["corrections"].shared
    open_page(page, server, "corrections")
    go_to(page, LESSONS["score_variance"].question)
    page.locator(SETTINGS).click()
    for name in ("seed", "law", "n_keys"):
        assert page.locator(f".st-key-{name}").is_visible(), name


@pytest.mark.matrix
def test_leaving_projector_mode_restores_the_font_size(page, server):
    open_page(page, server, "score_variance", mode="projector")
    size = "() => getComputedStyle(document.documentElement).fontSize"
    before = page.evaluate(size)
    page.locator(SETTINGS).click()
    page.locator(".st-key-mode").get_by_text("screen").click()
    wait_until_idle(page)
    assert page.evaluate(size) == "16px" != before


# Record the positions of the stage's parts in every frame in which they are visible.
WATCH = """window.places = {};
const heroOf = () => [...document.querySelectorAll('*')].map(each => each.shadowRoot?.querySelector('[data-hero]'))
  .find(each => each?.dataset.value);
const parts = {
  question: () => document.querySelector('h1'),
  way: () => document.querySelector('[data-way]'),
  line: () => document.querySelector('p.line'),
  slider: () => document.querySelector('[data-slider] input'),
  picture: () => document.querySelector('[data-picture]') ?? heroOf(),
  tries: () => document.querySelector('[data-try]'),
  share: () => document.querySelector('#lab-first .share') ?? document.querySelector('.st-key-share button'),
  settings: () => document.querySelector('#lab-first .settings') ?? document.querySelector('.st-key-settings details'),
  fold: () => document.querySelector('#lab-first .folds span') ?? document.querySelector('.st-key-folds summary p'),
  dial: () => document.querySelectorAll('[data-slider] input')[1],
};
const look = () => {
  for (const [name, find] of Object.entries(parts)) {
    const part = find();
    const box = part?.getBoundingClientRect();
    if (!box?.width || !box.height || !part.checkVisibility({visibilityProperty: true})) continue;
    const width = name === 'tries' ? 0 : box.width; // which the titles of the folds beside them share
    const at = [box.x, box.y, width].map(Math.round).join(' ');
    const seen = window.places[name] ??= [];
    if (seen.at(-1) !== at) seen.push(at);
  }
  requestAnimationFrame(look);
};
document.addEventListener('DOMContentLoaded', look);"""
# The connection of a phone.
SLOW = {"offline": False, "latency": 165, "downloadThroughput": 1_000_000, "uploadThroughput": 170_000}


def slowed(page):
    """Slow a page down to a phone's connection and processor."""
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", SLOW)
    session.send("Emulation.setCPUThrottlingRate", {"rate": 4})


def check_nothing_moves(page, server, lesson, step):
    page.add_init_script(SHIFTS + WATCH)
    open_page(page, server, lesson, **asking_for(step))
    for part, seen in page.evaluate("() => window.places").items():
        places = [[int(each) for each in place.split()] for place in seen]
        assert all(place == pytest.approx(places[0], abs=1) for place in places), (part, seen)
    assert page.evaluate("() => window.shift") <= MOST


# A step tested in light colours at one size is dark at the other; on the phone every sixth step is slowed down.
# The walk tests a sample.
@pytest.mark.walk
@pytest.mark.parametrize(("place", "lesson", "step"), sampled(((i, *each) for i, each in enumerate(STEPS)), 12, 1))
def test_no_part_of_the_stage_moves_on_a_laptop_while_the_page_loads(new_page, server, place, lesson, step):
    scheme = ("light", "dark")[place % 2]
    check_nothing_moves(new_page(*SCREEN["1440"], alone=True, color_scheme=scheme), server, lesson, step)


@pytest.mark.walk
@pytest.mark.parametrize(("place", "lesson", "step"), sampled(((i, *each) for i, each in enumerate(STEPS)), 15))
def test_no_part_of_the_stage_moves_on_a_phone_while_the_page_loads(new_page, server, place, lesson, step):
    page = new_page(*SCREEN[PHONE], alone=True, color_scheme=("dark", "light")[place % 2])
    if place % 6 == 0:
        slowed(page)
    check_nothing_moves(page, server, lesson, step)


def test_slider_moves_the_picture_before_streamlit_and_keeps_its_value(held, server):
    page, let_go = held
    page.goto(f"{server.url}/score_variance?d_k=16", wait_until="commit")
    page.locator(PAINTED).wait_for()
    assert page.locator(PAINTED).get_attribute("data-value") == "16"
    assert page.locator(SENTENCE).inner_text().startswith("At dₖ = 16,")
    page.evaluate(
        """painted => { window.painted = []; const node = document.querySelector(painted);
          new MutationObserver(() => window.painted.push(node.dataset.value)).observe(node,
          {attributeFilter: ['data-value']}); }""",
        PAINTED,
    )
    page.locator(THUMB).press("ArrowRight")
    page.wait_for_function("() => location.search.includes('d_k=18')")
    page.locator(f"{PAINTED}[data-value='18']").wait_for()
    page.locator(SENTENCE).get_by_text("At dₖ = 18,").wait_for()
    let_go()
    wait_until_idle(page)
    assert query_parameters(page) == {"d_k": "18"}
    assert slider(page, "d_k").get_attribute("aria-valuetext") == "d_k = 18"
    assert shown(page) == 18
    assert set(page.evaluate("() => window.painted")) == {"18"}  # the same node, and no other value was drawn
    assert page.evaluate("selector => document.activeElement.matches(selector)", SLIDER)
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => location.search.includes('d_k=20')")
    wait_until_idle(page)
    assert shown(page) == 20


@pytest.mark.walk
def test_slider_other_than_d_k_works_before_and_after_streamlit(held, server):
    page, let_go = held
    page.goto(f"{server.url}/long_context?context_length=1000&d_k=16", wait_until="commit")
    page.locator(f"{FIRST} [data-picture][data-value^='1000 ']").wait_for()
    page.locator(THUMB).press("ArrowRight")
    page.wait_for_function("() => location.search.includes('context_length=1024')")
    page.locator(SENTENCE).get_by_text("Among 1,024 keys").wait_for()
    let_go()
    wait_until_idle(page)
    assert query_parameters(page) == {"context_length": "1024", "d_k": "16"}
    thumb = slider(page, "context_length")
    assert thumb.get_attribute("aria-valuetext") == "n = 1,024"
    press(thumb, "Home")
    page.locator("[data-picture][data-value^='16 ']").wait_for()
    assert query_parameters(page) == {"context_length": "16", "d_k": "16"}


@pytest.mark.walk
def test_slider_is_not_replaced_by_streamlit_during_a_drag(held, server):
    page, let_go = held
    page.goto(f"{server.url}/score_variance", wait_until="commit")
    page.locator(PAINTED).wait_for()
    box = page.locator(THUMB).bounding_box()
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] / 2, middle)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.75 * box["width"], middle)
    let_go()
    page.locator("[data-testid=stApp][data-test-script-state=notRunning] h1").wait_for(state="attached")
    page.wait_for_timeout(1000)
    assert page.locator(FIRST).count() == 1
    page.mouse.move(box["x"] + 0.8 * box["width"], middle)
    page.mouse.up()
    page.wait_for_function("() => location.search.includes('d_k=')")
    wait_until_idle(page)
    d_k = int(query_parameters(page)["d_k"])
    assert d_k > 64
    assert shown(page) == d_k == int(slider(page, "d_k").get_attribute("aria-valuetext").removeprefix("d_k = "))
    page.reload()
    wait_until_idle(page)
    assert shown(page) == d_k


@pytest.mark.walk
def test_play_continues_when_streamlit_comes(held, server):
    page, let_go = held
    page.goto(f"{server.url}/score_variance?d_k=1", wait_until="commit")
    page.locator(PAINTED).wait_for()
    page.locator(f"{FIRST} [data-slider]").get_by_role("button", name="Play").click()
    page.locator(f"{PAINTED}:not([data-value='1'])").wait_for()
    let_go()
    page.locator(FIRST).wait_for(state="detached")
    page.locator(".st-key-dimension").get_by_role("button", name="Pause").click()
    page.wait_for_function("() => location.search.includes('d_k=')")
    wait_until_idle(page)
    d_k = int(query_parameters(page)["d_k"])
    assert shown(page) == d_k > 1


def test_the_hero_follows_the_slider_before_streamlit(held, server):
    page, let_go = held
    page.goto(server.url, wait_until="commit")
    page.locator("[data-hero][data-value='64']").wait_for()
    page.locator(THUMB).press("End")
    page.locator("[data-hero][data-value='1024']").wait_for()
    page.wait_for_function("() => location.search.includes('d_k=1024')")
    let_go()
    wait_until_idle(page)
    assert page.locator("[data-hero]").get_attribute("data-value") == "1024"
    assert query_parameters(page) == {"d_k": "1024"}


@pytest.mark.parametrize("size", SCREEN)
def test_a_late_hero_does_not_move_the_tries_below_it(new_page, server, size):
    page, waiting = new_page(*SCREEN[size], alone=True), []
    page.route("**/moving/start*", lambda route: waiting.append(route))
    page.route("**/static/js/index.*.js", lambda _: None)  # Streamlit does not start
    page.goto(server.url, wait_until="commit")
    page.wait_for_function("() => document.fonts.status === 'loaded' && document.querySelector('[data-try]')")
    tries = page.locator(f"{FIRST} [data-try]").first
    before = tries.bounding_box()
    assert page.locator("[data-hero][data-value]").count() == 0
    while not waiting:
        page.wait_for_timeout(20)
    waiting.pop().continue_()
    page.locator("[data-hero][data-value='64']").wait_for()
    after = tries.bounding_box()
    assert [after[each] for each in ("x", "width", "height")] == [before[each] for each in ("x", "width", "height")]
    assert after["y"] == pytest.approx(before["y"], abs=2)  # the hero rounds each of its two rows to whole pixels


def test_stage_works_without_streamlit_and_says_what_is_missing(new_page, server, problems):
    page = new_page(alone=True)
    page.route("**/static/js/**", lambda route: route.abort())
    page.goto(f"{server.url}/score_variance", wait_until="load")
    page.locator(FIRST).get_by_role("button", name="Background").click()
    page.locator(FIRST).get_by_role("alert").get_by_text("the settings are missing").wait_for()
    page.locator(THUMB).press("ArrowRight")
    page.locator(f"{PAINTED}[data-value='72']").wait_for()
    assert page.locator(f"{FIRST} h1").inner_text() == LESSONS["score_variance"].question
    problems.clear()  # the scripts that failed to load


def test_step_links_work_without_a_session_and_keep_the_slider(new_page, server, problems):
    page, d_k = new_page(alone=True), {}
    page.route_web_socket("**/_stcore/stream", lambda socket: socket.close())
    lesson, after = LESSONS["one_query"], LESSONS["score_variance"]
    names = [step.name for step in lesson.steps]
    page.goto(f"{server.url}/one_query?step={names[0]}&d_k=64")
    for step in lesson.steps:
        at = max(d_k.values(), default=64)
        picture = f"{FIRST} [data-picture][data-key={step.picture}]"
        page.locator(f"{picture}[data-value]" if step.pinned else f"{picture}[data-value^='{at}']").wait_for()
        assert page.locator(LINE).inner_text() == step.line
        dots = page.locator(f"{FIRST} [data-way] li a")
        assert dots.evaluate_all("all => all.map(each => [each.dataset.step, each.hasAttribute('href')])") == [
            [name, True] for name in names
        ]
        before = page.locator(SENTENCE).inner_text()
        if "d_k" not in step.pinned:
            page.locator(THUMB).press("ArrowRight")
            page.wait_for_function("before => !location.search.includes(`d_k=${before}`)", arg=at)
            d_k[step.name] = int(query_parameters(page)["d_k"])
            assert d_k[step.name] > at
            page.locator(f"{picture}[data-value^='{d_k[step.name]}']").wait_for()
        assert step_said(page) == step.name
        assert before
        page.locator(f"{FIRST} [data-way] a[rel=next]").click()
    page.locator(f"{FIRST} h1", has_text=after.question).wait_for()
    last = {"d_k": str(d_k[names[-1]])}
    assert (step_said(page), query_parameters(page)) == (after.steps[0].name, last)
    page.locator(f"{PAINTED}[data-value='{last['d_k']}']").wait_for()
    page.locator(f"{FIRST} [data-way] li a").last.click()
    page.locator(LINE, has_text=after.steps[-1].line).wait_for()
    page.locator(f"{FIRST} [data-picture][data-key={after.steps[-1].picture}][data-value]").wait_for()
    page.go_back()
    page.locator(LINE, has_text=after.steps[0].line).wait_for()
    page.locator(f"{PAINTED}[data-value='{last['d_k']}']").wait_for()
    assert page.locator("[data-testid=stApp] h1").count() == 0
    problems.clear()  # the refused connections


def test_page_is_readable_without_javascript(browser, server):
    context = browser.new_context(java_script_enabled=False, viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.goto(f"{server.url}/score_variance")
    lesson = LESSONS["score_variance"]
    words = page.locator(FIRST).inner_text()
    line = lesson.step(lesson.opens).line
    for text in (lesson.question, line, "At dₖ = 64,", "your browser blocks it"):
        assert text in words
    still = page.locator("[data-still]:visible svg")
    assert still.count() == 1
    assert still.bounding_box()["height"] > 200
    assert page.locator(THUMB).bounding_box() is None
    assert page.locator(f"{FIRST} .menu a:visible").count() > 5
    assert page.locator(f"{FIRST} .menu li a").count() == len(LESSONS)
    assert page.locator(f"{FIRST} [data-way] li a").count() == len(lesson.steps)
    page.locator(f"{FIRST} [data-way] a[rel=next]").click()
    page.locator(LINE, has_text=lesson.steps[1].line).wait_for()
    assert page.locator("[data-still]:visible svg").count() == 1
    context.close()
