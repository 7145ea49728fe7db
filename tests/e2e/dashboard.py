"""Helpers for browser tests of the app's lessons, controls and sentences.

Import single names, or the module if you need many (the test settings put this folder on the path).
"""

from harness import query_parameters, runs_asked, wait_until_idle, wait_until_still

from pages._view.lesson import STEP
from pages._view.lessons import LESSONS as DECLARED
from pages._view.lessons import ORDER, VIEWS
from pages._view.shared import SHARED as SHARED_CONTROLS

# URL path -> question of every page; the first lesson has the empty path.
LESSONS = {"" if stem == ORDER[0] else stem: lesson.question for stem, lesson in DECLARED.items()}
DRAWN = ["" if stem == ORDER[0] else stem for stem in ORDER if stem != "recap"]  # paths of lessons with pictures
STAGED = [stem for stem in ORDER if VIEWS[stem].is_drawn or VIEWS[stem].hero]  # lessons with a picture on a stage
# Every step of the lessons with pictures as (path, step name); the name is "" in a lesson without steps.
STEPS = [(page, step.name) for page in DRAWN for step in DECLARED[page or ORDER[0]].steps or (DECLARED[page].step(""),)]
SHARED = ("d_k", "n_keys", "law", "seed")

SLIDER = ".st-key-dimension input"
HERO_SENTENCE = "[data-hero] .sentence"
# Return true if no slider is held; a key press holds its slider for a moment.
LET_GO = "() => Object.values(window.lab.hands).every(hand => !hand.held)"
SENTENCES = "[data-sentence]:not([hidden]), [data-hero] .sentence"
CHARTS = "[data-picture]"
ALERTS = "[data-testid=stAlert]"
SETTINGS = ".st-key-settings summary"
EXPANDERS = "[data-testid=stExpander] summary"


def slider(page, name):
    """Return the thumb of a control's slider, in the Settings or in the lesson."""
    if name == "d_k":
        return page.locator(f"{SLIDER}:not([class*=_dial] input)")
    return page.locator(f":is(.st-key-{name}, .st-key-{name}_dial) input[type=range]")


def field(page, name):
    """Return the text box of a control."""
    return page.locator(f".st-key-{name}").locator("input, textarea")


def typed_dimension(page):
    """Return the text box for d_k in the Settings."""
    return page.get_by_label("Dimension dₖ, typed")


def chosen(page, name):
    """Return the chosen option of a radio bar, even if the Settings are closed."""
    return page.locator(f".st-key-{name} [aria-checked=true]").text_content().strip()


def open_everything(page, apart=()):
    """Open every expander except those in containers with the keys in `apart`.

    The clicks come from a script: Playwright's own would wait for each animation.
    """
    page.locator(EXPANDERS).evaluate_all(
        """(all, apart) => all
             .filter(each => !each.parentElement.open && each.checkVisibility() && !(apart && each.closest(apart)))
             .forEach(each => each.click())""",
        ", ".join(f".st-key-{key}" for key in apart),
    )
    wait_until_still(page)


def how_sure(page, key):
    """Open "How sure?" below a picture without moving the focus, and return the box that contains its text."""
    box = page.locator(f".st-key-{key}_sure")
    if not box.locator("details[open]").count():
        box.locator("summary").evaluate("each => each.click()")
    box.get_by_test_id("stMarkdown").first.wait_for()
    wait_until_idle(page)
    return box


def open_own(page):
    """Open the fold in which visitors enter their own data, and wait until it is filled."""
    if not page.locator(".st-key-own details[open]").count():
        page.locator(".st-key-own summary").first.click()
    wait_until_still(page)


def close_own(page):
    """Close the fold in which visitors enter their own data."""
    page.locator(".st-key-own summary").first.click()
    wait_until_still(page)
    assert not page.locator(".st-key-own details[open]").count()


def wait_until_in_place(locator):
    """Wait until an element has not moved for ten frames."""
    locator.evaluate(
        """async element => {
          for (let still = 0, before = 0; still < 10; still += 1) {
            const {top} = element.getBoundingClientRect();
            if (top !== before) still = 0;
            before = top;
            await new Promise(requestAnimationFrame);
          }
        }"""
    )


def open_list(box):
    """Open the list of a select box by keyboard."""
    box.focus()
    wait_until_in_place(box)  # the page scrolls to it, and scrolling closes a list
    box.press("ArrowDown")


