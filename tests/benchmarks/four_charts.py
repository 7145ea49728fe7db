"""The page of four charts that cold loads are compared with: in Streamlit and, if installed, in Dash.

DASH_PYTHON names a Python that has Dash, if this one does not.
"""

import os
import subprocess
import sys
import time
from contextlib import contextmanager, nullcontext
from pathlib import Path
from urllib.error import URLError
from urllib.request import ProxyHandler, build_opener

from harness import free_port

PAGES = Path(__file__).parent / "four_charts_pages"
DASH_PYTHON = os.environ.get("DASH_PYTHON", sys.executable)


def dash():
    """Serve the Dash page and yield its URL; yield None without Dash."""
    found = subprocess.run([DASH_PYTHON, "-c", "import dash"], capture_output=True)
    return _running_dash() if found.returncode == 0 else nullcontext()


@contextmanager
def _running_dash():
    """Serve the Dash page and yield its URL."""
    port = free_port()
    silent = subprocess.DEVNULL
    process = subprocess.Popen([DASH_PYTHON, PAGES / "dash_page.py", str(port)], stdout=silent, stderr=silent)
    try:
        _wait_until_answering(f"http://127.0.0.1:{port}", process)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(10)


def _wait_until_answering(url, process):
    for _ in range(300):
        try:
            return build_opener(ProxyHandler({})).open(url, timeout=2).close()
        except (URLError, OSError):
            if process.poll() is not None:
                raise RuntimeError(f"the Dash page stopped with code {process.returncode}") from None
            time.sleep(0.1)
    raise RuntimeError("the Dash page did not answer")
