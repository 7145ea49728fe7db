"""The stage of a lesson in an iframe: nothing is cut off, no session is needed, and only allowed sites may show it."""

from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from dashboard import STAGED, STEPS, step_of
from harness import check_accessibility, running_server
from sampling import sampled

from pages._view.lessons import LESSONS, ORDER
from pages._view.page.share import frame_of
from pages._view.shared import SHARED

pytestmark = [pytest.mark.e2e, pytest.mark.walk]

SMALLEST, USUAL = (480, 360), (640, 480)
DRAWN = "[data-picture][data-value], [data-hero][data-value]"
LINK = ".to-lab a"
# Return the parts of the stage that reach out of the window, "page" if it scrolls, "sentence" if the link covers it.
CUT_OFF = """() => {
  const host = document.querySelector('[data-hero-host]')?.shadowRoot;
  const parts = [...document.querySelectorAll('[data-slider], [data-picture], [data-sentence], .to-lab a, h1'),
    ...(host?.querySelectorAll('.panel, .sentence') ?? [])];
  const out = parts.filter(each => {
    const {left, top, right, bottom} = each.getBoundingClientRect();
    return left < 0 || top < -1 || right > innerWidth + 1 || bottom > innerHeight + 1;
  });
  const first = document.getElementById('lab-first');
  const scrolls = first.scrollHeight > first.clientHeight ? ['page'] : [];
  const bottom = document.querySelector('[data-sentence]')?.getBoundingClientRect().bottom ?? 0;
  const covered = bottom > document.querySelector('.to-lab').getBoundingClientRect().top + 1 ? ['sentence'] : [];
  return [...out.map(each => each.className || each.tagName), ...scrolls, ...covered];
}"""


@contextmanager
def page_of_others(html):
    """Serve a page from another origin; yield its URL."""

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(html.encode())

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as others:
        Thread(target=others.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{others.server_port}"
        others.shutdown()


@pytest.mark.parametrize(
    ("lesson", "size"),
    sampled([*((lesson, SMALLEST) for lesson in STAGED), (STAGED[0], USUAL), (STAGED[2], USUAL)]),
)
def test_nothing_of_a_framed_stage_is_cut_off(new_page, server, lesson, size):
    page = new_page(*size, alone=True)
    page.goto(f"{server.url}/{'' if lesson == ORDER[0] else lesson}?embed=1")
    page.locator(DRAWN).wait_for()
    assert page.evaluate(CUT_OFF) == []
    step = step_of(lesson)
    if not step.slider:
        return
    number = {**SHARED, **LESSONS[lesson].controls}[step.slider]
    for key, value in {"Home": number.low, "End": number.high}.items():
        page.locator("[data-slider] input").press(key)
        page.locator(f":is([data-picture], [data-hero])[data-value^='{value}']").wait_for()
        assert page.evaluate(CUT_OFF) == [], value


@pytest.mark.parametrize(("lesson", "step"), sampled(STEPS, 12, 5))
def test_framed_step_is_not_cut_off_and_links_to_itself_in_the_lab(new_page, server, lesson, step):
    page = new_page(*SMALLEST, alone=True)
    page.goto(f"{server.url}/{lesson}?step={step}&embed=1")
    page.locator(DRAWN).wait_for()
    assert page.evaluate(CUT_OFF) == []
    if step_of(lesson, step).picture != "start":
        assert page.locator("[data-picture]").get_attribute("data-key") == step_of(lesson, step).picture
    assert page.locator(LINK).get_attribute("href") == f"{server.url}/{lesson}?step={step}"
    assert page.locator("[data-way]").count() == 0


@pytest.mark.parametrize("scheme", sampled(["light", "dark"]))
def test_a_framed_stage_works_without_a_session_and_links_to_the_lab(new_page, server, scheme):
    page = new_page(*SMALLEST, alone=True, color_scheme=scheme)
    sockets = []
    page.on("websocket", lambda socket: sockets.append(socket))
    page.goto(f"{server.url}/score_variance?d_k=16&mode=projector&embed=1")
    page.locator("[data-picture][data-value='16']").wait_for()
    page.locator("[data-slider] input").press("ArrowRight")
    page.locator("[data-picture][data-value='18']").wait_for()
    page.locator("[data-sentence]").get_by_text("At dₖ = 18,").wait_for()
    assert page.locator("h1").count() == 0
    link = page.locator(LINK)
    assert link.get_attribute("href") == f"{server.url}/score_variance?d_k=16&step=draw"
    ground = page.locator("#lab-first").evaluate("element => getComputedStyle(element).backgroundColor")
    assert ground == {"light": "rgb(255, 255, 255)", "dark": "rgb(18, 22, 28)"}[scheme]
    check_accessibility(page)
    page.wait_for_timeout(500)
    assert sockets == []


@pytest.mark.parametrize("lesson", [stem for stem in LESSONS if stem not in STAGED])
def test_a_framed_lesson_without_a_stage_shows_its_answer(page, server, lesson):
    page.goto(f"{server.url}/{lesson}?embed=1")
    assert page.get_by_role("heading", level=1).inner_text() == LESSONS[lesson].question
    assert page.locator(LINK).get_attribute("href") == f"{server.url}/{lesson}"


def test_a_frame_says_that_costly_settings_are_not_computed(page, server):
    page.goto(f"{server.url}/wrong_choice?step=every_size&n_keys=64&seed=77&embed=1")
    said = page.get_by_text("These settings take longer than a moment to compute, and are not computed here.")
    assert said.is_visible()
    assert page.locator(LINK).get_attribute("href") == f"{server.url}/wrong_choice?n_keys=64&seed=77&step=every_size"
    page.goto(f"{server.url}/wrong_choice?embed=1")
    page.locator(DRAWN).wait_for()
    assert said.count() == 0


@pytest.mark.parametrize("ancestors", [None, "'self' http://127.0.0.1:*"])
def test_another_site_shows_the_frame_only_if_the_server_allows_it(new_page, problems, ancestors):
    environment = {"SATTN_FRAME_ANCESTORS": ancestors} if ancestors else {}
    page = new_page(alone=True)
    with running_server(environment=environment, warm=False, address="localhost") as lab:
        snippet = frame_of(f"{lab.url}/score_variance?d_k=16", "How far?")
        with page_of_others(f"<!DOCTYPE html><title>A course</title>{snippet}") as course:
            page.goto(course)
            frame = page.frame_locator("iframe")
            if ancestors:
                frame.locator("[data-picture][data-value='16']").wait_for()
                frame.locator("[data-slider] input").press("ArrowRight")
                frame.locator("[data-picture][data-value='18']").wait_for()
            else:
                page.wait_for_timeout(1000)
                assert frame.locator("#lab-first").count() == 0
                assert any("frame-ancestors" in each for each in problems)
                problems.clear()
