"""The server: hosts it contacts, network interfaces it listens on, headers, uploads, and pages for limited browsers."""

import gzip
import re
import socket
import sys
from http.client import HTTPConnection
from urllib.error import HTTPError
from urllib.request import ProxyHandler, Request, build_opener

import pytest
from dashboard import CHARTS, LESSONS, go_to, open_own
from harness import begin, open_page, running_server, wait_until_idle
from websockets.sync.client import connect

from pages._view.bundle import BUNDLE
from pages._view.lessons import LESSONS as DECLARED
from pages._view.lessons import ORDER, PAGES, path_of_page
from pages._view.version import VERSION

pytestmark = pytest.mark.e2e

OWN = {"localhost", "127.0.0.1", "0.0.0.0", "::", "::1", "None", "unix"}


def test_server_contacts_no_other_host_and_listens_on_all_interfaces(other_server):
    port = int(other_server.url.rpartition(":")[2])
    if sys.platform == "linux":  # on Linux, 127.0.0.2 is another IP address of this machine
        socket.create_connection(("127.0.0.2", port), timeout=60).close()
    assert "URL: http://localhost:" in other_server.log()
    assert set(other_server.asked_hosts()) - OWN == set()


def test_websocket_messages_are_sent_without_delay(other_server):
    before = other_server.sent_at_once()
    address = f"{other_server.url.replace('http', 'ws')}/_stcore/stream"
    with connect(address, subprotocols=["streamlit"], proxy=None):
        assert other_server.sent_at_once() == [*before, other_server.url.rpartition(":")[2]]


def test_http_answers_are_sent_without_delay(other_server):
    before = other_server.sent_at_once()
    ask(other_server, "/robots.txt")
    assert other_server.sent_at_once() == [*before, other_server.url.rpartition(":")[2]]


def ask(server, path):
    """Request a path as a browser that accepts gzip; return headers and body."""
    request = Request(f"{server.url}{path}", headers={"Accept-Encoding": "gzip"})
    with build_opener(ProxyHandler({})).open(request, timeout=60) as answer:
        return answer.headers, answer.read()


def test_answers_are_compressed_and_cached_and_have_safe_headers(server):
    headers, page = ask(server, "/")
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert "frame-ancestors 'self'" in headers["Content-Security-Policy"]
    script = re.search(rb'src="\.(/static/js/index\.[^"]+\.js)"', gzip.decompress(page))[1].decode()
    for path, smallest in ((script, 50_000), (f"/{BUNDLE}", 1_000_000)):
        headers, body = ask(server, path)
        assert headers["Content-Encoding"] == "gzip"
        assert "max-age=31536000" in headers["Cache-Control"]
        assert len(gzip.decompress(body)) > 2.5 * len(body) > smallest
    with pytest.raises(HTTPError, match="404"):
        ask(server, "/_stcore/metrics")


