"""Two replicas behind nginx: a visitor stays on one replica, and keeps the page if that one is killed or updated."""

import csv
import gzip
import io
import json
import os
import re
import subprocess
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from http.client import HTTPConnection
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.request import ProxyHandler, Request, build_opener

import numpy as np
import pytest
from dashboard import ALERTS, CHARTS, HERO_SENTENCE, LESSONS, LET_GO, SLIDER, chart_data, open_own, press
from harness import ROOT, free_port, open_page, page_url, query_parameters, wait_until_idle
from phones import Desk, Phone, come_in, draws_in, together, whose
from postgres import cluster_of_tests
from replicas import DEPLOY, NGINX, NO_NGINX, Replica, build, dockerfile, proxy
from websockets.sync.client import connect

pytestmark = [pytest.mark.e2e, pytest.mark.deploy]

LOST = "Choose it again."
COOKIE = "lab_replica"


@pytest.fixture(scope="module")
def site(browser, tmp_path_factory):
    """Return a folder in which the Dockerfile's steps were carried out, and environment variables for it.

    The packages are downloaded if CI=true; otherwise pip uses those of the tests' environment.
    """
    if NGINX is None:
        if os.environ.get("CI") == "true":
            pytest.fail(f"CI=true and {NO_NGINX}")
        pytest.skip(NO_NGINX)
    folder = tmp_path_factory.mktemp("site")
    here = {} if os.environ.get("CI") == "true" else {"PYTHONPATH": sysconfig.get_path("purelib")}
    build(folder, os.environ | here)
    if not here:
        assert installed(folder) <= pinned()
    return folder, here


def installed(folder):
    """Return the packages in a folder's virtual environment, as name==version."""
    command = [folder / ".venv" / "bin" / "python", "-m", "pip", "freeze"]
    return set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.lower().split())


def pinned():
    """Return the packages in requirements.txt and in the image's constraints, as name==version."""
    files = (ROOT / "requirements.txt", DEPLOY / "constraints.txt")
    return {line for file in files for line in file.read_text().split()}


@pytest.fixture(scope="module")
def replicas(site):
    """Yield two replicas, started by the image's command. A test that stops one must start it again."""
    both = Replica(*site), Replica(*site)
    try:
        _at_once(*(each.start for each in both))
        yield both
    finally:
        _at_once(*(each.stop for each in both))
    assert not any("Traceback" in log for each in both for log in each.logs)


def _at_once(*deeds):
    with ThreadPoolExecutor() as pool:
        for each in [pool.submit(deed) for deed in deeds]:
            each.result()


@pytest.fixture(scope="module")
def lab(replicas, tmp_path_factory):
    """Yield the proxy in front of both replicas."""
    with proxy(tmp_path_factory.mktemp("nginx"), *(each.port for each in replicas)) as server:
        yield server


def cookies_of(page):
    return [each["value"] for each in page.context.cookies() if each["name"] == COOKIE]


def set_by(headers):
    """Return the replica cookies that a response sets."""
    return [each.partition(";")[0] for each in headers.get_all("Set-Cookie") or [] if each.startswith(COOKIE)]


def of_visitor(page, replicas):
    """Return both replicas, the visitor's first."""
    (named,) = cookies_of(page)
    return sorted(replicas, key=lambda each: str(replicas.index(each) + 1) != named)


def ask(server, path, **headers):
    """Request a path; return headers and body of the response."""
    request = Request(f"{server.url}{path}", headers=headers)
    with build_opener(ProxyHandler({})).open(request, timeout=60) as answer:
        return answer.headers, answer.read()


def shake_hands(server, **headers):
    """Open a websocket; return the replica cookies that it sets."""
    address = f"{server.url.replace('http', 'ws')}/_stcore/stream"
    with connect(address, subprotocols=["streamlit"], proxy=None, additional_headers=headers) as socket:
        return set_by(socket.response.headers)


def choose_file(page):
    """Upload queries and keys, and wait for their measurement."""
    stream = io.BytesIO()
    np.savez(stream, **dict(zip("QK", np.random.default_rng(0).standard_normal((2, 40, 24)), strict=True)))
    file = {"name": "mine.npz", "mimeType": "application/octet-stream", "buffer": stream.getvalue()}
    open_own(page)
    page.locator("[class*=st-key-q_file] input[type=file]").set_input_files(file)
    page.locator(f"{CHARTS}[aria-label^='Your file, 1 head, 40 queries, 40 keys']").wait_for()
    wait_until_idle(page)


def train(page):
    """Train a long race, which starts by a button, and skip to its end."""
    page.get_by_role("button", name="Train", exact=True).click()
    page.get_by_role("button", name="Skip to the end").click()
    page.locator(".st-key-trained_steps_dial").wait_for()
    wait_until_idle(page)