def lesson_state(page):
    """Return the shown values of the four shared controls as texts."""
    thumb = slider(page, "d_k")
    if thumb.count():
        d_k = thumb.get_attribute("aria-valuetext").removeprefix("d_k = ").replace(",", "")
    else:  # a lesson whose picture follows no slider
        d_k = typed_dimension(page).input_value()
    return {
        "d_k": d_k,
        "n_keys": slider(page, "n_keys").get_attribute("aria-valuetext"),
        "law": SHARED_CONTROLS["law"].read(field(page, "law").input_value())[0],
        "seed": field(page, "seed").input_value(),
    }


def sentences(page):
    """Return every live sentence of the page."""
    return [text.strip() for text in page.locator(SENTENCES).all_inner_texts()]


def step_of(lesson, name=""):
    """Return a lesson's step by name; without a name the step that opens first."""
    declared = DECLARED[lesson or ORDER[0]]
    return declared.step(name or declared.opens)


def asking_for(step):
    """Return the query parameters of a link to a step."""
    return {STEP: step} if step else {}


def turn_to(page, step):
    """Go to another step of the lesson by its dot."""
    page.locator(f"[data-way] li a[data-step={step}]").click()
    page.wait_for_function("step => new URL(location.href).searchParams.get('step') === step", arg=step)
    wait_until_idle(page)


def go_to(page, question):
    """Open a lesson by its question in the menu."""
    menu = page.get_by_test_id("stSidebar")
    menu.locator("details:not([open]) > summary").evaluate_all("all => all.forEach(each => each.click())")
    menu.get_by_role("link", name=question).click()
    page.get_by_role("heading", level=1, name=question).wait_for()
    wait_until_idle(page)


def press(locator, *keys):
    """Press keys on a control and wait for their effect."""
    for key in keys:
        locator.press(key)
    if locator.evaluate("element => element.closest('[data-slider]') !== null"):
        locator.page.wait_for_function(LET_GO)
    wait_until_idle(locator.page)


def type_into(page, name, text):
    """Replace a control's text and submit it by keyboard."""
    box = field(page, name)
    before, changed = runs_asked(page), box.input_value() != text
    box.fill(text)
    box.press("Control+Enter" if page.locator(f".st-key-{name} textarea").count() else "Enter")
    if changed:  # an unchanged text requests no run
        page.wait_for_function("before => window.__runs?.asked > before", arg=before)
    wait_until_idle(page)


def wait_for_address(page, **wanted):
    """Wait until the address has exactly these parameters, apart from the step. Streamlit writes them one by one."""
    page.wait_for_function(
        """wanted => {
             const found = [...new URL(location.href).searchParams].filter(([name]) => name !== 'step');
             return found.length === Object.keys(wanted).length && found.every(([name, text]) => wanted[name] === text);
           }""",
        arg=wanted,
    )
    wait_until_idle(page)
    assert query_parameters(page) == wanted


def chart_data(page, i=0):
    """Return the traces of the i-th chart as drawn: a list of {name, type, x, y} with plain arrays."""
    return (
        page.locator(CHARTS)
        .nth(i)
        .evaluate(
            """chart => chart.querySelector('.js-plotly-plot')._fullData.map(
             trace => ({name: trace.name, type: trace.type, x: [...trace.x], y: [...trace.y]}))"""
        )
    )


def watch_menu(page):
    """Record every link name that the menu shows, however briefly. Call this before the page is opened.

    The cards of the start page and the links below a lesson do not count.
    """
    page.add_init_script(
        """(() => {
          window.menuNames = [];
          const look = () => document.querySelectorAll('[data-testid*=Nav] a, a[data-testid*=Nav]').forEach(
            link => link.closest('[data-testid=stMainBlockContainer]') ||
              !link.checkVisibility({visibilityProperty: true}) ||
              window.menuNames.push(link.innerText.trim().split('\\n').pop()));
          new MutationObserver(look).observe(document, {childList: true, subtree: true, characterData: true});
        })()"""
    )


def menu_names(page):
    """Return the names that `watch_menu` has recorded."""
    return set(page.evaluate("() => window.menuNames"))


def messages_to_server(page):
    """Return a list that grows with every message the page sends. Call it before the page is opened."""
    sent = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame)))
    return sent


def messages_to_browser(page):
    """Return a list that grows with every message the page receives. Call it before the page is opened."""
    received = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: received.append(frame)))
    return received