BROWSERS = [
    {"Cookie": "lab_visitor=0123; _streamlit_xsrf=1; replica=1", "Accept": "text/html", "Accept-Language": "de"},
    {"Host": "evil.example", "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "https", "User-Agent": "other"},
    {"If-None-Match": '"a"', "If-Modified-Since": "Thu, 26 Nov 2099 00:00:00 GMT", "Range": "bytes=0-5"},
]
SAME_FOR_ALL = [*map(path_of_page, PAGES), "recap?embed=1", "?bet=1", "cards/start.png", "robots.txt", "sitemap.xml"]
SAME_FOR_ALL += [f"moving/score_variance?d_k=65&v={VERSION}", "code?at=https://lab.example/recap"]


def answer_of(connection, address, method="GET", **sent):
    """Send a request; return status, headers without the date, and body."""
    connection.request(method, f"/{address}", headers=sent)
    got = connection.getresponse()
    return got.status, [each for each in got.getheaders() if each[0] != "date"], got.read()


def test_publicly_cached_answers_are_equal_for_every_browser(browser):
    """A shared cache would also store Streamlit's additions for one visitor, such as a cookie."""
    with running_server(environment={"SATTN_ORIGIN": "https://lab.example"}, warm=False) as named:
        connection = HTTPConnection(named.url.removeprefix("http://"), timeout=60)
        for address in SAME_FOR_ALL:
            for taken in ("", "gzip", "gzip, br", "gzip;q=0"):
                first = answer_of(connection, address, **{"Accept-Encoding": taken})
                told = dict(first[1])
                assert (first[0], told["cache-control"][:16]) == (200, "public, max-age="), address
                packed = told.get("content-encoding")
                assert packed in (None, taken.rpartition(" ")[2]), address
                assert told["etag"].endswith(f'-{packed}"') if packed else "-" not in told["etag"], address
                assert told.get("vary", "Accept-Encoding") == "Accept-Encoding"
                assert [name for name, _ in first[1] if name in ("vary", "set-cookie")] in (["vary"], [])
                for each in BROWSERS:
                    assert answer_of(connection, address, **each, **{"Accept-Encoding": taken}) == first, address
                assert answer_of(connection, address, "HEAD", **{"Accept-Encoding": taken}) == (*first[:2], b"")
        connection.close()


def test_answers_with_a_cookie_are_marked_no_store(server):
    connection = HTTPConnection(server.url.removeprefix("http://"), timeout=60)
    for address in ("", "recap", "_stcore/health", "_stcore/host-config", "favicon.png"):
        told = answer_of(connection, address, Accept="text/html")[1]
        kept = "no-store" not in dict(told).get("cache-control", "")
        assert not (kept and "set-cookie" in dict(told)), address
    connection.close()


# Load a URL in four ways; return which of them the browser allows.
FETCH = """async (url) => {
  const loaded = (name, attributes) => new Promise((resolve) => {
    const element = Object.assign(document.createElement(name), attributes);
    element.onload = () => resolve(true);
    element.onerror = () => resolve(false);
    document.head.append(element);
  });
  return {
    fetch: await fetch(url).then(() => true, () => false),
    script: await loaded("script", {src: url}),
    style: await loaded("link", {rel: "stylesheet", href: url}),
    image: await loaded("img", {src: url}),
  };
}"""


def test_content_security_policy_blocks_all_other_hosts(page, server, other_server, problems):
    open_page(page, server)
    answers = page.evaluate(FETCH, f"{other_server.url}/favicon.png")
    assert answers == dict.fromkeys(answers, False)
    assert sum("Content Security Policy" in each for each in problems) >= len(answers)
    problems.clear()
    assert page.evaluate(FETCH, f"{server.url}/favicon.png")["image"]  # the file exists
    problems.clear()


@pytest.mark.walk
def test_server_below_a_path_draws_pictures_and_the_hero(new_page):
    with running_server(base="lab", warm=False) as lab:
        page = new_page(stranger=True)
        requested = []
        page.on("request", lambda request: requested.append(request.url))
        open_page(page, lab, "score_variance", d_k=100)
        assert page.locator(f"{CHARTS} .main-svg").count() > 0
        go_to(page, LESSONS[""])
        assert page.locator("[data-hero] svg path.fill").first.get_attribute("d")
        headers, page_below = ask(lab, "/")
        assert "frame-ancestors 'self'" in headers["Content-Security-Policy"]
        assert b"lab-blocked" in gzip.decompress(page_below)
        assert f"{lab.url}/{BUNDLE}" in requested
        elsewhere = {url for url in requested if url.startswith("http") and not url.startswith(f"{lab.url}/")}
        assert elsewhere == set()
        with pytest.raises(HTTPError, match="404"):
            ask(lab, "/_stcore/metrics")


# Upload a file of `bytes` bytes, or delete the file if `bytes` is null; return status and text of the answer.
SEND = """async ([url, token, bytes]) => {
  const form = new FormData();
  form.append("file", new Blob([new Uint8Array(bytes ?? 0)]), "q.npy");
  const headers = token ? {"X-Xsrftoken": token} : {};
  const answer = await fetch(url, bytes === null ? {method: "DELETE", headers} : {method: "PUT", headers, body: form});
  return [answer.status, await answer.text()];
}"""
LARGE = 63 * 2**20


@pytest.mark.walk
def test_uploads_by_script_count_towards_the_limit_of_the_visitor(page, server, problems):
    open_page(page, server, "your_scores")
    open_own(page)
    chosen = {"name": "q.npy", "mimeType": "application/octet-stream", "buffer": b"small"}
    with page.expect_request(lambda request: request.method == "PUT") as sent:
        page.locator("input[type=file]").first.set_input_files(chosen)
    wait_until_idle(page)
    mine, token = sent.value.url, sent.value.headers.get("x-xsrftoken")
    answers = [page.evaluate(SEND, [f"{mine}{i}", token, LARGE]) for i in range(3)]
    assert [status for status, _ in answers] == [204, 204, 413]
    assert answers[2][1].startswith("Your files may have 130 MB together")
    assert page.evaluate(SEND, [f"{mine}0", token, None])[0] == 204
    assert page.evaluate(SEND, [f"{mine}3", token, LARGE])[0] == 204
    problems.clear()  # the refused upload


# Return true if the title has the focus: then a screen reader reads it.
HEARD = "title => document.activeElement.matches('h1') && document.activeElement.innerText === title"


def test_a_browser_without_javascript_gets_an_explanation(browser, server):
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"{server.url}/score_variance?d_k=256")
        words = page.locator("#lab-first")
        assert "your browser blocks it" in words.inner_text()
        assert "At dₖ = 256, raw scores spread by about 16" in words.inner_text()
        words.get_by_role("link", name=DECLARED["recap"].question).click()
        assert page.get_by_role("heading", level=1).inner_text() == DECLARED["recap"].question