@pytest.fixture(params=["SQLite", "Postgres"])
def room_of_two(request, site, tmp_path):
    """Yield two replicas that share a database for classes, and their proxy; SQLite's file has its default path."""
    folder, here = site
    with ExitStack() as held:
        named = {"DATABASE_URL": held.enter_context(cluster_of_tests())} if request.param == "Postgres" else {}
        both = Replica(folder, here | named), Replica(folder, here | named)
        for each in both:
            held.callback(each.stop)
        _at_once(*(each.start for each in both))
        yield both, held.enter_context(proxy(tmp_path, *(each.port for each in both)))
    assert not any("Traceback" in log for each in both for log in each.logs)


LONG_RACE = {"d_k": "128", "n_steps": "3000", "n_seeds": "3"}


def check_health(site, **environment):
    """Return the exit code of the image's health check."""
    (check,) = [json.loads(each.partition("CMD ")[2]) for each in dockerfile("HEALTHCHECK")]
    return subprocess.run(check, cwd=site[0], env=os.environ | environment, capture_output=True).returncode


def test_health_check_of_the_image_fails_without_a_server(site, replicas):
    assert check_health(site, PORT=str(replicas[0].port)) == 0
    assert check_health(site, PORT=str(free_port())) == 1


def test_a_visitor_stays_on_the_replica_named_by_the_cookie(lab):
    for cookie in (f"{COOKIE}={number}" for number in (1, 2)):
        assert set_by(ask(lab, "/_stcore/health", Cookie=cookie)[0]) == []
        assert shake_hands(lab, Cookie=cookie) == [cookie]


def test_new_visitors_go_to_the_replicas_by_turns(lab):
    """Begin twenty visits as Streamlit's page does, with pages and pictures between them."""
    begun = []
    for place in range(20):
        ask(lab, "/score_variance" if place % 3 else f"/moving/score_variance?seed={place + 1}")
        begun += set_by(ask(lab, "/_stcore/health")[0])
        assert set_by(ask(lab, "/_stcore/host-config")[0]) == []
    assert sorted(begun[:2]) == [f"{COOKIE}={number}" for number in (1, 2)]
    assert begun == 10 * begun[:2]


def test_a_visitor_without_cookies_stays_on_one_replica(lab):
    assert len({cookie for _ in range(6) for cookie in shake_hands(lab)}) == 1


def test_both_replicas_answer_a_dragged_slider_alike(lab):
    path = "/moving/score_variance?d_k=65&seed=3"
    first, second = (ask(lab, path, Cookie=f"{COOKIE}={number}")[1] for number in (1, 2))
    assert json.loads(first)["figure"] == json.loads(second)["figure"]


def test_proxy_compresses_and_caches_answers_and_limits_uploads(lab):
    headers, page = ask(lab, "/", **{"Accept-Encoding": "gzip"})
    assert headers["Content-Encoding"] == "gzip"
    script = re.search(rb'src="\./(static/js/index\.[^"]+\.js)"', gzip.decompress(page))[1].decode()
    headers, _ = ask(lab, f"/{script}", **{"Accept-Encoding": "gzip"})
    assert headers["Content-Encoding"] == "gzip"
    assert "max-age=31536000" in headers["Cache-Control"]
    headers, _ = ask(lab, f"/{script}", **{"Accept-Encoding": "gzip"})
    assert (headers["X-Cache"], set_by(headers)) == ("HIT", [])
    connection = HTTPConnection("127.0.0.1", int(lab.url.rpartition(":")[2]), timeout=60)
    connection.putrequest("PUT", "/_stcore/upload_file/session/file")
    connection.putheader("Content-Length", str(66 * 2**20))
    connection.endheaders()
    assert connection.getresponse().status == 413
    connection.close()


@pytest.mark.parametrize(("said", "secure"), [({}, False), ({"X-Forwarded-Proto": "https"}, True)])
def test_class_cookie_is_secure_only_behind_a_proxy_with_https(lab, said, secure):
    headers, _ = ask(lab, "/room", **said)
    mine = [each for each in headers.get_all("Set-Cookie") if COOKIE not in each]
    assert mine
    assert all(("Secure" in each) is secure for each in mine)


def test_lab_works_in_a_frame_of_another_site(lab, new_page, tmp_path):
    source = page_url(lab, "/score_variance", d_k=64)
    inside = f'<link rel="icon" href="data:,"><iframe src="{source}" width="1200" height="700"></iframe>'
    (tmp_path / "index.html").write_text(inside)
    page = new_page(stranger=True)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=tmp_path)) as course:
        Thread(target=course.serve_forever).start()
        page.goto(f"http://localhost:{course.server_port}/index.html")
        course.shutdown()
    frame = page.frame_locator("iframe")
    frame.get_by_role("heading", level=1, name=LESSONS["score_variance"]).wait_for()
    frame.locator(f"{CHARTS} .main-svg").first.wait_for()
    frame.get_by_role("button", name="Share").hover()
    frame.locator("#lab-first").wait_for(state="detached")  # until then the slider belongs to the stage
    frame.locator(SLIDER).press("ArrowRight")
    frame.locator(f"{SLIDER}[aria-valuetext='d_k = 72']").wait_for()
    frame.locator(f"{CHARTS}[data-value='72']").first.wait_for()
    assert cookies_of(page) == []  # no cookies: the IP address chose the replica


def test_lab_works_below_a_path_of_a_site(site, tmp_path, new_page):
    folder, here = site
    below = Replica(folder, {**here, "STREAMLIT_SERVER_BASE_URL_PATH": "lab"})
    below.start()
    try:
        assert check_health(site, **below.environment) == 0
        with proxy(tmp_path, below.port, free_port(), base="lab") as server:
            page = new_page(stranger=True)
            open_page(page, server, "score_variance", d_k=100)
            assert page.locator(f"{CHARTS} .main-svg").count() > 0
            arrived = page.goto(server.url)  # without the trailing slash
            assert arrived.request.redirected_from.response().headers["location"] == "/lab/"
            page.get_by_role("heading", level=1, name=LESSONS[""]).wait_for()
    finally:
        below.stop()


def test_a_killed_replica_costs_a_visitor_only_an_upload(lab, replicas, new_page, problems):
    page, scores = new_page(stranger=True), new_page(stranger=True)
    open_page(scores, lab, "your_scores", sample="aligned")
    choose_file(scores)
    open_page(page, lab, "score_variance", d_k=64)  # no control is moved
    before = page.url, page.locator(SLIDER).get_attribute("aria-valuetext"), chart_data(page)
    mine, other = of_visitor(page, replicas)
    mine.kill()
    scores.get_by_text(LOST).wait_for(state="attached")  # the message is in a fold
    page.wait_for_function("() => !window.lab.away")
    for each in (page, scores):
        wait_until_idle(each)
    assert of_visitor(page, replicas)[0] is other
    assert (page.url, page.locator(SLIDER).get_attribute("aria-valuetext"), chart_data(page)) == before
    press(page.locator(SLIDER), "ArrowRight")
    assert query_parameters(page)["d_k"] != "64"
    assert chart_data(page) != before[2]
    mine.start()
    assert scores.get_by_text(LOST).count() == 1
    choose_file(scores)  # the killed replica is back by now
    assert scores.get_by_text(LOST).count() == 0
    problems.clear()  # the browser reports the lost connection


def test_a_class_keeps_its_answers_when_a_replica_is_killed(room_of_two):
    both, lab = room_of_two
    desk = Desk(lab.url, "").open("/softmax_saturation")
    phones = come_in(lab.url, desk.code, 40)
    with ThreadPoolExecutor() as pool:
        answering = pool.submit(together, phones, answer_often)
        both[0].kill()
        answering.result()
    both[0].start()
    desk.does("reveal")
    rows = list(csv.DictReader(desk.table()))
    answered, numbers = ([int(row[name]) for row in rows] for name in ("answer", "phone"))
    assert answered == numbers == sorted(each.number for each in phones)
    desk.does("to", stem="small_samples")
    desk.does("reveal")
    together(phones, Phone.look)
    with ThreadPoolExecutor() as pool:
        drawing = pool.submit(together, phones, Phone.draw)
        both[1].kill()
        drawing.result()
    together(phones, Phone.look)  # from the remaining replica
    assert sorted(map(number_of, phones)) == list(range(1, 41))
    drawn = draws_in(desk.table())
    assert sorted(whose(drawn, each.says) for each in phones) == [[i] for i in range(40)]


def number_of(phone):
    return phone.number


def answer_often(phone):
    """Send several answers; the last is the phone's number."""
    for answer in (0, 50, 100):
        phone.answer(answer)
    phone.answer(phone.number)


def test_rolling_update_does_not_interrupt_the_moves_of_a_visitor(lab, replicas, new_page, problems):
    page, scores, race = (new_page(stranger=True) for _ in range(3))
    open_page(scores, lab, "your_scores")
    choose_file(scores)
    open_page(race, lab, "training_race", **LONG_RACE)
    train(race)
    open_page(page, lab, d_k=8, seed=3)

    def update():
        for each in replicas:
            each.stop()
            each.start()

    with ThreadPoolExecutor() as pool:
        updating, moves, asked_again = pool.submit(update), 0, 0
        while not updating.done():
            asked_again += scores.get_by_text(LOST).count()
            page.locator(SLIDER).press("ArrowLeft" if moves % 20 > 9 else "ArrowRight")
            page.wait_for_function(LET_GO)
            moves += 1
        updating.result()
    press(page.locator(SLIDER), "ArrowRight")
    d_k = query_parameters(page)["d_k"]
    assert page.locator(HERO_SENTENCE).inner_text().startswith(f"At dₖ = {d_k}, ")
    assert query_parameters(page)["seed"] == "3"
    for each in (page, scores, race):
        wait_until_idle(each)
        assert each.get_by_test_id("stException").count() == 0
    assert page.locator(ALERTS).count() == 0
    assert asked_again + scores.get_by_text(LOST).count() > 0  # the file was lost at least once
    assert race.get_by_text("Train takes about ").count() == 1
    assert query_parameters(race) == LONG_RACE
    problems.clear()  # the browser reports the lost connections
