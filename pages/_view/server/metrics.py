"""Metrics for Prometheus at /metrics on a separate port. Off unless SATTN_METRICS_PORT names the port.

The text format has one line per number, so it is written here rather than with another package.
"""

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from itertools import accumulate
from pathlib import Path
from threading import Lock, Thread

from pages._view.compute import store, turns
from pages._view.server.seen import Seen, Watched

PORT = "SATTN_METRICS_PORT"
ADDRESS = "STREAMLIT_SERVER_ADDRESS"  # IP address on which metrics and lab listen; all if not set
BOUNDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)  # seconds
_STATM = Path("/proc/self/statm")


class Metrics:
    """The counters of requests, and the text of all metrics."""

    def __init__(self) -> None:
        self._ended: Counter[tuple[str, int]] = Counter()
        self._within: dict[str, list[int]] = {}  # by kind: counts per bucket of BOUNDS, and of longer durations
        self._seconds: dict[str, float] = {}
        self._lock = Lock()

    def request(self, seen: Seen) -> None:
        """Count a request that has ended; the duration of a session is left out."""
        with self._lock:
            self._ended[seen.kind, seen.status] += 1
            if seen.status != 101:
                buckets = self._within.setdefault(seen.kind, [0] * (len(BOUNDS) + 1))
                buckets[sum(seen.seconds > bound for bound in BOUNDS)] += 1
                self._seconds[seen.kind] = self._seconds.get(seen.kind, 0.0) + seen.seconds

    def text(self) -> str:
        """Return all metrics in Prometheus's text format."""
        with self._lock:
            lines = [*self._requests(), *_now()]
        return "\n".join(lines) + "\n"

    def _requests(self) -> Iterator[str]:
        yield "# TYPE lab_requests_total counter"
        for (kind, status), count in sorted(self._ended.items()):
            yield f'lab_requests_total{{kind="{kind}",status="{status}"}} {count}'
        yield "# TYPE lab_request_seconds histogram"
        for kind, buckets in sorted(self._within.items()):
            *within, every = accumulate(buckets)
            for bound, count in zip((*BOUNDS, "+Inf"), (*within, every), strict=True):
                yield f'lab_request_seconds_bucket{{kind="{kind}",le="{bound}"}} {count}'
            yield f'lab_request_seconds_sum{{kind="{kind}"}} {self._seconds[kind]:.6f}'
            yield f'lab_request_seconds_count{{kind="{kind}"}} {every}'


def _now():
    """Yield the lines of the current values."""
    results, bytes_kept = store.held()
    figures = {"sessions_open": Watched.sessions, "queue_length": turns.LINE.waiting()}
    figures |= {"kept_results": results, "kept_bytes": bytes_kept}
    if _STATM.exists():  # Linux
        figures["resident_bytes"] = int(_STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    for name, value in figures.items():
        yield f"# TYPE lab_{name} gauge"
        yield f"lab_{name} {value}"


def port() -> int | None:
    """Return the port that the environment names, or None; exit with a message if it is not a port."""
    asked = os.environ.get(PORT, "")
    if asked and not (asked.isdecimal() and 0 < int(asked) < 65_536):
        raise SystemExit(f"{PORT} is {asked!r}, but it must be the number of a port, or not set")
    return int(asked) if asked else None


METRICS = Metrics()


@contextmanager
def served() -> Iterator[None]:
    """Serve the metrics inside this context if the environment names a port: one request at a time, short timeout."""
    if (at := port()) is None:
        yield
        return
    with HTTPServer((os.environ.get(ADDRESS, ""), at), _Answer) as server:
        Thread(target=server.serve_forever, name="metrics", daemon=True).start()
        try:
            yield
        finally:
            server.shutdown()


class _Answer(BaseHTTPRequestHandler):
    timeout = 5.0

    def do_GET(self) -> None:
        found = self.path == "/metrics"
        body = METRICS.text().encode() if found else b"The figures are at /metrics."
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass
