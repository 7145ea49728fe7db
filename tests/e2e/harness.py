"""Start a real server and a real browser, for the browser tests and the benchmarks.

Import single names, or the module if you need many (the test settings put this folder on the path).
"""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from random import SystemRandom
from urllib.error import URLError
from urllib.parse import urlencode, urlsplit
from urllib.request import ProxyHandler, build_opener

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import TimeoutError as TooLate

ROOT = Path(__file__).resolve().parents[2]
BROWSER_NAMES = ("chromium", "chromium-browser", "google-chrome")
BROWSER_ARGS = (
    "--no-sandbox",
    "--js-flags=--always-sparkplug",  # most pages are drawn once: compiling early saves a tenth of the work
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)
NO_BROWSER = (
    "no Chromium found (looked for chromium, chromium-browser, google-chrome and Playwright's own); "
    "get one with 'apt-get install chromium' or '.venv/bin/python -m playwright install --with-deps chromium'"
)

# A page must stay idle this long: some effects follow an input a moment later, such as a picture that a script moves.
SETTLE_MS = 150

# Limits after which a start or a wait counts as failed. They are for busy machines: a passing test waits far less.
START_S, PATIENCE_MS = 300, 120_000

# Keep a page's state in `window.__runs`: the number of runs requested, and flags for a run that is awaited or running.
# A Protobuf message begins with its field number. To the server, field 11 requests a run. From the server, fields 1 and
# 2 come first; then 4 means that a run begins, 6 that it has ended, and a 2 inside 6 that another run follows at once.
_WATCH_RUNS = """(() => {
  const runs = window.__runs = {asked: 0, awaited: false, running: false};
  const asksForRun = data => ArrayBuffer.isView(data) && data[0] >> 3 === 11;
  const read = data => {
    const bytes = new Uint8Array(data);
    let i = 0;
    while (bytes[i] >> 3 <= 2 && i < bytes.length) {
      let length = 0, shift = 0;
      do { length |= (bytes[++i] & 127) << shift; shift += 7; } while (bytes[i] & 128);
      i += length + 1;
    }
    const field = bytes[i] >> 3;
    if (field === 4) Object.assign(runs, {awaited: false, running: true});
    if (field === 6) Object.assign(runs, {awaited: runs.awaited || bytes[i + 1] === 2, running: false});
  };
  window.WebSocket = class extends window.WebSocket {
    constructor(...others) {
      super(...others);
      this.addEventListener('message', event => event.data instanceof ArrayBuffer && read(event.data));
      this.addEventListener('close', () => Object.assign(runs, {awaited: false, running: false}));
      this.send = data => {  // ahead of what another script puts in the place of the class's own
        if (asksForRun(data)) Object.assign(runs, {asked: runs.asked + 1, awaited: true});
        Object.getPrototypeOf(this).send.call(this, data);
      };
    }
  };
})()"""

# Return the name of what a page still waits for; "" once the last run has ended and its messages are drawn.
_AWAITED = """() => {
  if (document.getElementById('lab-first')) {
    window.lab?.stage?.begin(); // as if somebody had reached for it
    return 'the page of Streamlit';
  }
  if (window.__runs?.awaited) return 'a run that was asked for';
  if (window.__runs?.running) return 'the end of a run';
  const app = document.querySelector('[data-testid="stApp"]');
  if (!app || app.dataset.testScriptState !== 'notRunning') return `a script that is ${app?.dataset.testScriptState}`;
  const connection = app.dataset.testConnectionState;
  if (connection && connection !== 'CONNECTED') return `a connection that is ${connection}`;
  if (!document.querySelector('[data-testid="stElementContainer"]')) return 'a first element';
  if (document.querySelector('[data-testid="stSkeleton"], [data-stale="true"]')) return 'stale elements';
  const charts = [...document.querySelectorAll('[data-picture]')];
  return charts.every(chart => !chart.checkVisibility() || chart.querySelector('.main-svg')) ? '' : 'a picture';
}"""

# Return true once the page has been idle for `settle` ms.
_IDLE = f"""settle => {{
  const now = performance.now();
  if (({_AWAITED})()) {{ window.__idleSince = undefined; return false; }}
  window.__idleSince ??= now;
  return now - window.__idleSince >= settle;
}}"""