def test_a_missing_page_links_to_the_lessons(page, server, problems):
    answer = page.goto(f"{server.url}/nope")
    assert answer.status == 404
    page.get_by_role("link", name=DECLARED["recap"].question).click()
    wait_until_idle(page)
    assert page.get_by_role("heading", level=1).inner_text() == DECLARED["recap"].question
    problems.clear()  # the 404


def test_following_a_link_moves_the_focus_to_the_title_of_the_lesson(page, server):
    first, second = (DECLARED[stem].question for stem in ORDER[:2])
    open_page(page, server)
    assert page.title().startswith(first)
    assert page.evaluate("() => document.activeElement.tagName") == "BODY"
    page.locator("[data-way] a[rel=next]").focus()
    page.keyboard.press("Enter")
    page.wait_for_function("title => document.title.startsWith(title)", arg=second)
    page.wait_for_function(HEARD, arg=second)
    wait_until_idle(page)
    assert page.evaluate("() => document.activeElement.innerText") == second
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.compareDocumentPosition(document.querySelector('h1'))") == 2
    page.go_back()
    page.wait_for_function(HEARD, arg=first)
    assert page.title().startswith(first)


def test_a_browser_without_websockets_gets_an_explanation(new_page, server, problems):
    page = new_page(alone=True)
    page.clock.install()
    page.route_web_socket("**/_stcore/stream", lambda socket: socket.close())
    page.goto(server.url)
    begin(page)
    page.clock.run_for(12_000)
    words = page.locator("#lab-blocked").inner_text()
    assert "its settings are missing. It needs a websocket" in words
    page.locator("#lab-first [data-slider] input").press("End")
    page.locator("[data-hero][data-value='1024']").wait_for()
    problems.clear()  # the refused connection


def test_a_loaded_page_does_not_say_that_it_is_blocked(new_page, server):
    page = new_page(alone=True)
    page.clock.install()
    page.goto(server.url)
    begin(page)
    page.clock.run_for(1_000)
    page.locator("[data-testid=stApp] h1").wait_for(state="attached")
    page.clock.run_for(12_000)
    assert page.locator("#lab-blocked").count() == 0