# --- server ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Server:
    """A running server process."""

    url: str
    pid: int
    log_path: Path

    def log(self):
        return self.log_path.read_text(errors="replace")

    def memory_mb(self):
        """Return the resident memory of the server in MB (Linux)."""
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
        raise RuntimeError(f"process {self.pid} reports no resident memory")


def free_port():
    """Return a free port below the range that the system gives to outgoing connections."""
    while True:
        port = SystemRandom().randrange(20_000, 32_000)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


@contextmanager
def running_server(
    script="app.py", *flags, cwd=ROOT, port=None, address="127.0.0.1", base="", environment=None, warm=True
):
    """Start `streamlit run script`, on a free port if none is named; stop it at the end.

    address: empty to listen on all interfaces, as Streamlit does by default. base: the path below which the app is
    served. warm: draw every lesson before answering the first request. The server has a new database for its classes
    unless the environment names one.
    """
    port = port or free_port()
    command = [sys.executable, "-m", "streamlit", "run", str(script), "--server.port", str(port)]
    command += ["--server.address", address] if address else []
    command += ["--server.baseUrlPath", base] if base else []
    command += ["--server.headless", "true", "--browser.gatherUsageStats", "false", *flags]
    environment = (environment or {}) | ({} if warm else {"SATTN_WARM_UP": "0"})
    with tempfile.TemporaryDirectory() as folder:
        rooms = {"DATABASE_URL": f"sqlite:///{folder}/rooms.sqlite"}
        with running(command, port, cwd=cwd, base=base, environment=rooms | environment) as server:
            yield server


@contextmanager
def running(command, port, *, cwd=ROOT, base="", environment=None):
    """Start a command that serves the app on a port, below the path `base`; stop the process at the end."""
    with tempfile.TemporaryDirectory() as folder:
        log_path = Path(folder) / "server.log"
        with log_path.open("wb") as log:
            env = os.environ | (environment or {})
            process = subprocess.Popen(command, cwd=cwd, stdout=log, stderr=subprocess.STDOUT, env=env)
            try:
                server = Server(f"http://127.0.0.1:{port}{base and '/' + base}", process.pid, log_path)
                _wait_until_healthy(server, process)
                yield server
            finally:
                _stop(process)


def _wait_until_healthy(server, process):
    opener = build_opener(ProxyHandler({}))
    limit = time.monotonic() + START_S
    while time.monotonic() < limit:
        if process.poll() is not None:
            raise RuntimeError(f"the server stopped with code {process.returncode}:\n{server.log()}")
        try:
            with opener.open(f"{server.url}/_stcore/health", timeout=2) as answer:
                if answer.status == 200:
                    return
        except (URLError, OSError):
            pass
        time.sleep(0.05)
    raise RuntimeError(f"the server was not healthy after {START_S} s:\n{server.log()}")


def _stop(process):
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(10)


# --- browser -----------------------------------------------------------------------------------------


def find_browser(playwright):
    """Return the path of a Chromium: one on PATH, else Playwright's own, else None."""
    for name in BROWSER_NAMES:
        path = shutil.which(name)
        if path:
            return path
    own = playwright.chromium.executable_path
    return own if own and os.path.exists(own) else None


def launch_browser(playwright, *flags):
    args = [*BROWSER_ARGS, *flags]
    return playwright.chromium.launch(executable_path=find_browser(playwright), headless=True, args=args)


OWN_HOSTS = ("127.0.0.1", "localhost", None)  # None: data and blob URLs, which make no request


def watch_console(page, problems):
    """Append console errors, uncaught exceptions and requests to other hosts to `problems`; return a function to stop.

    A violation of the Content-Security-Policy is a console error too.
    """

    def on_console(message):
        url = message.location.get("url", "")
        if message.type == "error":
            problems.append(f"console: {message.text} ({url})")

    def on_error(error):
        problems.append(f"uncaught: {error}")

    def on_request(request):
        if urlsplit(request.url).hostname not in OWN_HOSTS:
            problems.append(f"asked another host: {request.url}")

    listeners = {"console": on_console, "pageerror": on_error, "request": on_request}
    for event, listener in listeners.items():
        page.on(event, listener)

    def unwatch():
        for event, listener in listeners.items():
            page.remove_listener(event, listener)

    return unwatch


# --- pages -------------------------------------------------------------------------------------------


def page_url(server, path="/", **params):
    query = urlencode(params, doseq=True)
    return f"{server.url}/{path.lstrip('/')}" + (f"?{query}" if query else "")


def watch_runs(context):
    """Let the pages of a context record each run they request, so that `wait_until_idle` never returns too early.

    Pictures below the window are drawn too, so that all of a page can be checked. By default they are drawn when the
    visitor scrolls near them; test_near.py tests this.
    """
    context.set_default_timeout(PATIENCE_MS)
    context.add_init_script(_WATCH_RUNS)
    context.add_init_script("window.lab = { near: 1e6 };")


def runs_asked(page):
    """Return the number of runs that the page has requested since it was loaded."""
    return page.evaluate("() => window.__runs?.asked ?? 0")


def open_page(page, server, path="/", **params):
    """Open a page of the app with these query parameters and wait until it is drawn."""
    page.goto(page_url(server, path, **params), wait_until="domcontentloaded")
    wait_until_idle(page)
    return page


def begin(page):
    """Let the page load Streamlit, as when a visitor uses a part that needs it."""
    page.evaluate("() => lab.stage?.begin()")


def wait_until_idle(page):
    """Wait until the last run has ended, its charts are drawn and the fonts are loaded. This loads Streamlit."""
    page.evaluate("() => { window.__idleSince = undefined; }")
    try:
        page.wait_for_function(_IDLE, arg=SETTLE_MS)
    except TooLate as late:
        awaited = page.evaluate(_AWAITED) or "quiet: it does not rest for long enough"
        raise AssertionError(f"{page.url} still waits for {awaited}.") from late
    page.evaluate("() => document.fonts.ready.then(() => true)")


def wait_until_still(page):
    """Wait until the page is idle and no animation runs."""
    wait_until_idle(page)
    page.wait_for_function(
        """() => document.getAnimations().every(
             each => each.playState !== 'running' || each.effect.getComputedTiming().endTime === Infinity)"""
    )


def query_parameters(page):
    """Return the query parameters of the address except the step; of a repeated parameter, the last value."""
    return page.evaluate(
        """() => Object.fromEntries([...new URL(location.href).searchParams].filter(([name]) => name !== 'step'))"""
    )


def step_said(page):
    """Return the step in the address; "" if there is none."""
    return page.evaluate("() => new URL(location.href).searchParams.get('step') ?? ''")


def screenshot(page, path, *, full_page=True):
    """Save a PNG. Streamlit scrolls an inner element, so a full page needs a window of its height."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    before = page.viewport_size
    if full_page:
        height = page.evaluate(
            """() => Math.max(...['stMain', 'stSidebarContent', 'stApp'].map(
                 id => document.querySelector(`[data-testid="${id}"]`)?.scrollHeight ?? 0))"""
        )
        page.set_viewport_size({"width": before["width"], "height": max(before["height"], height)})
        wait_until_idle(page)
    page.screenshot(path=str(path), animations="disabled")
    if full_page:
        page.set_viewport_size(before)
    return path


# --- accessibility -----------------------------------------------------------------------------------


COLOURS = "cat.color"  # axe-core's tag for its colour rules


def accessibility_problems(page, *, disabled_rules=(), include=None, tag=None):
    """Return a readable text for each axe-core rule that the page breaks; `tag` limits the rules."""
    page.evaluate(AXE_SCRIPT)
    found = page.evaluate(
        """([include, disabled, tag]) => axe.run(include ?? document, {
             resultTypes: ['violations'],
             rules: Object.fromEntries(disabled.map(rule => [rule, {enabled: false}])),
             ...(tag && {runOnly: [tag]}),
           }).then(results => results.violations)""",
        [include, list(disabled_rules), tag],
    )
    return [_described(violation) for violation in found]


def check_accessibility(page, **options):
    """Fail with a readable list if axe-core finds a violation. Callers that disable a rule say why."""
    problems = accessibility_problems(page, **options)
    assert not problems, f"{page.url}: {len(problems)} rule(s) broken\n" + "\n".join(problems)


def _described(violation):
    lines = [f"- {violation['id']} ({violation['impact']}): {violation['help']}  {violation['helpUrl']}"]
    for node in violation["nodes"]:
        lines.append(f"    at {node['target']}: {' '.join(node['html'].split())[:160]}")
        lines += [f"       {check['message']}" for check in node["any"] + node["all"] + node["none"]]
    return "\n".join(lines)
